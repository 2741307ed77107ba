"""sample against its rules in words; generate: wrapped models, stop tokens, what is left alone."""

import copy
import io
import math
import pickle

import draws
import pytest
import torch
import torch.distributed as dist
import torch.nn.functional as F
from ranks import on_ranks
from torch import nn
from torch.distributed import fsdp
from torch.nn.utils.parametrize import register_parametrization
from torch.testing import assert_close

from d2lattn import Cache, Decoder, fit, generate, sample

PROMPT = torch.tensor([[1, 2, 3, 4], [4, 4, 2, 0]])


class AsPeft(nn.Module):
    """A PeftModel's nesting: the model is at `base_model.model`, and its attributes are seen."""

    def __init__(self, model):
        super().__init__()
        self.base_model = nn.Module()
        self.base_model.model = model

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name == "base_model":
                raise
            return getattr(self.base_model.model, name)

    def forward(self, *args, **options):
        return self.base_model.model(*args, **options)


WRAPPERS = {
    "torch.compile": lambda model: torch.compile(model, backend="eager"),
    "DistributedDataParallel": nn.parallel.DistributedDataParallel,
    "PeftModel": AsPeft,
}


@pytest.fixture
def alone(tmp_path):
    dist.init_process_group("gloo", init_method=f"file://{tmp_path}/meet", rank=0, world_size=1)
    yield
    dist.destroy_process_group()


def decoder(**options):
    return Decoder(10, 8, num_layers=2, num_heads=2, init_std=1.0, **options)


@pytest.mark.parametrize("name", WRAPPERS)
def test_a_wrapped_model_learns_and_generates_as_it_does_alone(alone, name):
    model = decoder(dropout=0.5)
    wrapped = WRAPPERS[name](copy.deepcopy(model))

    def generated(model):
        return generate(model.train(), PROMPT, steps=5, temperature=0)

    assert torch.equal(generated(wrapped), generated(model))
    for one in (model, wrapped):
        torch.manual_seed(0)
        run = fit(one, lambda step: (PROMPT, PROMPT.roll(1)), steps=6, every=3)
        assert list(run.snapshots) == [0, 3, 6] and run.model is one and not one.training
    assert torch.equal(generated(wrapped), generated(model))


def sharded_by_fsdp2(rank, size):
    whole = decoder(positions="rotary", gate=True)
    model, mine = copy.deepcopy(whole), PROMPT[rank : rank + 1]
    for part in (*model.blocks, model):
        fsdp.fully_shard(part)
    cache = Cache(model)
    with torch.no_grad():
        read = torch.cat([model(token, cache=cache) for token in mine.split(1, 1)], 1)
    assert_close(read, whole(mine))
    for one, tokens in ((model, mine), (whole, PROMPT)):
        F.cross_entropy(one(tokens).mT, tokens.roll(1, 1)).backward()
    for sharded, parameter in zip(model.parameters(), whole.parameters(), strict=True):
        assert_close(sharded.grad.full_tensor(), parameter.grad)
    return generate(model, mine, steps=5, temperature=0).tolist()


@pytest.mark.skipif(not hasattr(fsdp, "fully_shard"), reason="FSDP2 came with torch 2.6")
def test_a_model_sharded_by_fsdp2_reads_learns_and_generates_as_it_does_whole():
    want = generate(decoder(positions="rotary", gate=True), PROMPT, steps=5, temperature=0)
    (first, second), _ = on_ranks(2, sharded_by_fsdp2)
    assert [*first, *second] == want.tolist()


@torch.no_grad()
def test_generate_draws_the_words_of_its_generator():
    model, states = decoder(), torch.get_rng_state()
    options = dict(steps=12, temperature=1.5, top_k=5, top_p=0.9, min_p=0.05)
    first, again, plain, other = (
        generate(model, PROMPT, **options, generator=draws.generator(seed), use_cache=use_cache)
        for seed, use_cache in [(0, True), (0, True), (0, False), (1, True)]
    )
    assert torch.equal(states, torch.get_rng_state())
    assert torch.equal(first, again) and torch.equal(first, plain)
    assert not torch.equal(first, other)
    for n in range(4, 16):  # each token is among the five most probable ones
        best = model(first[:, :n])[:, -1].topk(5).indices
        assert (best == first[:, n, None]).any(-1).all()


