"""Exercises of chapter 9: a Transformer, its parts, and what its heads do."""

import random

import torch

from d2lattn.attention import masked_softmax
from d2lattn.masks import causal_mask
from d2lattn.transformer import Decoder
from d2lattn_book import audit
from d2lattn_book.exercises.checking import (
    FunctionExercise,
    OpenExercise,
    ValueExercise,
    audited,
    calls,
    is_starter,
    noise,
)

PROMPT, NEW = 20, 100  # tokens given, tokens generated

# Analogies


def _words_to_place():
    """In each case the three words of the question, a long vector and the wrong sign lead astray;
    in the first the distance as well: the word in the right direction is the longer one. In the
    fourth the right word is the third, and one points the opposite way. In the fifth the first
    word is the nearest, and without the subtraction another one.

    Columns: royal, female, size.
    """
    places = {
        "man": [0.0, 0.0, 1.0],
        "woman": [0.0, 1.0, 1.0],
        "king": [3.0, 0.0, 1.0],
        "queen": [6.0, 5.0, 4.0],
        "crown": [9.0, 1.0, -6.0],
        "girl": [0.0, 1.2, 0.0],
        "boy": [0.0, 0.1, 0.2],
        "castle": [8.0, -3.0, 7.0],
        "beggar": [-4.0, -1.0, -1.5],
    }
    words, vectors = [*places], torch.tensor([*places.values()])
    questions = (("man", "king", "woman"), ("woman", "queen", "man"), ("king", "queen", "man"))
    questions += (("man", "woman", "queen"), ("king", "castle", "man"))
    return [(*question, words, vectors) for question in questions]


# Counting the tokens that pass through the model


def _passes(prompt=PROMPT, new=NEW):
    """Without a cache the whole text each time, with it each token once; the last is never read."""
    return [sum(range(prompt, prompt + new)), prompt + new - 1]


# From logits to probabilities


def _logits():
    a, b, c = 3 * torch.stack(noise(7, 7, 7))
    return [(a, 1.0, 7), (a, 0.5, 3), (b, 2.0, 4), (c, 0.1, 1)]


def _stay_on_a_tie(answer, *_):
    """How many may be drawn, if it is not top_k, where a threshold cannot tell the logits apart."""
    probabilities = answer(torch.tensor([1.0, 3.0, 2.0, 3.0, 3.0]), 1.0, 2)
    stay = (torch.as_tensor(probabilities) > 0).sum().item()
    return str(stay) if stay != 2 else None


# Switching off a head


def _projections():
    sizes = ((6, 3, 0), (6, 2, 1), (8, 4, 2))
    return [(*noise((E, E), seed=H), H, head) for E, H, head in sizes]


# The induction score


def _maps():
    sizes = ((2, 8, 4), (3, 9, 4), (1, 12, 5))
    return [(noise((H, L, L), seed=H)[0].softmax(-1), period) for H, L, period in sizes]


# What a loss says, and what it does not

SENTENCES = {  # of exercise 9.5: whether it follows, and what to tell who thinks otherwise
    "a": (True, "a model that ignores what it has read has at best the loss of unigrams"),
    "b": (True, "the loss is the mean over the predictions, and the two means are equal"),
    "c": (False, "different predictions can have the same mean"),
    "d": (False, "it may use earlier characters and still be no better than bigrams on average"),
    "e": (False, "this is an experiment; the loss alone does not tell how it would end"),
    "f": (False, "a loss can rest for a while and then fall, as in section 9.6"),
}


def judge_sentences(answer):
    """Which sentences follow, as their letters: the first that is wrong is explained."""
    if not isinstance(answer, str) or not set(answer.lower()) <= set(SENTENCES):
        return 'a string of letters from "a" to "f" is expected, such as "bc"'
    for letter, (follows, why) in SENTENCES.items():
        if (letter in answer.lower()) != follows:
            return f"Sentence {letter} {'follows' if follows else 'does not follow'}: {why}."
    return None


# Texts for an induction head, and against it


def judge_texts(answer):
    """One text in which an ideal induction head is always right, and one in which it never is."""
    pair = isinstance(answer, (tuple, list)) and len(answer) == 2
    if not pair or not all(isinstance(text, str) for text in answer):
        return "two strings are expected, (helps, harms)"
    for text, right in zip(answer, (True, False), strict=True):
        found = _induced(text)
        if len(found) < 3:
            return f"in {text!r} the head predicts {len(found)} times. Let more letters return."
        for i, said, followed in found:
            if (said == followed) != right:
                verdict = "which is right" if said == followed else f"but {followed!r} follows"
                return f"in {text!r} the head predicts {said!r} at position {i}, {verdict}"
    if sorted(answer[0]) != sorted(answer[1]):
        return "harms must contain the letters of helps, in another order"
    return None


