"""A Transformer from the parts of the book (chapter 9): the block, an encoder and a decoder.

    x = embedding(tokens) + position
    x = x + attention(norm(x));  x = x + mlp(norm(x))        in each block
    logits = norm(x) Wᵀ

Vaswani et al. 2017, section 3, with the norm before each part instead of after it, as in GPT-2
(Radford et al. 2019, section 2.3). An `Encoder` sees the whole sequence, a `Decoder` the past only.

Shapes: B batch, L tokens that come in, S tokens that are seen, E width, H heads, Hkv heads of keys
and values, D = E / H, V words of the vocabulary.
"""

import contextlib
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from d2lattn.arguments import (
    check_alike,
    check_choice,
    check_count,
    check_flag,
    check_floating,
    check_number,
    kind,
    show,
)
from d2lattn.distributed import Share, as_ranks, held, refuse_over_ranks, terms_of, wants_gradient
from d2lattn.engines.lengths import Lengths
from d2lattn.engines.looking import may_look, outside_graphs
from d2lattn.latent import LatentAttention
from d2lattn.masks import length_mask, window_mask
from d2lattn.multihead import MultiHeadAttention
from d2lattn.positions import (
    LearnedPositionalEncoding,
    PositionalEncoding,
    alibi_bias,
    apply_rotary,
)

if TYPE_CHECKING:
    from d2lattn.generation import Cache  # which imports this module

POSITIONS = ("learned", "sinusoidal", "rotary", "alibi")


