"""Speed and memory of multi-head attention beside its peers; writes RESULTS.md and memory.png.

All modules of a row hold the same weights and are timed one after the other, round after round,
each round in an order of its own, so that whatever else the machine does hits them alike. A ratio
is taken within a round; what is reported is the median over the rounds.

    python benchmarks/bench.py            # everything: some minutes
    python benchmarks/bench.py --quick    # a few sizes and rounds, printed and not stored
"""

import argparse
import itertools
import os
import pathlib
import platform
import random
import statistics
import subprocess
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.benchmark import Timer

from d2lattn import MultiHeadAttention, causal_mask, default_device, length_mask
from d2lattn.interop import from_torch, load_d2l

HERE = pathlib.Path(__file__).resolve().parent
HEADS = 8
LARGE = [(2, 1024, 256), (4, 512, 512), (4, 2048, 512)]  # (B, n, d)
SMALL = [(2, n, 256) for n in (16, 32, 64, 128, 256, 512)]
ON_GPU = [(4, 1024, 512), (2, 4096, 512), (1, 16384, 512)]
SHARES = (1024, 700, 400, 100)  # valid lengths of a padded batch, of 1024
KINDS = ("all", "padded", "causal")
MODES = ("forward", "forward+backward")
PEER_NAMES = {
    "D2L": "D2L",
    "torch": "torch, weights",
    "explicit": "ours, explicit",
    "chunked": "ours, chunked",
    "fused": "ours, fused",
}
BUDGET = 4  # seconds after which a row takes no further round, once it has three


# Peers --------------------------------------------------------------------------------------------


