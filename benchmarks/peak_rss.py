"""How much memory a process has taken at most, as the system knows it."""

import pathlib

# Memory that is freed goes straight back to the system, so that the mark is that of one call.
FREEING = dict(MALLOC_MMAP_THRESHOLD_="65536", MALLOC_TRIM_THRESHOLD_="65536")
_SWITCH = pathlib.Path("/proc/self/clear_refs")
KEPT = _SWITCH.exists()  # Linux keeps a high-water mark that can be set back


def set_back():
    """Set the high-water mark back to what is held now; returns that, in KiB."""
    _SWITCH.write_text("5", encoding="utf-8")
    return _status("VmRSS")


def most():
    """The high-water mark, in KiB."""
    return _status("VmHWM")


def _status(name):
    lines = pathlib.Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1])