def test_generate_needs_no_gradients_and_touches_no_flag():
    """Other threads may train the model, or generate with it, at the same time."""
    model, modes = decoder(dropout=0.9).train(), []
    model.blocks[0].mlp.append(nn.Dropout(0.9))  # a part of one's own
    model.blocks[0].register_forward_hook(
        lambda *_: modes.append([part.training for part in model.modules()])
    )
    register_parametrization(model.blocks[0].mlp[0], "weight", nn.Identity())
    said = generate(model, PROMPT, steps=9, temperature=0)
    assert len(modes) == 9 and all(map(all, modes))
    assert torch.equal(said, generate(model.eval(), PROMPT, steps=9, temperature=0))


def test_generate_fills_a_learned_table_and_no_more():
    model = decoder(max_len=13)
    assert generate(model, PROMPT, steps=10).shape == (2, 14)  # the last token is not read
    for use_cache, said in ((True, "at most 13, the rows"), (False, "no row for the positions")):
        with pytest.raises(ValueError, match=said):
            generate(model, PROMPT, steps=11, use_cache=use_cache)
    assert generate(decoder(positions="alibi", max_len=13), PROMPT, steps=30).shape == (2, 34)


def test_a_row_ends_at_a_stop_token_and_generation_when_all_rows_have_ended():
    model, how = decoder(), dict(steps=40, temperature=3.0)
    draw = lambda **more: generate(  # noqa: E731
        model, PROMPT, **how, generator=torch.Generator().manual_seed(0), **more
    )
    free = draw()
    for stop in (0, [0, 7]):
        got, stops = draw(stop=stop), torch.tensor([stop]).flatten().tolist()
        length = 0
        for row, whole in zip(got.tolist(), free.tolist(), strict=True):
            end = next(i for i in range(4, 44) if whole[i] in stops)  # a 0 of the prompt ends none
            assert row[: end + 1] == whole[: end + 1] and set(row[end:]) == {whole[end]}
            length = max(length, end + 1)
        assert got.shape[1] == length < free.shape[1]


@torch.no_grad()
def test_what_is_saved_of_a_rotary_decoder_does_not_grow_with_what_it_has_read():
    def saved(model):
        torch.save(model, file := io.BytesIO())
        return file.tell()

    model = decoder(positions="rotary")
    before = saved(model)
    read = model(torch.zeros(1, 5000, dtype=torch.int64))
    assert (
        model.position._table.ready is not None
    )  # the tables of so many positions, for the next call
    again = copy.deepcopy(model)
    assert saved(model) == before and again.position._table.ready is None
    assert not any("position" in name for name in model.state_dict())
    assert torch.equal(pickle.loads(pickle.dumps(model))(torch.zeros(1, 5000).long()), read)


# Sampling -----------------------------------------------------------------------------------------

LOGITS = torch.tensor([1.0, -0.5, 0.3, 2.0, 0.0, -2.0])


def may_be_drawn(logits, temperature, top_k, top_p, min_p):
    """The p of each token by the rules as written, one token after the other, in float64."""
    order = sorted(range(len(logits)), key=lambda i: -logits[i])[:top_k]
    powers = {i: math.exp((logits[i] - max(logits)) / temperature) for i in order}
    if top_p is not None:
        nucleus, together = {}, 0.0
        for i in order:
            if nucleus and together >= top_p:
                break
            nucleus[i] = powers[i]
            together += powers[i] / sum(powers.values())
        powers = nucleus
    if min_p is not None:
        most = max(powers.values())
        powers = {i: power for i, power in powers.items() if power >= min_p * most}
    p = [powers.get(i, 0.0) / sum(powers.values()) for i in range(len(logits))]
    return torch.tensor(p, dtype=torch.float64)


