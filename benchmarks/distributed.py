"""Attention over ranks: what a rank holds and sends, how long it takes, and what was foretold.

    python benchmarks/bench.py distributed

Each measurement runs in processes of its own, started with torchrun on one machine, one thread
each; what they send goes over its loopback network.
"""

import functools
import itertools
import json
import math
import statistics
import time

import torch
import torch.distributed as dist
from results import table
from timing import saying
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from d2lattn import Ranks, attention, head_parallel, merge, partial_attention, ring_attention
from d2lattn_book.cluster import Layer, Machine, ring_cost
from d2lattn_book.launch import outputs

TITLE = "Attention over ranks"
ON = ("processor",)
INTRODUCTION = """\
Processes on one machine, gloo over the loopback network, one thread each, float32. Bytes are \
counted. A time is that of the slowest rank, the least of all rounds, since whatever else the \
machine does can only make it longer; what is compared takes turns."""
D, HEADS, ROUNDS = 64, 2, 200
LOADS = (64, 512, 4096)  # KiB of the messages by which a link is known
KNOWN = 2, 512  # heads, and words of a rank
FORETOLD = (2, 128), (2, 256), (2, 1024), (32, 64)
CLOCK = ["heads", "words a rank", "products, ms", "message, ms", "call, ms", "ring, ms"]
CLOCK += ["foretold, ms", "off by", "ring that waits, ms", "foretold, ms", "hidden"]


# What a rank holds, and sends ---------------------------------------------------------------------


class Alive(TorchDispatchMode):
    """Bytes of the tensors made inside that are alive, after each operation; the most is kept."""

    def __init__(self, known):
        super().__init__()
        self.known = {x.untyped_storage()._cdata for x in known}
        self.storages, self.most = {}, 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        for x in tree_leaves(result):
            if torch.is_tensor(x) and x.untyped_storage()._cdata not in self.known:
                storage = x.untyped_storage()
                self.storages[storage._cdata] = StorageWeakRef(storage), storage.nbytes()
        alive = {key: entry for key, entry in self.storages.items() if not entry[0].expired()}
        self.storages = alive
        self.most = max(self.most, sum(size for _, size in alive.values()))
        return result


