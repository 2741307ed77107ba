"""RESULTS.md and docs/package.md are what benchmarks/results says, and no run loses another's."""

import json
import re

import bench
import cells
import counted
import distributed
import engines
import pytest
import report
import results

# How many functions of ours run at most in a call of a layer, also of a padded batch, and in a
# model's pass for each of its four layers.
IN_A_LAYER, IN_A_PASS = 12, 16


def test_results_are_rendered_from_their_files():
    stored = (results.HERE / "RESULTS.md").read_text(encoding="utf-8")
    assert stored == report.render(results.load()), "run: python benchmarks/report.py"


def test_the_page_of_the_package_has_the_measured_numbers():
    page = report.PAGE.read_text(encoding="utf-8")
    told = page.partition(report.BEGIN)[2].partition(report.END)[0].strip()
    assert told == report.measured_table(results.load()), "run: python benchmarks/report.py"
    assert len(told.splitlines()) <= 2 + 7


def test_a_run_replaces_its_own_numbers_and_no_other(tmp_path):
    for machine, mebibytes in (
        ("One, 2 cores", 15),
        ("Another (TM), 8 cores", 25),
        ("One, 2 cores", 35),
    ):
        data = {"ours, fused": {"512": mebibytes}}
        results.store("memory", data, machine=machine, minutes=1, folder=tmp_path)
    names = [path.name for path in sorted(tmp_path.iterdir())]
    assert names == ["memory-another-tm-8-cores.json", "memory-one-2-cores.json"]
    text = report.render(results.load(tmp_path))
    assert "**One, 2 cores** (torch" in text and "| ours, fused | 35 |" in text
    assert "**Another (TM), 8 cores** (torch" in text and "| ours, fused | 25 |" in text
    assert "| 15 |" not in text and text.count("\n## ") == 1


def text_of(chapter):
    """The Markdown of a chapter."""
    (path,) = cells.book([chapter])
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join("".join(c["source"]) for c in found if c["cell_type"] == "markdown")


def test_the_pages_say_what_a_processor_took():
    """Section 8.5 quotes a layer's memory, 5.7 SmolLM2's speed, and 8.19 times of KV heads."""
    first = {part: found[0]["data"] for part, found in results.load().items()}
    peaks = (first["memory"][f"ours, {engine}"]["4096"] for engine in ("explicit", "chunked"))
    fused = first["memory"]["ours, fused"]["4096"]
    said = "4,096 tokens it sees {:.0f} MiB with *explicit*, {:.0f} with *chunked* and {:.0f} with"
    assert said.format(*peaks, fused) in text_of("08")
    model = first["smollm2"]
    said = "{:.0f} tokens a second were read, but only {:.0f} a second were generated"
    read = round(100 / model["pass of 100, s"], -1)
    assert said.format(read, model["pieces a second"]) in text_of("05")
    rows = {(row["threads"], row["heads of keys"]): row for row in first["grouped"]["rows"]}
    layer, torchs = (
        [rows[1, heads][who][1] for heads in (8, 1)] for who in ("layer", "enable_gqa")
    )
    said = "fell to {:.2f} of what it was with 8 KV heads, and to {:.2f} with one; that of torch's"
    said += " call only to {:.2f} and {:.2f}"
    assert said.format(*layer, *torchs) in text_of("08")
    assert f"took {rows[2, 1]['layer'][1]:.0f} times *longer*" in text_of("08")


def test_the_pages_say_what_the_kernel_took_on_a_gpu():
    """Appendix 92 has some lengths of the table, and names what it ran on."""
    (result,) = (r for r in results.load()["kernel"] if r["machine"] == "NVIDIA H200")
    data, text = result["data"], text_of("92")
    told = {(n, name): (f"{ms:.2f}", f"{share:.0%}"[:-1]) for n, name, ms, share in data["rows"]}
    names = ["tile 64 × 64", "powers of two", "torch flash", "torch cudnn", "torch efficient"]
    tables = [re.findall(r"\| (\d+\.\d\d)[^|]*?(\d+) %", line) for line in text.splitlines()]
    assert all([told[n, name] for name in names] in tables for n in (1024, 4096, 16384))
    for word in (result["machine"], f"torch {result['torch']}", f"triton {data['triton']}"):
        assert word in text, word
    changed = (told[16384, f"tile {tile}"][1] for tile in ("32 × 32", "128 × 64"))
    said = "our kernel reached {} % with tiles of 32 × 32, {} % with 128 × 64"
    assert said.format(*changed) in text


def test_a_part_is_measured_stored_and_told(tmp_path):
    bench.measure(["small_calls"], quick=True, folder=tmp_path)
    (path,) = tmp_path.iterdir()
    data = json.loads(path.read_text(encoding="utf-8"))["data"]
    assert len(data["layers"]) == 6 and all(row["ours ÷ plain"] > 0 for row in data["layers"])
    text = report.render(results.load(tmp_path))
    assert "| layer, 16 tokens, causal | " in text


def test_a_call_runs_few_functions_of_ours():
    found = counted.counts()
    layers = {what: found.pop(what) for what in list(found) if what.startswith("layer")}
    assert len(layers) == 4 and max(layers.values()) <= IN_A_LAYER, layers
    assert len(found) == 2 and max(found.values()) <= IN_A_PASS, found
    assert layers["layer, 16 tokens"] <= 8


def test_engines_and_a_window_are_measured_and_told():
    data = engines.measure_part(quick=True, device="cpu")
    assert [row["n"] for row in data["rows"]] == [256, 256, 512, 512, 1024, 1024]
    assert all(row["chunked ÷ fused"] > 0 for row in data["rows"])
    assert data["window"]["n"] == 2048 and data["window"]["masked ÷ window"] > 1
    assert "| 1,024 | forward and backward | " in engines.section(data)


@pytest.mark.parametrize(
    "result", results.load().get("distributed", []), ids=lambda r: r["machine"]
)
def test_ranks_hold_a_share_send_what_the_formula_says_and_were_foretold(result):
    """The simulation holds for the heads it was known with; thin blocks are told as they came."""
    data = result["data"]
    assert abs(distributed.exponent(data["held"]["points"]) + 1) < 0.05
    for row in data["sent"]:
        assert row["formula"] == row["counted"] > 0
    rows = [row for row in data["simulated"] if row["heads"] == distributed.KNOWN[0]]
    assert len(rows) >= 3
    assert all(abs(row["foretold"] / row["measured"] - 1) <= 0.2 for row in rows)