def chi_square(counts, probabilities):
    """(statistic, what it passes once in 300,000 draws: Wilson and Hilferty 1931) where p > 0."""
    possible = probabilities > 0
    assert not counts[~possible].any()
    expected = (counts.sum() * probabilities)[possible]
    free = possible.sum().item() - 1
    limit = free * (1 - 2 / (9 * free) + 4.5 * math.sqrt(2 / (9 * free))) ** 3
    return ((counts[possible] - expected) ** 2 / expected).sum().item(), limit


def drawn(logits, times=500, **rules):
    """How often each token is drawn."""
    rows = torch.as_tensor(logits).expand(times, -1)
    return sample(rows, **rules, generator=draws.generator()).bincount(minlength=rows.shape[1])


@pytest.mark.parametrize("temperature", [0.7, 2.0])
@pytest.mark.parametrize("top_k", [None, 4])
@pytest.mark.parametrize(
    ("top_p", "min_p"),
    [(None, None), (0.6, None), (0.9, None), (None, 0.1), (None, 0.4), (0.9, 0.3), (1.0, 0.0)],
)
def test_words_are_drawn_from_what_the_rules_leave(temperature, top_k, top_p, min_p):
    rules = dict(temperature=temperature, top_k=top_k, top_p=top_p, min_p=min_p)
    counts, p = drawn(LOGITS, 20_000, **rules).double(), may_be_drawn(LOGITS.tolist(), **rules)
    assert ((counts > 0) == (p > 0)).all()
    if (p > 0).sum() > 1:
        statistic, limit = chi_square(counts, p)
        assert statistic < limit
        statistic, limit = chi_square(counts, p.sqrt() / p.sqrt().sum())
        assert statistic > limit  # the test can tell another temperature


HIDDEN = LOGITS.masked_fill(LOGITS > 0, -math.inf)
EQUAL = torch.zeros(8)
# logits, rules -> the tokens that may be drawn, or how many of equal ones.
ENDS = [
    *((LOGITS, dict(temperature=t), {3}) for t in (0, 1e-5, 1e-40, 1e-300)),
    (LOGITS, dict(temperature=5.0, top_k=1), {3}),
    *((LOGITS, dict(temperature=9.0, top_p=p), {3}) for p in (0, 1e-9)),
    (LOGITS, dict(temperature=9.0, min_p=1), {3}),
    (LOGITS, dict(temperature=1e300), set(range(6))),
    (HIDDEN, {}, {1, 4, 5}),
    (HIDDEN, dict(top_p=1, min_p=0), {1, 4, 5}),
    (EQUAL, dict(top_k=4), 4),
    (EQUAL, dict(top_p=0.5), 4),
    (EQUAL, dict(min_p=1), 8),
    (torch.tensor([0.0, 1e300, 3.0], dtype=torch.float64), {}, {1}),  # beyond float32
    (torch.tensor([-math.inf, -3.0, -math.inf]), {}, {1}),
]


@pytest.mark.parametrize(("logits", "rules", "left"), ENDS)
def test_sample_at_the_ends(logits, rules, left):
    found = set(drawn(logits, **rules).nonzero().flatten().tolist())
    assert found == left or len(found) == left


def test_sample_keeps_the_leading_axes_and_the_generator_decides():
    logits = torch.randn(2, 3, 40, generator=draws.generator(1))
    first, again, other = (sample(logits, generator=draws.generator(s)) for s in (7, 7, 8))
    assert first.shape == (2, 3) and first.dtype == torch.int64
    assert torch.equal(first, again) and not torch.equal(first, other)
    assert sample(logits[0, 0]).shape == ()
    turned = logits.transpose(0, 1).contiguous().transpose(0, 1)  # the same, not in a row in memory
    assert torch.equal(sample(turned, generator=draws.generator(7)), first)