class Block(nn.Module):
    """One layer: the tokens look at each other, then each thinks for itself.

    x = x + attention(norm(x)), then x = x + mlp(norm(x)), where mlp(x) = gelu(x W₁ᵀ + b₁) W₂ᵀ + b₂
    with GPT-2's gelu, the one with the tanh (Hendrycks & Gimpel 2016, section 2). What a part finds
    is added, so that all parts read and write the same E numbers of a token.

    Args:
        embed_dim, num_heads, num_kv_heads, bias: as in `MultiHeadAttention`, but for bias, which is
            True when absent and also that of the norms and of the mlp.
        qk_norm, soft_cap, gate, sink_logit: as in `MultiHeadAttention`; off by default.
        latent_dim, rope_dim (int): as in `LatentAttention`, which then takes its place: without
            num_kv_heads and these four.
        mlp_dim (int): width between the two products of the mlp; 4·E when absent; 0 leaves it out.
        dropout (float): share of the attention weights, and of what each part adds, set to 0 while
            training.

    Raises:
        ValueError: a negative mlp_dim, an option that latents do not have, rope_dim without
            latent_dim, and what `MultiHeadAttention` and `LatentAttention` refuse.

    Cost:
        Attention's, and 4·B·L·E·mlp_dim FLOPs; 12·E² parameters with the usual widths.

    Example:
        >>> block = Block(8, 2)
        >>> block(torch.randn(2, 5, 8), is_causal=True).shape
        torch.Size([2, 5, 8])
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        *,
        num_kv_heads: int | None = None,
        mlp_dim: int | None = None,
        dropout: float = 0.0,
        bias: bool = True,
        qk_norm: bool = False,
        soft_cap: float | None = None,
        gate: bool = False,
        sink_logit: bool = False,
        latent_dim: int | None = None,
        rope_dim: int = 0,
    ) -> None:
        super().__init__()
        options = dict(qk_norm=qk_norm, soft_cap=soft_cap, gate=gate, sink_logit=sink_logit)
        options |= dict(num_kv_heads=num_kv_heads)
        common = dict(dropout=dropout, bias=bias)
        self.attention: Any = _attention(
            embed_dim, num_heads, latent_dim, rope_dim, options, common
        )
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        check_count("mlp_dim", mlp_dim, least=0)
        self.attention_norm = nn.LayerNorm(embed_dim, bias=bias)
        self.mlp_norm: nn.Module | None = None
        self.mlp: nn.Module | None = None
        if mlp_dim:
            self.mlp_norm = nn.LayerNorm(embed_dim, bias=bias)
            self.mlp = nn.Sequential(
                nn.Linear(embed_dim, mlp_dim, bias=bias),
                nn.GELU(approximate="tanh"),
                nn.Linear(mlp_dim, embed_dim, bias=bias),
            )
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        x: Tensor,
        *,
        attn_mask: Tensor | None = None,
        attn_bias: Tensor | None = None,
        is_causal: bool = False,
        query_offset: int | None = None,
        rotate: Callable[[Tensor], Tensor] | None = None,
        remember: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]] | None = None,
        head_mask: Tensor | None = None,
        need_weights: bool = False,
        share: Share | None = None,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Tokens (B, L, E) -> (B, L, E), or (that, weights (B, H, L, S)).

        Args:
            attn_mask, attn_bias, is_causal, query_offset: as in `MultiHeadAttention.attend`.
            rotate: a function that turns queries (B, H, L, D) and keys (B, Hkv, L, D), or of both
                the part beside the latents, (B, H or 1, L, R).
            remember: a function of the new keys and values that gives all of them, (B, Hkv, S, D);
                latents are keys (B, 1, S, C + R) with values of width 0.
            head_mask: boolean (H,), True = kept: what another head finds counts as 0.
            share: who holds which words, if several ranks do, as `Decoder` makes it of a group.
        """
        self._check_tokens(x)
        _check_head_mask(head_mask, (self.attention.num_heads,), "(heads,)")
        x_norm = self.attention_norm(x)
        query, *kept = self._project(x_norm, rotate)
        if remember is not None:
            kept = remember(*kept)
        options: dict[str, Any] = {} if share is None else dict(share=share)
        if self._is_latent():  # fold where more words are seen than ask
            kept, options = kept[:1], dict(absorbed=query.shape[2] < kept[0].shape[2])
        found: Any = self.attention.attend(
            query,
            *kept,
            attn_mask=attn_mask,
            attn_bias=attn_bias,
            is_causal=is_causal,
            query_offset=query_offset,
            need_weights=need_weights,
            **options,
        )
        heads = found[0] if need_weights else found  # (B, H, L, D)
        if head_mask is not None:
            heads = heads * head_mask[:, None, None]
        joined = (heads,) if self._is_latent() else (heads, x_norm)
        x = x + self.dropout(self.attention.join(*joined))
        if self.mlp is not None and self.mlp_norm is not None:
            x = x + self.dropout(self.mlp(self.mlp_norm(x)))
        return (x, found[1]) if need_weights else x

    def _is_latent(self):
        return isinstance(self.attention, LatentAttention)

    def _project(self, x, rotate):
        """Queries, keys and values, turned; a latent is a key and has a value of no width."""
        if self._is_latent():
            query, latent = self.attention.project(x, rotate=rotate)
            return query, latent, latent[..., :0]
        query, key, value = self.attention.project(x, x, x)
        return (query, key, value) if rotate is None else (rotate(query), rotate(key), value)

    def _check_tokens(self, x):
        width, weight = self.attention.embed_dim, self.attention_norm.weight
        check_floating("x", x, f"(batch, length, {width})")
        if x.ndim != 3 or x.shape[-1] != width:
            raise ValueError(f"x must have shape (batch, length, {width}), got {(*x.shape,)}")
        if x.device != weight.device or not torch.is_autocast_enabled(x.device.type):
            check_alike("the block's weights", weight, x=x)


def _attention(embed_dim, num_heads, latent_dim, rope_dim, options, common):
    """The layer that looks: latents refuse by name what they do not have."""
    if latent_dim is None:
        check_count("rope_dim", rope_dim, least=0)
        if rope_dim:
            raise ValueError(f"rope_dim is for latent_dim, got rope_dim={rope_dim} without")
        return MultiHeadAttention(embed_dim, num_heads, **options, **common)
    for name, given in options.items():
        if given is not None and given is not False:
            raise ValueError(f"{name} must be left out with latent_dim, got {show(given)}")
    sizes = dict(latent_dim=latent_dim, rope_dim=rope_dim)
    return LatentAttention(embed_dim, num_heads, **sizes, **common)


