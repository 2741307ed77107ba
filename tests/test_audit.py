"""audit names planted faults, finds nothing in right models, and leaves all as it was."""

import contextlib
import json
import re

import planted
import pytest
import sections
import torch
from cells import ROOT
from oracles import ENGINES
from torch import nn

import d2lattn as d
from d2lattn_book import audit


def disguises():
    """(names of findings, fault, how to make it) of each fault in both disguises."""
    for names, fault, *calls in planted.FAULTS:
        keys = fault.partition(":")[0].split(" / ")
        for number, (key, call) in enumerate(zip([keys[0], keys[-1]], calls, strict=True), 1):
            yield pytest.param(set(names.split()), key, call, id=f"{fault}, {number}")


@pytest.mark.parametrize("names, fault, call", list(disguises()))
def test_a_planted_fault_is_named(names, fault, call):
    report = planted.ask(audit, call, fault)
    assert names & {found.name for found in report.findings}, str(report)
    planted.ask(audit, call).assert_ok()


class Causal(nn.Module):
    """A layer of ours with a causal mask."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, query, *read):
        mask = d.causal_mask(query.shape[1], [query, *read][-1].shape[1], align="bottom-right")
        return self.layer(query, *read, attn_mask=mask)


class Float32(nn.Module):
    def forward(self, logits):
        return logits.float()


def torch_heads():
    layer = nn.MultiheadAttention(32, 4, batch_first=True)

    def padded(query, key, value, valid_lens):
        mask = torch.arange(31) >= valid_lens[:, None]
        return layer(query, key, value, key_padding_mask=mask[:, : key.shape[1]])

    return layer, dict(key_length=31, valid_lens=padded)


def torch_decoder():
    model, source = nn.Transformer(32, 4, 1, 1, 64, batch_first=True).eval(), torch.randn(1, 7, 32)

    def ahead(x):
        mask = model.generate_square_subsequent_mask(x.shape[1])
        return model(source.expand(len(x), -1, -1), x, tgt_mask=mask)

    return ahead, CAUSAL


def heads(attend, **options):
    """A function of vectors around one of queries, keys and values."""

    def called(x):
        query, key, value = (x.unflatten(2, (4, 8)).transpose(1, 2) * by for by in (1, 0.7, -1.3))
        return attend(query, key, value, is_causal=True, **options).transpose(1, 2).flatten(2)

    return called, CAUSAL


GQA = dict(num_kv_heads=2, qk_norm=True, gate=True, sink_logit=True)
PADDED, CAUSAL = dict(valid_lens=True), dict(is_causal=True)
RIGHT = {
    "one head": lambda: (d.SelfAttention(32), {}),
    "heads": lambda: (d.MultiHeadAttention(32, 4), dict(empty=True) | PADDED),
    "outputs in float32": lambda: (nn.Sequential(d.SelfAttention(32), Float32()), {}),
    "causal": lambda: (Causal(d.MultiHeadAttention(32, 4, **GQA)), CAUSAL),
    "causal cross": lambda: (Causal(d.MultiHeadAttention(32, 4)), dict(key_length=31) | CAUSAL),
    "recurrent": lambda: (nn.GRU(32, 32, batch_first=True), dict(positions=True) | CAUSAL),
    "torch's heads": torch_heads,
    "torch's block": lambda: (nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), {}),
    "torch's decoder": torch_decoder,
    "linear": lambda: heads(d.linear_attention),
    "window": lambda: (heads(d.window_attention, width=4)[0], dict(window=4) | CAUSAL),
}
for engine in ENGINES:
    cross = lambda name=engine: d.MultiHeadAttention(32, 4, engine=name)  # noqa: E731
    RIGHT[engine] = lambda make=cross: (make(), dict(key_length=31) | PADDED)
    RIGHT[f"{engine}, causal"] = lambda make=cross: (Causal(make()), CAUSAL)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", RIGHT)
def test_nothing_is_found_in_a_right_layer(name, dtype):
    target, options = RIGHT[name]()
    target = target.to(dtype) if isinstance(target, nn.Module) else target
    audit.layer(target, 32, **options).assert_ok()


GUESSES = {
    "no mask": "is there no causal mask, is a mask of 0 and 1 added to the scores, or does the ",
    "inverted mask": "the causal mask is inverted.",
    "inverted mask, finite": "the causal mask is inverted.",
    "mask off by one": "22 of 23 outputs see up to 1 token ahead: a shifted mask?",
    "blocks": "17 of 23 outputs see up to 3 tokens ahead: a wrong reshape, a mask in blocks, or",
}


@pytest.mark.parametrize("fault", GUESSES)
def test_the_mask_is_guessed_from_what_outputs_see(fault):
    found = planted.ask(audit, planted.past(16, 2), fault).findings[0]
    assert GUESSES[fault] in found.sentence
    assert found.clinic.endswith("a-missing-transpose.html") == ("reshape" in found.sentence)


def state(model):
    """What a caller has of a module, and torch's global generator."""
    tensors = [*model.parameters(), *model.buffers(), *(p.grad for p in model.parameters())]
    modes, places = [m.training for m in model.modules()], [t.data_ptr() for t in tensors]
    return modes, places, [t.tolist() for t in tensors], torch.get_rng_state().tolist()


