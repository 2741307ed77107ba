"""The experiments of chapter 9, each over several seeds: do its conclusions hold?

The models and budgets are those of the chapter. A seed decides everything that is random in a run:
the first weights and the batches; what is held out is the same in all.
"""

import copy
import sys
from pydoc_data.topics import topics  # Python's documentation, as its help() has it

import torch
import torch.nn.functional as F
from processes import spread
from results import table
from timing import saying
from torch import nn

from d2lattn import Decoder, Encoder, generate
from d2lattn.language.stories import ANIMALS, WAYS, pronouns, stories
from d2lattn.language.words import vocabulary
from d2lattn.training import fit

SEEDS = (0, 1, 2, 3, 4)
DISTANCES, LEARNING_RATES = (8, 32, 64, 128), (1e-3, 3e-3, 1e-2)
TITLE = "The conclusions of chapter 9, over seeds"
ON = ("processor",)
INTRODUCTION = (
    f"The chapter's models and budgets, one thread, float32, seeds 0 to {SEEDS[-1]} (9.7: 0 to 2). "
    "A seed decides the first weights and all batches; what is held out is the same in all runs. "
    "Each row has a number for each seed; shares and accuracies from 0 to 1."
)


def seeded(seed):
    return torch.Generator().manual_seed(seed)


def numbered(sentences, words):
    return torch.tensor([[words.index(word) for word in sentence] for sentence in sentences])


def rows_of(tokens, targets, seed):
    generator = seeded(seed)

    def batch(step):
        some = torch.randint(len(tokens), (64,), generator=generator)
        return tokens[some], targets[some]

    return batch


def trained(model, batches, steps, learning_rate):
    fit(model, batches, steps=steps, learning_rate=learning_rate, progress=False)
    return model


# 9.2 ----------------------------------------------------------------------------------------------


@torch.no_grad()
def apple(seed):
    """Cosines of the vectors of "apple" in sentences that were held out."""
    told = [s for s in stories(3000, topics=("fruit", "companies")) if len(s) == 7]
    held_out = sorted({tuple(s) for s in told if s[1] == "apple"})[::4]
    words = ["▢", *vocabulary(told)]
    tokens = numbered([s for s in told if tuple(s) not in held_out], words)
    generator = seeded(seed)

    def gaps(step):
        x = tokens[torch.randint(len(tokens), (64,), generator=generator)]
        asked = torch.rand(x.shape, generator=generator) < 0.2
        return x.masked_fill(asked, 0), x.masked_fill(~asked, -100)

    model = Encoder(len(words), 32, num_layers=1, num_heads=1, max_len=7, seed=seed)
    with torch.enable_grad():
        trained(model, gaps, 300, 3e-3)
    body = copy.deepcopy(model)
    body.to_logits = nn.Identity()
    after = body(numbered(held_out, words))[:, 1]
    fruit = torch.tensor([s[0] in ("ripe", "fresh", "sweet", "sour") for s in held_out])
    cosines = F.cosine_similarity(after[:, None], after, dim=-1)
    alike = fruit[:, None] == fruit
    crossed = [
        ["cheap" if of_fruit else "sweet", *s[1:]]
        for s, of_fruit in zip(held_out, fruit, strict=True)
    ]
    means = torch.stack([after[~fruit].mean(0), after[fruit].mean(0)])
    moved = body(numbered(crossed, words))[:, 1, None]
    turned = F.cosine_similarity(moved, means, dim=-1).argmax(-1) != fruit
    _, weights = model(numbered(held_out, words), need_weights=True)
    return {
        "mean share of the adjective": weights[0, :, 0, 1, 0].mean(),
        "changes sides with the adjective": turned.double().mean(),
        "the same sense, smallest cosine": cosines[alike].min(),
        "the other sense, largest cosine": cosines[~alike].max(),
    }


# 9.3 ----------------------------------------------------------------------------------------------

LAST, IT = -1, -4


