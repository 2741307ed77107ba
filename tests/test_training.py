"""fit: the loop that its docstring describes, against one written out here; stopped halfway."""

import copy
import itertools
import math
import signal
import textwrap

import pytest
import torch
import torch.nn.functional as F
from draws import generator
from jupyter_client.manager import run_kernel
from torch import nn

from d2lattn import Encoder, training
from d2lattn.training import fit
from d2lattn_book.guards import unless_stopped

V, L = 7, 6


def model(**options):
    sizes = dict(num_layers=1, num_heads=2, max_len=L)
    return Encoder(V, 16, **{**sizes, **options})


def reversing(seed=0):
    """A function of the step: sequences to be reversed, other ones for each step."""

    def batches(step):
        tokens = torch.randint(V, (32, L), generator=generator(1000 * seed + step))
        return tokens, tokens.flip(1)

    return batches


def run(trained, **options):
    return fit(trained, reversing(), **{**dict(steps=6), **options})


def assert_same(one, other):
    for (name, x), y in zip(one.state_dict().items(), other.state_dict().values(), strict=True):
        torch.testing.assert_close(x, y, rtol=0, atol=1e-6, msg=name)


def test_it_is_the_loop_that_is_promised():
    """Warm-up 3 of 8 steps, decay 0.1, gradients of length 1 at most, written out."""
    # A bias of the keys has no gradient but rounding, which AdamW makes as large as any other.
    ours, theirs = model(bias=False), model(bias=False)
    got = run(ours, steps=8, learning_rate=0.01, warmup=3, weight_decay=0.1)
    optimizer = torch.optim.AdamW(theirs.parameters(), betas=(0.9, 0.98), weight_decay=0.1)
    factors = [1 / 3, 2 / 3, 1.0]
    factors += [0.1 + 0.45 * (1 + math.cos(math.pi * done / 5)) for done in range(5)]
    losses, clipped = [], 0
    for step, factor in enumerate(factors, start=1):
        tokens, targets = reversing()(step)
        loss = F.cross_entropy(theirs(tokens).view(-1, V), targets.view(-1))
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        length = math.sqrt(sum(p.grad.square().sum().item() for p in theirs.parameters()))
        clipped += length > 1
        for parameter in theirs.parameters():
            parameter.grad *= min(1 / length, 1)
        for group in optimizer.param_groups:
            group["lr"] = 0.01 * factor
        optimizer.step()
    assert clipped and got.history == pytest.approx(losses, abs=1e-5)
    assert_same(ours, theirs)


def test_a_run_can_be_repeated_and_touches_nothing_global():
    state = torch.get_rng_state()
    first, again = model(seed=2), model(seed=2)
    assert run(first).history == run(again).history
    assert_same(first, again)
    assert torch.equal(state, torch.get_rng_state())


def test_snapshots_are_the_model_as_it_was():
    trained = model()
    start = copy.deepcopy(trained)
    got = run(trained, steps=7, every=3)
    assert list(got.snapshots) == [0, 3, 6, 7] and len(got.history) == 7
    assert_same(got.snapshots[0], start)
    assert_same(got.snapshots[7], trained)
    for step in (3, 6):  # the rate looks ahead to the last step, so that is the same here
        stopped = stop_after(step, model(), steps=7, every=2)
        assert stopped.interrupted and len(stopped.history) == step
        assert list(stopped.snapshots) == sorted({*range(0, step, 2), step})
        assert_same(got.snapshots[step], stopped.model)
        assert_same(stopped.snapshots[step], stopped.model)
        assert not stopped.model.training
    assert got.model is trained
    assert not any(m.training for m in [trained, *got.snapshots.values()])
    tokens = reversing()(1)[0]
    logits = [snapshot(tokens) for snapshot in got.snapshots.values()]
    assert all((a - b).abs().max() > 1e-3 for a, b in itertools.pairwise(logits))


def stop_after(done, trained, **options):
    """A run in which someone presses the stop button when `done` steps are done."""

    def batches(step):
        if step > done:
            raise KeyboardInterrupt
        return reversing()(step)

    return fit(trained, batches, **options)


