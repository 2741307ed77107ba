"""Counting bytes, words and numbers in other cases, by arithmetic.

Do bits jump whatever the number (74)? Does a fused kernel move its inputs and its output and no
more, and is a tile as large as the fast memory allows (217, 264)? Does a prefill compute and a step
wait for the cache, whatever the prompt, the sharing of keys and the model (234, 271)? Can a state
of 16 rows give the right word the share 1 among 16 at best (225), and is it 0.15 in other draws
(228)? And from where on does the quadratic term of SmolLM2 lead (36, 57)?
"""

import torch
from book import pages, tell

KIB, MIB = 2**10, 2**20
RATE, BANDWIDTH = 989e12, 3.35e12  # an H100, as in 8.7
BREAK_EVEN = RATE / BANDWIDTH  # FLOPs in the time of one byte


def flips(count, code=lambda i: i):
    return [(code(i) ^ code(i + 1)).bit_count() for i in range(count)]


for name, code in (("binary", lambda i: i), ("Gray's", lambda i: i ^ (i >> 1))):
    found = flips(255, code)
    print(f"74, 0 to 255 {name}: bits that flip {sum(found) / 255:.1f}, at most {max(found)}")


def moved(n, d, rows, size=2):
    """MiB from the large memory: queries and outputs once, keys and values per block of queries."""
    blocks = -(-n // rows)
    return (2 + 2 * blocks) * n * d * size / MIB


def tile(rows, columns, d, size=2):
    """KiB of a tile: its queries, its keys and values, and the next ones on their way."""
    return (rows + 4 * columns) * d * size / KIB


print("217: MiB moved in bfloat16 by one head of 4,096 words, width 64, nothing cached:")
for rows in (64, 128, 256, 1024, 4096):
    print(f"  blocks of {rows:4} queries {moved(4096, 64, rows):6.0f}  (counted at the door: 2)")
print("  in FLOPs a byte, at the door and with blocks of 128:", end=" ")
flops = 4 * 4096**2 * 64
print(*(f"{flops / (m * MIB):.0f}" for m in (2, moved(4096, 64, 128))), f"(GPU: {BREAK_EVEN:.0f})")
print("264: KiB of a tile of width 128, of 227:")
for rows, columns in ((128, 128), (256, 128), (128, 176), (64, 128), (256, 64), (64, 256)):
    print(
        f"  {rows} queries, {columns} keys: {tile(rows, columns, 128):.0f} KiB; 4,096 words move"
        f" {moved(4096, 128, rows):.0f} MiB"
    )


def intensity(queries, keys, shared=1, d=128):
    """FLOPs for each byte in bfloat16; `shared` heads of queries read one head of keys."""
    flops = shared * queries * keys * 4 * d
    return flops / (2 * d * (2 * keys + 2 * shared * queries))


print(f"234, 271: FLOPs for each byte of attention (below {BREAK_EVEN:.0f} the GPU waits)")
for n in (64, 512, 590, 1000, 4096):
    print(f"  prefill of {n:4} words {intensity(n, n):6.0f}")
for shared in (1, 4, 8, 32, 128):
    print(
        f"  one step, {shared:3} heads of queries on one of keys {intensity(1, 4096, shared):5.1f}"
    )

print("234, 271: MB that a step fetches: weights and cache")
for name, weights, word in (
    ("SmolLM2, float32", 538, 46_080 / 1e6),
    ("Llama 2 7B, bfloat16", 13_477, 524_288 / 1e6),
    ("Llama 3.1 8B, bfloat16", 16_061, 131_072 / 1e6),
):
    for users in (1, 64):
        even = weights / word / users
        print(f"  {name:24} {users:3} at once: as much cache as weights at {even:7,.0f} words each")

page = pages.functions("recall")
for m in (16, 17):
    apart = torch.eye(16)[torch.arange(m) % 16][None]  # at right angles, as far as there are
    print(f"225: {m} words, the right one has {page.right_share(apart @ apart.mT):.2f}")
SEEDS = range(100, 104)


def state(m, seed, **options):
    return page.recall(m, torch.Generator().manual_seed(seed), **options)[1]


tell("228: 16 words, new draws", [state(16, seed) for seed in SEEDS])
tell(
    "  twelve lengths from 0.25 to 512",
    [state(16, seed, lengths=[2.0**k for k in range(-2, 10)]) for seed in SEEDS],
)
tell(
    "  relu in the place of elu + 1",
    [state(16, seed, phi=lambda x: x.relu() + 1e-6) for seed in SEEDS],
)
tell(
    "  elu + 1, of four times the vector",
    [state(16, seed, phi=lambda x: page.phi(x) ** 4) for seed in SEEDS],
)


def share_squared(L, half=1.0, head=0):
    """The share of scores and blend in the work of SmolLM2's layers (5.10)."""
    matrices = 30 * L * 2 * 576 * (2 * 576 + 2 * 192 + 3 * 1536) + head * 2 * L * 576 * 49_152
    squared = half * 30 * 4 * L**2 * 576
    return squared / (matrices + squared)


for name, options in {
    "all pairs": {},
    "the future left out": dict(half=0.5),
    "with the scores of all pieces": dict(head=1),
}.items():
    leads = next(L for L in range(1, 10_000) if share_squared(L, **options) > 0.5)
    shares = ", ".join(f"{share_squared(L, **options):.0%}" for L in (64, 2048))
    print(f"36, 57, {name}: {shares} at 64 and 2,048; leads from {leads:,} on")
