"""A Transformer from the parts of the book (chapter 9): the block, an encoder and a decoder.

    x = embedding(tokens) + position
    x = x + attention(norm(x));  x = x + mlp(norm(x))        in each block
    logits = norm(x) Wᵀ

Vaswani et al. 2017, section 3, with the norm before each part instead of after it, as in GPT-2
(Radford et al. 2019, section 2.3). An `Encoder` sees the whole sequence, a `Decoder` the past only.

A block holds modules, and a model holds blocks and a way to know the order of its tokens: each is a
part that another may replace, and an option is an argument of the part that it belongs to.

Shapes: B batch, L tokens that come in, S tokens that are seen, E width, H heads, V tokens of the
vocabulary.
"""

import functools
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from d2lattn.arguments import check_choice, check_counts, expect
from d2lattn.cache import Cache
from d2lattn.engines.visibility import seen_in_a_pass, starts_of
from d2lattn.multihead import Context, MultiHeadAttention, draw_linear
from d2lattn.positions import (
    Alibi,
    LearnedPositionalEncoding,
    PositionalEncoding,
    Positions,
    Rotary,
    TokenPositions,
)
from d2lattn.tracing import is_eager

RMSNorm = nn.RMSNorm  # torch's: x / √(mean x² + eps) ∘ w
POSITIONS = ("learned", "sinusoidal", "rotary", "alibi")


class MLP(nn.Sequential):
    """What each token computes for itself: gelu(x W₁ᵀ + b₁) W₂ᵀ + b₂.

    With GPT-2's gelu, the one with the tanh (Hendrycks & Gimpel 2016, section 2).

    Args:
        embed_dim (int): width E of the tokens.
        mlp_dim (int): width between the two products; 4·E when absent.
        bias (bool): whether the products add b₁ and b₂.

    Cost:
        4·E·mlp_dim FLOPs for each token, 2·E·mlp_dim parameters.

    Example:
        >>> MLP(8)(torch.randn(2, 5, 8)).shape
        torch.Size([2, 5, 8])
    """

    def __init__(self, embed_dim: int, mlp_dim: int | None = None, *, bias: bool = True) -> None:
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        check_counts(embed_dim=embed_dim, mlp_dim=mlp_dim)
        wide, narrow = nn.Linear(embed_dim, mlp_dim, bias), nn.Linear(mlp_dim, embed_dim, bias)
        super().__init__(wide, nn.GELU(approximate="tanh"), narrow)

    draw_weights = draw_linear


class GatedMLP(nn.Module):
    """The MLP with a gate: (silu(x W_gᵀ) ∘ x W_uᵀ) W_dᵀ (Shazeer 2020, "GLU Variants", section 2).

    Args:
        embed_dim, mlp_dim (int): as in `MLP`; mlp_dim has no usual value here, since three matrices
            of 8/3·E have the weights of two of 4·E.

    Cost:
        6·E·mlp_dim FLOPs for each token, 3·E·mlp_dim parameters.

    Example:
        >>> GatedMLP(6, 16)(torch.randn(2, 5, 6)).shape
        torch.Size([2, 5, 6])
    """

    def __init__(self, embed_dim: int, mlp_dim: int, *, bias: bool = False) -> None:
        super().__init__()
        check_counts(embed_dim=embed_dim, mlp_dim=mlp_dim)
        self.gate_proj = nn.Linear(embed_dim, mlp_dim, bias=bias)
        self.up_proj = nn.Linear(embed_dim, mlp_dim, bias=bias)
        self.down_proj = nn.Linear(mlp_dim, embed_dim, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        """(..., L, E) -> (..., L, E)."""
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))

    draw_weights = draw_linear


