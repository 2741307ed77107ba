"""A chapter or the book's own package uses every public name of d2lattn, and every keyword."""

import ast
import inspect
import json

from cells import ROOT, book

import d2lattn

# These lists only get shorter: a page uses what is added, or it goes.
UNUSED_NAMES = set()
UNUSED_KEYWORDS = {
    # The contract names them.
    "SelfAttention": "bias",
    "attention": "chunk_size dropout_p",
    "attention_scores": "scale",
    "sinusoidal_encoding": "offset",
    "window_mask": "S device",
    # d2lattn gives them itself.
    "MLP": "bias mlp_dim",
    "Block": "dropout",
    "LatentAttention": "bias dropout",
    "PositionalEncoding": "base",
    "Ranks": "group",
    "alibi_bias": "device",
    # A page gives them to a function by another name; these two are torch's own.
    "head_parallel": "group is_causal key query value",
    "Positions": "args",
    "RMSNorm": "device dtype elementwise_affine",
}


def sources():
    """The code of all cells and of d2lattn_book."""
    for path in book():
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                lines = "".join(cell["source"]).splitlines()
                yield "\n".join(line for line in lines if not line.startswith(("%", "!")))
    for path in (ROOT / "d2lattn_book").rglob("*.py"):
        yield path.read_text(encoding="utf-8")


def used():
    """(names that are read, {name: keywords and numbers of arguments that calls of it give}).

    A call with **options may give each key of a dictionary.
    """
    names, given, keys = set(), {}, set()
    for source in sources():
        for node in ast.walk(ast.parse(source)):
            names.add(getattr(node, "id", None) or getattr(node, "attr", None))
            if isinstance(node, ast.Dict):
                keys |= {key.value for key in node.keys if isinstance(key, ast.Constant)}
            if isinstance(node, ast.Call):
                # partial(f, x=1) and fit(f, x=1) hand on what they are given.
                called = [node.func, *(arg for arg in node.args if isinstance(arg, ast.Name))]
                for one in called:
                    name = getattr(one, "id", None) or getattr(one, "attr", None)
                    keywords = {keyword.arg for keyword in node.keywords}
                    given.setdefault(name, set()).update(keywords)
                    if one is node.func:
                        given[name].update(range(len(node.args)))
    keys |= given["dict"]
    return names, {
        name: calls | (keys if None in calls else set()) for name, calls in given.items()
    }


NAMES, GIVEN = used()


def unused_keywords(name):
    """The arguments of a function or class that no call gives, by name or by place."""
    public = getattr(d2lattn, name)
    parameters = [
        p for p in inspect.signature(public).parameters.values() if p.kind != p.VAR_KEYWORD
    ]
    given = GIVEN.get(name, set())
    return {p.name for i, p in enumerate(parameters) if p.name not in given and i not in given}


def test_every_public_name_is_used():
    assert {name for name in d2lattn.__all__ if name not in NAMES} == UNUSED_NAMES


def test_every_keyword_is_given_somewhere():
    found = {name: unused_keywords(name) for name in d2lattn.__all__}
    assert {
        name: " ".join(sorted(words)) for name, words in found.items() if words
    } == UNUSED_KEYWORDS
