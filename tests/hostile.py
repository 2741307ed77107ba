"""Notebooks as somebody could send them who wants to run script in the reader's JupyterLab.

Each form would call RUN, which puts its name into `top.ran`: the tests ask that it stays empty.
"""

import json

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell

PNG = (  # of one point, so that it loads
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJg"
    "gg=="
)
STYLE, SRC = 'style="max-width:100%"', f'src="data:image/png;base64,{PNG}"'
BROKEN = 'src="data:image/png;base64,AAAA"'
PICTURE = f'<img alt="A bar of 2." {STYLE} {SRC}>'  # as the book shows one
IMG, SVG = '<img src=x onerror="RUN">', '<svg xmlns="http://www.w3.org/2000/svg" onload="RUN"/>'
TOLD = f"\x1b[31m{IMG}\x1b[0m<script>RUN</script>"


def shows(kind, value, output=None, cell=None):
    """A cell with this output, and what its metadata and those of the cell say."""
    data = {kind: value, "text/plain": "1"}
    shown = new_output("display_data", data, metadata=output or {})
    return new_code_cell("1", outputs=[shown], metadata=cell or {})


def html(value, **metadata):
    return shows("text/html", value, **metadata)


def prints(output):
    return new_code_cell("1", outputs=[output])


WIDGET = {
    "state": {
        "ab": {
            "model_module": "@jupyter-widgets/controls",
            "model_module_version": "2.0.0",
            "model_name": "HTMLModel",
            "state": {"value": IMG},
        }
    },
    "version_major": 2,
    "version_minor": 0,
}
# The same in a file that is newer than what JupyterLab writes.
NEWER = {"output_type": "update_display_data", "metadata": {}, "data": {"text/html": IMG}}
# What runs in JupyterLab once the notebook is trusted.
ACTS = {
    "an attribute before src": html(f'<img alt="A bar." onerror="RUN" {BROKEN}>'),
    "an attribute in alt": html(f'<img alt="A bar."onload="RUN" {STYLE} {SRC}>'),
    "a picture and another": html(PICTURE + IMG),
    "a picture after a script": html(f"<script>RUN</script>{PICTURE}"),
    "a drawing": html('<svg><animate attributeName="x" dur="1s" onbegin="RUN"/></svg>'),
    "a fold that opens": html('<details open ontoggle="RUN">A bar.</details>'),
    "a frame": html('<iframe srcdoc="<script>RUN</script>"></iframe>'),
    "a frame of JupyterLab": html(IMG, output={"isolated": True}),
    "a cell that calls itself trusted": html(IMG, cell={"trusted": True}),
    "script": shows("application/javascript", "RUN"),
    "Markdown": shows("text/markdown", f"A bar. {IMG}"),
    "a format to come": {
        **dict(nbformat=4, nbformat_minor=99, metadata={}),
        "cells": [{**new_code_cell("1"), "outputs": [NEWER]}],
    },
}
# What the book never shows either, though JupyterLab makes nothing of it, or a picture.
OTHERS = {
    "SVG": shows("image/svg+xml", SVG),
    "LaTeX": shows("text/latex", rf"$\href{{javascript:RUN}}{{x}}$ {IMG}"),
    "a picture of another kind": shows("image/jpeg", 'AAAA" onload="RUN'),
    "another spelling of a kind": shows("Text/HTML", IMG),
    "a widget": shows(
        "application/vnd.jupyter.widget-view+json",
        {"model_id": "ab", "version_major": 2, "version_minor": 0},
    ),
}
# What stands in the notebook of anybody who writes about HTML: it is shown as text.
HARMLESS = {
    "plain text": prints(new_output("display_data", {"text/plain": TOLD})),
    "a print": prints(new_output("stream", text=TOLD)),
    "an error": prints(new_output("error", ename=IMG, evalue=IMG, traceback=[TOLD, IMG])),
    "a picture": shows("image/png", PNG, output={"image/png": {"width": '1" onload="RUN'}}),
    "a picture that is none": shows("image/png", 'AAAA" onerror="RUN'),
    "a picture of the book": html(PICTURE, output={"isolated": True}),
    "text": new_markdown_cell(f"{IMG} {SVG} <script>RUN</script> [x](javascript:RUN)"),
    "an attachment": new_markdown_cell(
        "![a](attachment:a.png) ![b](attachment:b.svg)",
        attachments={"a.png": {"image/png": 'x" onerror="RUN'}, "b.svg": {"image/svg+xml": SVG}},
    ),
    "what is raw": new_raw_cell(IMG, metadata={"trusted": True, "format": "text/html"}),
}


STATE = {"widgets": {"application/vnd.jupyter.widget-state+json": WIDGET}}
FORMS = ACTS | OTHERS | HARMLESS


def text(form, said="it ran"):
    """The file of a notebook with one of FORMS, which puts what is `said` into `top.ran`."""
    file = FORMS[form]
    if "cell_type" in file:
        file = new_notebook(cells=[file], metadata=STATE)
    return json.dumps(file).replace("RUN", f"(top.ran ??= []).push('{said}')")
