"""Ring attention, round by round."""

import torch

from d2lattn.arguments import check_choice, check_count
from d2lattn_book.host import on_the_host
from d2lattn_book.pictures.page import Figure
from d2lattn_book.pictures.tables import plain_table

MOST_RANKS, MOST_IN_RING = 4, 24  # ranks of a ring, and words on all of them
SPLITS = ("contiguous", "striped")


@on_the_host
def ring(
    ranks: int = 4,
    *,
    block_size: int = 4,
    causal: bool = True,
    split: str = "contiguous",
    step: int = 0,
) -> Figure:
    """Ring attention: which rank computes what in which round, and which ranks are idle.

    Each rank has the queries of its words. Their keys and values are a block that goes round the
    ring: in round s, from 0, rank r holds the block of rank (r - s) mod R, computes the scores that
    are seen, and merges what comes out with what it has (Liu et al. 2023, "Ring Attention", arXiv
    2310.01889). A block of which it sees nothing is skipped. Contiguous, rank r has the words r·b
    to r·b + b - 1; striped, the words r, r + R, r + 2·R, … (Brandon et al. 2023, "Striped
    Attention", arXiv 2311.09431). A round lasts as long as its slowest rank. Of the time of a
    causal ring (R - 1) / (2·R - 1) is idle in long contiguous blocks, and striped
    (R - 1) / (R·(b + 1)). Time is counted in scores that are seen: a program that computes a block
    whole, and hides half of it then, gains nothing from stripes. Sending costs no time here.

    Args:
        ranks (int): R, from 2 to 4.
        block_size (int): b, the words of a rank; at most 24 on all ranks.
        causal (bool): a word sees itself and those before it, or all.
        split: "contiguous" or "striped".
        step (int): the round in which the figure opens, from 0.

    Raises:
        ValueError: sizes or a step outside these limits, an unknown split.

    Cost:
        About 18 kB in the notebook.

    Example:
        >>> ring(4, block_size=4)
        live ring: 4 ranks, causal, contiguous: 136 scores in 58 time units, 41% idle
        >>> ring(4, block_size=4, split="striped")
        live ring: 4 ranks, causal, striped: 136 scores in 40 time units, 15% idle
    """
    check_count("ranks", ranks, least=2, most=MOST_RANKS)
    check_count("block_size", block_size, most=MOST_IN_RING // ranks)
    check_choice("split", split, SPLITS)
    check_count("step", step, least=0, most=ranks - 1)
    places = torch.arange(ranks * block_size)
    striped = split == "striped"
    places = places.view(-1, ranks).T if striped else places.view(ranks, -1)  # (R, b)
    seen = places[:, None, :, None] >= places[None, :, None, :]  # (R, R, b, b)
    work = (seen if causal else torch.ones_like(seen)).sum((-2, -1))  # of a rank, of a block
    rank = torch.arange(ranks)
    rounds = torch.stack([work[rank, (rank - s) % ranks] for s in range(ranks)])
    time = rounds.amax(1)
    idle = 1 - rounds.sum().item() / (ranks * time.sum().item())
    line = (
        f"live ring: {ranks} ranks, {'causal, ' * causal}{split}: {rounds.sum()} scores in "
        f"{time.sum()} time units, {100 * idle:.0f}% idle"
    )
    names = [f"round {s}" for s in range(ranks)]
    columns = [*(f"rank {r}" for r in range(ranks)), "time"]
    rows = torch.cat([rounds, time[:, None]], dim=1)
    table = plain_table(f"{line}. Scores of each rank", names, columns, rows, places=0)
    data = {"ranks": ranks, "block_size": block_size, "causal": causal, "striped": striped}
    return Figure("ring", line, data | {"step": step}, table)
