"""GPT-2 in our decoder, beside transformers itself. Runs with `make test-libraries`."""

import draws
import pytest
import torch
import transformers
from draws import generator

from d2lattn_book import audit
from d2lattn_book.real import from_gpt2


def assert_close(got, expected):
    draws.assert_close(got, expected, within=1e-5)


SIZES = [  # vocabulary, positions, width, heads, layers, width of the mlp
    (37, 19, 21, 3, 2, 29),
    (11, 7, 10, 5, 3, None),
    (23, 9, 64, 1, 1, None),
    (5, 3, 6, 2, 1, 1),
]


def theirs(vocabulary, positions, width, heads, layers, inner, **options):
    config = transformers.GPT2Config(
        vocab_size=vocabulary,
        n_positions=positions,
        n_embd=width,
        n_head=heads,
        n_layer=layers,
        n_inner=inner,
        bos_token_id=0,
        eos_token_id=0,
        **options,
    )
    model = transformers.GPT2LMHeadModel(config).eval()
    draw = generator(width)
    for parameter in model.parameters():
        std = parameter.shape[0] ** -0.5 if parameter.ndim > 1 else 0.5
        parameter.data = std * torch.randn(parameter.shape, generator=draw)
    return model


@torch.no_grad()
@pytest.mark.parametrize("sizes", SIZES)
def test_every_kind_of_source(sizes):
    model = theirs(*sizes)
    tokens = torch.randint(sizes[0], (2, sizes[1]), generator=generator())
    logits = model(tokens).logits
    assert_close(from_gpt2(model)(tokens), logits)
    assert_close(from_gpt2(model.transformer)(tokens), logits)
    assert_close(from_gpt2(model.state_dict(), num_heads=sizes[3])(tokens), logits)


def test_audit_finds_nothing():
    """In a decoder with padding, in an encoder, and in a decoder whose source stays the same."""
    model, sizes = theirs(*SIZES[0]), dict(vocab_size=64, num_hidden_layers=2)

    def padded(tokens, valid_lens):
        real = torch.arange(tokens.shape[1]) < valid_lens[:, None]
        return model(tokens, attention_mask=real.long())

    audit.model(model, 37, valid_lens=padded).assert_ok()
    bert = transformers.BertConfig(**sizes, hidden_size=24)
    audit.model(transformers.BertForMaskedLM(bert), 64, is_causal=False).assert_ok()
    t5 = transformers.T5ForConditionalGeneration(transformers.T5Config(d_model=32, **sizes)).eval()
    source = torch.arange(9)[None]
    audit.model(lambda x: t5(source.expand(len(x), 9), decoder_input_ids=x), 64).assert_ok()


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("activation_function", "relu"),
        ("layer_norm_epsilon", 1e-6),
        ("scale_attn_weights", False),
        ("scale_attn_by_inverse_layer_idx", True),
        ("add_cross_attention", True),
    ],
)
def test_an_option_that_would_give_other_numbers_is_refused(option, value):
    with pytest.raises(ValueError, match=f"^source must have {option} .*, got {value!r}"):
        from_gpt2(theirs(*SIZES[0], **{option: value}))
