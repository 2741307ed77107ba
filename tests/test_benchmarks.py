"""RESULTS.md and the README are what benchmarks/results says, and no run loses another's."""

import json
import math
import re

import bench
import cells
import class_server
import counted
import distributed
import engines
import kv_bytes
import lengths
import live_figures
import pytest
import report
import results
import timing
import torch
import window

# How many functions of ours run at most in a call of a layer, and in a layer of a decoder's pass.
IN_A_LAYER, IN_A_PASS = 39, 41
PATHS = sorted(results.FOLDER.glob("*.json"))


def test_results_are_rendered_from_their_files():
    stored = (results.HERE / "RESULTS.md").read_text(encoding="utf-8")
    assert stored == report.render(results.load()), "run: python benchmarks/report.py"


def test_the_readme_has_the_measured_numbers():
    readme = report.README.read_text(encoding="utf-8")
    told = readme.partition(report.BEGIN)[2].partition(report.END)[0].strip()
    assert told == report.measured_table(results.load()), "run: python benchmarks/report.py"
    assert len(told.splitlines()) <= 2 + 6


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_file_is_named_after_its_part_and_its_machine(path):
    result = json.loads(path.read_text(encoding="utf-8"))
    assert path == results.path_of(result["part"], result["machine"])
    assert result["part"] in report.PARTS and result["date"]


def test_a_run_replaces_its_own_numbers_and_no_other(tmp_path):
    for part, machine, ratio in (
        ("import", "One, 2 cores", 1.5),
        ("import", "Another (TM), 8 cores", 2.5),
        ("import", "One, 2 cores", 3.5),
    ):
        results.store(part, {"ratio": ratio}, machine=machine, minutes=1, folder=tmp_path)
    names = [path.name for path in sorted(tmp_path.iterdir())]
    assert names == ["import-another-tm-8-cores.json", "import-one-2-cores.json"]
    text = report.render(results.load(tmp_path))
    assert "**One, 2 cores** (torch" in text and "takes 3.50 times" in text
    assert "**Another (TM), 8 cores** (torch" in text and "takes 2.50 times" in text
    assert "1.50" not in text and text.count("\n## ") == 1


def test_a_note_stands_below_its_numbers_and_goes_with_them(tmp_path):
    machine = dict(machine="One, 2 cores", minutes=1, folder=tmp_path)
    results.store("import", {"ratio": 1.5}, **machine)
    (path,) = tmp_path.iterdir()
    noted = json.loads(path.read_text(encoding="utf-8")) | {"note": "On a cold disk."}
    path.write_text(json.dumps(noted), encoding="utf-8")
    assert report.render(results.load(tmp_path)).endswith("\n\nOn a cold disk.\n")
    results.store("import", {"ratio": 2.5}, **machine)
    assert "cold disk" not in report.render(results.load(tmp_path))


def test_the_pages_say_what_the_kernel_took_on_a_gpu():
    """Appendix 92 has some lengths of the table, 8.7 the longest text; both name what it ran on."""
    (result,) = (r for r in results.load()["kernel"] if r["machine"] == "NVIDIA H200")
    data = result["data"]
    told = {(n, name): (f"{ms:.2f}", f"{share:.0%}"[:-1]) for n, name, ms, share in data["rows"]}
    names = ["tile 64 × 64", "powers of two", "torch flash", "torch cudnn", "torch efficient"]
    for chapter, rows in (
        ("92", [[told[n, name] for name in names] for n in (1024, 4096, 16384)]),
        ("08", [[told[16384, name]] for name in names]),
    ):
        (path,) = cells.book([chapter])
        found = json.loads(path.read_text(encoding="utf-8"))["cells"]
        text = "\n\n".join("".join(c["source"]) for c in found if c["cell_type"] == "markdown")
        tables = [re.findall(r"\| (\d+\.\d\d)[^|]*?(\d+) %", line) for line in text.splitlines()]
        assert all(row in tables for row in rows), f"{chapter}: {rows}"
        for word in (result["machine"], f"torch {result['torch']}", f"triton {data['triton']}"):
            assert word in text, f"{chapter}: {word}"
        if chapter == "92":
            changed = (told[16384, f"tile {tile}"][1] for tile in ("32 × 32", "128 × 64"))
            said = "32 × 32 our kernel reaches {} % at 16,384 words, in tiles of 128 × 64 {} %"
            assert said.format(*changed) in text


