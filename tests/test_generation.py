"""generate: wrapped models, stop tokens; what is saved of a decoder that has read a long text."""

import copy
import io
import pickle

import pytest
import torch
import torch.distributed as dist
import torch.nn.functional as F
from ranks import on_ranks
from torch import nn
from torch.distributed import fsdp
from torch.testing import assert_close

from d2lattn import Cache, Decoder, fit, generate

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


def test_no_decoder_is_named():
    with pytest.raises(ValueError, match=r"^model must be a Decoder or hold one, got Linear"):
        generate(nn.Linear(2, 2), PROMPT, steps=1)


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
