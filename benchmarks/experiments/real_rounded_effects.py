"""Which differences in nats that the pages tell keep their sign under two more roundings?

Written down before the run. *real_rounded* shows that one more error of the file's size moves a
loss by a fifth of a nat, as much as some differences that pages tell. But it may move both losses
that are compared. So here are the differences themselves, ten of those that pages tell and that are
less than half a nat or so, with the file and with each of two errors drawn once for all, on the
same passages. Predicted: those of a fifth of a nat and more keep their sign in the mean, and those
below a tenth may not. A sentence whose difference changes its sign in the mean of the draws under
either error is none about SmolLM2, and is mended. Refuted if a difference of a quarter of a nat and
more does.
"""

import contextlib
import functools

import real
import torch
from experiment import Experiment

once_more = real.beside("real_rounded", "prose")
ERRORS = (None, 0, 1)
# Effect: (experiment, what is told of, against what, passages a draw); the column is its first
# with *nats*, or the one that is named.
EFFECTS = {
    "halved_scores": ("real_temperature", "half", "double", 1, "tokens 64 to 127"),
    "window_first": ("real_sinks", "window_first", "all", 1),
    "value_first": ("real_sinks", "value_first", "all", 1),
    "other_passage": ("real_order", "other", "nothing", 2),
    "doubled_places": ("real_order", "doubled", "all", 2),
    "halved_places": ("real_order", "halved", "doubled", 2),
    "whole_words": ("real_word_order", "prose_words", "prose_none", 2),
    "whole_words_manual": ("real_word_order", "manual_words", "manual_none", 2),
    "linear_last": ("real_cheaper_loss", "linear_last", "all", 1),
    "hashed": ("real_cheaper_loss", "hashed_four", "random_four", 1),
}


def run(variant, seed, steps):
    """The difference with the file, and with each of two more errors."""
    file, *errors = (difference(variant, seed, error).item() for error in ERRORS)
    return {
        "the file": file,
        "one more error": errors[0],
        "another": errors[1],
        "the sign of the file's": all(x * file > 0 for x in errors),
    }


def difference(effect, seed, error):
    name, told, against, count, *column = EFFECTS[effect]
    with rounded_once_more(error):
        found = [measured(name, row, seed, error, count) for row in (told, against)]
    one, other = (x[column[0] if column else next(c for c in x if "nats" in c)] for x in found)
    return torch.as_tensor(one - other)


@functools.lru_cache(maxsize=1024)
def measured(name, row, seed, error, count):
    return functions(name, error, count).run(row, seed, None)


@functools.cache
def functions(name, error, count):
    """The functions of an experiment; what they keep belongs to this error."""
    return real.beside(name, None, count)


@contextlib.contextmanager
def rounded_once_more(error):
    """The model's matrices with this error."""
    named = dict(real.model().named_parameters())
    file = {name: named[name].data for name in matrices(error)}
    try:
        for name, matrix in matrices(error).items():
            named[name].data = matrix
        yield
    finally:
        for name, matrix in file.items():
            named[name].data = matrix


@functools.cache
@torch.no_grad()
def matrices(error):
    """The matrices of all layers with an error as large as that of the file, as *real_rounded*."""
    if error is None:
        return {}
    generator = torch.Generator().manual_seed(error)
    named = [(n, p) for n, p in real.model().named_parameters() if once_more.rounded(n, p)]
    return {name: p + once_more.error(p, 1.0, generator) for name, p in named}


EXPERIMENT = Experiment(
    section="1.9",
    varies="which loss is compared with which, each a row of another experiment; and the weights, "
    "as in the file or with one of two errors as large as its rounding, drawn once for all",
    held="each draw judges the same passages, fewer than the experiment that a page quotes, with "
    "the file and with both errors",
    control="the file itself, which must show what the other experiment shows; and differences of "
    "less than a tenth of a nat, which an error of that size may well turn",
    refuted="a difference of a quarter of a nat and more changes its sign in the mean of the draws "
    "under either error",
    variants={
        effect: f"{name}: {told} against {against}"
        for effect, (name, told, against, *_) in EFFECTS.items()
    },
    run=run,
    steps=None,
    seeds=8,
)
