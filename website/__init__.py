"""The website of the book: the pages that Sphinx reads, its settings, and how it shows them.

It is made with the tools, so these can be imported here.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
