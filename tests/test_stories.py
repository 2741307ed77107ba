"""The larger corpus: equal everywhere, every topic in its turn, and what *it* means is decided."""

from collections import Counter

from d2lattn_book.language.stories import (
    ANIMALS,
    COMPANIES,
    FRUIT,
    OF_ANIMALS,
    OF_WAYS,
    TOPICS,
    WAYS,
    pronouns,
    stories,
)


def test_a_seed_is_a_corpus():
    assert stories(50) == stories(50)
    assert stories(50) != stories(50, seed=1)
    assert stories(100)[:50] == stories(50)
    assert len(stories(50)) == 50


def test_topics_take_turns():
    corpus = stories(7 * 20)
    for start, topic in enumerate(TOPICS):
        if topic in ("fruit", "companies"):
            names = FRUIT if topic == "fruit" else COMPANIES
            assert {sentence[1] for sentence in corpus[start::7]} <= set(names)
    assert all("because" in sentence for sentence in corpus[6::7])
    assert stories(3, topics="kitchen") == stories(3, topics=["kitchen"])


def test_every_sentence_is_words_of_small_letters():
    for sentence in stories(1000):
        assert 5 <= len(sentence) <= 13
        assert all(word.isalpha() and word.islower() for word in sentence), sentence


def test_apple_is_told_by_its_company_alone():
    """As often a fruit as a company, in the same place: nothing else gives the sense away."""
    for topic, names in (("fruit", FRUIT), ("companies", COMPANIES)):
        counts = Counter(sentence[1] for sentence in stories(6000, topics=topic))
        assert set(counts) == set(names)
        assert 850 < counts["apple"] < 1150  # 1000 expected, five standard deviations are 144
    others = [
        {word for s in stories(2000, topics=topic) for word in s if word != "apple"}
        for topic in ("fruit", "companies")
    ]
    assert others[0] & others[1] <= {"the", "on", "in"}


def test_the_last_word_alone_decides_what_it_means():
    told = pronouns()
    assert len(told) == len({tuple(s) for s, _ in told}) == 10 * 10 * 12 * 2
    meanings = {}
    for sentence, meaning in told:
        assert meaning in sentence[:-5]
        assert (meaning in ANIMALS) == (sentence[-1] in OF_ANIMALS)
        assert (meaning in WAYS) == (sentence[-1] in OF_WAYS)
        meanings.setdefault(tuple(sentence[:-1]), set()).add(meaning)
    assert {len(both) for both in meanings.values()} == {2}
    assert not set(ANIMALS) & set(WAYS) and not set(OF_ANIMALS) & set(OF_WAYS)


def test_the_corpus_holds_pronoun_sentences_of_the_full_list():
    full = {tuple(sentence) for sentence, _ in pronouns()}
    assert {tuple(sentence) for sentence in stories(300, topics="pronouns")} <= full
