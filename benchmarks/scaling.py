"""Does dividing the scores matter for what is learned? The running corpus, by divisor and seed.

Prints a Markdown table for RESULTS.md: of the 20 held-out sentences, how many are completed, and
the loss on the sentences that were learned from.
"""

import argparse
import time

import torch

from d2lattn.language.words import least_loss, train

SETTINGS = (  # width, steps, learning rate, seeds
    (64, 200, 0.03, range(10)),
    (64, 800, 0.003, range(3)),
    (256, 400, 0.003, range(3)),
)
DIVISORS = {"1": lambda d: 1.0, "√d": lambda d: d**0.5, "d": float}


def row(width, steps, rate, seeds):
    """One line for each divisor: the right answers and the losses, seed by seed."""
    for name, divisor in DIVISORS.items():
        options = dict(scale=1 / divisor(width), learning_rate=rate, every=steps)
        runs = [train(seed, steps=steps, embed_dim=width, **options) for seed in seeds]
        right = [str(round(20 * run.model.accuracy(run.held_out))) for run in runs]
        losses = [f"{run.model.loss(run.seen).item():.2f}" for run in runs]
        yield f"| {width} | {steps} | {rate} | {name} | {', '.join(right)} | {', '.join(losses)} |"


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    torch.set_num_threads(1)
    start = time.perf_counter()
    print("\n## Does dividing the scores matter for what is learned?\n")
    print(
        "The running corpus, one head of width d, learned with its scores divided by 1, √d or d.\n"
    )
    print(
        "| width d | steps | learning rate | divided by | of 20 held out, by seed | loss by seed |"
    )
    print("|---|---|---|---|---|---|")
    for setting in SETTINGS:
        print("\n".join(row(*setting)), flush=True)
    print(f"\nAn honest reader can reach {least_loss():.3f}. {time.perf_counter() - start:.0f} s.")


if __name__ == "__main__":
    main()