class Careless(nn.Module):
    """Draws random numbers, changes its parameters and a buffer, and fails at a call."""

    def __init__(self, last):
        super().__init__()
        self.embedding = nn.Embedding(50, 50, max_norm=0.5)
        self.parts, self.last = nn.ModuleList([nn.Dropout(), nn.BatchNorm1d(3)]), last

    def forward(self, tokens):
        torch.rand(())
        self.parts[1].num_batches_tracked += 1
        failed = self.parts[1].num_batches_tracked == self.last
        return None if failed else self.embedding(tokens)


@pytest.mark.parametrize("last", [1, 5, 1000])
def test_everything_is_as_before_also_after_an_error(last):
    model = Careless(last).to(torch.bfloat16 if last > 5 else torch.float32)
    model.parts[0].eval()
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    before = state(model)
    said = r"must return a tensor or \.logits, got NoneType"
    with pytest.raises(ValueError, match=said) if last < 1000 else contextlib.nullcontext():
        audit.model(model, 50, dtype=torch.float16)
    assert state(model) == before


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: audit.model(None, 7), "vocab_size must be an integer of at least 8, got 7"),
        (lambda: audit.layer(nn.Identity(), 4, length=7), "length .* at least 8, got 7"),
        (lambda: audit.model(nn.Embedding(60, 50), 60), "at least vocab_size=60 logits .* got 50"),
        (lambda: audit.layer(lambda x: x[:, 1:], 4), r"shape \(3, 23, width\), got \(3, 22, 4\)"),
        (lambda: audit.layer(nn.Linear(4, 4, device="meta"), 4), "on the CPU, got meta"),
        (lambda: audit.layer(None, 4, key_length=11, **CAUSAL), "at least length .* got 11 and 23"),
    ],
)
def test_a_wrong_call_is_a_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_shorter_texts_are_tried_and_what_the_model_raises_passes_through():
    model = lambda n: d.Decoder(50, 32, num_layers=1, num_heads=4, max_len=n)  # noqa: E731
    for most, length in (30, 23), (20, 16), (12, 12), (9, 8):
        report = audit.model(model(most), 50)
        assert report.ok and report.remarks == [f"Asked with {length} tokens."]
    needs = dict(window="window=", packed="segments=", cache="cache=", padding="valid_lens=")
    assert report.not_tried.items() > needs.items() and "empty=True" in report.not_tried["empty"]
    for most, asked_for in (7, {}), (23, dict(valid_lens=lambda x, n: model(n.max() // 2)(x))):
        with pytest.raises(ValueError, match="max_len") as raised:
            audit.model(model(most), 50, **asked_for)
        assert raised.value.__notes__ == ["raised by your model at (3, 23)"]


def test_a_question_without_an_answer_is_not_asked():
    silent = audit.layer(lambda x: 0 * x, 8, window=8, length=8, **CAUSAL, **PADDED)
    said = dict(window="a model whose outputs depend on its input", empty="empty=True")
    assert said.items() <= silent.not_tried.items()
    with pytest.raises(AssertionError, match=r"^Nothing could be asked: the outputs are the same"):
        silent.assert_ok()
    random = audit.layer(nn.functional.dropout, 8)
    assert [f.name for f in random.findings] == ["random"]
    assert random.not_tried["batch"] == "a model that returns the same outputs twice"
    half = audit.layer(d.SelfAttention(8).bfloat16().forward, 8)
    assert half.ok and "only larger faults" in half.remarks[1]
    assert half.not_tried["mixed"] == "the module itself"
    assert "Not asked: BatchNorm in training" in str(audit.layer(nn.BatchNorm1d(23), 8))


def test_a_report_can_be_read():
    report = audit.model(lambda t: nn.functional.one_hot(t, 50).flip(1).double(), 50)
    found = report.findings[0]
    assert found.numbers == dict(position=0, difference=1, cuts=22, of=22, first=1)
    read, changed = found.example["input"], found.example["changed input"]
    assert torch.equal(read != changed, (torch.arange(23) >= 1).expand(3, 23))
    assert f"future: {found.sentence}\n    {found.clinic}\n" in str(report)
    assert f'<a href="{found.clinic}">what to do</a>' in report._repr_html_()
    assert "order:" not in str(planted.ask(audit, planted.model(), "inverted mask"))


@pytest.mark.parametrize("call", [planted.model(), planted.past(16, 2)], ids=["model", "layer"])
@pytest.mark.parametrize("fault, count", [("0 times infinity", 23), ("first row hidden", 1)])
def test_an_output_that_is_not_finite_is_the_first_finding(fault, count, call):
    report = planted.ask(audit, call, fault)
    count = 23 if count == 1 and call[0] == "model" else count  # NaN spreads to later positions
    assert f"output at position 0 is not finite ({count} of 23 positions)" in str(report)
    assert report.findings[0].clinic.endswith("an-inverted-mask.html") and len(report.findings) == 1
    with pytest.raises(AssertionError, match="0 multiplied by −∞"):
        report.assert_ok()


def test_each_page_is_one_of_the_clinic():
    book = json.loads((ROOT / "notebooks" / "91_when_libraries_disagree.ipynb").read_text("utf-8"))
    text = "\n".join("".join(cell["source"]) for cell in book["cells"])
    pages = {sections.slug(title) for title in re.findall(r"^## 91\.\d+ (.+)", text, re.M)}
    named = {page for _, page in audit.QUESTIONS.values() if page}
    assert len(named) > 10 and named <= pages
