"""Write RESULTS.md and the table of the README from the files in benchmarks/results.

    python benchmarks/report.py

Whatever has been measured, on whatever machine, is told; nothing here measures. A test holds that
both texts are what the files say.
"""

import activation_memory
import allocation
import class_server
import delta
import distributed
import engines
import grouped
import hashing
import heads
import imports
import kernel
import kv_bytes
import kv_cache
import live_figures
import matplotlib.pyplot as plt
import memory
import prose
import small_calls
import smollm2
import window
from results import FOLDER, HERE, load, slug, table

from d2lattn_book.pictures.colours import LINE_STYLES, MARKERS

# In the order of RESULTS.md. `make bench` measures all but the last three, which want more time
# or more than it.
PARTS = {
    "heads": heads,
    "small_calls": small_calls,
    "import": imports,
    "memory": memory,
    "engines": engines,
    "allocation": allocation,
    "grouped": grouped,
    "kv_bytes": kv_bytes,
    "delta": delta,
    "activation_memory": activation_memory,
    "hashing": hashing,
    "distributed": distributed,
    "kv_cache": kv_cache,
    "window": window,
    "smollm2": smollm2,
    "kernel": kernel,
    "prose": prose,
    "browser": live_figures,
    "hub": class_server,
}
APART = ("prose", "browser", "hub")
README = HERE.parent / "README.md"
BEGIN, END = "<!-- measured: benchmarks/report.py -->", "<!-- measured -->"

INTRODUCTION = """\
# Results

Rendered from [results](results), one file for each part and machine; `make bench` measures anew \
and replaces those of the machine it runs on. Machines that others use, too, move ratios by some \
10 % from run to run. What disappoints stands here as well."""


def render(results):
    """The text of RESULTS.md from {part: its results}."""
    parts = [INTRODUCTION]
    for name, part in PARTS.items():
        found = results.get(name, [])
        if found:
            parts += [f"## {part.TITLE}", part.INTRODUCTION]
        for result in found:
            parts += [head(result), part.section(result["data"]), result.get("note", "")]
            if part is memory and result["data"]:
                parts.append(f"![Peak memory against n](results/{picture(result)})")
    return "\n\n".join(filter(None, parts)) + "\n"


def head(result):
    """What was measured on, and when."""
    about = [f"torch {result['torch']}" if result["torch"] else "", result["date"]]
    about.append(f"commit {result['commit']}" if result["commit"] else "")
    if result["minutes"]:
        about.append(f"{result['minutes']:g} minutes")
    return f"**{result['machine']}** ({'; '.join(filter(None, about))})"


def picture(result):
    return f"memory-{slug(result['machine'])}.png"


def draw(data, path):
    """The figure of peak memory, both axes logarithmic."""
    figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained", facecolor="white")
    for i, (peer, points) in enumerate(data.items()):
        style, marker = LINE_STYLES[i % len(LINE_STYLES)], MARKERS[i % len(MARKERS)]
        n = [int(n) for n in points]
        ax.plot(n, list(points.values()), style, marker=marker, markersize=4, label=peer)
    lengths = list(data[memory.MemoryPeer.FUSED.value])
    ax.set_xscale("log", base=2)
    ax.set_yscale("log", base=2)
    ax.set_xticks([int(n) for n in lengths], lengths)
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    name = f"length n (B=1, d={memory.WIDTH}, {heads.HEADS} heads)"
    ax.set(xlabel=name, ylabel="peak memory of one call (MiB)")
    ax.grid(alpha=0.3)
    ax.legend(frameon=False)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def measured_table(results):
    """The README's table, of the first processor on which everything in it was measured."""
    wanted = ("heads", "memory", "engines", "kv_cache")
    machines = [{result["machine"] for result in results.get(part, [])} for part in wanted]
    machine = min(set.intersection(*machines))
    data = {
        part: next(r["data"] for r in results[part] if r["machine"] == machine) for part in wanted
    }
    rows = [*rows_of_heads(data["heads"]), memory_row(data["memory"])]
    rows += [*rows_of_engines(data["engines"]), cache_row(data["kv_cache"])]
    return table([f"on {machine}", "measured"], rows)


def between(numbers, form=".1f"):
    return f"{min(numbers):{form}} to {max(numbers):{form}}"


def rows_of_heads(data):
    hidden = heads.long_and_hidden(data)
    largest = [row for row in hidden if row["size"] == hidden[-1]["size"]]
    batch, n, width = largest[0]["size"]
    forward = [row[heads.TORCH] for row in hidden if row["pass"] == "forward"]
    where = f"padded or causal: B={batch}, n={n}, d={width}"
    ours = f"{between([row[heads.D2L] for row in largest])} times"
    yield [f"faster than D2L's multi-head attention, {where}", ours]
    yield ["torch's module, the same, n ≥ 1024, inference", f"{between(forward)} times our time"]


def memory_row(data):
    points = [f"{points['4096']:.0f}" for points in data.values()]
    return [f"peak memory at n = 4096: {'; '.join(data)}", f"{', '.join(points)} MiB"]


def rows_of_engines(data):
    rows = [row for row in data["rows"] if row["threads"] == 1 and row["n"] >= 512]
    found = [
        between([row["chunked ÷ fused"] for row in rows if row["pass"] == direction], ".2f")
        for direction in (engines.FORWARD, engines.BACKWARD)
    ]
    n, window = max(row["n"] for row in rows), data["window"]
    name = f"chunked against fused, n = 512 to {n:,}: forward; with backward"
    yield [name, f"{found[0]}; {found[1]} times the time"]
    name = f"a window of {engines.WIDTH} at n = {window['n']:,} against the call with a mask"
    yield [name, f"{window['masked ÷ window']:.0f} times faster"]


def cache_row(data):
    row = data["time"][-1]
    name = f"a key/value cache: {row['tokens']} words written with it and without"
    return [name, f"{row['speed-up']:.1f} times faster"]


def write(results=None):
    """Write both texts, and the pictures."""
    results = results or load()
    (HERE / "RESULTS.md").write_text(render(results), encoding="utf-8")
    for result in results.get("memory", []):
        draw(result["data"], FOLDER / picture(result))
    text = README.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.partition(END)[2]
    table = f"{BEGIN}\n{measured_table(results)}\n{END}"
    README.write_text(before + table + after, encoding="utf-8")


if __name__ == "__main__":
    write()
