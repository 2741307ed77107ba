"""GPT-2 in our decoder, beside transformers itself. Runs with `make test-libraries`."""

import draws
import pytest
import torch
import transformers
from draws import generator

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


@torch.no_grad()
def test_a_batch_padded_on_the_left():
    model = theirs(*SIZES[0])
    tokens, padding = torch.arange(12).view(2, 6), torch.tensor([0, 4])
    real = torch.arange(6) >= padding[:, None]
    positions = (real.cumsum(-1) - 1).clamp(min=0)
    logits = model(tokens, attention_mask=real.long(), position_ids=positions).logits
    assert_close(from_gpt2(model)(tokens[1:, 4:]), logits[1:, 4:])  # the text alone


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