def peers(B, n, d, kind, mode, *, device="cpu", dtype=torch.float32):
    """The input, and name -> call without arguments, all with the same weights."""
    torch_mha = nn.MultiheadAttention(d, HEADS, batch_first=True)
    ours = from_torch(torch_mha)
    d2l_mha = load_d2l().MultiHeadAttention(d, HEADS, 0.0, bias=True)
    x = torch.randn(B, n, d)
    d2l_mha(x[:, :1], x[:, :1], x[:, :1], None)  # gives the lazy layers their weights
    names = dict(W_q="q_proj", W_k="k_proj", W_v="v_proj", W_o="out_proj")
    for theirs, mine in names.items():
        getattr(d2l_mha, theirs).load_state_dict(getattr(ours, mine).state_dict())
    ours, torch_mha, d2l_mha = (
        module.to(device, dtype).train(mode != "forward") for module in (ours, torch_mha, d2l_mha)
    )
    x = x.to(device, dtype).requires_grad_()

    lengths = torch.tensor([SHARES[b % 4] * n // 1024 for b in range(B)], device=device)
    options = dict(  # kind -> what ours, torch, D2L and the floor are told
        all=({}, {}, None, {}),
        padded=(
            dict(valid_lens=lengths),
            dict(key_padding_mask=~length_mask(lengths, n)[:, 0]),
            lengths,
            dict(attn_mask=length_mask(lengths, n)[:, None]),
        ),
        causal=(
            dict(is_causal=True),
            dict(attn_mask=~causal_mask(n, device=device), is_causal=True),
            torch.arange(1, n + 1, device=device).repeat(B, 1),
            dict(is_causal=True),
        ),
    )
    for_ours, for_torch, for_d2l, for_floor = options[kind]
    return x, {
        "ours": lambda: ours(x, **for_ours),
        "floor": lambda: floor(x, ours, **for_floor),
        "torch": lambda: torch_mha(x, x, x, need_weights=False, **for_torch)[0],
        "D2L": lambda: d2l_mha(x, x, x, for_d2l),
        "ours, weights": lambda: ours(x, need_weights=True, **for_ours)[0],
        "torch, weights": lambda: torch_mha(
            x, x, x, average_attn_weights=False, **{**for_torch, "is_causal": False}
        )[0],
        "torch, mean": lambda: torch_mha(x, x, x, **{**for_torch, "is_causal": False})[0],
    }


def floor(x, mha, **visible):
    """Four bare products and torch's kernel, written out."""
    q, k, v = (
        F.linear(x, layer.weight, layer.bias).view(*x.shape[:2], HEADS, -1).transpose(1, 2)
        for layer in (mha.q_proj, mha.k_proj, mha.v_proj)
    )
    output = F.scaled_dot_product_attention(q, k, v, **visible)
    return F.linear(output.transpose(1, 2).flatten(2), mha.out_proj.weight, mha.out_proj.bias)


# Times --------------------------------------------------------------------------------------------


def measure(calls, x, mode, *, threads, rounds):
    """Name -> seconds of each round; None where memory does not suffice."""

    def run(call):
        if mode == "forward":
            with torch.inference_mode():
                return call()
        x.grad = None
        return call().sum().backward()

    timers, repeats, times = {}, {}, {name: [] for name in calls}
    for name, call in calls.items():
        timers[name] = Timer("run(call)", globals=dict(run=run, call=call), num_threads=threads)
        try:  # this warms up, too
            repeats[name] = max(1, round(0.01 / timers[name].timeit(2).mean))
        except torch.OutOfMemoryError:
            times[name] = None
    order, started = list(repeats), time.perf_counter()
    shuffle = random.Random(0).shuffle
    for done in range(rounds):
        if done >= 3 and time.perf_counter() - started > BUDGET:
            break
        shuffle(order)
        for name in order:
            times[name].append(timers[name].timeit(repeats[name]).mean)
    return times


def rows(sizes, *, threads, rounds, weights, kinds=KINDS, modes=MODES, **where):
    """Time every combination; yields (threads, size, mode, kind, times)."""
    for count, size, mode, kind in itertools.product(threads, sizes, modes, kinds):
        x, calls = peers(*size, kind, mode, **where)
        slow = size[0] * size[1] ** 2 > 8e6  # whoever builds the weights takes seconds here
        if not weights or kind == "causal" or (slow and mode != "forward"):
            calls = {name: call for name, call in calls.items() if ", " not in name}
        print(f"{count} threads, {size}, {mode}, {kind}", file=sys.stderr, flush=True)
        yield count, size, mode, kind, measure(calls, x, mode, threads=count, rounds=rounds)


def padded_rows(threads, rounds):
    """The padded batch on its own keys against the masked kernel over the full width."""
    sizes = [(len(SHARES), SHARES[0], d) for d in (256, 512)]
    for count, size, mode in itertools.product(threads, sizes, MODES):
        x, calls = peers(*size, "padded", mode)
        calls = {name: calls[name] for name in ("ours", "floor")}
        difference = (calls["ours"]() - calls["floor"]()).abs().max().item()
        times = measure(calls, x, mode, threads=count, rounds=rounds)
        yield count, size, mode, difference, times


# Memory -------------------------------------------------------------------------------------------


def memory_of(peer, sizes):
    """Print the peak memory of one forward pass for each n, in MiB above what was held before.

    Linux keeps a high-water mark for each process, which can be set back.
    """
    torch.set_num_threads(1)
    for n in (64, *sizes):  # the first one warms up
        call = memory_peer(peer, torch.randn(1, n, 256))
        pathlib.Path("/proc/self/clear_refs").write_text("5")
        before = status("VmRSS")
        with torch.inference_mode():
            call()
        if n > 64:
            print(n, (status("VmHWM") - before) / 1024)


def memory_peer(peer, x):
    """The peer's forward pass on x, without arguments."""
    d = x.shape[-1]
    if peer == "D2L":
        mha = load_d2l().MultiHeadAttention(d, HEADS, 0.0).eval()
        mha(x[:, :1], x[:, :1], x[:, :1], None)
        return lambda: mha(x, x, x, None)
    if peer == "torch":
        mha = nn.MultiheadAttention(d, HEADS, batch_first=True).eval()
        return lambda: mha(x, x, x)
    mha = MultiHeadAttention(d, HEADS, engine=peer).eval()
    return lambda: mha(x)


def status(name):
    """A number of the process's status, in KiB."""
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1])


