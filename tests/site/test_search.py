"""What people ask, in their words, and the sections that answer it: each is found early.

The questions are those of issue trackers of attention layers and of readers who searched.
"""

import re

import pytest
from opened import SITE, go
from playwright.sync_api import expect

# The sections that answer, by number or by words of their titles. Each is found first or second.
QUESTIONS = {
    "ring attention": "11.1|11.2",
    "positional encoding heatmap": "The heatmap|6.5",
    "MLA": "10.2|Fewer words|MLA",
    "padding mask torch": "3.7|3.23|91.13|Which way",
    "why embedding times sqrt d": "The √d before the sum",
    "why view then transpose": "4.3|91.37",
    "does a head see the whole embedding or a slice": "Slice or project|4.2",
    "padding mask keys or queries": "3.7|91.13",
    "divide by head width or model width": "3.1|3.2|4.2|Why √d|Slice",
    "exp log 10000 positional encoding": "6.4",
    "add positions not concatenate": "6.7",
    "softmax which axis": "1.6|Softmax over which axis",
    "attention map of my sentence": "0 |4.8|4.9|In a real",
    "NaN row fully masked": "3.8|3.21|91.13",
    "-1e9 or -inf": "3.6|3.21|91.6",
    "dropout weights do not sum to 1": "3.22|91.22",
    "kv cache": "8.10|8.9|KV cache",
    "rope interleaved or half": "Two layouts|91.26",
    "why a value matrix": "Why W_q|2.5",
    "encoder decoder": "The Transformer of 2017|4.6|9.2",
    "warm up learning rate": "post-norm|9.4|9.2|3.13|The Transformer of 2017|What the division",
    "attention(x, x, x)": "2.2|4.6",
    "cross-attention who asks": "4.6",
    "mask at inference": "3.4",
    "why several heads": "4.4|4.1|4 ",
    "is attention an explanation": "4.8",
    "quadratic cost": "5.7|Quadratic cost|5.4|8.1|1.5",
    "rnn or attention cheaper": "5.6|5.4|5.5",
    "why sine and cosine": "6.3|6.4",
    "longer texts than trained": "7.7|7.8",
    "flash attention faster": "8.6|FlashAttention",
    "linear attention": "8.8|linear attention",
}
# As a visitor types them who has not seen the words of the book: among the first three.
ASKED = {
    "what is a softmax": "1.3",
    "softmax overflow": "3.10",
    "number of parameters in multi head attention": "4.5",
    "what came before attention": "5.14",
    "why do transformers need positions": "6.1|Word order|0.5",
    "learned position embeddings": "6.9|6.8",
    "how does rope work": "RoPE: rotate",
    "relative or absolute position": "7.1|7.2|7 ",
    "sliding window attention": "8.7|sliding window",
    "how does the model generate text": "9.5|0.8",
    "where do word embeddings come from": "9.1|One vector",
    "what does temperature do": "temperature|9.5|0.8",
}
# Titles, errors and words of threads of strangers: the page of the symptom, first or second.
CLINIC = {
    "scaled_dot_product_attention produces nans with boolean attn_mask with zero rows": "91.13",
    "RuntimeError: value cannot be converted to type at::Half without overflow: -1e+09": "91.6",
    "an upper triangular matrix, and it means that future tokens can be attended to": "91.15",
    "Getting gibberish output when running on llama.cpp": "91.26",
    "the outputs differ when decoded alone vs. inside a batch": "91.12",
    "different output between the reference implementation and torch.nn.functional": "91.36",
    "Attention dropout stays active at eval/inference": "91.22",
    "Explicit attn_mask should not be set when is_causal=True": "91.7",
    "Return the attention weights using the Transformer Encoder class": "91.11",
    "TransformerEncoder src_key_padding_mask does not work in eval()": "91.23",
}
TABLE = [
    *((query, answers, 2) for query, answers in QUESTIONS.items()),
    *((query, answers, 3) for query, answers in ASKED.items()),
    *((words, section, 2) for words, section in CLINIC.items()),
]


def found(page, query):
    """The headings that the search field leads to, best first, and their places."""
    page.locator("#pst-search-dialog input").fill(query)
    results = page.locator("#pst-search-dialog .found li a")
    page.wait_for_function(
        "q => document.querySelector('dialog .found').dataset.query === q", arg=query
    )
    return [(link.inner_text(), link.get_attribute("href")) for link in results.all()]


@pytest.fixture(scope="module")
def field(page):
    """The front page with its search open."""
    go(page, SITE / "index.html")
    page.keyboard.press("Control+k")
    return page


@pytest.mark.parametrize(("query", "answers", "places"), TABLE, ids=[row[0] for row in TABLE])
def test_a_question_is_answered_among_the_first(field, query, answers, places):
    first = found(field, query)[:places]
    wanted = re.compile(rf"(?<![\d.])({answers.replace('.', '[.]')})(?![\d.])", re.I)
    answering = [place for title, place in first if wanted.search(title)]
    assert answering, first
    assert query not in CLINIC or "clinic/" in answering[0]


def test_what_the_book_does_not_have_is_not_found(field):
    assert found(field, "banana bread recipe") == []
    expect(field.locator("dialog .found [role=status]")).to_have_text("Nothing found")


def test_a_name_of_the_package_is_found_with_the_words_around_it_and_without_network(field):
    place = next(
        href for name, href in found(field, "causal_mask") if name.endswith(".causal_mask")
    )
    excerpt = field.locator("#pst-search-dialog .found li p").first
    expect(excerpt.locator("mark").first).to_be_visible()
    field.locator(f"#pst-search-dialog a[href='{place}']").click()
    expect(field.locator("dt[id='d2lattn.masks.causal_mask']")).to_be_in_viewport()
    assert field.outside == []


def test_the_page_of_results_shows_sections_too(page):
    go(page, SITE / "search.html", "?q=why+divide+by+sqrt+d")
    first = page.locator("#search-results li a").first
    expect(first).to_have_text(re.compile(r"3\.[12]"))
    first.click()
    expect(page.locator("section:target h2")).to_be_in_viewport()