def _induced(text):
    """(position, prediction, next letter) wherever a letter of the text has occurred before."""
    earlier = [(i, text.rfind(text[i], 0, i)) for i in range(len(text) - 1)]
    return [(i, text[copy + 1], text[i + 1]) for i, copy in earlier if copy >= 0]


# The newest token, with the cache


def ask_about_steps(answer):
    """A report on a decoder whose blocks take one token at a time, each by the answer."""
    generator, model = torch.Generator().manual_seed(0), Decoder(11, 8, num_layers=2, num_heads=2)
    for parameter in model.requires_grad_(False).parameters():
        torch.nn.init.normal_(parameter, std=0.7, generator=generator)  # norms differ as well

    def cache():
        kept = [torch.empty(2, 3, 2, 0, 4) for _ in model.blocks]  # keys and values, B, H, S, D

        def step(tokens):
            return torch.cat([read(token) for token in tokens.split(1, dim=1)], dim=1)

        def read(token):
            x = model.embedding(token) + model.position.weight[kept[0].shape[-2]]  # (B, 1, E)
            for i, block in enumerate(model.blocks):
                x_norm = block.attention_norm(x)
                _, *newest = block.attention.project(x_norm, x_norm, x_norm)
                x = answer(x, block, *kept[i])
                kept[i] = torch.cat([kept[i], torch.stack(newest)], dim=-2)
            return model.to_logits(model.norm(x))

        return step

    cache()(torch.zeros(3, 23).long())  # what the answer raises is told
    return audit.model(model, 11, cache=cache)


def nothing_is_cached(finding):
    """What to add if the first token is wrong already."""
    if finding.numbers["position"]:
        return ""
    return " At position 0 nothing is cached yet: compare your lines with a block in section 9.2."


# What does this head do?


def mystery(text):
    """One head over the letters of a text; exercise 9.8 asks by what rule it attends.

    Its queries and keys are written by hand, so that there is a rule.

    Args:
        text (str): small letters a to z, 1 to 40 of them.

    Returns:
        Tensor (L, L): row i holds the attention weights of letter i.

    Raises:
        ValueError: an empty or longer text, or one with another character.

    Example:
        >>> mystery("so").shape
        torch.Size([2, 2])
    """
    if not isinstance(text, str) or not 1 <= len(text) <= 40:
        raise ValueError(f"text must be a str of 1 to 40 letters, got {text!r}")
    if not (text.isascii() and text.isalpha() and text.islower()):
        raise ValueError(f"text must contain only lower-case letters a to z, got {text!r}")
    vowel = torch.tensor([letter in "aeiou" for letter in text]).float()
    place = torch.arange(len(text)).float()
    query = torch.stack([100 * (1 - vowel), 100 * vowel, torch.ones(len(text))], dim=-1)  # (L, 3)
    key = torch.stack([vowel, 1 - vowel, 2 * place], dim=-1)  # the other kind, and late
    return masked_softmax(query @ key.T, causal_mask(len(text)))


def judge_rule(answer):
    """A rule gives, for a text, where each character attends; right if it predicts the head."""
    if not callable(answer):
        return f"a function of a text is expected, got {type(answer).__name__}"
    told, errors = 0, []
    for text in _texts():
        said = [int(place) for place in answer(text)]
        if len(said) != len(text):
            return f"{text!r} has {len(text)} characters, your rule gives {len(said)} positions"
        told += len(text)
        for i, best in enumerate(mystery(text).argmax(-1).tolist()):
            if said[i] != best:
                errors.append(
                    f"in {text!r} position {i} attends to {best}, your rule says {said[i]}"
                )
    if len(errors) > 0.05 * told:
        right = 100 * (told - len(errors)) // told
        return f"your rule is right for {right} % of the characters; {errors[0]}"
    if calls("masked_softmax")(answer, "attention"):
        return "Your rule is right, but it calls the head itself. Write it without the head."
    return None


def _texts():
    pick = random.Random(0)
    words = ["attention", "banana", "rhythm", "queue", "a", "strength"]
    letters = "abcdefghijklmnopqrstuvwxyzaeiouaeiou"
    return words + ["".join(pick.choices(letters, k=pick.randint(5, 20))) for _ in range(40)]


# The chapter's solutions; a mistake is an edit of one of them


def my_analogy(a, b, c, words, vectors):
    a, b, c = (words.index(word) for word in (a, b, c))
    goal = vectors[b] - vectors[a] + vectors[c]
    nearness = torch.nn.functional.cosine_similarity(vectors, goal, dim=-1)
    nearness[[a, b, c]] = -1
    return words[nearness.argmax()]


def my_probabilities(logits, temperature, top_k):
    kept = logits.topk(top_k).indices  # exactly so many, even where some are equal
    scores = torch.full_like(logits, -torch.inf)
    scores[kept] = logits[kept] / temperature
    return torch.softmax(scores, dim=-1)


