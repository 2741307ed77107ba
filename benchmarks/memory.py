"""Peak memory of one forward pass, each peer in a process of its own.

python benchmarks/memory.py CHUNKED 512 1024    # one peer, in MiB above what was held before
"""

import enum
import os
import pathlib
import subprocess
import sys

import torch
from peers import HEADS
from torch import nn

from d2lattn import MultiHeadAttention
from d2lattn.interop import load_d2l

WIDTH = 256
LENGTHS = (512, 1024, 2048, 4096, 8192)
# Memory that is freed goes straight back to the system, so that the mark is that of one call.
FREEING = dict(MALLOC_MMAP_THRESHOLD_="65536", MALLOC_TRIM_THRESHOLD_="65536")


class MemoryPeer(enum.Enum):
    """A peer and its name in the table and the figure."""

    D2L = "D2L"
    TORCH = "torch, weights"
    EXPLICIT = "ours, explicit"
    CHUNKED = "ours, chunked"
    FUSED = "ours, fused"

    @property
    def longest(self):
        """The length from which on this peer would take several GiB."""
        return 8192 if self in (MemoryPeer.CHUNKED, MemoryPeer.FUSED) else 4096


def peaks(most):
    """MemoryPeer -> {n: MiB} up to n = most; empty where the system keeps no high-water mark."""
    if not pathlib.Path("/proc/self/clear_refs").exists():
        return {}
    return {peer: peaks_of(peer, min(most, peer.longest)) for peer in MemoryPeer}


def peaks_of(peer, most):
    """{n: MiB} of one peer, measured in a fresh process."""
    print(f"memory, {peer.value}", file=sys.stderr, flush=True)
    lengths = [str(n) for n in LENGTHS if n <= most]
    output = subprocess.run(
        [sys.executable, __file__, peer.name, *lengths],
        env={**os.environ, **FREEING},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    pairs = (line.split() for line in output.splitlines())
    return {int(n): float(mebibytes) for n, mebibytes in pairs}


def print_peaks(peer, lengths):
    """Print n and the peak of one forward pass. Linux keeps a mark that can be set back."""
    torch.set_num_threads(1)
    forward(peer, torch.randn(1, 64, WIDTH))()  # the first one warms up
    for n in lengths:
        call = forward(peer, torch.randn(1, n, WIDTH))
        pathlib.Path("/proc/self/clear_refs").write_text("5")
        before = status("VmRSS")
        with torch.inference_mode():
            call()
        print(n, (status("VmHWM") - before) / 1024)


def forward(peer, x):
    """The peer's forward pass on x, without arguments."""
    width = x.shape[-1]
    if peer is MemoryPeer.D2L:
        d2l = load_d2l().MultiHeadAttention(width, HEADS, 0.0).eval()
        d2l(x[:, :1], x[:, :1], x[:, :1], None)
        return lambda: d2l(x, x, x, None)
    if peer is MemoryPeer.TORCH:
        torchs = nn.MultiheadAttention(width, HEADS, batch_first=True).eval()
        return lambda: torchs(x, x, x)
    ours = MultiHeadAttention(width, HEADS, engine=peer.name.lower()).eval()
    return lambda: ours(x)


def status(name):
    """A number of the process's status, in KiB."""
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1])


if __name__ == "__main__":
    name, *lengths = sys.argv[1:]
    print_peaks(MemoryPeer[name], [int(n) for n in lengths])
