"""A trained decoder that reads and generates in the page."""

import math
from collections.abc import Sequence

import torch

from d2lattn.arguments import check_number, show
from d2lattn.transformer import Decoder
from d2lattn_book.host import on_the_host
from d2lattn_book.pictures import arrays
from d2lattn_book.pictures.arrays import Words, on_one_line, read_vocabulary, token_ids
from d2lattn_book.pictures.live.reader.packed import pack, unpack
from d2lattn_book.pictures.page import Figure
from d2lattn_book.pictures.tables import plain_table

MOST_READ, LISTED = 32, 5  # words that the reader reads, and words that its table lists


@on_the_host
def reader(
    model: Decoder,
    vocabulary: Words,
    *,
    text: str,
    stop: str | None = None,
    choices: Sequence[str] | None = None,
    temperature: float = 0.5,
    head: tuple[int, int] = (0, 0),
) -> Figure:
    """A trained decoder that reads and generates in the page; parameters travel as float16.

    The computation of `Decoder`, in double precision on the rounded weights. The reader types a
    text, or chooses one, looks into every head of every layer, switches heads off, and generates
    with and without the cache. A word of a text is the one of the vocabulary that is written
    like it, or else the first that differs in capitals alone; marks at its end (. , ; : ! ?) are
    words of their own where the vocabulary has them, and are left out where it has not. A word that
    is begun is completed from the vocabulary; words that are not in it are named and left out.

    Args:
        model: a `Decoder` of at most 140,000 weights.
        vocabulary: its words in the order of their numbers, all different.
        text: the words with which it opens, at most 32 of them and no more than the model has
            learned positions for.
        stop: a word of the vocabulary that ends a text, and is read before its first word, too.
        choices: other texts to begin with, all different; with `text` they stand in a menu.
        temperature (float): with which it opens, 0 to 2. At 0.5, and with all words, a writer
            of the book had most of its texts right and many of them different.
        head: the layer and the head whose map it opens with, counted from 0.

    Raises:
        ValueError: no decoder, one with parts or options that the page cannot run, too many
            weights, a vocabulary of another size, a word with white space in it or an unknown one,
            a text without a word or too long, a temperature outside 0 to 2, a head that the model
            has not.

    Cost:
        3 bytes for each weight and 25 kB in the notebook, 400 kB at most.

    Example:
        >>> model = Decoder(3, 8, num_layers=1, num_heads=2, max_len=16)
        >>> reader(model, [".", "a", "cat"], text="a cat", stop=".")
        live model: 1 layer of 2 heads, 3 tokens, 1,064 parameters as float16
    """
    sent = pack(model)
    size = sent["sizes"]["vocab_size"]
    vocabulary = read_vocabulary(vocabulary, size)
    if stop is not None and stop not in vocabulary:
        raise ValueError(f"stop must be a word of the vocabulary, got {show(stop)}")
    if not isinstance(text, str):
        raise ValueError(f"text must be a string, got {show(text)}")
    room = min(model.position.max_len or MOST_READ, MOST_READ)
    first = [] if stop is None else [vocabulary.index(stop)]
    tokens = first + token_ids("text", text, vocabulary, room - len(first))
    text = on_one_line(text)
    check_number("temperature", temperature, 0, 2)
    layers, heads = sent["sizes"]["num_layers"], sent["sizes"]["num_heads"]
    known = [(layer, one) for layer in range(layers) for one in range(heads)]
    if not isinstance(head, tuple) or not {type(n) for n in head} <= {int} or head not in known:
        raise ValueError(
            f"head must be a pair (layer, head) below ({layers}, {heads}), got {show(head)}"
        )
    data = {
        "vocabulary": vocabulary,
        "begins": text,
        "stop": first[0] if first else None,
        "room": room,
        "asks": len(tokens) - 1,
        "layer": head[0],
        "head": head[1],
        "temperature": float(temperature),
        "most": len(vocabulary),
        "model": sent,
    }
    if choices is not None:
        listed = arrays.names("choices", choices, different=True)
        for one in listed:
            token_ids("choices", one, vocabulary, room - len(first))
        data["choices"] = list(dict.fromkeys([text, *map(on_one_line, listed)]))
    count = sum(math.prod(shape) for shape in sent["shapes"].values())
    line = (
        f"live model: {layers} layer{'s' if layers > 1 else ''} of {heads} "
        f"head{'s' if heads > 1 else ''}, {len(vocabulary)} tokens, {count:,} parameters as float16"
    )
    with torch.no_grad():
        logits = unpack(sent)(torch.tensor([tokens]))[0, -1]
    likely = (logits / max(temperature, 1e-6)).softmax(-1)  # at 0 the likeliest alone
    best = likely.topk(min(LISTED, len(vocabulary)))
    names = [vocabulary[k] for k in best.indices]
    caption = f'{line}. After "{text}", at temperature {temperature:g}, the next token is probably'
    table = plain_table(caption, names, ["probability"], best.values[:, None])
    return Figure("reader", line, data, table.replace("<table>", '<table class="trained">'))