def riddles():
    """Words, and (tokens, what is meant) to learn from and held out by pairs of nouns."""
    told = [(["."] * (13 - len(sentence)) + sentence, noun) for sentence, noun in pronouns()]
    words = vocabulary([sentence for sentence, _ in told])
    kept, held_out = [], []
    for sentence, noun in told:
        animal, way = (next(w for w in sentence if w in group) for group in (ANIMALS, WAYS))
        is_new = (ANIMALS.index(animal) + WAYS.index(way)) % 4 == 0
        (held_out if is_new else kept).append((sentence, noun))
    split = (zip(*part, strict=True) for part in (kept, held_out))
    return words, *[(numbered(s, words), numbered([n], words)[0]) for s, n in split]


@torch.no_grad()
def it(seed):
    """Accuracy, where the maps point, and what is left without a layer."""
    words, (tokens, meant), (new, answer) = riddles()
    nouns = numbered([ANIMALS + WAYS], words)[0]
    right = new == answer[:, None]
    wrong = torch.isin(new, nouns) & ~right
    every, found = range(len(new)), {}
    for name, place, layers, steps in (
        ("at the last word", LAST, 1, 150),
        ("at *it*, 1 layer", IT, 1, 200),
        ("at *it*, 2 layers", IT, 2, 200),
    ):
        targets = torch.full_like(tokens, -100)
        targets[:, place] = meant
        sizes = dict(num_layers=layers, num_heads=1, mlp_dim=0, max_len=13)
        model = Encoder(len(words), 64, **sizes, seed=seed)
        with torch.enable_grad():
            trained(model, rows_of(tokens, targets, seed), steps, 3e-3)
        logits, weights = model(new, need_weights=True)
        found[f"{name}: right"] = (logits[:, place].argmax(-1) == answer).double().mean()
        maps = {f"layer {n + 1}": weights[n, :, 0, place] for n in range(layers)}
        if layers == 2:
            maps["product"] = (weights[1, :, 0] @ weights[0, :, 0])[:, place]
        for which, shares in maps.items():
            points = right[every, shares.argmax(-1)].double().mean()
            found[f"{name}, {which}: points at the right noun"] = points
            found[f"{name}, {which}: share of the right noun"] = shares[right].mean()
            found[f"{name}, {which}: share of the other noun"] = shares[wrong].mean()
        for n in range(layers):
            kept = torch.arange(layers)[:, None] != n
            said = model(new, head_mask=kept)[:, place].argmax(-1)
            found[f"{name}, right without layer {n + 1}"] = (said == answer).double().mean()
    return found


@torch.no_grad()
def four_heads(seed):
    """At the last word with four heads: each switched off in turn, each alone, all of them."""
    words, (tokens, meant), (new, answer) = riddles()
    right = new == answer[:, None]
    targets = torch.full_like(tokens, -100)
    targets[:, LAST] = meant
    model = Encoder(len(words), 64, num_layers=1, num_heads=4, mlp_dim=0, max_len=13, seed=seed)
    with torch.enable_grad():
        trained(model, rows_of(tokens, targets, seed), 150, 3e-3)
    _, weights = model(new, need_weights=True)

    def accuracy(kept):
        said = model(new, head_mask=kept)[:, LAST].argmax(-1)
        return (said == answer).double().mean()

    found = {"without all four": accuracy(torch.zeros(1, 4, dtype=torch.bool))}
    for head in range(4):
        kept = torch.arange(4)[None] != head
        found[f"head {head}: share of the right noun"] = weights[0, :, head, LAST][right].mean()
        found[f"right without head {head}"] = accuracy(kept)
        found[f"right with head {head} alone"] = accuracy(~kept)
    return found


# 9.4 ----------------------------------------------------------------------------------------------


@torch.no_grad()
def reverse(seed):
    """Unseen sequences without a mistake, and the weight on the anti-diagonal."""
    unseen, found = torch.randint(10, (1000, 16), generator=seeded(1000)), {}
    for name, positions in (("with positions", "learned"), ("without", None)):
        generator = seeded(seed)

        def batch(step, generator=generator):
            x = torch.randint(10, (64, 16), generator=generator)
            return x, x.flip(1)

        sizes = dict(num_layers=1, num_heads=1, mlp_dim=0, max_len=16)
        model = Encoder(10, 32, **sizes, positions=positions, seed=seed)
        with torch.enable_grad():
            trained(model, batch, 120, 1e-2)
        logits, weights = model(unseen, need_weights=True)
        same = logits.argmax(-1) == unseen.flip(1)
        on_line = weights[0, :, 0].flip(-1).diagonal(dim1=-2, dim2=-1).mean()
        found[f"{name}: sequences without a mistake"] = same.all(-1).double().mean()
        found[f"{name}: symbols right"] = same.double().mean()
        found[f"{name}: weight on the anti-diagonal"] = on_line
    return found