def holds(n, d):
    """Print the bytes of all tensors of rank 0 when it holds most: its words and what is made."""
    torch.set_num_threads(1)
    ranks = Ranks()
    x = list(torch.randn(3, 1, n // ranks.size, d).unbind())
    with Alive(x) as counted:
        ring_attention(*x, group=ranks)
    if ranks.rank == 0:
        print(sum(one.nbytes for one in x) + counted.most)


def sends(n, heads, d):
    """Print the bytes that rank 0 sends, as `Ranks` counts them."""
    ranks, found = Ranks(), []
    for split in (ring_attention, head_parallel):
        x = torch.zeros(3, heads, n // ranks.size, d, requires_grad=True)
        output = split(*x.unbind(), group=ranks)
        forward = ranks.sent
        output.sum().backward()
        found += [forward, ranks.sent - forward]
        ranks.sent = 0
    if ranks.rank == 0:
        print(json.dumps(found))


def formulas(n, heads, d, ranks):
    """Bytes by formula, in the order of `sends`: ring and its backward pass, heads and theirs."""
    share = heads * n // ranks * d * 4
    ring, exchange = (ranks - 1) * 2 * share, 4 * share * (ranks - 1) // ranks
    return [ring, 2 * ring, exchange, exchange]


def bytes_rows(quick):
    n, heads, d = (512 if quick else 3072), 12, 16
    names = ("ring, forward", "ring, backward", "heads, forward", "heads, backward")
    rows = []
    for size in (2,) if quick else (2, 3, 4):
        saying(f"bytes sent, {size} ranks")
        found = json.loads(outputs(sends, size, n=n, heads=heads, d=d)[0])
        for name, ours, formula in zip(names, found, formulas(n, heads, d, size), strict=True):
            rows.append(dict(pass_=name, ranks=size, formula=formula, counted=ours))
    return rows


# The clock ----------------------------------------------------------------------------------------


def clocks(calls, rounds):
    """{label: seconds}: the least over the rounds of the time of the slowest rank.

    A call that takes long has a quarter of the rounds.
    """
    best = dict.fromkeys(calls, float("inf"))
    for i, (label, call) in itertools.product(range(rounds), calls.items()):
        if i % 4 and best[label] > 0.03:  # the same on all ranks
            continue
        dist.barrier()
        start = time.perf_counter()
        call()
        taken = torch.tensor(time.perf_counter() - start)
        dist.all_reduce(taken, dist.ReduceOp.MAX)
        best[label] = min(best[label], taken.item())
    return best


def passing(ranks, size):
    """A message of so many bytes to the next rank, while one comes from the rank before."""
    block = torch.zeros(size // 4)
    return lambda: ranks.pass_on(block, torch.empty_like(block))()


class Waiting(Ranks):
    """Ranks that wait for a block before they multiply: the control without overlap."""

    def pass_on(self, outgoing, incoming):
        got = super().pass_on(outgoing, incoming)()
        return lambda: got


def meeting(query, key, value):
    """What a rank does with a block: its queries meet it, and what they find is merged."""
    part = partial_attention(query, key, value)
    merge((part[0], part[0]), (part[1], part[1]))


def knowing(cases, loads, rounds):
    """Print the times of a call, of messages, and of rings of so many heads and words of a rank."""
    torch.set_num_threads(1)
    ranks, calls, word = Ranks(), {}, torch.randn(3, 2, 1, D)
    calls["a call"] = functools.partial(ring_attention, *word, group=ranks)
    for load in loads:
        calls[f"message {load}"] = passing(ranks, 1024 * load)
    for heads, share in cases:
        x = torch.randn(3, heads, share, D)
        calls[f"products {heads, share}"] = functools.partial(meeting, *x)
        calls[f"messages {heads, share}"] = passing(ranks, 2 * x[0].nbytes)
        for name, group in (("ring", ranks), ("waiting", Waiting())):
            calls[f"{name} {heads, share}"] = functools.partial(ring_attention, *x, group=group)
    best = clocks(calls, rounds)
    if ranks.rank == 0:
        print(json.dumps(best))


def racing(n, rounds):
    """Print the seconds of a causal and of a whole attention over the ranks that there are."""
    torch.set_num_threads(1)
    ranks, places, calls = Ranks(), torch.arange(n), {}
    pieces = places.chunk(ranks.size)[ranks.rank], places[ranks.rank :: ranks.size]
    x = torch.randn(3, HEADS, n // ranks.size, D)
    alone = functools.partial(attention, *x, engine="chunked")
    calls["whole"] = functools.partial(ring_attention, *x, group=ranks) if ranks.size > 1 else alone
    if ranks.size == 1:
        calls["causal"] = functools.partial(alone, is_causal=True)
    else:
        for split, mine in zip(("contiguous", "striped"), pieces, strict=True):
            calls[f"causal, {split}"] = functools.partial(
                ring_attention, *x, positions=mine, is_causal=True, group=ranks
            )
        calls["whole, heads"] = functools.partial(head_parallel, *x, group=ranks)
    best = clocks(calls, rounds)
    if ranks.rank == 0:
        print(json.dumps(best))


def machine_of(best, heads, share):
    """The Machine that the times say: the line through the messages, and the products."""
    sizes = torch.tensor([1024.0 * load for load in LOADS], dtype=torch.float64)
    times = torch.tensor([best[f"message {load}"] for load in LOADS], dtype=torch.float64)
    # Relative errors count: a long message must not decide about the latency.
    line = torch.stack([sizes, torch.ones_like(sizes)], 1) / times[:, None]
    per_byte, latency = torch.linalg.lstsq(line, torch.ones(len(LOADS), 1).double()).solution
    flops = 4 * heads * share**2 * D / best[f"products {heads, share}"]
    return Machine(flops, 1 / per_byte.item(), max(0.0, latency.item()))


def foretold(best):
    """Rows of rings as they were measured and foretold by the machine known at another size."""
    machine, rows = machine_of(best, *KNOWN), []
    for case in FORETOLD:
        heads, share = case
        layer = Layer(2 * share, heads, heads, D, size=4)
        costs = [
            ring_cost(machine, layer, 2, is_causal=False, overlap=overlap)
            for overlap in (True, False)
        ]
        seconds, call = best[f"ring {case}"], best["a call"] - machine.latency
        given = best[f"products {case}"], best[f"messages {case}"]
        rows.append(
            dict(
                heads=heads,
                share=share,
                measured=1000 * seconds,
                foretold=1000 * (costs[0].seconds + call),
                waiting=1000 * best[f"waiting {case}"],
                apart=1000 * (costs[1].seconds + call),
                products=2000 * given[0],
                messages=1000 * given[1],
                call=1000 * call,
            )
        )
    return machine._asdict(), rows


def measure_part(quick, device):
    n, rounds = (1024, 2) if quick else (2048, ROUNDS)
    sizes, long_text = (2, 4, 8), 2048 if quick else 16384
    points = {}
    for size in sizes:
        saying(f"bytes held, {size} ranks")
        points[size] = int(outputs(holds, size, n=long_text, d=128)[0])
    rows = bytes_rows(quick)
    saying("the clock")
    race = {size: json.loads(outputs(racing, size, n=n, rounds=rounds)[0]) for size in (1, 2)}
    given = dict(cases=(KNOWN, *FORETOLD), loads=LOADS, rounds=rounds)
    best = json.loads(outputs(knowing, 2, timeout=400, **given)[0])
    machine, told = foretold(best)
    return dict(
        held=dict(n=long_text, points=points),
        sent=rows,
        race=dict(n=n, alone=race[1], two=race[2]),
        machine=machine,
        simulated=told,
    )


def exponent(points):
    """Return the slope of log y over log x of {x: y}."""
    x, y = ([math.log(float(a)) for a in some] for some in (points, points.values()))
    return statistics.linear_regression(x, y).slope


def section(data):
    held, race, machine = data["held"], data["race"], data["machine"]
    body = [[size, f"{int(count) / 2**20:.2f}"] for size, count in held["points"].items()]
    parts = [
        "### Bytes that a rank holds",
        f"All tensors of a rank when it holds most, {held['n']:,} words in all, width 128, one "
        f"head. They fall as ranks to the power {exponent(held['points']):.2f}; expected −1.",
        table(["ranks", "MiB"], body),
        "### Bytes that a rank sends",
        "By formula, and as the package counts. Handshakes apart.",
        table(["", "ranks", "formula", "counted"], sent_lines(data["sent"])),
        "### Two processes against one",
        f"{race['n']:,} words, {HEADS} heads of width {D}; one process takes the chunked engine.",
        table(["", "one, ms", "two, ms", "times faster"], race_lines(race)),
        "### Sending while multiplying, and what was foretold",
        f"Two processes. Known from products of {KNOWN[0]} heads and {KNOWN[1]} words a rank, and "
        f"from three messages: {machine['flops'] / 1e9:.1f}·10⁹ FLOPs a second, "
        f"{machine['bandwidth'] / 1e9:.2f}·10⁹ bytes a second, {1e6 * machine['latency']:.0f} µs. "
        "`ring_cost` then foretells other sizes, to which is added what a call takes by itself, "
        "handshake included: a ring over two words, without its message. The ring that waits is "
        "the control: it multiplies only when a block has come. Hidden: by how much the other one "
        "is faster, as a share of the message. Both cores multiply: sending has none to itself.",
        table(CLOCK, simulated_lines(data["simulated"])),
    ]
    return "\n\n".join(parts)


def sent_lines(rows):
    return [
        [row["pass_"], row["ranks"], f"{row['formula']:,}", f"{row['counted']:,}"] for row in rows
    ]


def race_lines(race):
    lines = []
    for name, seconds in race["two"].items():
        alone = race["alone"][name.partition(",")[0]]
        times = f"{1000 * alone:.1f}", f"{1000 * seconds:.1f}", f"{alone / seconds:.2f}"
        lines.append([name, *times])
    return lines


def simulated_lines(rows):
    lines = []
    for row in rows:
        names = ("products", "messages", "call", "measured", "foretold")
        off, hidden = row["foretold"] / row["measured"] - 1, row["waiting"] - row["measured"]
        told = [*(f"{row[name]:.2f}" for name in names), f"{off:+.0%}"]
        told += [f"{row[name]:.2f}" for name in ("waiting", "apart")]
        lines.append([row["heads"], row["share"], *told, f"{hidden / row['messages']:.0%}"])
    return lines
