"""How long `import d2lattn` takes beside `import torch`, in fresh processes."""

import subprocess
import sys

from timing import median_ratio

TITLE = "Import"
ON = ("processor",)
INTRODUCTION = ""
CLOCK = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"


def seconds(name):
    return float(subprocess.check_output([sys.executable, "-c", CLOCK.format(name)], text=True))


def measure_part(quick, device):
    pairs = [(seconds("torch"), seconds("d2lattn")) for _ in range(1 if quick else 5)]
    torchs, ours = zip(*pairs, strict=True)
    return dict(ratio=median_ratio(ours, torchs))


def section(data):
    return (
        f"`import d2lattn` takes {data['ratio']:.2f} times as long as `import torch`, "
        "which it includes."
    )
