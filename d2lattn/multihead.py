"""Attention with projections: one head (chapter 2) and several (chapter 4).

Shapes: B batch, H heads, Hkv heads of keys and values, L queries, S keys, E width of the model,
D = E / H width of a head.
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from d2lattn.arguments import FLOATS, check_choice, check_counts, check_number, expect
from d2lattn.attention import ENGINES, compute
from d2lattn.engines.visibility import Call, Visibility, checked_visibility


class SelfAttention(nn.Module):
    """One head of self-attention: each token has a query, a key and a value.

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
        self.embed_dim = embed_dim
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
        check_input("x", x, self.embed_dim, "...")
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        shape = (*x.shape[:-1], x.shape[-2])
        visible = checked_visibility(shape, x.device, attn_mask, is_causal=is_causal)
        call = Call(query, key, value, visible, 1 / math.sqrt(query.shape[-1]))
        output, weights = compute(call, "fused", need_weights)
        return output if weights is None else (output, weights)


class Context:
    """What all layers of a model share in one pass, made once and handed on as `context=`.

    Args:
        rotate: a function that rotates queries (B, H, L, D) and new keys (B, Hkv, L, D), or None.
        update_cache: a function of a layer's new keys and values (B, Hkv, L, D), rotated already,
            that gives all of them, (B, Hkv, S, D) with those of earlier calls; or None.
        attend: a function that all layers call instead of their method `attend`, or None.
        key_columns: integers (B, S), the columns of the keys in a cache that has let some go: they
            do not stand in the order of the text. Else None.
        seen: which query sees which key, the arguments of `checked_visibility` beside shape and
            device. If it is empty, as when a context only rotates, a layer's own arguments say so.
    """

    def __init__(
        self,
        rotate: Callable[[Tensor], Tensor] | None = None,
        update_cache: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]] | None = None,
        attend: Callable[..., Any] | None = None,
        key_columns: Tensor | None = None,
        **seen: Any,
    ) -> None:
        self.rotate, self.update_cache, self.attend, self.seen = rotate, update_cache, attend, seen
        self.key_columns = key_columns
        self._visible: Any = None

    def visible(
        self,
        shape: tuple[int, ...],
        device: torch.device,
        attn_mask: Tensor | None = None,
        valid_lens: Tensor | list[int] | None = None,
        is_causal: bool = False,
    ) -> Visibility:
        """Tell which query of scores (B, H, L, S) sees which key: one object for all layers, and
        another for a layer that has a mask, lengths or causality of its own."""
        if self._visible is None or (self._visible.shape, self._visible.device) != (shape, device):
            seen = {k: x.to(device) if torch.is_tensor(x) else x for k, x in self.seen.items()}
            self._visible = checked_visibility(shape, device, **seen, of_heads=True)
        in_a_row, no_mask = self.key_columns is None, attn_mask is None and valid_lens is None
        if not (in_a_row or no_mask):
            raise ValueError(
                "attn_mask and valid_lens are for keys in the order of the text: a layer must leave"
                " them out where a cache has a window"
            )
        is_causal = is_causal and in_a_row and not self.seen.get("is_causal")
        if no_mask and not is_causal:
            return self._visible
        own = dict(valid_lens=valid_lens, is_causal=is_causal, of_heads=True)
        return self._visible.narrowed(checked_visibility(shape, device, attn_mask, **own).allowed())


@torch.no_grad()
def draw_linear(module: nn.Module, generator: torch.Generator) -> None:
    """Draw the matrices of all `nn.Linear` in a module from a normal distribution with the
    deviation that `nn.Linear` has, 1/√(3·width in); biases become 0."""
    for part in module.modules():
        if isinstance(part, nn.Linear):
            std = (3 * part.in_features) ** -0.5
            nn.init.normal_(part.weight, std=std, generator=generator)
            if part.bias is not None:
                nn.init.zeros_(part.bias)