def memory(largest):
    """peer -> {n: MiB}, each peer in a process of its own, whose freed memory goes straight back
    to the system; empty where the system keeps no such mark."""
    if not pathlib.Path("/proc/self/clear_refs").exists():
        return {}
    freeing = dict(MALLOC_MMAP_THRESHOLD_="65536", MALLOC_TRIM_THRESHOLD_="65536")
    results = {}
    for peer in PEER_NAMES:
        most = largest if peer in ("chunked", "fused") else min(largest, 4096)
        sizes = [str(n) for n in (512, 1024, 2048, 4096, 8192) if n <= most]
        print(f"memory, {peer}", file=sys.stderr, flush=True)
        output = subprocess.run(
            [sys.executable, __file__, "--memory-of", peer, *sizes],
            env={**os.environ, **freeing},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        pairs = (line.split() for line in output.splitlines())
        results[peer] = {int(n): float(mebibytes) for n, mebibytes in pairs}
    return results


def draw_memory(results, path):
    import matplotlib.pyplot as plt

    from d2lattn.plots import LINE_STYLES

    figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained", facecolor="white")
    for i, (peer, points) in enumerate(results.items()):
        style = LINE_STYLES[i % len(LINE_STYLES)]
        n, mebibytes = zip(*sorted(points.items()), strict=True)
        ax.plot(n, mebibytes, style, marker="osD^v"[i % 5], markersize=4, label=PEER_NAMES[peer])
    ax.set_xscale("log", base=2)
    ax.set_yscale("log", base=2)
    ax.set_xticks(sorted(results["fused"]), [str(n) for n in sorted(results["fused"])])
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.set(xlabel="length n (B=1, d=256, 8 heads)", ylabel="peak memory of one call (MiB)")
    ax.grid(alpha=0.3)
    ax.legend(frameon=False)
    figure.savefig(path, dpi=120)
    plt.close(figure)


# Import -------------------------------------------------------------------------------------------


def import_seconds(rounds):
    """Seconds of `import torch` and of `import d2lattn` in each round, in fresh processes."""
    clock = (
        "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"
    )
    seconds = {"torch": [], "d2lattn": []}
    for _ in range(rounds):
        for name, values in seconds.items():
            command = [sys.executable, "-c", clock.format(name)]
            values.append(float(subprocess.check_output(command, text=True)))
    return seconds


# The report ---------------------------------------------------------------------------------------


def quotient(times, a, b):
    """How many times as long a takes: the median over the rounds, or None."""
    if times.get(a) is None or times.get(b) is None:
        return None
    return statistics.median(x / y for x, y in zip(times[a], times[b], strict=True))


def ratio(times, a, b):
    """`quotient` in text."""
    value = quotient(times, a, b)
    if value is None:
        return "out of memory" if a in times or b in times else "–"
    return f"{value:.2f}"


def table(header, body):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in body])


def speed_table(measured):
    header = ["threads", "B, n, d", "pass", "keys seen", "ours, ms", "D2L ÷ ours", "torch ÷ ours"]
    header += ["ours ÷ floor", "torch ÷ ours, weights", "torch (mean) ÷ ours, weights"]
    return table(
        header,
        [
            [
                str(threads),
                ", ".join(map(str, size)),
                mode,
                kind,
                f"{statistics.median(times['ours']) * 1e3:.3g}",
                ratio(times, "D2L", "ours"),
                ratio(times, "torch", "ours"),
                ratio(times, "ours", "floor"),
                ratio(times, "torch, weights", "ours, weights"),
                ratio(times, "torch, mean", "ours, weights"),
            ]
            for threads, size, mode, kind, times in measured
        ],
    )


def targets(large, small, padded):
    """For each promise the worst row, and in how many rows it is kept."""

    def promise(text, rows, a, b, limit):
        """`limit` is the least a ÷ b, or the most if a is ours."""
        at_most = a == "ours"
        found = [(quotient(times, a, b), row) for *row, times in rows]
        found = sorted((pair for pair in found if pair[0]), reverse=at_most, key=lambda f: f[0])
        worst, (threads, size, mode, *keys) = found[0]
        kept = sum(value <= limit if at_most else value >= limit for value, _ in found)
        where = f"{threads} thr., {', '.join(map(str, size))}, {', '.join((mode, *keys))}"
        bound = f"at {'most' if at_most else 'least'} {limit}"
        return [f"{text}: {bound}", f"{kept} of {len(found)}", f"{worst:.2f}", where]

    long = [row for row in large if row[1][1] >= 1024 and row[3] != "all"]
    wide = [(threads, size, mode, times) for threads, size, mode, _, times in padded]
    body = [
        promise("D2L ÷ ours, padded or causal, n ≥ 1024", long, "D2L", "ours", 5),
        promise("D2L ÷ ours, any size", large + small, "D2L", "ours", 1),
        promise("torch ÷ ours", large, "torch", "ours", 1),
        promise("torch ÷ ours, weights", large, "torch, weights", "ours, weights", 1),
        promise("ours ÷ floor", large, "ours", "floor", 1.05),
        promise("masked kernel ÷ ours, padded batch of four", wide, "floor", "ours", 1.4),
    ]
    return table(["promise", "rows that keep it", "worst", "where"], body)


