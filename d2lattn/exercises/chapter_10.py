"""Exercises of chapter 10: what attention has become since."""

import functools

import torch

from d2lattn.exercises.checking import FunctionExercise

# A window with sinks


def _windows():
    return [(9, 3, 2), (12, 4, 1), (6, 2, 0), (7, 2, 4), (5, 8, 1)]


def _seen(n, window, sinks, *, near=lambda t, j, window: t - j < window, past=(True, True)):
    """Key j of query t is seen if it is near or a sink; `past` says which of them asks j <= t."""
    t, j = torch.arange(n)[:, None], torch.arange(n)
    seen = [near(t, j, window).expand(n, n), (j < sinks).expand(n, n)]
    seen = [part & (j <= t) if asks else part for part, asks in zip(seen, past, strict=True)]
    return seen[0] | seen[1]


EXERCISES = {
    "10.1": FunctionExercise(
        _seen,
        _windows,
        {
            "the mask is inverted: True means that the key is seen": (
                lambda n, window, sinks: ~_seen(n, window, sinks)
            ),
            "rows and columns are exchanged: query t is the row, key j the column": (
                lambda n, window, sinks: _seen(n, window, sinks).T
            ),
            "a sink in the future is seen: a sink must lie at j <= t, too": (
                functools.partial(_seen, past=(True, False))
            ),
            "the window reaches into the future: it needs j <= t": (
                lambda n, window, sinks: _seen(
                    n, window, sinks, near=lambda t, j, window: (t - j).abs() < window, past=(0, 1)
                )
            ),
            "window and sinks reach into the future: both need j <= t": (
                lambda n, window, sinks: _seen(
                    n, window, sinks, near=lambda t, j, window: (t - j).abs() < window, past=(0, 0)
                )
            ),
            "a word does not see itself: j = t belongs to its window": (
                lambda n, window, sinks: _seen(n, window, sinks) & ~torch.eye(n).bool()
            ),
            "nothing keeps the future hidden: j <= t is missing": (
                functools.partial(_seen, past=(False, False))
            ),
            "the window is one key too wide: its `window` keys are counted with the word itself": (
                functools.partial(_seen, near=lambda t, j, window: t - j <= window)
            ),
            "the window is one key too narrow: t − window < j, so that it holds `window` keys": (
                functools.partial(_seen, near=lambda t, j, window: t - j < window - 1)
            ),
            "one sink too many: the sinks are the keys 0 to sinks − 1": (
                lambda n, window, sinks: _seen(n, window, sinks + 1)
            ),
            "the sinks are missing: the first `sinks` keys are seen from everywhere behind them": (
                lambda n, window, sinks: _seen(n, window, 0)
            ),
            "the window is missing: this shows the sinks alone": (
                functools.partial(_seen, near=lambda t, j, window: t < 0)
            ),
            "a key must be near or a sink, not both": (
                lambda n, window, sinks: _seen(n, window, 0) & (torch.arange(n) < sinks)
            ),
            "the sinks are counted in the window: they come on top of its `window` keys": (
                lambda n, window, sinks: _seen(n, max(window - sinks, 0), sinks)
            ),
        },
    ),
}