class Transformer(nn.Module):
    """What `Encoder` and `Decoder` share: blocks between an embedding and the logits.

    The weights come from a generator of their own, so that a seed gives the same model whatever ran
    before, and on whatever device: it is made on torch's default. Embeddings are drawn from a
    normal distribution with deviation init_std, matrices with that of `nn.Linear`, 1/√(3·width in),
    which at the width of GPT-2 is 0.02 too; biases are 0.

    Args:
        vocab_size (int): V, the number of different tokens.
        embed_dim (int): E.
        num_layers, num_heads (int): of blocks, and of heads in each.
        num_kv_heads, mlp_dim, dropout, bias: as in `Block`.
        positions (str): where order comes in: None, "learned" or "sinusoidal" (added to the
            embedding), "rotary" (turns queries and keys) or "alibi" (lowers the scores).
        base (float): of the sinusoids and rotations.
        window (int): tokens see those with |i - j| < window; all when absent.
        sinks (int): with a window, the first words that all see besides, padding not counted
            (StreamingLLM: Xiao et al. 2024, section 3.2, where the places of what is left are
            numbered anew; here they stay those of the text).
        qk_norm, soft_cap, gate, sink_logit, latent_dim, rope_dim: as in `Block`. rope_dim goes with
            positions="rotary".
        max_len (int): rows of a learned table, and the capacity of a `Cache` unless another is
            asked for. The other methods have no limit.
        tied (bool): whether the logits are products with the embedding itself, as in GPT-2.
        init_std (float): deviation of the embeddings.
        seed (int): of the weights.

    Raises:
        ValueError: a size below 1, heads that do not divide the width, an unknown method of
            positions, an odd width of the heads for "rotary", sinks without a window, options that
            exclude each other; in `forward`, tokens that are not int64 (B, L) from 0 to V - 1, or
            more than a learned table has rows.

    Cost:
        The blocks', and 2·B·L·E·V FLOPs for the logits; V·E parameters if tied, else twice that.
    """

    def __init__(
        self,
        vocab_size: int,
        embed_dim: int,
        *,
        num_layers: int,
        num_heads: int,
        num_kv_heads: int | None = None,
        mlp_dim: int | None = None,
        positions: str | None = "learned",
        base: float = 10000.0,
        window: int | None = None,
        sinks: int = 0,
        qk_norm: bool = False,
        soft_cap: float | None = None,
        gate: bool = False,
        sink_logit: bool = False,
        latent_dim: int | None = None,
        rope_dim: int = 0,
        max_len: int = 512,
        dropout: float = 0.0,
        bias: bool = True,
        tied: bool = False,
        init_std: float = 0.02,
        seed: int = 0,
    ):
        super().__init__()
        self.positions, self.base, self.window, self.sinks = positions, base, window, sinks
        self.max_len, self.num_heads = max_len, num_heads
        self.num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        options: dict[str, Any] = dict(qk_norm=qk_norm, soft_cap=soft_cap, gate=gate)
        options |= dict(sink_logit=sink_logit, latent_dim=latent_dim, rope_dim=rope_dim)
        for name, option in options.items():
            setattr(self, name, option)
        for name, count in dict(vocab_size=vocab_size, num_layers=num_layers).items():
            check_count(name, count)
        check_flag("tied", tied)
        check_number("init_std", init_std, 0)
        check_count("seed", seed, least=0)
        self._check_settings(embed_dim)
        options |= dict(num_kv_heads=num_kv_heads, mlp_dim=mlp_dim, dropout=dropout, bias=bias)
        with torch.device("meta"):  # the weights come below
            self.embedding = nn.Embedding(vocab_size, embed_dim)
            self.position = _added(positions, embed_dim, max_len, base)
            block = functools.partial(Block, embed_dim, num_heads, **options)
            self.blocks = nn.ModuleList(block() for _ in range(num_layers))
            self.norm = nn.LayerNorm(embed_dim, bias=bias)
            self.to_logits = nn.Linear(embed_dim, vocab_size, bias=False)
        self.head_dim = embed_dim // num_heads
        if positions == "rotary" and latent_dim is None and self.head_dim % 2:
            raise ValueError(
                'positions="rotary" needs heads of an even width, since features turn in pairs, '
                f"got embed_dim={embed_dim}, num_heads={num_heads}"
            )
        self._move(nn.Module.to_empty, "cpu", tied)
        self._draw(init_std, torch.Generator().manual_seed(seed))  # the same wherever it goes
        self._move(nn.Module.to, torch.get_default_device(), tied)

    def _check_settings(self, embed_dim):
        """What concerns the order of the words, and who is seen."""
        check_count("embed_dim", embed_dim)
        check_count("max_len", self.max_len)
        if self.positions is not None:
            check_choice("positions", self.positions, POSITIONS)
        if self.window is not None:
            check_count("window", self.window)
        check_count("sinks", self.sinks, least=0)
        if self.sinks and self.window is None:
            raise ValueError(f"sinks is for a window, got sinks={self.sinks} without")
        check_number("base", self.base)
        if self.base <= 1:
            raise ValueError(f"base must be above 1, got {show(self.base)}")
        if self.latent_dim is None:
            return
        check_count("rope_dim", self.rope_dim, least=0)
        if (self.rope_dim > 0) != (self.positions == "rotary"):
            raise ValueError(
                'rope_dim is for positions="rotary", which turns nothing else beside latents, '
                f"got rope_dim={self.rope_dim}, positions={self.positions!r}"
            )

    def _move(self, how, device, tied):
        """To a device, where two weights that are one may have become two."""
        how(self, device=device)
        if tied:
            self.to_logits.weight = self.embedding.weight

    @torch.no_grad()
    def _draw(self, init_std, generator):
        for module in self.modules():
            if isinstance(module, (nn.LayerNorm, nn.RMSNorm)):
                module.reset_parameters()
            elif getattr(module, "sink", None) is not None:
                nn.init.zeros_(module.sink)
            elif isinstance(module, nn.Linear):
                std = (3 * module.in_features) ** -0.5
                nn.init.normal_(module.weight, std=std, generator=generator)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        for module in (self.embedding, self.position):  # last, for a tied one is a Linear's too
            if getattr(module, "weight", None) is not None:
                nn.init.normal_(module.weight, std=init_std, generator=generator)

    def _read(
        self,
        tokens,
        *,
        first=0,
        shown=None,
        attn_mask=None,
        is_causal=False,
        left_padding=None,
        cache=None,
        head_mask=None,
        need_weights=False,
        share=None,
    ):
        """The body of both models: embed, block after block, logits. `first` is the column of the
        first token, `shown` those of the keys, (B, S), if they are not all in order, and `share`
        says where the tokens stand if other ranks hold the rest of the text."""
        check_flag("need_weights", need_weights)
        H = self.num_heads
        _check_head_mask(head_mask, (len(self.blocks), H), "(layers, heads)")
        places = None if share is None else share.places().to(tokens.device)
        x = self._embed(tokens, first, left_padding, places)
        rotate, attn_bias, maps = None, None, []
        if share is None:
            attn_bias = self._bias(first, first + tokens.shape[1], x.device, shown)
        if self.positions == "rotary":
            where = dict(offset=first, positions=places)
            rotate = functools.partial(apply_rotary, **where, base=self.base)
        for layer, block in enumerate(self.blocks):
            x = block(
                x,
                attn_mask=attn_mask,
                attn_bias=attn_bias,
                is_causal=is_causal,
                query_offset=first if is_causal and share is None else None,
                rotate=rotate,
                remember=None if cache is None else functools.partial(cache.store, layer),
                head_mask=None if head_mask is None else head_mask[layer].to(x.device),
                need_weights=need_weights,
                share=share,
            )
            if need_weights:
                x, weights = x
                maps.append(weights)
        logits = self.to_logits(self.norm(x))
        return (logits, torch.stack(maps)) if need_weights else logits

    def _embed(self, tokens, first, left_padding, places=None):
        """Tokens (B, L) -> (B, L, E); positions count from the first token that is no padding."""
        x = self.embedding(tokens)
        if self.position is None:
            return x
        if places is not None:
            return self.position(x, positions=places)
        if left_padding is None:
            return self.position(x, offset=first)
        stop = first + tokens.shape[1]
        table = self.position(x.new_zeros(stop, x.shape[-1]))  # (columns, E)
        columns = torch.arange(first, stop, device=x.device)
        return x + table[(columns - left_padding[:, None]).clamp(min=0)]

    def _bias(self, first, stop, device, shown=None):
        """ALiBi's (H, L, S) for the columns first..stop, or None. Padding on the left shifts all
        columns alike, which neither distances nor rotations notice."""
        if self.positions != "alibi":
            return None
        H = self.num_heads
        if shown is None:
            return alibi_bias(H, stop - first, stop, query_offset=first, device=device)
        queries = torch.arange(first, stop, device=device)[:, None]
        step = alibi_bias(H, 1, 2, device=device)[..., 1:]  # (H, 1, 1): what one place costs
        return step * (queries - shown[:, None, None]).abs()  # (B, H, L, S)

    def _mask(self, tokens, first, mask=None, padding=None):
        """What the window shows (L, S), with sinks after padding (B, L, S), and the mask
        (B, 1, S); None if nothing is hidden."""
        if self.window is None:
            return mask
        L, S = tokens.shape[1], first + tokens.shape[1]
        seen = window_mask(L, S, width=self.window, query_offset=first, device=tokens.device)
        if self.sinks:
            columns = torch.arange(S, device=tokens.device)
            start = 0 if padding is None else padding[:, None, None]
            seen = seen | (columns < start + self.sinks)
        return seen if mask is None else seen & mask

    def _mask_of(self, shown, first, stop, padding):
        """Who sees whom among the columns (B, S) that a cache shows: boolean (B, L, S)."""
        keys = shown[:, None]
        queries = torch.arange(first, stop, device=shown.device)[:, None]
        start = 0 if padding is None else padding[:, None, None]
        near = (keys > queries - self.window) | (keys < start + self.sinks)
        return near & (keys <= queries) & (keys >= start)

    def _check_tokens(self, tokens, least=1):
        if not torch.is_tensor(tokens) or tokens.dtype != torch.int64:
            raise ValueError(f"tokens must be an int64 tensor, got {kind(tokens)}")
        if tokens.ndim != 2 or tokens.shape[1] < least:
            at_least = f", length at least {least}" if least else ""
            raise ValueError(
                f"tokens must have shape (batch, length){at_least}, got {(*tokens.shape,)}"
            )
        words, device = self.embedding.num_embeddings, self.embedding.weight.device
        if tokens.device != device:
            raise ValueError(f"tokens must be on the model's device {device}, got {tokens.device}")
        if may_look(tokens) and tokens.numel():
            least, most = tokens.min().item(), tokens.max().item()
            if least < 0 or most >= words:
                raise ValueError(
                    f"tokens must lie between 0 and {words - 1} (the vocabulary has {words}), "
                    f"got values from {least} to {most}"
                )


