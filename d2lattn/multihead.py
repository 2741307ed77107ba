"""Attention with projections: one head (chapter 2) and several (chapter 4).

Shapes: B batch, H heads, Hkv heads of keys and values, L queries, S keys, E width of the model,
D = E / H width of a head.
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from d2lattn.arguments import (
    check_alike,
    check_boolean_mask,
    check_callable,
    check_causal,
    check_choice,
    check_counts,
    check_flag,
    check_flags,
    check_generator,
    check_number,
    check_weights,
    expect,
    fits,
    kind,
    show,
)
from d2lattn.attention import ENGINES, attend, attend_with_weights
from d2lattn.engines.call import Call
from d2lattn.engines.lengths import Lengths
from d2lattn.engines.visibility import Visibility
from d2lattn.tracing import data_dependent_ok

# Below this many keys a padded batch is one masked call: the calls would cost more than the keys.
LEAST_KEYS_TO_CUT = 256


class SelfAttention(nn.Module):
    """One head of self-attention: each token asks, is found by its key, and has a value to take.

    Y = softmax(Q Kᵀ / √head_dim) V with Q = X Wqᵀ, K = X Wkᵀ, V = X Wvᵀ (Vaswani et al. 2017,
    section 3.2). The weights are stored as `nn.Linear` stores them: (out, in).

    Args:
        embed_dim (int): width of the tokens.
        head_dim (int): width of queries and keys; embed_dim when absent.
        value_dim (int): width of values and output; head_dim when absent.
        bias (bool): whether the projections add a bias.

    Cost:
        2·L·E·(2·head_dim + value_dim) + 2·L²·(head_dim + value_dim) FLOPs.

    Example:
        >>> layer = SelfAttention(10, 20, 25)
        >>> layer(torch.randn(5, 10)).shape
        torch.Size([5, 25])
    """

    def __init__(
        self,
        embed_dim: int,
        head_dim: int | None = None,
        value_dim: int | None = None,
        *,
        bias: bool = False,
    ) -> None:
        super().__init__()
        head_dim = embed_dim if head_dim is None else head_dim
        value_dim = head_dim if value_dim is None else value_dim
        check_counts(embed_dim=embed_dim, head_dim=head_dim, value_dim=value_dim)
        check_flags(bias=bias)
        self.q_proj = nn.Linear(embed_dim, head_dim, bias=bias)
        self.k_proj = nn.Linear(embed_dim, head_dim, bias=bias)
        self.v_proj = nn.Linear(embed_dim, value_dim, bias=bias)

    def forward(
        self,
        x: Tensor,
        *,
        attn_mask: Tensor | None = None,
        is_causal: bool = False,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """x (..., L, E) -> output (..., L, value_dim), or (output, weights (..., L, L))."""
        check_input("x", x, self.q_proj, "...")
        check_flag("need_weights", need_weights)
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        shape = (*x.shape[:-1], x.shape[-2])
        visible = Visibility(shape, x.device, attn_mask=attn_mask, is_causal=is_causal)
        call = Call(query, key, value, visible, 1 / math.sqrt(query.shape[-1]))
        return attend_with_weights(call) if need_weights else attend(call, "fused")


class MultiHeadAttention(nn.Module):
    """Several heads of attention side by side, joined by one last projection.

    output = concat(head_1 … head_H) Woᵀ, head_h = attention(X_q Wqᵀ, X_k Wkᵀ, X_v Wvᵀ), each head
    on its own D = E / H columns of the projections (Vaswani et al. 2017, section 3.2.2). The
    weights are stored as `nn.Linear` stores them, (out, in); none of these depends on the number of
    heads. What later models add, the last four arguments, is off.

    `forward` is project, attend, join, and what is done between them: turn queries and keys, keep
    the keys of earlier calls, leave heads out.

    Args:
        embed_dim (int): width E of the output and of all heads together.
        num_heads (int): H, which must divide embed_dim.
        num_kv_heads (int): Hkv, which must divide num_heads: each head of keys and values serves
            H / Hkv heads of queries in a row (grouped queries, Ainslie et al. 2023). H when absent.
        dropout (float): share of the attention weights set to 0 while training.
        bias (bool): whether the four projections add a bias.
        qdim, kdim, vdim (int): widths of query, key and value as they come in; E when absent.
        engine (str): "fused", "chunked" or "explicit", see `attention`.
        qk_norm (bool): divide queries and keys by their root mean square in each head, times a
            learned weight (D,): q / √(mean q² + 1e-6) ∘ w (Henry et al. 2020; Dehghani et al. 2023,
            with RMSNorm as later models have it). With weights of 1 scores stay within ±√D.
        soft_cap (float): c of the scores c·tanh(s / c), which stay within ±c (Gemma Team 2024,
            "Gemma 2", section 2); no cap when absent.
        gate (bool): multiply what the heads found by sigmoid(X_q W_gᵀ) before the last projection,
            so that a head may say nothing (Qiu et al. 2025, "Gated Attention").
        sink_logit (bool): a learned score for each head, 0 at first, that joins every softmax and
            has no value: exp(s) / (exp(sink) + Σ exp(s)), so that shares may add up to less than 1
            (OpenAI 2025, "gpt-oss"). No kernel of torch knows soft_cap and sink_logit: with them
            engine="fused" computes the formula and builds the L×S scores; "chunked" does not.

    Cost:
        2·B·E·(2·L·E + S·(kdim + vdim)·Hkv/H) FLOPs to project, 4·B·L·S·E to attend, whatever H;
        2·E² + 2·E²·Hkv/H parameters if all widths are E. Memory as `attention` says for the
        engine; a padded batch on the CPU costs what its keys cost.

    Example:
        >>> mha = MultiHeadAttention(100, 5)
        >>> x = torch.randn(2, 4, 100)
        >>> output, weights = mha(x, valid_lens=torch.tensor([3, 2]), need_weights=True)
        >>> output.shape, weights.shape
        (torch.Size([2, 4, 100]), torch.Size([2, 5, 4, 4]))
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        *,
        num_kv_heads: int | None = None,
        dropout: float = 0.0,
        bias: bool = False,
        qdim: int | None = None,
        kdim: int | None = None,
        vdim: int | None = None,
        engine: str = "fused",
        qk_norm: bool = False,
        soft_cap: float | None = None,
        gate: bool = False,
        sink_logit: bool = False,
    ) -> None:
        super().__init__()
        num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        given = dict(qdim=qdim, kdim=kdim, vdim=vdim)
        widths = {name: embed_dim if width is None else width for name, width in given.items()}
        check_heads(embed_dim, num_heads)
        check_counts(num_kv_heads=num_kv_heads, **widths)
        if num_heads % num_kv_heads:
            raise ValueError(
                "num_kv_heads must divide num_heads, "
                f"got num_heads={num_heads}, num_kv_heads={num_kv_heads}"
            )
        check_number("dropout", dropout, 0, 1)
        check_flags(bias=bias, qk_norm=qk_norm, gate=gate, sink_logit=sink_logit)
        check_choice("engine", engine, ENGINES)
        if soft_cap is not None and check_number("soft_cap", soft_cap) <= 0:
            raise ValueError(f"soft_cap must be above 0, got {show(soft_cap)}")
        qdim, kdim, vdim = widths.values()
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.num_kv_heads, self.dropout, self.engine = num_kv_heads, dropout, engine
        self.widths_agree, kv_width = qdim == kdim == vdim, num_kv_heads * self.head_dim
        self.q_proj = nn.Linear(qdim, embed_dim, bias=bias)
        self.k_proj = nn.Linear(kdim, kv_width, bias=bias)
        self.v_proj = nn.Linear(vdim, kv_width, bias=bias)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        # What is off by default has no weights and no part in the computation.
        self.soft_cap = None if soft_cap is None else float(soft_cap)
        self.q_norm, self.k_norm = (
            nn.RMSNorm(self.head_dim, eps=1e-6) if qk_norm else None for _ in range(2)
        )
        self.gate_proj = nn.Linear(qdim, embed_dim, bias=bias) if gate else None
        self.sink = nn.Parameter(torch.zeros(num_heads)) if sink_logit else None

    @property
    def cache_shape(self) -> tuple[int, int, int]:
        """What a cache holds of a word: heads, width of a key, width of a value."""
        return self.num_kv_heads, self.head_dim, self.head_dim

    @property
    def rotary_dim(self) -> int:
        """How many numbers of a query and a key are turned where order is a rotation."""
        return self.head_dim

    def draw_weights(self, generator: torch.Generator) -> None:
        """Start anew: `draw_linear` of the projections, 1 in the norms, 0 in the sinks."""
        draw_linear(self, generator)
        for norm in (self.q_norm, self.k_norm):
            if norm is not None:
                norm.reset_parameters()
        if self.sink is not None:
            nn.init.zeros_(self.sink)

    def forward(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        *,
        valid_lens: Tensor | list[int] | None = None,
        attn_mask: Tensor | None = None,
        attn_bias: Tensor | None = None,
        is_causal: bool = False,
        query_offset: int | None = None,
        rotate: Callable[[Tensor], Tensor] | None = None,
        update_cache: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]] | None = None,
        attend: Callable[..., Any] | None = None,
        head_mask: Tensor | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Attend from `query` to `key` and gather `value`.

        Whatever hides a key hides it: valid_lens, attn_mask and is_causal may be combined. A query
        that may see no key gets 0 from every head. What stands past the lengths is never read.

        Args:
            query: floating tensor (B, L, qdim).
            key: (B, S, kdim); the query when absent (self-attention).
            value: (B, S, vdim); the key when absent.
            valid_lens: integers (B,) or (B, L), each from 0 to S: only the first ones are seen.
                Not with update_cache or attend.
            attn_mask: boolean, True = may attend; (L, S), (B, L, S) or (B, H, L, S), each size
                full or 1. Two axes always mean (L, S): a mask (B, S) of padding is written
                (B, 1, S), `mask[:, None]`. (When B = L its shape cannot betray it.)
            attn_bias: floating, broadcasts to (B, H, L, S).
            is_causal, query_offset: as in `attention`: query i sees keys 0 .. query_offset + i.
            rotate: a function that turns queries (B, H, L, D) and keys (B, Hkv, S, D).
            update_cache: a function of the new keys and values, turned already, that gives all of
                them, (B, Hkv, S, D) with those of earlier calls.
            attend: a function in the place of the method `attend`, with the same arguments.
            head_mask: boolean (H,), True = kept: what another head finds counts as 0.
            need_weights (bool): return the weights too. They are those before dropout and are part
                of the graph: `detach()` them to keep them.

        Returns:
            Tensor (B, L, E) of the query's dtype, or (output, weights (B, H, L, S)).
        """
        key = query if key is None else key
        value = key if value is None else value
        self._check_inputs(query, key, value)
        check_flag("need_weights", need_weights)
        between = rotate, update_cache, attend
        if between != (None, None, None):
            check_between(rotate, update_cache, attend)
        check_head_mask(head_mask, (self.num_heads,), "(heads,)", query.device)
        lengths, x = None, query
        if valid_lens is not None:
            lengths = self._lengths(valid_lens, query, key, between)
            options = attn_mask, attn_bias, query_offset or None, need_weights or None, head_mask
            if self._can_cut(query, key, lengths) and all(
                option is None for option in (*options, *between)
            ):
                check_causal(is_causal, query_offset, (query.shape[1], key.shape[1]))
                return self._attend_to_lengths(query, key, value, lengths, is_causal)
            key, value = lengths.zero_padding(key, value)
        query, key, value = self._project(query, key, value)
        if rotate is not None:
            query, key = rotate(query), rotate(key)
        if update_cache is not None:
            key, value = updated(update_cache, key, value)
        found: Any
        weights: Any
        if attend is None:
            shape = (*query.shape[:3], key.shape[2])  # (B, H, L, S)
            mask = with_heads(attn_mask, shape)
            visible = Visibility(shape, query.device, mask, attn_bias, is_causal, query_offset)
            visible = visible if lengths is None else visible.up_to(lengths)
            found = self._attend(query, key, value, visible, need_weights)
        else:
            seen: dict[str, Any] = dict(attn_mask=attn_mask, attn_bias=attn_bias)
            seen |= dict(is_causal=is_causal, query_offset=query_offset)
            found = attend(query, key, value, need_weights=need_weights, **seen)
        output, weights = found if need_weights else (found, None)
        output = self._join(without_heads(output, head_mask), x)
        return (output, weights) if need_weights else output

    def project(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The first part of `forward`: (B, L, qdim), (B, S, kdim), (B, S, vdim) -> heads
        (B, H, L, D), (B, Hkv, S, D), (B, Hkv, S, D)."""
        self._check_inputs(query, key, value)
        return self._project(query, key, value)

    def attend(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        *,
        attn_mask: Tensor | None = None,
        attn_bias: Tensor | None = None,
        is_causal: bool = False,
        query_offset: int | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """The second part: attention in each head, queries (B, H, L, D) over keys (B, Hkv, S, D)
        -> (B, H, L, D), or (that, weights (B, H, L, S)). All else is as in `forward`; with a cache
        of n keys, query_offset=n."""
        self._check_heads(query, key, value)
        check_flag("need_weights", need_weights)
        shape = (*query.shape[:3], key.shape[2])
        attn_mask = with_heads(attn_mask, shape)
        visible = Visibility(shape, query.device, attn_mask, attn_bias, is_causal, query_offset)
        return self._attend(query, key, value, visible, need_weights)

    def join(self, x: Tensor, query: Tensor | None = None) -> Tensor:
        """The last part: heads (B, H, L, D) -> (B, L, H, D) -> (B, L, E), projected. With gate=True
        it takes the query that `project` was given, (B, L, qdim), which opens the gates."""
        expect("x", x, f"batch {self.num_heads} length {self.head_dim}")
        check_weights("the module's weights", self.out_proj.weight, x=x)
        self._check_gated(x, query)
        return self._join(x, query)

    def extra_repr(self) -> str:
        heads = f"num_heads={self.num_heads}, num_kv_heads={self.num_kv_heads}"
        text = f"{heads}, dropout={self.dropout}, engine={self.engine!r}"
        return text if self.soft_cap is None else f"{text}, soft_cap={self.soft_cap}"

    def _project(self, query, key, value):
        q = self._split(self.q_proj(query), self.num_heads)
        k = self._split(self.k_proj(key), self.num_kv_heads)
        v = self._split(self.v_proj(value), self.num_kv_heads)
        return _normed(q, self.q_norm), _normed(k, self.k_norm), v

    def _split(self, x, heads):
        """(..., L, heads·D) -> (..., L, heads, D) -> (..., heads, L, D)."""
        return x.view(*x.shape[:-1], heads, self.head_dim).transpose(-3, -2)

    def _join(self, x, query):
        """(B, H, L, D) -> (B, L, H, D) -> (B, L, E), gated by the query's input and projected."""
        x = x.transpose(1, 2).flatten(-2)
        if self.gate_proj is not None:
            x = x * self.gate_proj(query).sigmoid()
        return self.out_proj(x)

    def _attend(self, query, key, value, visible, need_weights=False):
        """(..., H, L, D) over (..., Hkv, S, D) -> (..., H, L, D), or (that, weights)."""
        asked, group = query, self.num_heads // self.num_kv_heads
        sink = None if self.sink is None else self.sink[:, None, None]  # (H, 1, 1)
        if group > 1 and sink is None and visible.hides_nothing():
            # Heads that share keys are more queries to them.
            asked = query.reshape(*key.shape[:-2], group * query.shape[-2], self.head_dim)
            visible = Visibility((*asked.shape[:-1], key.shape[-2]), query.device)
        elif group > 1:
            key, value = (x.repeat_interleave(group, dim=-3) for x in (key, value))
        dropout_p = self.dropout if self.training else 0.0
        scale, bent = 1 / math.sqrt(self.head_dim), dict(soft_cap=self.soft_cap, sink=sink)
        call = Call(asked, key, value, visible, scale, dropout_p, **bent)
        output = attend_with_weights(call) if need_weights else attend(call, self.engine)
        if asked is query:
            return output
        if need_weights:
            output, weights = output
            return output.reshape(query.shape), weights.reshape(*query.shape[:-1], key.shape[-2])
        return output.reshape(query.shape)

    def _can_cut(self, query, key, lengths):
        """Whether keys past the lengths can be left out, which is cheaper than masking them.

        It takes someone to look at the lengths: not on a GPU, which would wait, nor in a graph. And
        no option may be on that changes the formula.
        """
        return (
            self.engine != "explicit"
            and lengths.tensor.ndim == 1
            and lengths.tensor.numel() > 0
            and data_dependent_ok(query, lengths.tensor)  # before a graph compares the length
            and key.shape[1] >= LEAST_KEYS_TO_CUT
            and self.q_norm is self.soft_cap is self.gate_proj is self.sink is None
        )

    def _attend_to_lengths(self, query, key, value, lengths, is_causal):
        """A padded batch, each sequence with its own keys alone: the rest is not even projected."""
        lengths = lengths.tensor.tolist()
        queries = self.q_proj(query)
        keys = self.k_proj(_pack(key, lengths)).split(lengths)  # B tensors (length, Hkv·D)
        values = self.v_proj(_pack(value, lengths)).split(lengths)
        outputs = []
        for q, k, v, length in zip(queries, keys, values, lengths, strict=True):
            q = self._split(q, self.num_heads)  # (H, L, D)
            k, v = (self._split(x, self.num_kv_heads) for x in (k, v))  # (Hkv, length, D)
            parts = [(q, False)]
            if is_causal:  # a query past the length sees all the keys that are left
                parts = [(q[:, :length], True), (q[:, length:], False)]
            for part, causal in parts:
                visible = Visibility((*part.shape[:2], length), part.device, is_causal=causal)
                output = self._attend(part, k, v, visible)
                outputs.append(output.transpose(0, 1))  # (some of L, H, D)
        return self.out_proj(torch.cat(outputs).view(queries.shape))

    def _lengths(self, valid_lens, query, key, between):
        """The lengths, checked; no function between the parts may bring other keys."""
        if any(function is not None for function in between[1:]):
            raise ValueError(
                "valid_lens is for a call without update_cache and without attend, "
                f"got {show(valid_lens)}"
            )
        lengths = Lengths(valid_lens, key.shape[1])
        shape, (B, L) = lengths.tensor.shape, query.shape[:2]
        if shape != (B,) and shape != (B, L):  # no `in`, as in `fits`
            raise ValueError(
                f"valid_lens must have shape (B,) = {(B,)} or (B, L) = {(B, L)}, got {tuple(shape)}"
            )
        return lengths

    def _check_inputs(self, query, key, value):
        check_input("query", query, self.q_proj)
        if key is query and value is query and self.widths_agree:
            return
        check_input("key", key, self.k_proj)
        check_input("value", value, self.v_proj)
        _check_rows(query, key, value)

    def _check_gated(self, x, query):
        """Gates need what the heads of x (B, H, L, D) were asked with."""
        if self.gate_proj is None:
            return
        check_input("query", query, self.gate_proj)
        if query.shape[:2] != (x.shape[0], x.shape[2]):
            raise ValueError(
                "query must have the batch and length of the heads, with gate=True, "
                f"{(x.shape[0], x.shape[2])}, got {tuple(query.shape)}"
            )

    def _check_heads(self, query, key, value):
        expect("query", query, f"batch {self.num_heads} length {self.head_dim}")
        for name, x in (("key", key), ("value", value)):
            expect(name, x, f"batch {self.num_kv_heads} length {self.head_dim}")
        check_alike("query", query, key=key, value=value)
        _check_rows(query, key, value)


def _check_rows(query, key, value):
    """Queries of as many sequences as keys, and values (B, …, S, width) for all keys."""
    if len(query) != len(key) or key.shape[:-1] != value.shape[:-1]:
        raise ValueError(
            "query, key and value must have the same batch size, and value one row for each key, "
            f"got {tuple(query.shape)}, {tuple(key.shape)} and {tuple(value.shape)}"
        )


def _normed(x, norm):
    """x, normed in the dtype of the weights, which under autocast is not that of x."""
    return x if norm is None else norm(x.to(norm.weight.dtype)).to(x.dtype)


def without_heads(x, head_mask):
    """Heads (B, H, L, D), 0 where head_mask (H,) is False."""
    return x if head_mask is None else x * head_mask.to(x.device)[:, None, None]


def check_between(rotate, update_cache, attend):
    """Functions, or None."""
    for name, given in dict(rotate=rotate, update_cache=update_cache, attend=attend).items():
        if given is not None:
            check_callable(name, given)


def updated(update_cache, key, value):
    """All keys and values that a cache gives for the new ones."""
    found = update_cache(key, value)
    if not isinstance(found, (tuple, list)) or len(found) != 2:
        raise ValueError(f"update_cache must give keys and values, got {show(found)}")
    return found


def check_head_mask(head_mask, shape, axes, device):
    """A boolean tensor of this shape, with values if the device has any, or None."""
    if head_mask is None:
        return
    if not torch.is_tensor(head_mask) or head_mask.dtype != torch.bool:
        got = kind(head_mask)
    else:
        if head_mask.shape == shape:
            return
        got = f"shape {tuple(head_mask.shape)}"
    raise ValueError(f"head_mask must be a boolean tensor {axes} = {shape}, True = kept, got {got}")


@torch.no_grad()
def draw_linear(module, generator):
    """Draw the matrices of all `nn.Linear` in a module from a normal distribution with the
    deviation that `nn.Linear` has, 1/√(3·width in); biases become 0."""
    check_generator(generator)
    for part in module.modules():
        if isinstance(part, nn.Linear):
            std = (3 * part.in_features) ** -0.5
            nn.init.normal_(part.weight, std=std, generator=generator)
            if part.bias is not None:
                nn.init.zeros_(part.bias)


def check_heads(embed_dim, num_heads):
    """Two sizes, of which the second divides the first."""
    check_counts(embed_dim=embed_dim, num_heads=num_heads)
    if embed_dim % num_heads:
        raise ValueError(
            f"num_heads must divide embed_dim, got embed_dim={embed_dim}, num_heads={num_heads}"
        )


def _pack(x, lengths):
    """The rows (B, S, E) that count, one sequence after the other: (sum of lengths, E)."""
    return torch.cat([rows[:length] for rows, length in zip(x, lengths, strict=True)])


def check_input(name, x, projection, axes="batch"):
    """A floating tensor of the width, dtype and device that a projection takes."""
    width, weight = projection.in_features, projection.weight
    if isinstance(x, Tensor):
        plain = (x.ndim == 3 or (axes == "..." and x.ndim == 2)) and x.shape[-1] == width
        if plain and x.dtype == weight.dtype and x.device == weight.device:
            return  # the usual case; what follows finds the words
    expect(name, x, f"{axes} length {width}")
    check_weights("the module's weights", weight, **{name: x})


def with_heads(attn_mask, shape):
    """A mask that fits the scores (B, H, L, S): (B, L, S) -> (B, 1, L, S), others as they are."""
    if attn_mask is None:
        return None
    check_boolean_mask("attn_mask", attn_mask)
    B, _, L, S = shape
    wanted = shape if attn_mask.ndim == 4 else (B, L, S)
    if attn_mask.ndim not in (2, 3, 4) or not fits(attn_mask, wanted):
        raise ValueError(
            f"attn_mask must have shape (L, S) = {(L, S)}, (B, L, S) = {(B, L, S)} or "
            f"(B, H, L, S) = {shape}, each size full or 1, got {tuple(attn_mask.shape)}; "
            "a mask (B, S) of padding is written mask[:, None]"
        )
    return attn_mask[:, None] if attn_mask.ndim == 3 else attn_mask