class Block(nn.Module):
    """One layer: the tokens look at each other, then each thinks for itself.

    x = x + attention(norm(x)), then x = x + mlp(norm(x)). What a part finds is added, so that all
    parts read and write the same E numbers of a token.

    Args:
        attention: a module such as `MultiHeadAttention` or `LatentAttention`: it has embed_dim and
            num_heads, for a `Cache` cache_shape, and its forward takes tokens (B, L, E) and the
            keyword arguments of `Block.forward`.
        mlp: a module (B, L, E) -> (B, L, E), such as `MLP` or `GatedMLP`; left out when absent.
        norm: a function that makes a norm of a width, such as `nn.LayerNorm` or `RMSNorm`.
        dropout (float): fraction of what each part adds, set to 0 while training.

    Example:
        >>> block = Block(MultiHeadAttention(8, 2), GatedMLP(8, 20), norm=RMSNorm)
        >>> block(torch.randn(2, 5, 8), is_causal=True).shape
        torch.Size([2, 5, 8])
    """

    def __init__(
        self,
        attention: Any,
        mlp: nn.Module | None = None,
        *,
        norm: Callable[[int], nn.Module] = nn.LayerNorm,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.attention: Any = attention
        width: Any = attention.embed_dim
        self.embed_dim, self.attention_norm = width, norm(width)
        self.mlp_norm: Any = None if mlp is None else norm(width)
        self.mlp = mlp
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, x: Tensor, *, need_weights: bool = False, **seen: Any
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Tokens (B, L, E) -> (B, L, E), or (that, weights (B, H, L, S)).

        Args:
            seen: what the attention takes besides, such as attn_mask, is_causal and context; what
                a model says of the keys comes in its context.
        """
        if not isinstance(x, Tensor) or x.ndim != 3 or x.shape[2] != self.embed_dim:
            expect("x", x, f"batch length {self.embed_dim}")
        weights: Any
        found: Any = self.attention(self.attention_norm(x), need_weights=need_weights, **seen)
        found, weights = found if need_weights else (found, None)
        dropout, mlp = self.dropout, self.mlp  # each look at a module's part takes a while
        x = x + (dropout(found) if dropout.training else found)  # (B, L, E)
        if mlp is not None:
            found = mlp(self.mlp_norm(x))  # (B, L, E)
            x = x + (dropout(found) if dropout.training else found)
        return (x, weights) if need_weights else x


def plain_block(
    embed_dim: int,
    num_heads: int,
    *,
    mlp_dim: int | None = None,
    dropout: float = 0.0,
    bias: bool = True,
    attention: Callable[..., nn.Module] = MultiHeadAttention,
    **options: Any,
) -> Block:
    """Make the block of GPT-2 in one line: attention, LayerNorm and `MLP`.

    Args:
        mlp_dim (int): as in `MLP`; 0 leaves it out.
        dropout (float): of the attention weights, and of what each part adds.
        bias (bool): of attention, norms and mlp.
        attention: what makes the layer, attention(embed_dim, num_heads, dropout=…, bias=…, …).
        options: further arguments of it, such as num_kv_heads.

    Example:
        >>> plain_block(8, 2, num_kv_heads=1)(torch.randn(2, 5, 8)).shape
        torch.Size([2, 5, 8])
    """
    layer = attention(embed_dim, num_heads, dropout=dropout, bias=bias, **options)
    mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
    check_counts(0, mlp_dim=mlp_dim)
    mlp = MLP(embed_dim, mlp_dim, bias=bias) if mlp_dim else None
    return Block(layer, mlp, norm=functools.partial(nn.LayerNorm, bias=bias), dropout=dropout)


class Transformer(nn.Module):
    """What `Encoder` and `Decoder` share: blocks between an embedding and the logits.

    The weights come from a generator of their own, so that a seed gives the same model whatever ran
    before, and on whatever device: it is made on torch's default. Embeddings are drawn from a
    normal distribution with deviation init_std, matrices with that of `nn.Linear`, 1/√(3·width in),
    which at the width of GPT-2 is 0.02 too; biases are 0. A part that has no method
    `draw_weights(generator)` is left as it was made.

    Args:
        vocab_size, embed_dim, num_layers (int): V, E, and how many blocks.
        num_heads (int): of the heads in each, unless `block` makes them.
        block: a function without arguments that makes a `Block`, called once for each layer; when
            absent, `plain_block` makes them.
        norm: a function that makes the last norm of a width; a LayerNorm when absent.
        positions: where order comes in: None, "learned" or "sinusoidal" (added to the embedding),
            "rotary" (rotates queries and keys), "alibi" (lowers the scores), or a `Positions`.
        base (float): of the sinusoids and rotations.
        window (int): tokens see those with |i - j| < window; all when absent.
        sinks (int): with a window, the first tokens that all see besides (StreamingLLM: Xiao
            et al. 2024, section 3.2, where positions are counted within the cache; here they stay
            those of the text).
        max_len (int): rows of a learned table, and the capacity of a `Cache` unless another is
            asked for. The other methods have no limit.
        tied (bool): whether the logits are products with the embedding itself, as in GPT-2.
        init_std (float): the deviation of embeddings and of a learned table. seed (int): of all.
        plain: further arguments of `plain_block`: mlp_dim, dropout, bias, attention and its own.

    Cost:
        The blocks', and 2·B·L·E·V FLOPs for the logits; V·E parameters if tied, else twice that.
    """

    def __init__(
        self,
        vocab_size: int,
        embed_dim: int,
        *,
        num_layers: int,
        num_heads: int | None = None,
        block: Callable[[], nn.Module] | None = None,
        norm: Callable[[int], nn.Module] | None = None,
        positions: str | Positions | None = "learned",
        base: float = 10000.0,
        window: int | None = None,
        sinks: int = 0,
        max_len: int = 512,
        tied: bool = False,
        init_std: float = 0.02,
        seed: int = 0,
        **plain: Any,
    ):
        super().__init__()
        self.window, self.sinks, self.max_len = window, sinks, max_len
        sizes = dict(vocab_size=vocab_size, embed_dim=embed_dim, num_layers=num_layers)
        check_counts(max_len=max_len, **sizes)
        check_counts(0, sinks=sinks, seed=seed)
        if window is not None:
            check_counts(window=window)
        elif sinks:
            raise ValueError(f"sinks is for a window, got sinks={sinks} without")
        if norm is None:
            norm = functools.partial(nn.LayerNorm, bias=plain.get("bias", True))
        home = torch.get_default_device()
        with home if home.type == "meta" else torch.device("cpu"):  # draws are the CPU's everywhere
            blocks = _made(num_layers, block, embed_dim, num_heads, plain)
            self.num_heads = blocks[0].attention.num_heads
            # By hand: to draw on no device, torch loads a second's worth of itself.
            nothing = torch.empty(vocab_size, embed_dim)
            self.embedding = nn.Embedding.from_pretrained(nothing, freeze=False)
            with torch.random.fork_rng(devices=[]):  # drawn below
                self.position = _position(positions, embed_dim, self.num_heads, max_len, base)
                self.blocks, self.norm = nn.ModuleList(blocks), norm(embed_dim)
                self.to_logits = nn.Linear(embed_dim, vocab_size, bias=False)
        _check_rotation(self.position, self.blocks)
        if tied:
            self.to_logits.weight = self.embedding.weight
        if not self.embedding.weight.is_meta:  # weights are to come from a file
            tables = [self.position] if positions == "learned" else []  # one that is given stays
            self._draw(init_std, torch.Generator().manual_seed(seed), tables)
            self.to(home)

    @torch.no_grad()
    def _draw(self, init_std, generator, tables):
        """Draw the weights of all parts that know how, and of tables that are made here."""
        for module in self.blocks.modules():
            if hasattr(module, "draw_weights"):
                module.draw_weights(generator)
        draw_linear(self.to_logits, generator)
        for module in (self.embedding, *tables):
            nn.init.normal_(module.weight, std=init_std, generator=generator)

    def read(
        self,
        tokens: Tensor,
        where: TokenPositions,
        *,
        is_causal: bool = False,
        valid_lens: Tensor | list[int] | None = None,
        cache: Cache | None = None,
        need_weights: bool = False,
        attend: Callable[..., Any] | None = None,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Embed, go through block after block, give logits: the body of both models.

        `where` are the columns of the tokens (B, L), `attend` is as in `Context`; the others are as
        in `Encoder.forward` and `Decoder.forward`.
        """
        position, maps = self.position, []
        x = position.add(self.embedding(tokens), where)  # (B, L, E)
        seen = seen_in_a_pass(where, x.device, is_causal, self.window, self.sinks)
        seen |= dict(attn_bias=position.bias(where, x.device), valid_lens=valid_lens)
        rotate, columns = position.rotation(where), where.key_columns
        context = Context(rotate, attend=attend, key_columns=columns, **seen)
        for layer, block in enumerate(self.blocks):
            if cache is not None:
                context.update_cache = functools.partial(cache.store, layer)
            x = block(x, need_weights=need_weights, context=context)  # (B, L, E)
            if need_weights:
                x, weights = x
                maps.append(weights)
        logits = self.to_logits(self.norm(x))  # (B, L, V)
        return (logits, torch.stack(maps)) if need_weights else logits

    def check_tokens(self, tokens: Tensor, least: int = 1) -> None:
        """Require int64 (B, L), L from `least`, of the vocabulary."""
        if tokens.dtype != torch.int64:
            raise ValueError(f"tokens must be an int64 tensor, got {tokens.dtype}")
        if tokens.ndim != 2 or tokens.shape[1] < least:
            got = f"length at least {least}, got {(*tokens.shape,)}"
            raise ValueError(f"tokens must have shape (batch, length), {got}")
        size = self.embedding.num_embeddings
        if tokens.is_cpu and is_eager() and tokens.numel():
            lowest, highest = (end.item() for end in tokens.aminmax())
            if lowest < 0 or highest >= size:
                raise ValueError(
                    f"tokens must lie between 0 and {size - 1} (the vocabulary has {size}), "
                    f"got values from {lowest} to {highest}"
                )


class Encoder(Transformer):
    """Every token sees every token: to fill in, to sort, to reverse.

    Args and Cost are those of `Transformer`.

    Example:
        >>> model = Encoder(10, 8, num_layers=2, num_heads=2)
        >>> logits, weights = model(torch.tensor([[1, 2, 3]]), need_weights=True)
        >>> logits.shape, weights.shape
        (torch.Size([1, 3, 10]), torch.Size([2, 1, 2, 3, 3]))
    """

    def forward(
        self,
        tokens: Tensor,
        *,
        valid_lens: Tensor | list[int] | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Tokens (B, L) -> logits (B, L, V), or (logits, weights (layers, B, H, L, L)).

        Args:
            tokens: int64, from 0 to V - 1.
            valid_lens: integers (B,), from 0 to L: the first ones are real, the rest is padding.
            need_weights (bool): return the weights too, those before dropout.
        """
        self.check_tokens(tokens)
        where = TokenPositions(0, tokens.shape[1])
        return self.read(tokens, where, valid_lens=valid_lens, need_weights=need_weights)


class Decoder(Transformer):
    """Every token sees itself and those before it: to predict the next one.

    Args and Cost are those of `Transformer`.

    Example:
        >>> model = Decoder(10, 8, num_layers=2, num_heads=4, num_kv_heads=2, positions="rotary")
        >>> model(torch.tensor([[1, 2, 3]])).shape
        torch.Size([1, 3, 10])
        >>> gated = lambda: Block(MultiHeadAttention(8, 2), GatedMLP(8, 20), norm=RMSNorm)
        >>> Decoder(10, 8, num_layers=2, block=gated, norm=RMSNorm)(torch.tensor([[1, 2]])).shape
        torch.Size([1, 2, 10])
    """

    @functools.cached_property
    def cache_shape(self) -> tuple[int, int, int, int]:
        """Layers, and what a cache holds of a token in each: heads, widths of a key, of a value."""
        layers: Any = self.blocks
        return len(layers), *layers[0].attention.cache_shape

    def forward(
        self,
        tokens: Tensor,
        *,
        segments: Tensor | None = None,
        cache: Cache | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Tokens (B, L) -> logits (B, L, V), or (logits, weights (layers, B, H, L, S)).

        Padding on the right needs no lengths, since no token sees what comes after it.

        Args:
            tokens: int64, from 0 to V - 1; with a cache, those that come after what it holds.
            segments: integers (B, L), which of several texts in a row each token belongs to: equal
                numbers side by side. A token sees its own text, whose positions count from its
                first token, as if it were read alone.
            cache: a `Cache`, to which the tokens are added; S counts what it held before too, and
                with a window the rows of `cache.columns` before the tokens.
            need_weights (bool): as in `Encoder`.
        """
        self.check_tokens(tokens)
        start = None
        if segments is not None:
            if cache is not None:
                raise ValueError("segments is for a call without cache, got both")
            start = starts_of(segments, tokens)
        first, keys = 0, None
        if cache is not None:
            first, keys = cache.length, cache.begin(self, tokens)
        where = TokenPositions(first, tokens.shape[1], start=start, key_columns=keys)
        options: dict[str, Any] = dict(is_causal=True, need_weights=need_weights)
        result = self.read(tokens, where, cache=cache, **options)
        if cache is not None:
            cache.advance(where.length)
        return result


def _made(num_layers, block, embed_dim, num_heads, plain):
    """Make the blocks: by a function that is given, or plain ones, whose weights are drawn later,
    so that torch's generator stays where it is."""
    if block is None:
        make = functools.partial(plain_block, embed_dim, num_heads, **plain)
        drawn_later = hasattr(plain.get("attention", MultiHeadAttention), "draw_weights")
        with torch.random.fork_rng(devices=[], enabled=drawn_later):
            return [make() for _ in range(num_layers)]
    given = [*(["num_heads"] if num_heads is not None else []), *plain]
    if given:
        raise ValueError(f"{given[0]} must be left out with block, which makes the layers")
    return [block() for _ in range(num_layers)]


def _check_rotation(position, blocks):
    """Refuse a rotation that latents have no numbers for, or numbers that nothing rotates."""
    turns = type(position).rotation is not Positions.rotation
    for layer in (block.attention for block in blocks):
        if hasattr(layer, "rope_dim") and (layer.rope_dim > 0) != turns:
            raise ValueError(
                'rope_dim is for positions="rotary", which rotates nothing else beside latents, '
                f"got rope_dim={layer.rope_dim}, positions={type(position).__name__}"
            )


def _position(positions, embed_dim, num_heads, max_len, base):
    """Give the part that knows the order of the tokens: one that is given, or one by name."""
    if isinstance(positions, Positions):
        return positions
    if positions is None:
        return Positions()
    check_choice("positions", positions, POSITIONS)
    if positions == "learned":
        return LearnedPositionalEncoding(max_len, embed_dim)
    if positions == "sinusoidal":
        return PositionalEncoding(embed_dim, max_len=max_len, base=base)
    return Rotary(base) if positions == "rotary" else Alibi(num_heads)