class Encoder(Transformer):
    """Every token sees every token: to fill in, to sort, to reverse.

    Args, Raises and Cost are those of `Transformer`.

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
        head_mask: Tensor | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Tokens (B, L) -> logits (B, L, V), or (logits, weights (layers, B, H, L, L)).

        Args:
            tokens: int64, from 0 to V - 1.
            valid_lens: integers (B,), from 0 to L: the first ones are real, the rest is padding.
            head_mask: boolean (layers, H), True = kept: what another head finds counts as 0.
            need_weights (bool): return the weights too, those before dropout.
        """
        self._check_tokens(tokens)
        mask = self._mask(tokens, 0, _ends(valid_lens, tokens))
        return self._read(tokens, attn_mask=mask, head_mask=head_mask, need_weights=need_weights)


class Decoder(Transformer):
    """Every token sees itself and those before it: to foretell the next one.

    Args, Raises and Cost are those of `Transformer`.

    Example:
        >>> model = Decoder(10, 8, num_layers=2, num_heads=4, num_kv_heads=2, positions="rotary")
        >>> model(torch.tensor([[1, 2, 3]])).shape
        torch.Size([1, 3, 10])
    """

    def forward(
        self,
        tokens: Tensor,
        *,
        valid_lens: Tensor | list[int] | None = None,
        left_padding: Tensor | list[int] | None = None,
        cache: "Cache | None" = None,
        head_mask: Tensor | None = None,
        need_weights: bool = False,
        group: Any = None,
        positions: Tensor | None = None,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Tokens (B, L) -> logits (B, L, V), or (logits, weights (layers, B, H, L, S)).

        What the logits of padding say is of no meaning.

        Args:
            tokens: int64, from 0 to V - 1; with a cache, those that come after what it holds.
            valid_lens: integers (B,), from 0 to L: the first ones are real, the rest is padding, as
                everywhere. (Real tokens need no lengths for that: nobody looks ahead.)
            left_padding: integers (B,), from 0 to L: how many tokens of padding stand on the left,
                so that every sequence goes on at the right; positions count from the first real
                one. With a cache they come before every token of the sequence.
            cache: a `Cache`, to which the tokens are added; S counts what it held before too, and
                with a window the rows of `cache.columns` before the tokens.
            head_mask, need_weights: as in `Encoder`.
            group: ranks that have the same weights and hold one text together, (B, L_r) of its
                tokens each, L_r from 0: see `ring_attention`. Only head_mask and positions go with
                it, and a model without window, sinks, soft_cap, sink_logit, latent_dim and active
                dropout. Gradients are those of this rank's tokens: who trains adds them up.
            positions: with group, the places (L_r,) of the tokens in the text, which are those of
                the method of positions, too; in rank order when absent.
        """
        if group is not None or positions is not None:
            given: dict[str, Any] = dict(valid_lens=valid_lens, left_padding=left_padding)
            given |= dict(cache=cache, need_weights=need_weights)
            share = self._share(tokens, group, positions, head_mask, given)
            return self._read(tokens, is_causal=True, head_mask=head_mask, share=share)
        self._check_tokens(tokens)
        if valid_lens is not None and (cache is not None or left_padding is not None):
            raise ValueError(
                "valid_lens is for a call without a cache and without left_padding, since nothing "
                f"goes on after padding on the right, got {show(valid_lens)}"
            )
        mask, padding, first, shown = _ends(valid_lens, tokens), None, 0, None
        if left_padding is not None:
            padding = padding_of(left_padding, tokens)
        if cache is not None:
            if not hasattr(cache, "store"):
                raise ValueError(f"cache must be a Cache, got {type(cache).__name__}")
            cache.check(self, tokens)
            padding, first = cache.padding_with(padding), cache.length
            shown = cache.show(tokens.shape[1], padding)
        stop = first + tokens.shape[1]
        if padding is not None:
            columns = torch.arange(stop, device=tokens.device)
            mask = columns >= padding[:, None, None]  # (B, 1, S)
        if shown is None:
            mask = self._mask(tokens, first, mask, padding)
        else:
            mask = self._mask_of(shown, first, stop, padding)
        result = self._read(
            tokens,
            first=first,
            shown=shown,
            attn_mask=mask,
            is_causal=shown is None,
            left_padding=padding,
            cache=cache,
            head_mask=head_mask,
            need_weights=need_weights,
        )
        if cache is not None:
            cache.advance(tokens.shape[1], padding)
        return result

    def _share(self, tokens, group, positions, head_mask, given):
        """Who holds which of the tokens, agreed upon once for all layers."""
        if group is None:
            raise ValueError(f"positions is for group=, got {show(positions)} without")

        def look():
            self._check_tokens(tokens, least=0)
            _check_head_mask(head_mask, (len(self.blocks), self.num_heads), "(layers, heads)")
            mine = dict(window=self.window, sinks=self.sinks, latent_dim=self.latent_dim)
            latent = self.latent_dim is not None
            mine |= {} if latent else self.blocks[0].attention.unspread()
            mine["dropout"] = self.blocks[0].dropout.p if self.training else 0.0
            refuse_over_ranks(**given, **mine)
            weight, where = self.embedding.weight, held(positions, tokens.shape[1])
            terms = terms_of("Decoder", weight, True, positions)
            sizes = len(tokens), weight.shape[1], self.num_heads, self.num_kv_heads
            terms["batch size, embed_dim, num_heads and num_kv_heads"] = sizes
            terms["num_layers"], terms["the method of positions"] = len(self.blocks), self.positions
            terms["base"] = self.base
            terms["head_mask"] = None if head_mask is None else head_mask.tolist()
            learning = [wants_gradient(x) for x in self.parameters()]
            terms["how many weights want gradients"] = sum(learning)
            return tokens.shape[1], where, terms

        share = Share(as_ranks(group), look)
        if self.positions == "learned" and share.end() > self.max_len:  # all ranks say so
            raise ValueError(
                f"a learned table of max_len={self.max_len} has no row for the positions from "
                f"{self.max_len} on, got a text up to position {share.end() - 1}"
            )
        if self.positions == "alibi":  # what one place costs, (H, 1, 1)
            share.step = alibi_bias(self.num_heads, 1, 2, device=tokens.device)[..., 1:]
        return share


def _added(positions, embed_dim, max_len, base):
    """The module that adds positions to the embeddings, or None: some act in the scores."""
    if positions == "learned":
        return LearnedPositionalEncoding(max_len, embed_dim)
    if positions == "sinusoidal":
        return PositionalEncoding(embed_dim, max_len=max_len, base=base)
    return None


def _ends(valid_lens, tokens):
    """The mask (B, 1, S) of the first valid_lens tokens, or None for all."""
    if valid_lens is None:
        return None
    lengths = Lengths(valid_lens, tokens.shape[1]).tensor
    if lengths.shape != tokens.shape[:1]:
        raise ValueError(
            f"valid_lens must have shape (B,) = {(len(tokens),)}, got {tuple(lengths.shape)}"
        )
    return length_mask(lengths.to(tokens.device), tokens.shape[1])


def padding_of(left_padding: Tensor | list[int], tokens: Tensor, least: int = 0) -> Tensor:
    """`left_padding`, checked: int64 (B,) on the tokens' device; `least` tokens must be real."""
    (B, L), padding = tokens.shape, left_padding
    if not torch.is_tensor(padding):
        padding = torch.empty(0)
        with contextlib.suppress(TypeError, ValueError, RuntimeError):
            padding = torch.as_tensor(left_padding, device="cpu")
    if padding.is_floating_point() or padding.is_complex() or padding.dtype == torch.bool:
        raise ValueError(f"left_padding must hold integers, got {show(left_padding)}")
    if padding.shape != (B,):
        raise ValueError(f"left_padding must have shape (B,) = {(B,)}, got {(*padding.shape,)}")
    padding = padding.long()  # looked at where it lies: on the CPU the host need not wait
    if outside_graphs() and not ((padding >= 0) & (padding <= L - least)).all():
        raise ValueError(
            f"left_padding must lie between 0 and {L - least} of {L} tokens, "
            f"got {show(padding.tolist())}"
        )
    return padding.to(tokens.device)


def _check_head_mask(head_mask, shape, axes):
    """A boolean tensor of this shape, or None."""
    if head_mask is None:
        return
    if not torch.is_tensor(head_mask) or head_mask.dtype != torch.bool:
        got = kind(head_mask)
    elif head_mask.shape != shape:
        got = f"shape {tuple(head_mask.shape)}"
    else:
        return
    raise ValueError(f"head_mask must be a boolean tensor {axes} = {shape}, True = kept, got {got}")
