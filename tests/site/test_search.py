"""What people ask, in their words, and the sections that answer it: each is found first or second.

The questions are those of issue trackers of attention layers and of readers who searched.
"""

import pytest
from opened import SITE
from test_site import found, go

# The beginnings of the titles of the sections that answer.
QUESTIONS = {
    "ring attention": ("11.1", "11.2"),
    "positional encoding heatmap": ("6.4", "6.5"),
    "MLA": ("10.2", "Fewer words"),
    "padding mask torch": ("3.8", "3.11", "91.1", "Which way"),
    "nan": ("91.1", "91.2", "A row with nothing", "3.9"),
    "why embedding times sqrt d": ("⊕ The √d",),
    "why view then transpose": ("4.3", "91.7"),
    "does a head see the whole embedding or a slice": ("Slice or project", "4.2"),
    "padding mask keys or queries": ("3.8", "91.1"),
    "divide by head width or model width": ("3.1", "3.2", "4.2", "So why", "Slice"),
    "exp log 10000 positional encoding": ("6.4",),
    "add positions not concatenate": ("6.7",),
    "softmax which axis": ("1.8",),
    "attention map of my sentence": ("0 ", "4.9", "4.10", "2.10", "In a real"),
    "NaN row fully masked": ("A row with nothing", "3.9", "91.1"),
    "-1e9 or -inf": ("3.7", "3.9", "91.3"),
    "dropout weights do not sum to 1": ("⊕ Dropout", "3.10", "91.17"),
    "kv cache": ("8.13", "9.5", "⊕ The cache", "8.12"),
    "rope interleaved or half": ("⊕ Two layouts", "91.8"),
    "why a value matrix": ("Which of the", "2.5"),
    "encoder decoder": ("⊕ The machine", "2.6", "4.6", "9.2"),
    "warm up learning rate": ("9.4", "9.2", "3.3", "⊕ The machine", "What the division"),
    "what are Q K V": ("2.1",),
    "why three matrices": ("Which of the", "2.4", "2.5"),
    "attention(x, x, x)": ("2.6",),
    "cross-attention who asks": ("4.6", "2.6"),
    "causal mask": ("3.5", "3.7"),
    "mask at inference": ("3.5",),
    "why several heads": ("4.4", "4.1", "4 "),
    "is attention an explanation": ("4.9",),
    "quadratic cost": ("5.7", "What this costs", "5.4", "8.1", "1.5"),
    "rnn or attention cheaper": ("5.7", "5.4", "5.6"),
    "attention sink": ("10.1", "4.9", "⊕ Resting"),
    "why sine and cosine": ("6.3", "6.4"),
    "alibi": ("7.5",),
    "longer texts than trained": ("7.8", "7.9", "7.7"),
    "flash attention faster": ("8.7",),
    "GQA": ("8.14", "⊕ Fewer keys", "10.2"),
    "linear attention": ("8.9",),
    "byte pair encoding": ("⊕ Pieces",),
    "induction head": ("9.6", "⊕ Two layers"),
}


@pytest.mark.parametrize("query", QUESTIONS)
def test_a_question_is_answered_first_or_second(page, query):
    if "index.html" not in page.url:
        go(page, SITE / "index.html")
        page.keyboard.press("Control+k")
    first = [title for title, _ in found(page, query)[:2]]
    assert any(title.startswith(QUESTIONS[query]) for title in first), first