class MultiHeadAttention(nn.Module):
    """Several heads of attention side by side, joined by one last projection.

    output = concat(head_1 … head_H) Woᵀ, head_h = attention(X_q Wqᵀ, X_k Wkᵀ, X_v Wvᵀ), each head
    on its own D = E / H columns of the projections (Vaswani et al. 2017, section 3.2.2). The
    weights are stored as `nn.Linear` stores them, (out, in); none of these depends on the number of
    heads. What later models add, the last three arguments, is off.

    `forward` is project, attend, join, and what is done between them: rotate queries and keys, keep
    the keys of earlier calls. A class of one's own may override any of the three.

    Args:
        embed_dim (int): width E of the output and, without head_dim, of all heads together.
        num_heads (int): H, which must divide embed_dim unless head_dim is given.
        num_kv_heads (int): Hkv, which must divide num_heads: each head of keys and values serves
            H / Hkv heads of queries in a row (grouped queries, Ainslie et al. 2023). H when absent.
        dropout (float): fraction of the attention weights set to 0 while training.
        bias (bool): whether the four projections add a bias.
        qdim, kdim, vdim (int): widths of query, key and value as they come in; E when absent.
        engine (str): "fused", "chunked" or "explicit", see `attention`.
        head_dim (int): width D of a head, as Mistral and Qwen3 have another; E / H when absent.
        qk_norm (bool): divide queries and keys by their root mean square in each head, times a
            learned weight (D,): q / √(mean q² + 1e-6) ∘ w (Henry et al. 2020; Dehghani et al. 2023,
            with RMSNorm as later models have it). With weights of 1 scores stay within ±√D.
        gate (bool): multiply the head outputs by sigmoid(X_q W_gᵀ) before the last projection, so
            that a head can be closed (Qiu et al. 2025, "Gated Attention").
        sink_logit (bool): a learned score for each head, 0 at first, that joins every softmax and
            has no value: exp(s) / (exp(sink) + Σ exp(s)), so that weights may sum to less than 1
            (OpenAI 2025, "gpt-oss"). No kernel of torch knows it: engine="fused" then computes the
            formula and builds the L×S scores; "chunked" does not.

    Cost:
        2·B·E·(L·(qdim + E) + S·(kdim + vdim)·Hkv/H) FLOPs to project, 4·B·L·S·E to attend;
        2·E² + 2·E²·Hkv/H parameters if all widths are E. Memory as `attention` says for the engine.

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
        head_dim: int | None = None,
        qk_norm: bool = False,
        gate: bool = False,
        sink_logit: bool = False,
    ) -> None:
        super().__init__()
        num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        width = embed_dim
        if head_dim is not None:
            check_counts(num_heads=num_heads, head_dim=head_dim)
            width = num_heads * head_dim
        check_heads(width, num_heads, num_kv_heads)
        qdim, kdim, vdim = (embed_dim if dim is None else dim for dim in (qdim, kdim, vdim))
        check_counts(embed_dim=embed_dim, qdim=qdim, kdim=kdim, vdim=vdim)
        check_number("dropout", dropout, 0, 1)
        check_choice("engine", engine, ENGINES)
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, width // num_heads
        self.num_kv_heads, self.dropout, self.engine = num_kv_heads, dropout, engine
        self.qdim, self.kdim, self.vdim = qdim, kdim, vdim
        kv_width = num_kv_heads * self.head_dim
        self.q_proj = nn.Linear(qdim, width, bias=bias)
        self.k_proj = nn.Linear(kdim, kv_width, bias=bias)
        self.v_proj = nn.Linear(vdim, kv_width, bias=bias)
        self.out_proj = nn.Linear(width, embed_dim, bias=bias)
        # What is off by default has no weights and no part in the computation.
        self.qk_norm, self.gate, self.sink_logit = qk_norm, gate, sink_logit
        self.q_norm: Any = nn.RMSNorm(self.head_dim, eps=1e-6) if qk_norm else None
        self.k_norm: Any = nn.RMSNorm(self.head_dim, eps=1e-6) if qk_norm else None
        self.gate_proj: Any = nn.Linear(qdim, width, bias=bias) if gate else None
        self.sink: Any = nn.Parameter(torch.zeros(num_heads)) if sink_logit else None

    @property
    def cache_shape(self) -> tuple[int, int, int]:
        """What a cache holds of a token: heads, width of a key, width of a value."""
        return self.num_kv_heads, self.head_dim, self.head_dim

    draw_weights = draw_linear

    def forward(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        *,
        valid_lens: Tensor | list[int] | None = None,
        attn_mask: Tensor | None = None,
        is_causal: bool = False,
        need_weights: bool = False,
        context: Context | None = None,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Attend from `query` to `key` and gather `value`.

        Whatever hides a key hides it: valid_lens, attn_mask and is_causal may be combined. A query
        that may see no key gets 0 from every head.

        Args:
            query: floating tensor (B, L, qdim).
            key: (B, S, kdim); the query when absent (self-attention).
            value: (B, S, vdim); the key when absent.
            valid_lens: integers (B,) or (B, L), each from 0 to S: only the first keys are seen.
            attn_mask: boolean, True = may attend; (L, S), (B, L, S) or (B, H, L, S), each size
                full or 1. Two axes always mean (L, S): a mask (B, S) of padding is written
                (B, 1, S), `mask[:, None]`. (When B = L its shape cannot betray it.)
            is_causal (bool): query i sees the keys 0 .. i.
            need_weights (bool): return the weights too. They are those before dropout and are part
                of the graph: `detach()` them to keep them.
            context: what a model hands to all its layers, see `Context`. Where it says which query
                sees which key, the other arguments can only hide more.

        Returns:
            Tensor (B, L, E) of the query's dtype, or (output, weights (B, H, L, S)).
        """
        key = query if key is None else key
        value = key if value is None else value
        q, k, v = self.project(query, key, value)  # (B, H, L, D), (B, Hkv, S, D) twice
        if context is not None and context.rotate is not None:
            q, k = context.rotate(q), context.rotate(k)  # of the same shapes
        if context is not None and context.update_cache is not None:
            k, v = context.update_cache(k, v)  # (B, Hkv, S, D), with the keys of earlier calls
        seen: dict[str, Any] = dict(valid_lens=valid_lens, attn_mask=attn_mask, is_causal=is_causal)
        attend = self.attend if context is None or context.attend is None else context.attend
        # (B, H, L, D), and (B, H, L, S) or None
        heads, weights = attend(q, k, v, need_weights=need_weights, context=context, **seen)
        output = self.join(heads, query)  # (B, L, E)
        return output if weights is None else (output, weights)

    def project(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Make the heads: (B, L, qdim), (B, S, kdim), (B, S, vdim) -> (B, H, L, D),
        (B, Hkv, S, D), (B, Hkv, S, D)."""
        if query.ndim != 3 or query.shape[-1] != self.qdim:
            check_input("query", query, self.qdim)
        if not (query is key is value and self.qdim == self.kdim == self.vdim):
            check_input("key", key, self.kdim)
            check_input("value", value, self.vdim)
        (B, L), S, D = query.shape[:2], key.shape[1], self.head_dim
        q = self.q_proj(query).view(B, L, self.num_heads, D).transpose(1, 2)
        k = self.k_proj(key).view(B, S, self.num_kv_heads, D).transpose(1, 2)
        v = self.v_proj(value).view(B, S, self.num_kv_heads, D).transpose(1, 2)
        if self.qk_norm:
            dtype = self.q_norm.weight.dtype  # under autocast it is not that of q and k
            q, k = self.q_norm(q.to(dtype)).to(v.dtype), self.k_norm(k.to(dtype)).to(v.dtype)
        return q, k, v

    def attend(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        *,
        attn_mask: Tensor | None = None,
        need_weights: bool = False,
        context: Context | None = None,
        **seen: Any,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend in each head: queries (B, H, L, D) over keys and values (B, Hkv, S, D) -> heads
        (B, H, L, D), and the weights (B, H, L, S) or None.

        Args:
            attn_mask, need_weights, context: as in `forward`.
            seen: is_causal and valid_lens as in `forward`. Where no context says which query sees
                which key, also attn_bias and query_offset as in `attention` (with a cache of n
                keys, query_offset=n), and window (int): with is_causal, how many keys a query
                sees, the last of which is its own.
        """
        shape, device = (*query.shape[:3], key.shape[2]), query.device  # (B, H, L, S)
        if context is not None and context.seen:
            visible = context.visible(shape, device, attn_mask, **seen)
        else:
            visible = checked_visibility(shape, device, attn_mask, **seen, of_heads=True)
        sink = self.sink[:, None, None] if self.sink_logit else None  # (H, 1, 1)
        dropout_p, scale = self.dropout if self.training else 0.0, 1 / math.sqrt(self.head_dim)
        call = Call(query, key, value, visible, scale, dropout_p, sink)
        shared = self.num_kv_heads < self.num_heads
        return (attend_in_groups if shared else compute)(call, self.engine, need_weights)

    def join(self, x: Tensor, query: Tensor | None = None) -> Tensor:
        """Join and project the heads: (B, H, L, D) -> (B, L, E). With gate=True it takes the query
        that `project` was given, (B, L, qdim), which opens the gates."""
        x = x.transpose(1, 2).flatten(-2)  # (B, L, H, D) -> (B, L, H·D)
        if self.gate:
            check_input("query", query, self.qdim)
            x = x * self.gate_proj(query).sigmoid()
        return self.out_proj(x)


def attend_in_groups(call, engine, need_weights=False):
    """(heads, weights or None) of a call in which each head of keys (B, Hkv, S, D) serves
    G = H / Hkv heads of queries (B, H, L, D) in a row."""
    (B, H, L, D), folded = call.query.shape, False
    _, heads_of_keys, S, _ = call.key.shape
    if heads_of_keys < H:
        if call.sink is None and call.visible.hides_nothing():
            # G heads that share keys are G times as many queries to them.
            query = call.query.reshape(B, heads_of_keys, H // heads_of_keys * L, D)  # G·L queries
            visible = Visibility((*query.shape[:3], S), query.device)
            call, folded = call.with_tensors(query, call.key, call.value, visible), True
        else:
            both = call.key, call.value
            both = (x.repeat_interleave(H // heads_of_keys, dim=1) for x in both)  # (B, H, S, D)
            call = call.with_tensors(call.query, *both)
    heads, weights = compute(call, engine, need_weights)
    if folded:
        heads = heads.reshape(B, H, L, heads.shape[-1])
        weights = None if weights is None else weights.reshape(B, H, L, S)
    return heads, weights


def check_heads(embed_dim, num_heads, num_kv_heads=1):
    """Require sizes of which the second divides the first, and the third the second."""
    check_counts(embed_dim=embed_dim, num_heads=num_heads, num_kv_heads=num_kv_heads)
    if embed_dim % num_heads:
        raise ValueError(
            f"num_heads must divide embed_dim, got embed_dim={embed_dim}, num_heads={num_heads}"
        )
    if num_heads % num_kv_heads:
        raise ValueError(
            "num_kv_heads must divide num_heads, "
            f"got num_heads={num_heads}, num_kv_heads={num_kv_heads}"
        )


def check_input(name, x, width, axes="batch"):
    """Require a floating tensor of a width; a projection, which may be any module, sees to the
    dtype and the device."""
    plain = isinstance(x, Tensor) and x.ndim == 3 and x.shape[-1] == width and x.dtype in FLOATS
    if not plain:  # the usual case needs no words
        expect(name, x, f"{axes} length {width}")