def test_other_errors_come_through_and_leave_evaluation_mode():
    def batches(step):
        if step == 2:
            raise RuntimeError("no more data")
        return reversing()(step)

    trained = model(dropout=0.5)
    with pytest.raises(RuntimeError, match="no more data"):
        fit(trained, batches, steps=3)
    assert not any(module.training for module in trained.modules())


@pytest.mark.parametrize("spoilt", ["the loss", "the gradient"])
def test_nan_ends_the_training_before_it_is_in_the_weights(spoilt):
    class Spoilt(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner, self.calls = model(), 0

        def forward(self, tokens):
            self.calls += 1
            logits = self.inner(tokens)
            if self.calls == 3 and spoilt == "the loss":  # inf, with a finite gradient
                return logits.masked_fill(torch.arange(V) == 0, -math.inf)
            if self.calls == 3:  # √0 is 0, its slope inf, and inf · 0 NaN
                return logits + (0 * logits).abs().sqrt()
            return logits

    trained = Spoilt()
    message = r"^model must have a finite loss and gradient, got a loss of .*(nan|inf).* in step 3"
    with pytest.raises(ValueError, match=message):
        fit(trained, reversing(), steps=5)
    two = model()
    stop_after(2, two, steps=5)
    assert_same(trained.inner, two)
    assert not trained.training


def test_a_target_of_minus_100_asks_nothing():
    """What stands where nothing is asked has no say, and the mean is over what is asked."""
    tokens = torch.randint(V, (4, L), generator=generator(0))
    targets = tokens.clone()
    targets[:, 2:] = -100
    untrained = model()
    expected = F.cross_entropy(untrained(tokens)[:, :2].reshape(-1, V), tokens[:, :2].reshape(-1))
    got = fit(untrained, lambda step: (tokens, targets), steps=1)
    assert got.history == pytest.approx([expected.item()], abs=1e-6)


@pytest.fixture
def interrupts():
    """Python's own handling of Ctrl-C, which a job in the background does not have."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.signal(signal.SIGINT, before) is signal.default_int_handler
    training.STOPPED.clear()


def test_a_training_that_is_stopped_in_a_notebook_leaves_no_bar():
    """A front end that may ask its reader something shows a bar; a test of outputs sees none."""
    code = """
        import signal, time
        from d2lattn import training
        training.PATIENCE = 0
        for step in training.progress_bar(9, lambda: loss):
            loss = time.sleep(0.11) or 0.5  # a bar is drawn ten times a second
            signal.raise_signal(signal.SIGINT) if step == 3 else None
        print("after", step)
    """
    found = {}
    with run_kernel() as client:
        for asked in (True, False):
            shown, options = [], dict(allow_stdin=asked, timeout=200)
            client.execute_interactive(textwrap.dedent(code), output_hook=shown.append, **options)
            printed = "".join(message["content"].get("text", "") for message in shown)
            assert printed.endswith("stopped after 4 of 9 steps\nafter 3\n")
            found[asked] = [m["content"]["data"] for m in shown if "data" in m["content"]]
    assert "loss=0.500" in found[True][-2]["text/plain"] and found[True][-1] == {}
    assert not found[False]


def test_a_guard_is_a_sentence_after_a_training_that_was_stopped(interrupts, capsys):
    with pytest.raises(AssertionError), unless_stopped():
        assert not capsys
    got = fit(
        model(), lambda step: signal.raise_signal(signal.SIGINT) or reversing()(step), steps=9
    )
    assert got.interrupted and len(got.history) == 1
    with unless_stopped():
        assert not capsys
    assert "was stopped after 1 of 9 steps, so" in capsys.readouterr().out


def test_a_second_stop_is_obeyed_at_once(interrupts):
    with pytest.raises(KeyboardInterrupt):
        for _ in training.progress_bar(9):
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)


def test_a_frozen_part_may_be_of_float16():
    class Frozen(nn.Sequential):
        def forward(self, tokens):
            return self[1](self[0](tokens).float())

    part = nn.Embedding(V, 8).half().requires_grad_(False)
    assert len(fit(Frozen(part, nn.Linear(8, V)), reversing(), steps=2).history) == 2