# 9.5 ----------------------------------------------------------------------------------------------


def write(seed):
    """How many of 500 texts are sentences of the grammar, by temperature and top-k."""
    told = stories(4000)
    lines = [["."] + sentence + ["."] * (14 - len(sentence)) for sentence in told]
    words = vocabulary(lines)
    tokens = numbered(lines, words)
    model = Decoder(len(words), 64, num_layers=2, num_heads=4, max_len=15, seed=seed)
    trained(model, rows_of(tokens[:, :-1], tokens[:, 1:], seed), 300, 3e-3)
    grammar = {tuple(s) for s in stories(40_000)} | {tuple(s) for s, _ in pronouns()}
    read, found = {tuple(s) for s in told}, {}
    for temperature, top_k in ((0, None), (0.5, None), (1, None), (2, None), (2, 3)):
        how = dict(temperature=temperature, top_k=top_k, generator=seeded(seed))
        prompt = torch.full((500, 1), words.index("."))
        rows = generate(model, prompt, steps=14, **how)[:, 1:].tolist()
        texts = [[words[i] for i in row] for row in rows]
        texts = [tuple(t[: t.index(".")] if "." in t else t) for t in texts]
        name = f"temperature {temperature}" + (f", top-{top_k}" if top_k else "")
        good = [t for t in texts if t in grammar]
        found[f"{name}: in the grammar"] = len(good) / 500
        found[f"{name}: in it and never read"] = sum(t not in read for t in good) / 500
        found[f"{name}: different"] = len(set(texts)) / 500
    return found


