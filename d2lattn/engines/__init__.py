"""How the formula is computed. A chapter never imports from here: `d2lattn` hands on what it needs.

`visibility` is the entry: arguments are checked there once and become one `Call`, with what says
which query sees which key. `chunked` computes block by block, `fused` by torch's kernels; the
formula itself is in `attention`.
"""
