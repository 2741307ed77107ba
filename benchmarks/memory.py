"""Peak memory of one forward pass, each peer in a process of its own.

python benchmarks/memory.py CHUNKED 512 1024    # one peer, in MiB above what was held before
"""

import enum
import os
import subprocess
import sys

import peak_rss
import torch
from libraries import HEADS
from results import shown, table
from timing import saying
from torch import nn

from d2lattn import MultiHeadAttention
from d2lattn_book.real import load_d2l

TITLE = "Peak memory of one forward pass"
ON = ("processor",)
INTRODUCTION = """\
MiB above what was held before, against n, by the system's high-water mark of a fresh process."""
WIDTH = 256
LENGTHS = (512, 1024, 2048, 4096, 8192)


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


def peaks_of(peer, most):
    """{n: MiB} of one peer, measured in a fresh process."""
    saying(f"memory, {peer.value}")
    lengths = [str(n) for n in LENGTHS if n <= most]
    output = subprocess.run(
        [sys.executable, __file__, peer.name, *lengths],
        env={**os.environ, **peak_rss.FREEING},
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
        before = peak_rss.set_back()
        with torch.inference_mode():
            call()
        print(n, (peak_rss.most() - before) / 1024)


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


def measure_part(quick, device):
    """{peer: {n: MiB}}; empty where the system keeps no high-water mark."""
    if not peak_rss.KEPT:
        return {}
    most = 1024 if quick else LENGTHS[-1]
    return {peer.value: peaks_of(peer, min(most, peer.longest)) for peer in MemoryPeer}


def section(data):
    if not data:
        return "This system keeps no high-water mark."
    lengths = sorted({n for points in data.values() for n in points}, key=int)
    lines = [[peer, *(shown(p.get(n), ".0f") for n in lengths)] for peer, p in data.items()]
    return table([f"B=1, d={WIDTH}", *lengths], lines)


if __name__ == "__main__":
    name, *lengths = sys.argv[1:]
    print_peaks(MemoryPeer[name], [int(n) for n in lengths])