def test_what_was_measured_at_this_commit_is_not_measured_again(tmp_path, monkeypatch):
    measured = []

    def measure_part(quick, device):
        measured.append(device)
        return {"ratio": 1.0}

    monkeypatch.setattr(report.PARTS["import"], "measure_part", measure_part)
    monkeypatch.setattr(bench, "PARTS", {"import": report.PARTS["import"]})
    at = {"commit": "a1"}
    monkeypatch.setattr(results, "commit", lambda: at["commit"])
    for commit, names, times in (
        ("a1", [], 1),
        ("a1", [], 1),  # whoever interrupts a bench goes on
        ("b2", [], 2),
        ("b2", ["import"], 3),  # who names a part wants it
        ("b2+", [], 4),  # something has changed since
        ("b2+", [], 5),
        ("", [], 6),  # no git here
    ):
        at["commit"] = commit
        bench.measure(names, folder=tmp_path)
        assert len(measured) == times
    with pytest.raises(SystemExit, match="a part is one of import, got tails"):
        bench.main(["tails"], quick=True)


def test_a_part_is_measured_stored_and_told(tmp_path):
    bench.measure(["small_calls"], quick=True, folder=tmp_path)
    (path,) = tmp_path.iterdir()
    data = json.loads(path.read_text(encoding="utf-8"))["data"]
    assert [row["n"] for row in data["functions"]] == [16, 16]
    assert len(data["layers"]) == 8 and all(row["ours ÷ plain"] > 0 for row in data["layers"])
    text = report.render(results.load(tmp_path))
    assert "| 16 | causal | " in text and "function ÷ kernel" in text
    assert "| layer, 16 words, causal | " in text


def test_a_call_runs_few_functions_of_ours():
    """`python benchmarks/counted.py` prints what is counted here."""
    found = {what: row[0] for what, row in counted.counts().items()}
    for kind, most in (("layer", IN_A_LAYER), ("decoder", IN_A_PASS)):
        counts = {what: count for what, count in found.items() if what.startswith(kind)}
        assert len(counts) == 4 and 0 < max(counts.values()) <= most, counts


def test_functions_and_operations_are_counted(monkeypatch, capsys):
    def three():
        return 1 + two()

    def two():
        return sum([n * n for n in range(2)] + [int(n) for n in range(2)])

    assert counted.functions_of_ours(three) == 0  # they stand elsewhere
    monkeypatch.setattr(counted, "HOME", __file__)
    assert counted.functions_of_ours(three) == 2
    x = torch.ones(2, 3)
    assert counted.operations(lambda: (x.view(3, 2) @ x).sum()) == 2  # a view is none
    counted.main()
    text = capsys.readouterr().out
    assert "\n| layer, 16 words | 0 | " in text
    assert re.search(r"forward: \d+\nLines of code: MultiHeadAttention \d+, ", text)


def test_a_gpu_and_a_window_are_measured_and_told(monkeypatch, capsys):
    row = engines.heads_row((1, 2, 64, 8), torch.float32, True, "cpu")
    assert row["chunked ÷ explicit"] > 0
    no_room = row | {"chunked, ms": None, "chunked ÷ explicit": None}
    assert "| 1, 2, 64, 8 | float32 | causal | – | " in engines.section({"gpu": [no_room]})
    monkeypatch.setattr(window, "peak", lambda *which: 7.0)  # a process, which does what follows
    data = window.measure_part(quick=True, device="cpu")
    assert re.search(r"\| 256 \| \d+\.\d\d \| \d+ \| 7 \| \d+ \| 7 \|", window.section(data))
    window.print_peak(16, 64)
    assert float(capsys.readouterr().out) >= 0


def test_calls_take_turns_and_the_budget_ends_them():
    calls = dict(short=lambda: sum(range(1000)), long=lambda: sum(range(100_000)))
    seconds = timing.measure(calls, rounds=4)
    assert [len(times) for times in seconds.values()] == [4, 4]
    assert timing.median_ratio(seconds["long"], seconds["short"]) > 10
    ended = timing.measure(calls, rounds=9, budget=0)
    assert [len(times) for times in ended.values()] == [3, 3]


def test_an_exponent_is_the_slope_of_logarithms():
    row = lengths.exponent("square", {n: 7 * n**2 for n in (10, 20, 40)}, "2")
    assert math.isclose(row["exponent"], 2) and row["±"] < 1e-6
    assert (row["from"], row["to"]) == (10, 40)
    assert lengths.exponent("two points", {1: 1, 2: 2}, "1")["±"] is None


def test_numbers_are_stored_with_four_digits_a_row_on_a_line():
    value = {"rows": [{"n": i, "ms": math.pi * 1000} for i in range(20)], "name": "√d"}
    text = results.as_text(value)
    assert json.loads(text) == {"rows": [{"n": i, "ms": 3142} for i in range(20)], "name": "√d"}
    assert text.splitlines()[2] == '  {"n": 0, "ms": 3142.0},'


