"""What live figures say, to the letter: a row for a figure, and for each change what is said then.

What a sentence must say was counted by hand.
"""

import functools
import math

import live_kinds
import pytest
import torch
from live_kinds import KEPT, TOLD
from test_live import MAP, SMALL, needs_node, plays

from d2lattn_book.pictures import live

FOUND = dict(x=live_kinds.X, tokens=live_kinds.SENTENCE, mask="causal", query="found")
SHARES = torch.tensor([[[0.25, 0.5, 0.25], [0.4, 0.2, 0.4]]] * 3)[:, None]
PAIR = dict(tokens=["a", "b"], key_tokens=["x", "y", "z"])
TYPE = " Type another (Enter), drag it up or down, or hold Shift and press ↑ or ↓."
UP = " Its 3 attention weights add up to 1.00."
MOST = " attends most to the keys “x” and “z”: attention weight 0.40 each."
WEIGHTS = torch.stack([SHARES[0, 0], torch.tensor([[0.0, 0, 0], [0.1, 0.7, 0.2]])])
ROW = "minus the largest score of the row, 10, which changes no weight"
ALL = " All scores are read: the output equals softmax(scores) times the values."
WIDE = "Its receptive field is 1 + (3 − 1) · (1 + 3) = 9 positions wide"
TAPS = "; not all of them are taps inside the row."
EACH = (
    "tokens × 1,024 = 5,120 bytes (keys and values: 2 · 8 heads · head_dim "
    "16 · 4 bytes per element = 1,024)."
)
STATE = "State: 8,192 bytes, however many tokens (8 heads · 16 × 16 · 4 bytes per element = 8,192)."
OF = "The outer products of keys and values of "
OVER = "are summed into it: none can be looked up on its own."
GONE = "each block of keys and values has moved on to the next rank. "
ANGLES = "The angles of pair 0 at a = 3 and b = 7 differ by −4 · 1 = −4.00 radians, or −229.2°. "
CARRIED = "Both have moved, the distance is the same. The rotated product is"
CHANNELS = ", and the same for the other channels."
SAID = {
    "attention": (  # with a mask
        live.attention(**SMALL, mask="causal"),
        (None, "cat attends most to cat: attention weight 0.85. Its output, the weighted "
               "average of the values, is (1.85, 0.15, 0.85)."),
        (("pick", "x", 0, 1), "Channel 2 of small is 1." + TYPE),
        (("pick", "score", 1, 0), "query of cat · key of small = 2·1 + 0·1 + 1·0 = 2; ÷ √3 = 1.15"),
        (("pick", "weight", 0, 1), "query of small · key of cat = 1·2 + 1·0 + 0·1 = 2; ÷ √3 = 1.15"
                                  "; hidden by the mask, so it counts as −∞ and its attention "
                                  "weight is 0."),
        (("pick", "output", 1, 2),
         "output of cat, channel 3 = attention weights · values = 0.15·0 + 0.85·1 = 0.85"),
        (("pick", "word", 0, 0), "small attends most to small: attention weight 1.00. Its output, "
                                 "the weighted average of the values, is (1, 1, 0)."),
    ),
    "attention told a thought at a time": (
        live.attention(**FOUND),
        (("tell", 0), "found has the query (0, 0.5, 1), which is compared with every key."),
        (("tell", 1), "Every key gets a score. The highest: query of found · key of found = 0·0 + "
                      "0.5·0.5 + 1·1 = 1.25; ÷ √3 = 0.72. A hidden key gets none."),
        (("tell", 2), "Softmax: e^score, divided by the sum of these powers, is the attention "
                      "weight. found gives 0.34 of its attention to found; its weights add up to "
                      "1."),
        (("tell", 3), "Each value is multiplied by its attention weight: its band ends that wide."),
        (("tell", 4), "The output is their sum. Channel 1: 0.18·0 + 0.22·1.5 + 0.26·1 + 0.34·0 + "
                      "0·0 + 0·0.3 = 0.59, and so on. The output of found is (0.59, 0.58, 0.48)."),
        (("pick", "word", 2, 0),
         "The output is their sum. Channel 1: 0.09·0 + 0.21·1.5 + 0.7·1 + 0·0 + 0·0 + 0·0.3 = "
         "1.02, and so on. The output of cat is (1.02, 1.12, 0.12)."),
    ),
    "attention to equal tokens": (
        live.attention([[0, 0], [1, 1], [0, 0]], tokens=["the", "cat", "the"]),
        (None, "the (position 2) attends equally to “the” (position 0), “cat” and “the” (position "
               "2): attention weight 0.33 each. Its output, the weighted average of the values, is "
               "(0.33, 0.33)."),
    ),
    "attention with another divisor": (
        live.attention(**SMALL, scale=0.4),
        (("pick", "score", 1, 0), "query of cat · key of small = 2·1 + 0·1 + 1·0 = 2; ÷ 2.5 = 0.8"),
        (("alter", {"divide": "3"}),
         "query of cat · key of small = 2·1 + 0·1 + 1·0 = 2; ÷ 3 = 0.67"),
        (("alter", {"over": ["x", 0, 1]}), "Channel 2 of small is 1." + TYPE),  # a pointer
    ),
    "attention of large powers": (
        live.attention([[3.0], [1.0]], tokens=["a", "b"]),
        (("pick", "weight", 0, 0), "query of a · key of a = 3·3 = 9; e^9 = 8103.1; ÷ 8123.2, the "
                                  "sum of the row, = 1.00."),
        (("alter", {"temperature": 3}), "query of a · key of a = 3·3 = 9; ÷ 3 (temperature) = 3; "
                                        "e^3 = 20.09; ÷ 22.8, the sum of the row, = 0.88."),
        (("alter", {"temperature": 0.9}), "query of a · key of a = 3·3 = 9; ÷ 0.9 (temperature) = "
                                          f"10; {ROW}: e^0 = 1; ÷ 1, the sum of the row, = "
                                          "1.00."),
        (("pick", "weight", 0, 1), "query of a · key of b = 3·1 = 3; ÷ 0.9 (temperature) = 3.33; "
                                  f"{ROW}: e^(−6.67) = 0; ÷ 1, the sum of the row, = 0.00."),
    ),
    "attention to nobody": (  # the padding has no token left to see
        live.attention(**SMALL, mask="padding"),
        (("resize", 0), "cat sees no key: its attention weights and output are 0."),
        (("tell", 1), "Every key is hidden: none gets a score."),
        (("tell", 2), "No key is visible: every attention weight is 0."),
        (("resize", 1), None),
        (("tell", 1), "Every key gets a score. The highest: query of cat · key of small = 2·1 + "
                      "0·1 + 1·0 = 2; ÷ √3 = 1.15. A hidden key gets none."),
    ),
    "heads of two at two steps": (
        live.heads(torch.stack([WEIGHTS, WEIGHTS.flip(0)]), **PAIR, step=-1,
                   names=(None, ["one", "two"])),
        (None, "At step 1, in one, the query b attends most to the key y: attention weight 0.70."
               + UP),
        (("alter", {"head": 1}), "At step 1, in two, the query b" + MOST + UP),
        (("hover", 0, 2), "At step 1, in two, the query a attends to the key z: attention weight "
                          "0.25." + UP),
        (("ask", 1), "At step 1, in two, the query b" + MOST + UP),  # by key, under a resting mouse
        (("alter", {"head": 0, "asks": 0}),
         "At step 1, in one, the query a sees no key: every attention weight is 0."),
    ),
    "heads in training": (
        live.heads(SHARES, **PAIR, step=0, names=(["10", "5 b", "begin"], None)),
        (None, "At step 10, the query b" + MOST + UP),
        (("go", 1), "At 5 b, the query b" + MOST + UP),
        (("go", 2), "At begin, the query b" + MOST + UP),
        (("alter", {"key": 2}), "At begin, the query b attends to the key z: attention "
                                "weight 0.40." + UP),
    ),
    "heads that are pale": (
        live.heads([[[0.12, 0.08] * 5] * 10, [[0.2, 0] * 5] * 10], tokens=[*"abcdefghij"]),
        (None, "In head 0, the query j attends most to 5 keys: attention weight 0.12 each. Its 10 "
               "attention weights add up to 1.00. All attention weights of this head are small, "
               "from 0.08 to 0.12, so its map is pale."),
        (("alter", {"head": 1}), "In head 1, the query j attends equally to 5 keys: attention "
                                 "weight 0.20 each. Its 10 attention weights add up to 1.00."),
    ),
    "positions": (
        live.positions(16, base=10000.0, length=60, parts=["clocks"]),
        (None, "Clock 1 turns by 57.3° per position. From a = 3 to b = 7 it is 4 steps, which "
               "makes 229.2°."),
        (("alter", {"pair": 1, "b": 4}), "Clock 2 turns by 18.1° per position. From a = 3 to b = 4 "
                                         "it is 1 step, which makes 18.1°."),
        (("move", "b", 2), "Clock 2 turns by 18.1° per position. From a = 3 to b = 2 it is −1 "
                           "steps, which makes −18.1°."),
    ),
    "positions with arrows": (
        live.positions(8, base=100.0, length=20),
        (None, ANGLES + "Tick “keep the distance”, and move one."),
        (("alter", {"keep": True}), ANGLES + "Now move one of them."),
        (("move", "a", 5), "The angles of pair 0 at a = 5 and b = 9 differ by −4 · 1 = "
                           f"−4.00 radians, or −229.2°. {CARRIED} −1.01."),
        (("alter", {"pair": 1}), "The angles of pair 1 at a = 5 and b = 9 differ by −4 · 0.32 = "
                                 f"−1.26 radians, or −72.5°. {CARRIED} 1.02."),
        (("alter", {"pair": 3, "base": 1e6, "keep": False}), "The angles of pair 3 at a = 5 and b "
         "= 9 differ by −4 · 3.2e−5 = 0.00 radians, or 0.0°. Tick “keep the distance”, and move "
         "one."),
    ),
    "steps": (  # of two channels
        live.steps([1.0, 3, 2], [[1.0, 4], [2, 8], [0, 1]]),
        (None, "No score is read yet: the maximum is −∞, the normalizer 0. Go forward."),
        (("go", 1), "Step 1 reads the score 1 and the value 1, 4. It is the maximum so far. "
                    f"Normalizer: 0·0 + 1 = 1. Output: (0·0 + 1·1) ÷ 1 = 1{CHANNELS}"),
        (("go", 2), "Step 2 reads the score 3 and the value 2, 8. The maximum grows from 1 to 3, "
                    "so normalizer and accumulator are rescaled: times e^(1 − 3) = 0.14. "
                    "Normalizer: 1·0.14 + 1 = 1.14. Output: (1·0.14 + 1·2) ÷ 1.14 = "
                    f"1.88{CHANNELS}"),
        (("go", 3), "Step 3 reads the score 2 and the value 0, 1. The maximum stays 3, so nothing "
                    "is rescaled. Normalizer: 1.14·1 + 0.37 = 1.5. Output: (2.14·1 + 0.37·0) ÷ 1.5 "
                    f"= 1.42{CHANNELS}{ALL}"),
    ),
    "steps of which two are hidden": (
        live.steps([-math.inf, 2.0, -math.inf], [10.0, 20, 5]),
        (("go", 1), "Step 1 reads the score −∞ and the value 10. The score is hidden (−∞), and so "
                    "was everything before it: nothing changes."),
        (("go", 2), "Step 2 reads the score 2 and the value 20. The maximum grows from −∞ to 2, so "
                    "normalizer and accumulator are rescaled: times e^(−∞ − 2) = 0. Normalizer: "
                    "0·0 + 1 = 1. Output: (0·0 + 1·20) ÷ 1 = 20."),
        (("go", 3), "Step 3 reads the score −∞ and the value 5. The maximum stays 2, so nothing is "
                    f"rescaled. Normalizer: 1·1 + 0 = 1. Output: (20·1 + 0·5) ÷ 1 = 20.{ALL}"),
    ),
    "field": (
        live.field(3, 2, dilated=True, causal=True),
        (None, f"Unit 16 of layer 2 sees 9 inputs. {WIDE}."),
        (("choose", {"at": [2, 5]}), f"Unit 5 of layer 2 sees 6 inputs. {WIDE}{TAPS}"),
        (("choose", {"at": [1, 0]}), "Unit 0 of layer 1 sees 1 input. Its receptive field is 1 + "
                                     f"(3 − 1) · 1 = 3 positions wide{TAPS}"),
        (("choose", {"k": 1}), "Unit 0 of layer 1 sees 1 input. Its receptive field is 1 + (1 − 1) "
                               "· 1 = 1 positions wide."),
        (("choose", {"at": [1, 4], "k": 2, "dilated": False}), "Unit 4 of layer 1 sees 2 inputs. "
         "Its receptive field is 1 + (2 − 1) · 1 = 2 positions wide."),
        (("choose", {"at": [0, 3]}), "Input 3 sees itself. Choose a unit above it."),
    ),
    "words": (
        live_kinds.FIGURES["words"](),
        (None, "apple attends most to cinnamon: score 1 · 3 + 1 · 0 = 3, attention weight 0.45. "
               "Its output is food 2.20, technology 0.17."),
        (("type", TOLD[1], MAP),
         "apple attends most to adapter: score 1 · 0 + 1 · 3 = 3, attention weight 0.45. Its "
         "output is food 0.17, technology 2.20."),
        (("move", MAP.index("adapter"), [1, 4], [[-1, -1], [4, 4]]),
         "apple attends most to adapter: score 1 · 1 + 1 · 4 = 5, attention weight 0.86. Its "
         "output is food 0.90, technology 3.65."),
        (("type", "Eat the Apple!", MAP), "Not on the map: Eat. apple attends most to apple: score "
         "1 · 1 + 1 · 1 = 2, attention weight 0.88. Its output is food 0.88, technology 0.88."),
        (("type", "eat", MAP), f"Not on the map: eat. The map has {', '.join(MAP)}."),
        (("type", "the " * 13, MAP), "Only the first 12 words are read. the has the same score "
         "with every token: each attention weight is 0.08. Its output is food 0.00, technology "
         "0.00."),
    ),
    "cache": (
        live.cache(KEPT, kind="sinks", step=6),
        (None, f"milk is the query, token 6. Cached: 5 of 6 {EACH} No longer visible: hungry."),
        (("go", 7, "the data"),
         f"and is the query, token 7. Cached: 5 of 7 {EACH} No longer visible: hungry, cat."),
        (("alter", {"kind": "state"}), f"and is the query, token 7. {STATE} {OF}all 7 "
         f"tokens {OVER}"),
        (("go", 99, "the data"), f"it is the query, token 9. {STATE} {OF}all 9 tokens {OVER}"),
        (("go", -3, "the data"), f"the is the query, token 1. {STATE} {OF}the token "
         "are summed into it."),
        (("alter", {"kind": "latent"}), "the is the query, token 1. Cached: 1 of 1 token × 160 = "
         "160 bytes (latent dim 32 + RoPE dim 8, together 40 · 4 bytes per element = "
         "160). All of them are visible."),
    ),
    "ring": (
        live.ring(),
        (None, "Round 0: each rank has its own block. Ranks 0, 1, 2 and 3 compute 10 scores each. "
               "So far: 10 time units, 0 % idle."),
        (("pick", 3, 2, "the data"), f"Round 1: {GONE}Ranks 1, 2 and 3 compute 16 scores each. "
         "Rank 0 skips: the keys of rank 3 come after all of its tokens. So far: 26 time units, 15 "
         "% idle."),
        (("alter", {"striped": True}), f"Round 1: {GONE}Ranks 1, 2 and 3 compute 10 scores each. "
         "Rank 0 computes 6 scores, and is then idle. So far: 20 time units, 5 % idle."),
        (("go", 9, "the data"), f"Round 3: {GONE}Rank 3 computes 10 scores. Ranks 0, 1 and 2 "
         "compute 6 scores each, and are then idle. All rounds, merged: 136 scores in 40 time "
         "units, 15 % idle."),
        (("alter", {"striped": False}), f"Round 3: {GONE}Rank 3 computes 16 scores. Ranks 0, 1 and "
         "2 skip: the keys of ranks 1, 2 and 3 come after all of their tokens. All rounds, merged: "
         "136 scores in 58 time units, 41 % idle."),
        (("alter", {"causal": False}), f"Round 3: {GONE}Ranks 0, 1, 2 and 3 compute 16 scores "
         "each. All rounds, merged: 256 scores in 64 time units, 0 % idle."),
        (("go", -2, "the data"), "Round 0: each rank has its own block. Ranks 0, 1, 2 and 3 "
         "compute 16 scores each. So far: 16 time units, 0 % idle."),
    ),
}  # fmt: skip


@functools.cache
def played():
    acts = [[act for act, _ in steps if act] for _, *steps in SAID.values()]
    rows = zip(SAID, (figure for figure, *_ in SAID.values()), acts, strict=True)
    return dict(zip(SAID, plays([*rows]), strict=True))


@needs_node
@pytest.mark.parametrize("name", SAID)
def test_a_figure_says(name):
    _, *steps = SAID[name]
    states = played()[name]
    for (_, told), state in zip(steps, states if steps[0][0] is None else states[1:], strict=True):
        assert told is None or state["said"] == told