def prose(
    seed, width=64, layers=2, mlp=2, window=48, size=10, steps=240, rate=5e-3, positions="rotary"
):
    """The loss on the last tenth of a text that people wrote, letter by letter."""
    text = "\n\n".join(topics[name] for name in sorted(topics))
    letters = sorted(set(text))
    codes = torch.tensor(list(map({c: i for i, c in enumerate(letters)}.get, text)))
    first, last = codes.tensor_split([len(codes) * 9 // 10])
    rows, generator = first.unfold(0, window + 1, 1), seeded(seed)

    def batch(step):
        some = rows[torch.randint(len(rows), (size,), generator=generator)]
        return some[:, :-1], some[:, 1:]

    sizes = dict(num_layers=layers, num_heads=4, mlp_dim=mlp * width, positions=positions)
    model = trained(Decoder(len(letters), width, **sizes, seed=seed), batch, steps, rate)
    x, y = (part.unfold(0, window, window) for part in (last[:-1], last[1:]))
    single = torch.bincount(first, minlength=len(letters)) + 1
    single = single / single.sum()
    places = (first[:-1], first[1:]), torch.ones(len(first) - 1)
    pairs = torch.zeros(len(letters), len(letters)).index_put(*places, accumulate=True) + single
    pairs = pairs / pairs.sum(-1, keepdim=True)
    with torch.no_grad():
        said, weights = zip(*(model(part, need_weights=True) for part in x.split(50)), strict=True)
    before = torch.cat(weights, 1).diagonal(-1, -2, -1).mean((1, 3))  # (layers, heads)
    return {
        "counting letters: nats a letter": -single[y].log().mean(),
        "counting pairs: nats a letter": -pairs[x, y].log().mean(),
        "decoder: nats a letter": F.cross_entropy(torch.cat(said).flatten(0, 1), y.flatten()),
        "largest share of a head on the letter before": before.max(),
    }


LARGER = dict(width=128, layers=3, mlp=4, window=128, size=16, steps=1000, rate=3e-3)


# 9.6 ----------------------------------------------------------------------------------------------


@torch.no_grad()
def induction(seed, symbols=24, length=32):
    """What is foretold in the second round, the induction score, and three interventions."""

    def rounds(size, generator):
        periods = torch.randint(12, 21, (size,), generator=generator)
        first = torch.rand(size, symbols, generator=generator).argsort(-1)
        return first.gather(1, torch.arange(length + 1) % periods[:, None]), periods

    x, periods = rounds(256, seeded(1000))
    inputs, targets = x[:, :-1], x[:, 1:]
    second = torch.arange(length) >= periods[:, None]
    row, asks = second.nonzero().T
    found = {}
    for layers in (1, 2):
        generator = seeded(seed)

        def batch(step, generator=generator):
            drawn, _ = rounds(32, generator)
            return drawn[:, :-1], drawn[:, 1:]

        sizes = dict(num_layers=layers, num_heads=2, mlp_dim=0, max_len=length)
        model = Decoder(symbols, 64, **sizes, seed=seed)
        with torch.enable_grad():
            trained(model, batch, 500, 5e-3)
        name = f"{layers} layer{'s'[: layers - 1]}"

        def foretold(model=model, **options):
            said = model(inputs, **options).argmax(-1)
            return (said == targets)[second].double().mean()

        found[f"{name}: foretold in the second round"] = foretold()
        _, weights = model(inputs, need_weights=True)
        for layer in range(layers):
            score = weights[layer][row, :, asks, asks - periods[row] + 1].mean(0)
            for head in (0, 1):
                found[f"{name}: induction score, layer {layer + 1}, head {head}"] = score[head]
        if layers == 2:
            for layer in (0, 1):
                kept = (torch.arange(2) != layer)[:, None].expand(2, 2)
                found[f"{name}: foretold without layer {layer + 1}"] = foretold(head_mask=kept)
            found |= exchanged(model, inputs, periods, symbols)
    return found


def exchanged(model, inputs, periods, symbols):
    """The share of the place after the earlier copy, when one symbol is another."""
    ask, every, found = periods + 4, torch.arange(len(inputs)), {}
    missing = torch.tensor([next(s for s in range(symbols) if s not in r) for r in inputs.tolist()])
    for which, shift in (
        ("as it is", None),
        ("earlier copy exchanged", 0),
        ("another one nearby", 2),
    ):
        changed = inputs.clone()
        if shift is not None:
            changed[every, ask - periods + shift] = missing
        _, weights = model(changed, need_weights=True)
        shares = weights[1][every, :, ask, ask - periods + 1]
        found[f"2 layers: share after the copy, {which}"] = shares.mean()
    return found


# 9.7 ----------------------------------------------------------------------------------------------


class Recurrent(nn.Module):
    def __init__(self, layer, seed, forget=0.0, width=32):
        super().__init__()
        self.embedding, self.layer = nn.Embedding(32, width), layer
        self.to_logits = nn.Linear(layer.hidden_size, 16)
        generator = seeded(seed)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -(72**-0.5), 72**-0.5, generator=generator)
        nn.init.normal_(self.embedding.weight, generator=generator)
        layer.bias_hh_l0.data[layer.hidden_size : 2 * layer.hidden_size] += forget

    def forward(self, tokens):
        return self.to_logits(self.layer(self.embedding(tokens))[0])


def contestant(name, distance, seed):
    if name == "attention":
        return Encoder(32, 48, num_layers=1, num_heads=1, max_len=distance + 1, seed=seed)
    if name == "RNN":
        return Recurrent(nn.RNN(64, 128, batch_first=True), seed, width=64)
    forget = 3.0 if "forget" in name else 0.0
    return Recurrent(nn.LSTM(32, 72, batch_first=True), seed, forget)


def recalled(name, distance, seed, learning_rate):
    def recall(generator, size=64):
        x = torch.randint(16, (size, distance + 1), generator=generator)
        targets = torch.full_like(x, -100)
        targets[:, -1] = x[:, 0]
        x[:, 0] += 16
        return x, targets

    generator = seeded(seed)
    model = contestant(name, distance, seed)
    trained(model, lambda step: recall(generator), 300, learning_rate)
    x, targets = recall(seeded(1000), 1000)
    with torch.no_grad():
        said = model(x)[:, -1, :16].argmax(-1)
    return (said == targets[:, -1]).double().mean().item()


# All of it ----------------------------------------------------------------------------------------

EXPERIMENTS = {
    apple: "*apple* in held-out sentences (9.2)",
    it: "What *it* means, on held-out pairs of nouns (9.3)",
    four_heads: "Four heads at the last word (9.3)",
    reverse: "Reversing 1,000 unseen sequences (9.4)",
    write: "What a decoder writes (9.5)",
    prose: "A text that people wrote (9.5)",
    induction: "Repeated random sequences (9.6)",
}
CONTESTANTS = ("RNN", "LSTM", "LSTM, forget bias 3", "attention")
BUDGET = (
    "Budget of 9.7: 300 steps of 64 sequences (the chapter takes 200), learning rate 3e-3 with "
    "warm-up and cosine; the last column takes the best of 1e-3, 3e-3 and 1e-2 for each seed. "
    "Larger recurrent layers and longer training were not tried."
)


def named(name, arguments, options):
    """Call one of the functions above; for other processes, which get names and numbers alone."""
    saying(" ".join(map(str, (name, *arguments, options or ""))))
    found = globals()[name](*arguments, **options)
    if isinstance(found, dict):
        return {key: float(value) for key, value in found.items()}
    return found


def measure_part(quick, device):
    """The longest runs come first, so that no core waits for one of them in the end."""
    seeds, of_recall = (SEEDS[:1], SEEDS[:1]) if quick else (SEEDS, SEEDS[:3])
    distances = DISTANCES[:1] if quick else DISTANCES
    at = sorted({(d, 3e-3) for d in distances} | {(32, rate) for rate in LEARNING_RATES[::2]})
    recalls = [(n, d, s, r) for d, r in at[::-1] for n in CONTESTANTS for s in of_recall]
    recalls = [run for run in recalls if not quick or run[1] in distances]
    once = [] if quick else [LARGER, dict(positions="learned")]
    experiments = [reverse] if quick else list(EXPERIMENTS)
    jobs = [("prose", (0,), options) for options in once]
    jobs += [("recalled", run, {}) for run in recalls]
    jobs += [(e.__name__, (seed,), {}) for e in experiments for seed in seeds]
    found = iter(spread(named, jobs))
    larger, learned = (next(found)["decoder: nats a letter"] if once else None for _ in range(2))
    data = {"prose": {"larger": larger, "learned": learned}}
    data["prose"]["Python"] = ".".join(map(str, sys.version_info[:2]))
    data["recall"] = dict(zip(recalls, [next(found) for _ in recalls], strict=True))
    data["recall"] = recall_rows(data["recall"], distances, of_recall, quick)
    for experiment in experiments:
        runs = [next(found) for _ in seeds]
        rows = {name: [run[name] for run in runs] for name in runs[0]}
        data[experiment.__name__] = data.get(experiment.__name__, {}) | {"rows": rows}
    return data


def recall_rows(found, distances, seeds, quick):
    """By distance at the chapter's rate; and the best of three rates over 32, for each seed."""
    rows = {}
    for name in CONTESTANTS:
        row = {f"over {d}": [found[name, d, s, 3e-3] for s in seeds] for d in distances}
        if not quick:
            best = [max(found[name, 32, s, rate] for rate in LEARNING_RATES) for s in seeds]
            row["over 32, best of 3 rates"] = best
        rows[name] = row
    return rows


def section(data):
    parts = []
    for experiment, title in EXPERIMENTS.items():
        if "rows" in data.get(experiment.__name__, {}):
            rows = data[experiment.__name__]["rows"]
            body = [[name, told(values)] for name, values in rows.items()]
            parts += [f"### {title}", table(["measured", "by seed"], body)]
        if experiment is prose and data["prose"]["larger"] is not None:
            parts.append(
                f"The text is that of Python {data['prose']['Python']}; its last tenth is held "
                "out. 240 steps of 10 times 48 letters. Each of the following was run once, with "
                f"seed 0. With a learned table of positions: {data['prose']['learned']:.2f} nats a "
                "letter. With width 128, three layers, 1,000 steps of 16 times 128 letters (some "
                f"minutes): {data['prose']['larger']:.2f}."
            )
    rows = data["recall"]
    header = ["", *next(iter(rows.values()))]
    body = [[name, *map(told, row.values())] for name, row in rows.items()]
    parts += ["### Recalling a symbol over a distance (9.7), 3 seeds", table(header, body), BUDGET]
    return "\n\n".join(parts)


def told(values):
    return " ".join(f"{float(value):.2f}" for value in values)