def test_what_the_tests_of_browser_and_hub_print_is_understood():
    said = (
        "\nmount heads: median 19.4 ms of 15\n.\nkey to picture, heads: median 7.0 ms of 30\n"
        ".\nkey to picture, head of 64 × 16: median 20.0 ms of 30\n"
    )
    assert live_figures.measured(said) == {
        "heads": {"mount": 19.4, "key": 7.0},
        "head of 64 × 16": {"key": 20.0},
    }
    said = "\ntraining two models: 61 steps a second, 60 frames\n."
    assert live_figures.trained(said) == {"two models": [61, 60]}
    data = {"rows": {}, "training": {"two models": [61, 60]}}
    assert live_figures.section(data).endswith("| two models | 61 | 60 | – | – |")
    data |= {"torch": {"two models": 122}}
    assert live_figures.section(data).endswith("| two models | 61 | 60 | 122 | 2.0 |")
    assert live_figures.sizes()["train"] <= 60_000
    data |= {"bytes": {"train": 48206}}
    assert live_figures.section(data).endswith("| train | 48,206 |")

    said = (
        "\n6 students are in after 109 s\nchapter 01, all at once on 2 cores: 41 to 43 s each; one "
        "alone: 12 s\nmemory of a student: 107 MiB before a kernel starts, at most 397 MiB while "
        "it runs (hub and proxy: 190 MiB once)\n.the real model open in 6 kernels: 1904 MiB "
        "together, 2613 MiB with all that their users run; imported, loaded and 100 pieces read "
        "after 9.1 to 11.5 s"
    )
    found = class_server.measured(said)
    assert (found["in, s"], found["slowest, s"], found["hub, MiB"]) == (109, 43, 190)
    assert "at most 397 MiB" in class_server.section(found)
    assert "1,904 MiB together, 2,613 MiB" in class_server.section(found)
    with pytest.raises(SystemExit, match="must print"):
        class_server.measured("1 passed")


@pytest.mark.parametrize("what", live_figures.MODELS)
def test_the_same_training_runs_in_torch(what):
    assert live_figures.torch_steps(**live_figures.MODELS[what], seconds=0.02) > 0


def test_the_lines_are_those_that_the_tests_print():
    """Their formats stand in the tests themselves: a change there must be seen here."""
    tests = results.HERE.parent / "tests"
    live = "".join(path.read_text(encoding="utf-8") for path in tests.glob("browser/test_live*.py"))
    for kind in live_figures.KINDS:
        assert f'print(f"\\n{kind} ' in live, kind
    assert 'print(f"\\ntraining {name}: ' in live and "steps a second, " in live
    hub = (tests / "hub" / "test_hub.py").read_text(encoding="utf-8")
    for words in ("students are in after", "at once on", "one alone:", "memory of a student:"):
        assert words in hub
    for words in ("the real model open in", "MiB together", "MiB with all"):
        assert words in hub


def test_what_is_kept_has_the_bytes_of_the_formula():
    data = kv_bytes.measure_part(quick=True, device="cpu")
    assert len(data["rows"]) == 9 and data["lengths"] == [9, 65]
    for row in data["rows"]:
        assert row["bytes"] == row["formula"], row["kind"]
    sizes = {row["kind"]: row["bytes"] for row in data["rows"]}
    assert sizes["multi-head"][1] == 16 * sizes["multi-query"][1] == 65 * 2 * 2 * 1024 * 4
    assert sizes["delta rule"] == [2 * 16 * 64 * 64 * 4] * 2


def test_the_stored_bytes_are_those_of_the_formula():
    for result in results.load().get("kv_bytes", []):
        for row in result["data"]["rows"]:
            assert row["bytes"] == row["formula"], row["kind"]


@pytest.mark.parametrize(
    "result", results.load().get("distributed", []), ids=lambda r: r["machine"]
)
def test_ranks_hold_a_share_send_what_the_formula_says_and_were_foretold(result):
    """The simulation holds for the heads it was known with; thin blocks are told as they came."""
    data = result["data"]
    (held,) = data["held"]["exponents"]
    assert abs(held["exponent"] + 1) < 0.05
    for row in data["sent"]:
        assert row["formula"] == row["counted"] == row["asked"] > 0
    rows = [row for row in data["simulated"] if row["heads"] == distributed.KNOWN[0]]
    assert len(rows) >= 3
    assert all(abs(row["foretold"] / row["measured"] - 1) <= 0.2 for row in rows)


def test_a_machine_is_known_by_its_times():
    machine = distributed.Machine(5e10, 2e9, 1e-4)
    best = {f"message {k}": 1e-4 + 1024 * k / 2e9 for k in distributed.LOADS}
    best["products (2, 512)"] = 4 * 2 * 512**2 * distributed.D / 5e10
    for found, given in zip(distributed.machine_of(best, 2, 512), machine, strict=True):
        assert math.isclose(found, given, rel_tol=1e-6)


def test_what_ranks_send_by_formula():
    assert distributed.formulas(n=8, heads=2, d=3, ranks=2) == [192, 384, 192, 192]
