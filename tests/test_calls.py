"""The tables of appendix 90 on attention calls are complete. What they say is run elsewhere.

`make test-libraries` asks each library; here is only what needs none of them.
"""

import calls

# What stands beside a number of a line, for each column.
READ = {
    "order of axes": "axes",
    "True in a mask": "mask",
    "causal, L ≠ S": "corner",
    "mask and causal": "both",
    "a window of w": "window",
    "factor": "factor",
    "KV heads": "heads",
    "dropout, not training": "dropout",
    "sinks": "sinks",
}
NOT_THERE = "–", "has none"


def test_every_call_has_every_cell():
    table = calls.table()
    assert len(table) == 13
    for call, row in table.items():
        assert set(row) == set(READ) and all(cell.strip() for cell in row.values()), call


def test_every_cell_names_the_line_in_which_it_was_read():
    table, read_at = calls.table(), calls.read_at()
    assert set(read_at) == set(table) - {"d2lattn.attention"}
    for call, source in read_at.items():
        for column, word in READ.items():
            if not table[call][column].startswith(NOT_THERE):
                assert f" {word} " in source["file: what, in which line"], (call, column)