def processor():
    """The processor's name as the system gives it."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def report(large, small, padded, used, on_gpu, imports):
    padded_body = [
        [
            str(threads),
            ", ".join(map(str, size)),
            mode,
            ratio(times, "floor", "ours"),
            "< 1e-5" if difference < 1e-5 else f"{difference:.1g}",
        ]
        for threads, size, mode, difference, times in padded
    ]
    lengths = sorted({n for points in used.values() for n in points})
    memory_body = [
        [PEER_NAMES[peer], *(f"{points[n]:.0f}" if n in points else "–" for n in lengths)]
        for peer, points in used.items()
    ]
    parts = [
        "# Results",
        f"Written by `make bench`. Processor: {processor()}, {torch.get_num_threads()} threads at "
        f"most. torch {torch.__version__}, float32, {HEADS} heads, projections with bias.",
        "The modules of a row are timed one after the other, in rounds of shuffled order; a ratio "
        "is the median over the rounds. Forward runs in inference mode and evaluation (torch's "
        "fast path included), backward in training mode. The floor is four bare products and "
        "`scaled_dot_product_attention`. Padded batches have "
        f"lengths {SHARES} of 1024, repeated. “torch, weights” returns one matrix per head, as "
        "ours does; “mean” is its default, their average.",
        "## Promises, and the worst row",
        targets(large, small, padded),
        "## Large",
        speed_table(large),
        "## Small",
        speed_table(small),
        "## A padded batch costs what its keys cost",
        f"Lengths {SHARES}, 54 % of the keys: the masked fused call over the full width, with its "
        "projections, against ours, which projects and scores each sequence's own keys alone.",
        table(["threads", "B, n, d", "pass", "masked ÷ ours", "largest difference"], padded_body),
        "## Import",
        f"`import d2lattn` takes {ratio(imports, 'd2lattn', 'torch')} times as long as "
        "`import torch`, which it includes.",
        "## Peak memory of one forward pass, MiB, against n",
        table(["B=1, d=256", *map(str, lengths)], memory_body),
        "![Peak memory against n](memory.png)",
    ]
    for dtype, measured in on_gpu.items():
        parts += [f"## {torch.cuda.get_device_name()}, {dtype}", speed_table(measured)]
    return "\n\n".join(parts) + "\n"


def main(quick):
    started = time.perf_counter()
    threads = [1] if quick or torch.get_num_threads() == 1 else [1, 2]
    rounds = 3 if quick else 25
    large = list(rows(LARGE[:2] if quick else LARGE, threads=threads, rounds=rounds, weights=True))
    small = list(
        rows(SMALL[::3] if quick else SMALL, threads=threads, rounds=rounds, weights=False)
    )
    padded = list(padded_rows(threads, rounds))
    used = memory(2048 if quick else 8192)
    on_gpu = {}
    if default_device().type == "cuda":
        for dtype in (torch.float32, torch.bfloat16):
            options = dict(threads=[1], rounds=rounds, weights=True, device="cuda", dtype=dtype)
            on_gpu[str(dtype)] = list(rows(ON_GPU, **options))
    imports = import_seconds(3 if quick else 9)
    text = report(large, small, padded, used, on_gpu, imports)
    if quick:
        print(text)
    else:
        (HERE / "RESULTS.md").write_text(text, encoding="utf-8")
        if used:
            draw_memory(used, HERE / "memory.png")
        print(targets(large, small, padded))
    print(f"{time.perf_counter() - started:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few sizes, nothing stored")
    parser.add_argument("--memory-of", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.memory_of:
        name, *lengths = arguments.memory_of
        memory_of(name, [int(n) for n in lengths])
    else:
        main(arguments.quick)
