"""What draws in the tests follows from the seed of the run, and what compares sees a difference."""

import random
import zlib

import draws
import hypothesis
import numpy as np
import pytest
import torch


def test_examples_are_those_of_every_run_unless_they_are_searched_for(request):
    now = hypothesis.settings()
    searching = request.config.getoption("--hypothesis-profile") == "fuzz"
    assert now.derandomize is not searching and now.max_examples == (400 if searching else 40)
    assert now.database is None and now.deadline is None
    assert hypothesis.HealthCheck.too_slow in now.suppress_health_check


def test_a_test_is_seeded_by_its_name_and_the_seed_of_the_run(request):
    run = request.config.getoption("seed")
    seed = zlib.crc32(f"{run} {request.node.nodeid}".encode())
    drawn = random.random(), np.random.random(), torch.rand(()).item()
    random.seed(seed), np.random.seed(seed), torch.manual_seed(seed)
    assert drawn == (random.random(), np.random.random(), torch.rand(()).item())
    assert run == draws.SEED


def test_another_seed_of_the_run_draws_other_numbers(monkeypatch):
    drawn = []
    for run in (0, 0, 5):
        monkeypatch.setattr(draws, "SEED", run)
        drawn.append(torch.rand(3, generator=draws.generator(1)).tolist())
    assert drawn[0] == drawn[1] != drawn[2]
    plain = torch.rand(3, generator=torch.Generator().manual_seed(1)).tolist()
    assert drawn[0] == plain  # with the seed 0 of every run


@pytest.mark.parametrize("size", [1e-9, 1.0, 1000.0])
def test_results_are_close_by_a_share_of_the_largest_entry_or_of_1(size):
    expected = torch.tensor([[size, 0.0]], dtype=torch.float64)
    near = expected + 0.9e-6 * max(1, size)
    far = expected + 1.1e-6 * max(1, size)
    draws.assert_close(near, expected, within=1e-6)
    assert draws.worst([expected, near], [expected] * 2) == pytest.approx(0.9e-6)
    with pytest.raises(AssertionError):
        draws.assert_close(far, expected, within=1e-6)


@pytest.mark.parametrize("place", [0, 1])
def test_a_nan_is_never_close(place):
    got = [torch.zeros(2), torch.zeros(2)]
    got[place][1] = torch.nan
    assert not draws.worst(got, [torch.zeros(2)] * 2) < 1
    with pytest.raises(AssertionError):
        draws.assert_close(got[place], torch.zeros(2), within=1)
