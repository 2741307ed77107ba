"""Llamas in our parts, beside transformers itself. Runs with `make test-libraries`."""

import json
import re
from pathlib import Path

import draws
import huggingface_hub
import pytest
import torch
import transformers
from make_references import PROSE, SMALL, real, small
from test_llama import WIDE, drawn, written
from test_transformers_maps import words_of
from transformers import AutoModelForCausalLM, AutoTokenizer

from d2lattn import Cache
from d2lattn_book import audit
from d2lattn_book.real import edits, from_llama, load, trace
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


LLAMA3 = dict(rope_type="llama3", rope_theta=5e5, factor=8.0, low_freq_factor=1.0,
              high_freq_factor=4.0, original_max_position_embeddings=64)  # fmt: skip
RELATIVES = [
    ("llama", dict(rope_parameters=LLAMA3, tie_word_embeddings=True)),
    ("qwen2", {}),
    ("qwen3", dict(head_dim=16, rms_norm_eps=1e-4)),
    ("mistral", dict(head_dim=16, sliding_window=5)),
    ("phi3", dict(sliding_window=7)),
    ("olmo2", dict(attention_bias=True)),
]


@pytest.fixture(params=RELATIVES, ids=lambda relative: relative[0])
def relative(request):
    """A small model of a family, whose norms and biases are random, too."""
    family, options = request.param
    sizes = dict(vocab_size=64, hidden_size=32, intermediate_size=48, num_hidden_layers=2)
    heads = dict(num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=128)
    config = transformers.CONFIG_MAPPING[family](**sizes, **heads, pad_token_id=0, **options)
    model, draw = AutoModelForCausalLM.from_config(config).eval(), draws.generator(3)
    for parameter in model.parameters():
        noise = torch.randn(parameter.shape, generator=draw)
        parameter.data = 0.3 * noise if parameter.ndim > 1 else parameter.data + 0.2 * noise
    return model


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_audit_finds_nothing_in_a_relative_of_llama(relative, dtype):
    def fresh():
        cache = transformers.DynamicCache(config=relative.config)
        return lambda tokens: relative(tokens, past_key_values=cache)

    audit.model(relative.to(dtype), 64, cache=fresh).assert_ok()


@torch.no_grad()
def test_a_relative_of_llama_from_every_source_and_token_by_token(relative, tmp_path):
    tokens = torch.randint(64, (2, 40), generator=draws.generator())
    logits = relative(tokens).logits
    relative.save_pretrained(tmp_path, max_shard_size="20kB")
    for ours in (
        from_llama(relative),
        from_llama(relative.state_dict(), config=relative.config.to_dict()),
        from_llama(tmp_path),
    ):
        cache = Cache(ours, 2)
        by_token = [ours(token, cache=cache) for token in tokens.split(1, dim=1)]
        assert_close(ours(tokens), logits, within=1e-5)
        assert_close(torch.cat(by_token, dim=1), logits, within=1e-5)


@torch.no_grad()
def test_a_relative_of_llama_is_traced_and_edited(relative):
    ours, tokens = from_llama(relative), torch.randint(64, (1, 20), generator=draws.generator())
    parts = ["stream", "from_attention", "from_mlp", "weights"]
    seen = trace(ours, tokens, keep=parts)
    assert_close(seen.stream[:-1] + seen.from_attention + seen.from_mlp, seen.stream[1:], 1e-6)
    relative.set_attn_implementation("eager")
    weights = relative(tokens, output_attentions=True).attentions
    assert_close(seen.weights, torch.stack(weights), within=1e-5)

    def second_off(module, args):
        heads = args[0].unflatten(-1, (4, -1)).clone()
        heads[..., 1, :] = 0
        return heads.flatten(-2)

    projection = relative.model.layers[1].self_attn.o_proj
    hook = projection.register_forward_pre_hook(second_off)
    edited = trace(ours, tokens, edits=[edits.heads_off((1, 1))]).logits
    assert_close(edited, relative(tokens).logits, within=1e-5)
    hook.remove()
    assert (edited - seen.logits).abs().max() > 0.1
    if relative.config.model_type == "olmo2":
        with pytest.raises(ValueError, match=r"^keep must leave out 'from_heads' where a norm "):
            trace(ours, tokens, keep=["from_heads"])


def test_the_lines_of_the_docs_load_a_folder_of_the_hub(tmp_path, monkeypatch):
    """With a small model of the class, where the Hub would put the real one."""
    config = transformers.Qwen3Config(vocab_size=31, hidden_size=24, num_hidden_layers=2,
                                      num_attention_heads=4, num_key_value_heads=2,
                                      intermediate_size=20)  # fmt: skip
    model = transformers.Qwen3ForCausalLM(config).to(torch.bfloat16)
    model.save_pretrained(tmp_path)
    words_of("[UNK]").save(str(tmp_path / "tokenizer.json"))
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda *_, **__: str(tmp_path))
    page = (ROOT / "docs" / "package.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(from huggingface_hub.*?)```", page, re.S)
    names = {}
    exec(code, names)
    logits = names["seen"].logits
    assert logits.dtype == torch.bfloat16 and names["model"].blocks[0].attention.head_dim == 128
    assert_close(logits, model(names["tokens"]).logits.detach(), within=0.02)


OTHERS = """arcee cohere cohere2 deepseek_v3 exaone4 falcon gemma gemma2 gemma3_text glm glm4
granite helium ministral mixtral nemotron olmo olmo3 phi qwen2_moe qwen3_moe seed_oss smollm3
stablelm starcoder2"""


@pytest.mark.parametrize("family", OTHERS.split())
def test_another_family_is_refused_by_name(family):
    config = transformers.CONFIG_MAPPING[family]()
    with pytest.raises(
        ValueError, match=rf"^config must have model_type one of .*, got '{family}'"
    ):
        from_llama({}, config=config)


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