def my_silenced(weight, num_heads, head):
    weight = weight.clone()
    D = weight.shape[0] // num_heads
    weight[:, head * D : (head + 1) * D] = 0
    return weight


def my_induction_score(weights, period):
    query = torch.arange(period, weights.shape[-1])
    return weights[:, query, query - period + 1].mean(-1)  # (H, L - period) -> (H,)


TIE = {
    "{} can be sampled with top_k=2, where three logits tie for the largest. Choose positions "
    "with topk(top_k).indices, not with a threshold.": _stay_on_a_tie
}
MISTAKES: dict[str, dict] = {
    "9.1": {
        "Leave out the three words of the question. One of them is often the nearest.": {
            "    nearness[[a, b, c]] = -1\n": ""
        },
        "You used the dot product, which favours long vectors. Divide by the lengths.": {
            "torch.nn.functional.cosine_similarity(vectors, goal, dim=-1)": "vectors @ goal",
            "= -1": "= -torch.inf",
        },
        "You add b and c without subtracting a. The goal is b − a + c.": {" - vectors[a]": ""},
        "You scale the vectors to length 1 before you add them. Add them as they are; only the "
        "cosine divides by lengths.": {
            "    goal =": "    vectors = torch.nn.functional.normalize(vectors)\n    goal ="
        },
        "The sign is wrong. Go from a to b, starting at c.": {
            "vectors[b] - vectors[a] + vectors[c]": "vectors[a] - vectors[b] + vectors[c]"
        },
    },
    "9.2": {
        "You left out the tokens of the prompt. The model processes them, too.": _passes(0),
        "You counted the last token. It is generated but never processed.": [
            sum(range(PROMPT, PROMPT + NEW + 1)),
            PROMPT + NEW,
        ],
        "These are the forward passes. Count tokens: one pass processes several.": [NEW, NEW],
        "Without a cache every pass processes the whole text again.": [PROMPT + NEW - 1] * 2,
        "You swapped the two numbers. The cache needs fewer.": _passes()[::-1],
    },
    "9.3": {
        "You multiplied by the temperature. Divide: a low temperature sharpens.": {
            "/ temperature": "* temperature"
        },
        "The temperature has no effect. Divide the logits by it.": {" / temperature": ""},
        "You divided by the temperature twice.": {"/ temperature": "/ temperature**2"},
        "You divided the log-probabilities, so the result does not sum to 1. Divide the "
        "logits by the temperature, before the softmax.": {
            " / temperature": "",
            "torch.softmax(scores, dim=-1)": "(scores.log_softmax(-1) / temperature).exp()",
        },
        "Your probabilities do not sum to 1. Apply top_k before the softmax.": {
            "return torch.softmax(scores, dim=-1)": (
                "P = torch.softmax(logits / temperature, -1); return P * (scores > -torch.inf)"
            ),
        },
        "You keep one token too many.": {"topk(top_k)": "topk(min(top_k + 1, len(logits)))"},
        "You returned only top_k probabilities. Return 0 for all other tokens.": {
            "softmax(scores,": "softmax(scores[kept],"
        },
        "A logit of 0 is not a probability of 0. Use -inf.": {"-torch.inf": "0"},
    },
    "9.4": {
        "You set rows to 0, which are outputs. A head enters W_o by its columns.": {
            "weight[:, head * D : (head + 1) * D]": "weight[head * D : (head + 1) * D]"
        },
        "You set every num_heads-th column to 0. The columns of a head are neighbours.": {
            "weight[:, head * D : (head + 1) * D]": "weight[:, head::num_heads]"
        },
    },
    "9.7": {
        "You measure the attention to the earlier copy itself. The induction score is about "
        "the position *after* it: `i - period + 1`.": {"query - period + 1": "query - period"},
        "Query `period - 1` repeats nothing yet. Start at query `period`.": {
            "arange(period, ": "arange(period - 1, "
        },
        "You averaged over the heads. Return one number per head.": {".mean(-1)": ".mean()"},
        "You summed over the positions. Take the mean instead.": {".mean(-1)": ".sum(-1)"},
    },
}
EXERCISES = {
    "9.1": FunctionExercise(my_analogy, _words_to_place, MISTAKES["9.1"]),
    "9.2": ValueExercise(_passes, MISTAKES["9.2"]),
    "9.3": FunctionExercise(my_probabilities, _logits, MISTAKES["9.3"], TIE),
    "9.4": FunctionExercise(my_silenced, _projections, MISTAKES["9.4"]),
    "9.5": OpenExercise(judge_sentences),
    "9.6": OpenExercise(judge_texts),
    "9.7": FunctionExercise(my_induction_score, _maps, MISTAKES["9.7"]),
    "9.8": OpenExercise(
        judge_rule, lambda answer: callable(answer) and is_starter(answer, "attention")
    ),
    "9.9": audited(ask_about_steps, nothing_is_cached),
}
