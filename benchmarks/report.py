"""Write RESULTS.md and the table of docs/package.md from the files in benchmarks/results.

    python benchmarks/report.py

Whatever has been measured, on whatever machine, is told; nothing here measures. A test holds that
both texts are what the files say.
"""

import distributed
import engines
import grouped
import heads
import kernel
import memory
import small_calls
import smollm2
from results import HERE, load, table

PARTS = {  # in the order of RESULTS.md; each serves a sentence of docs/package.md or of a chapter
    "heads": heads,  # docs/package.md
    "small_calls": small_calls,  # docs/package.md
    "memory": memory,  # docs/package.md, 8.5
    "engines": engines,  # docs/package.md
    "grouped": grouped,  # 8.14
    "smollm2": smollm2,  # docs/package.md, 5.7
    "kernel": kernel,  # 8.7, appendix 92
    "distributed": distributed,  # sections 11.3 to 11.8
}
PAGE = HERE.parent / "docs" / "package.md"
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
    return "\n\n".join(filter(None, parts)) + "\n"


def head(result):
    """What was measured on, and when."""
    about = [f"torch {result['torch']}" if result["torch"] else "", result["date"]]
    about.append(f"commit {result['commit']}" if result["commit"] else "")
    if result["minutes"]:
        about.append(f"{result['minutes']:g} minutes")
    return f"**{result['machine']}** ({'; '.join(filter(None, about))})"


def measured_table(results):
    """The table of docs/package.md, of the first processor on which all of it was measured."""
    wanted = ("heads", "small_calls", "memory", "engines", "smollm2")
    machines = [{result["machine"] for result in results.get(part, [])} for part in wanted]
    machine = min(set.intersection(*machines))
    data = {
        part: next(r["data"] for r in results[part] if r["machine"] == machine) for part in wanted
    }
    rows = [*rows_of_heads(data["heads"]), small_row(data["small_calls"])]
    rows += [memory_row(data["memory"]), *rows_of_engines(data["engines"])]
    rows.append(cache_row(data["smollm2"]))
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


def small_row(data):
    found = [row["ours ÷ plain"] for row in data["layers"]]
    name = "a layer and a decoder of width 64 over a few tokens, compared with plain torch"
    return [name, f"{between(found)} times their time"]


def memory_row(data):
    points = [f"{points['4096']:.0f}" for points in data.values()]
    return [f"peak memory at n = 4096: {'; '.join(data)}", f"{', '.join(points)} MiB"]


def rows_of_engines(data):
    rows = [row for row in data["rows"] if row["n"] >= 512]
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
    written = [f"{data[name]:.0f}" for name in ("pieces a second", "without the cache")]
    name = "SmolLM2 generates with a KV cache; without"
    return [name, f"{written[0]}; {written[1]} tokens a second"]


def write():
    """Write both texts."""
    results = load()
    (HERE / "RESULTS.md").write_text(render(results), encoding="utf-8")
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.partition(END)[2]
    table = f"{BEGIN}\n{measured_table(results)}\n{END}"
    PAGE.write_text(before + table + after, encoding="utf-8")


if __name__ == "__main__":
    write()
