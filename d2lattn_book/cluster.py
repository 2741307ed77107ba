"""How long attention takes on many devices that split the tokens or the heads: a simulation.

A device multiplies and sends at the same time. What it does is cut into steps; in a step it meets
one block of keys and values and passes it on. The time follows from three numbers of the machine.
Chapter 11; benchmarks/distributed.py holds it against real processes.

Sources: Liu et al. 2023, "Ring Attention", section 3; Jacobs et al. 2023, "DeepSpeed Ulysses",
section 3; Fang & Zhao 2024, "USP", which combines both.
"""

import math
from typing import NamedTuple

NODE = 8  # GPUs that share a fast link


class Machine(NamedTuple):
    """What decides how long it takes.

    Attributes:
        flops: floating-point operations that a device does in a second.
        bandwidth: bytes that a device sends in a second, while it receives as many.
        latency: seconds until the first byte of a message has arrived.
    """

    flops: float
    bandwidth: float
    latency: float


# Peaks, as published; a program reaches a part of them. H100: NVIDIA's data sheet (bfloat16);
# its links and latencies as in the file systems/h100_80g_nvl8.json of the simulator Calculon (Isaev
# et al. 2023), at commit caa4b11 of February 2024, without the 65 and 90 % that it reckons a link
# to reach. TPU v5p: Google's documentation, 1200 GB/s for six links in two directions; the latency
# is that with which ASTRA-sim was validated on a TPU v3.
MACHINES = {
    "H100, NVLink": Machine(989e12, 450e9, 10e-6),
    "TPU v5p": Machine(459e12, 100e9, 1e-6),
    "H100, InfiniBand": Machine(989e12, 50e9, 20e-6),
}


class Layer(NamedTuple):
    """The attention of one layer: how many tokens and heads, and the bytes of a number."""

    tokens: int
    heads: int
    kv_heads: int
    head_dim: int
    size: int = 2


class Cost(NamedTuple):
    """What a layer costs.

    Attributes:
        seconds: until the last device is done.
        computation: the seconds of them in which the device with most to do multiplies.
        sent: bytes that a device sends.
    """

    seconds: float
    computation: float
    sent: int


def ring_cost(
    machine: Machine,
    layer: Layer,
    ranks: int,
    *,
    is_causal: bool = True,
    split: str = "striped",
    overlap: bool = True,
) -> Cost:
    """Tokens are split, keys and values go round the ring: the forward pass of one layer.

    In step s rank r meets the block of rank r - s and sends it on at the same time. A message
    begins when both neighbours have begun the step; a step ends with the computation and both
    messages. Each rank sends (ranks - 1) · 2 · tokens/ranks · kv_heads · head_dim · size bytes.

    Args:
        machine, layer, ranks: a device with its link; tokens are a multiple of ranks.
        is_causal (bool): no query sees later keys; hidden blocks are not computed.
        split: "contiguous", each rank has a stretch of the text; "striped", every `ranks`-th
            token; or "zigzag", the r-th of 2 · ranks pieces and the r-th from the end.
        overlap (bool): multiply and send at the same time; otherwise one after the other.

    Example:
        >>> layer = Layer(tokens=1_000_000, heads=32, kv_heads=8, head_dim=128)
        >>> cost = ring_cost(MACHINES["H100, NVLink"], layer, 64)
        >>> cost.seconds == cost.computation  # every message hides behind computation
        True
    """
    check_divisible("tokens", layer.tokens, ranks * (2 if split == "zigzag" else 1))
    shard, last = layer.tokens // ranks, ranks - 1
    block = 2 * shard * layer.kv_heads * layer.head_dim * layer.size  # keys and values
    message = machine.latency + block / machine.bandwidth
    per_pair = 4 * layer.heads * layer.head_dim / machine.flops  # seconds of one query and one key
    split = split if is_causal else None
    # No rank has more to do in any step than the last, so no rank is waited for but that one.
    computation = [pairs(last, step, shard, split) * per_pair for step in range(ranks)]
    steps = (max(most, message) if overlap else most + message for most in computation[:-1])
    return Cost(math.fsum([*steps, computation[-1]]), math.fsum(computation), last * block)


def pairs(rank, step, shard, split):
    """How many pairs of a query and a key a rank has in a step; split None: no causal mask."""
    if split is None:
        return shard**2
    if step == 0:
        return shard * (shard + 1) // 2
    if split == "contiguous":
        return shard**2 if rank >= step else 0
    if split == "zigzag":  # both pieces see one of an earlier rank, or one sees both of a later
        return shard**2 // 2
    return shard * (shard + 1) // 2 - (shard if rank < step else 0)  # without the diagonal


def heads_cost(machine: Machine, layer: Layer, ranks: int) -> Cost:
    """Heads are split: all-to-all, causal attention of some heads over all tokens, all-to-all.

    A rank sends tokens/ranks · (2 · heads + 2 · kv_heads) · head_dim · size bytes, but for the part
    that it keeps, in two exchanges; nothing is multiplied meanwhile. The ranks - 1 messages of an
    exchange are on their way together, as through a switch, so that it pays one latency.

    Example:
        >>> layer = Layer(tokens=4096, heads=32, kv_heads=8, head_dim=128)
        >>> heads_cost(MACHINES["TPU v5p"], layer, 8).sent
        9175040
    """
    for name in ("tokens", "heads", "kv_heads"):
        check_divisible(name, getattr(layer, name), ranks)
    seen = layer.tokens * (layer.tokens + 1) / 2
    computation = 4 * seen * layer.heads // ranks * layer.head_dim / machine.flops
    numbers = layer.tokens // ranks * 2 * (layer.heads + layer.kv_heads) * layer.head_dim
    sent = numbers * layer.size * (ranks - 1) // ranks
    exchanges = 2 * machine.latency * (ranks > 1) + sent / machine.bandwidth
    return Cost(computation + exchanges, computation, sent)


def both_cost(machine: Machine, layer: Layer, ranks: int, *, inside: Machine | None = None) -> Cost:
    """Groups of 8 ranks share the heads, and each head has a ring through the groups.

    Args:
        machine, layer, ranks: as in `ring_cost`; the machine's link is that between groups.
        inside (Machine): whose bandwidth and latency the exchanges in a group have, as in a box of
            eight GPUs; those of `machine` when absent.

    Example:
        >>> layer = Layer(tokens=2**20, heads=32, kv_heads=8, head_dim=128)
        >>> machine = MACHINES["H100, InfiniBand"]
        >>> both = both_cost(machine, layer, 512, inside=MACHINES["H100, NVLink"])
        >>> both.seconds < ring_cost(machine, layer, 512).seconds
        True
    """
    check_divisible("ranks", ranks, NODE)
    rings = ranks // NODE
    group = layer._replace(tokens=layer.tokens // rings)  # whose tokens are exchanged in a group
    exchange = heads_cost(inside or machine, group, NODE)
    some = layer._replace(heads=layer.heads // NODE, kv_heads=layer.kv_heads // NODE)
    ring = ring_cost(machine, some, rings)
    seconds = exchange.seconds - exchange.computation + ring.seconds
    return Cost(seconds, ring.computation, exchange.sent + ring.sent)


def check_divisible(name, number, by):
    """Say which number does not fit, and by what it must be divisible."""
    if number % by:
        raise ValueError(f"{name} must be a multiple of {by}, got {number}")
