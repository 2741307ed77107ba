"""Llamas in our parts, beside transformers itself. Runs with `make test-libraries`."""

import json
from pathlib import Path

import draws
import pytest
import torch
import transformers
from make_references import PROSE, SMALL, real, small
from test_llama import WIDE, drawn, written
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM

from d2lattn_book.real import from_llama, load
from d2lattn_book.real.pretrained import packaged_file

ROOT = Path(__file__).resolve().parent.parent.parent
VOCABULARY = {"llama.vocab_size": 31}  # transformers does not look it up


def assert_close(got, expected, within=1e-4):
    draws.assert_close(got, expected, within=within)


@torch.no_grad()
@pytest.mark.parametrize("sizes", SMALL)
@pytest.mark.parametrize("more", [{}, dict(head_dim=8)])
def test_every_kind_of_source(sizes, more):
    model = small(sizes, seed=5, **more)
    tokens = torch.randint(sizes[0], (2, 13), generator=draws.generator())
    logits = model(tokens).logits
    assert logits.std() > 0.3
    assert_close(from_llama(model)(tokens), logits)
    assert_close(from_llama(model.state_dict(), config=model.config)(tokens), logits)
    assert_close(from_llama(model.state_dict(), config=model.config.to_dict())(tokens), logits)
    ours = from_llama(model.double())
    assert ours.embedding.weight.dtype == torch.float64
    assert_close(ours(tokens), model(tokens).logits, within=1e-6)


@torch.no_grad()
@pytest.mark.parametrize("tied", [True, False])
def test_a_gguf_file_is_what_transformers_reads_there(tmp_path, tied):
    path = written(tmp_path / "small.gguf", drawn(WIDE, tied), WIDE, **VOCABULARY)
    theirs = AutoModelForCausalLM.from_pretrained(tmp_path, gguf_file=path.name).eval()
    tokens = torch.randint(31, (2, 9), generator=draws.generator())
    assert_close(from_llama(path)(tokens), theirs(tokens).logits)


@pytest.mark.parametrize(
    "options",
    [
        dict(hidden_act="gelu"),
        dict(rope_parameters={"rope_type": "linear", "factor": 2.0, "rope_theta": 1e4}),
    ],
)
def test_an_option_that_would_give_other_numbers_is_refused(options):
    config = LlamaConfig(
        vocab_size=9,
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=4,
        **options,
    )
    with pytest.raises(ValueError, match=r"^config must have "):
        from_llama(LlamaForCausalLM(config))


@pytest.mark.parametrize("family", ["Mistral", "Granite", "SeedOss", "Cohere", "Helium"])
def test_another_family_under_llamas_names_is_refused_also_when_made_in_memory(family):
    sizes = dict(hidden_size=16, num_hidden_layers=2, num_attention_heads=4, intermediate_size=24)
    config = getattr(transformers, f"{family}Config")(vocab_size=9, pad_token_id=0, **sizes)
    model = getattr(transformers, f"{family}ForCausalLM")(config)
    with pytest.raises(ValueError, match=r"^config must have model_type='llama', got '"):
        from_llama(model)


# SmolLM2 ------------------------------------------------------------------------------------------


@torch.no_grad()
def test_from_llama_takes_what_transformers_read_from_the_file():
    """The same weights on both ways, whose queries and keys are stored in two orders."""
    ours, _ = load()
    theirs = from_llama(real())
    for (name, x), (same, y) in zip(
        ours.state_dict().items(), theirs.state_dict().items(), strict=True
    ):
        assert name == same and torch.equal(x, y), name


def test_text_without_digits_has_the_pieces_of_transformers():
    """Of GGUF files transformers leaves out the step that sets digits apart."""
    _, tokenizer = load()
    file = packaged_file()
    theirs = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    texts = PROSE.read_text(encoding="utf-8").splitlines()
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            texts += "".join(cell["source"]).splitlines()
    plain = [text for text in texts if text and not any(c.isnumeric() for c in text)]
    assert len(plain) > 3000
    wrong = [text for text in plain if theirs.encode(text) != tokenizer.encode(text).ids]
    assert wrong == []
