"""Attention with projections: one head (chapter 2) and several (chapter 4).

Shapes: B batch, H heads, Hkv heads of keys and values, L queries, S keys, E width of the model,
D = E / H width of a head.
"""

import math
from typing import Any

import torch
from torch import Tensor, nn

from d2lattn.arguments import (
    check_alike,
    check_boolean_mask,
    check_choice,
    check_count,
    check_flag,
    check_floating,
    check_number,
    is_finite_number,
    show,
)
from d2lattn.attention import ENGINES, attend, attend_with_weights
from d2lattn.distributed import (
    Share,
    as_ranks,
    held,
    refuse_over_ranks,
    ring,
    terms_of,
    wants_gradient,
)
from d2lattn.engines.call import Call
from d2lattn.engines.lengths import Lengths
from d2lattn.engines.looking import may_look
from d2lattn.engines.visibility import Visibility

# Below this many keys a padded batch is one masked call: the calls would cost more than the keys.
LEAST_KEYS_TO_CUT = 256


class SelfAttention(nn.Module):
    """One head of self-attention: each token asks, answers to a key, and hands over a value.

    Y = softmax(Q Kᵀ / √head_dim) V with Q = X Wqᵀ, K = X Wkᵀ, V = X Wvᵀ (Vaswani et al. 2017,
    section 3.2). The weights are stored as `nn.Linear` stores them: (out, in).

    Args:
        embed_dim (int): width of the tokens.
        head_dim (int): width of queries and keys; embed_dim when absent.
        value_dim (int): width of values and output; head_dim when absent.
        bias (bool): whether the projections add a bias.

    Raises:
        ValueError: a width below 1; in `forward`, what `attention` refuses.

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
        for name, width in dict(
            embed_dim=embed_dim, head_dim=head_dim, value_dim=value_dim
        ).items():
            check_count(name, width)
        check_flag("bias", bias)
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
        check_input("x", x, self.q_proj, axes=None)
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

    `forward` is project, attend, join. Who wants to turn the queries, add a bias or keep the keys
    of earlier calls does so between these three.

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
            (OpenAI 2025, "gpt-oss"). soft_cap and sink_logit build the L×S scores, whatever the
            engine.

    Raises:
        ValueError: a size below 1, heads that do not divide embed_dim, key and value heads that do
            not divide the heads, a dropout outside 0..1, an unknown engine, a soft_cap that is not
            above 0; in `forward`, an argument that does not fit.

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
        for name, count in dict(num_kv_heads=num_kv_heads, **widths).items():
            check_count(name, count)
        if num_heads % num_kv_heads:
            raise ValueError(
                "num_kv_heads must divide num_heads, "
                f"got num_heads={num_heads}, num_kv_heads={num_kv_heads}"
            )
        check_dropout(dropout)
        flags = dict(bias=bias, qk_norm=qk_norm, gate=gate, sink_logit=sink_logit)
        for name, flag in flags.items():
            check_flag(name, flag)
        check_choice("engine", engine, ENGINES)
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.num_kv_heads, self.dropout, self.engine = num_kv_heads, dropout, engine
        self.widths_agree = len(set(widths.values())) == 1
        kv_width = num_kv_heads * self.head_dim
        self.q_proj = nn.Linear(widths["qdim"], embed_dim, bias=bias)
        self.k_proj = nn.Linear(widths["kdim"], kv_width, bias=bias)
        self.v_proj = nn.Linear(widths["vdim"], kv_width, bias=bias)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self._add_options(soft_cap, widths["qdim"], **flags)

    def _add_options(
        self,
        soft_cap: float | None,
        qdim: int,
        *,
        bias: bool,
        qk_norm: bool,
        gate: bool,
        sink_logit: bool,
    ) -> None:
        """What is off by default; then it has no weights and no part in the computation."""
        if soft_cap is not None:
            check_number("soft_cap", soft_cap)
            if soft_cap <= 0:
                raise ValueError(f"soft_cap must be above 0, got {show(soft_cap)}")
        self.soft_cap = soft_cap
        self.q_norm, self.k_norm = (
            nn.RMSNorm(self.head_dim, eps=1e-6) if qk_norm else None for _ in range(2)
        )
        self.gate_proj = nn.Linear(qdim, self.embed_dim, bias=bias) if gate else None
        self.sink = nn.Parameter(torch.zeros(self.num_heads)) if sink_logit else None

    @property
    def kept(self) -> tuple[int, int, int]:
        """What a cache holds of a word: heads, width of a key, width of a value."""
        return self.num_kv_heads, self.head_dim, self.head_dim

    def forward(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        *,
        valid_lens: Tensor | list[int] | None = None,
        attn_mask: Tensor | None = None,
        is_causal: bool = False,
        query_offset: int | None = None,
        need_weights: bool = False,
        group: Any = None,
        positions: Tensor | None = None,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Attend from `query` to `key` and gather `value`.

        Whatever hides a key hides it: valid_lens, attn_mask and is_causal may be combined. A query
        that may see no key gets 0 from every head. What stands past the lengths is never read.

        Args:
            query: floating tensor (B, L, qdim).
            key: (B, S, kdim); the query when absent (self-attention).
            value: (B, S, vdim); the key when absent.
            valid_lens: integers (B,) or (B, L), each from 0 to S: only the first ones are seen.
            attn_mask: boolean, True = may attend; (L, S), (B, L, S) or (B, H, L, S), each size
                full or 1. Two axes always mean (L, S): a mask (B, S) of padding is written
                (B, 1, S), `mask[:, None]`. (When B = L its shape cannot betray it.)
            is_causal, query_offset: as in `attention`: query i sees keys 0 .. query_offset + i.
            need_weights (bool): return the weights too. They are those before dropout and are part
                of the graph: `detach()` them to keep them.
            group: ranks that have the same weights and hold one text together, (B, L_r, qdim)
                each: see `ring_attention`. The text attends to itself, in blocks whatever the
                engine; only is_causal and positions go with it, and a layer without soft_cap,
                sink_logit or active dropout.
            positions: with group, as in `ring_attention`.

        Returns:
            Tensor (B, L, E) of the query's dtype, or (output, weights (B, H, L, S)).
        """
        if group is not None or positions is not None:
            given: dict[str, Any] = dict(key=key, value=value, valid_lens=valid_lens)
            given |= dict(attn_mask=attn_mask, query_offset=query_offset, need_weights=need_weights)
            return self._over_ranks(query, is_causal, group, positions, given)
        key = query if key is None else key
        value = key if value is None else value
        self._check_inputs(query, key, value)
        check_flag("need_weights", need_weights)
        shape = (query.shape[0], self.num_heads, query.shape[1], key.shape[1])  # (B, H, L, S)
        attn_mask = with_heads(attn_mask, shape)
        visible = Visibility(shape, query.device, attn_mask, None, is_causal, query_offset)
        if valid_lens is not None:
            lengths = _check_batch(Lengths(valid_lens, shape[3]), shape)
            plain = attn_mask is None and not query_offset and not need_weights
            if plain and self._can_cut(query, key, lengths):
                return self._attend_to_lengths(query, key, value, lengths, is_causal)
            visible = visible.up_to(lengths)
            key, value = lengths.zero_padding(key, value)
        x, (query, key, value) = query, self._project(query, key, value)
        output, weights = self._attend(query, key, value, visible, need_weights)
        output = self._join(output, x)
        return (output, weights) if need_weights else output

    def project(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The first part of `forward`: (B, L, qdim), (B, S, kdim), (B, S, vdim) -> heads.

        Returns:
            Tensors (B, H, L, D), (B, Hkv, S, D), (B, Hkv, S, D).
        """
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
        share: Share | None = None,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """The second part: attention in each head, queries (B, H, L, D) over keys (B, Hkv, S, D).

        Args:
            attn_mask: as in `forward`. attn_bias: floating, broadcasts to (B, H, L, S).
            is_causal, query_offset: as in `attention`; with a cache of n keys, query_offset=n.
            share: who holds which words, as `forward` makes it of a group; only is_causal goes
                with it.

        Returns:
            Tensor (B, H, L, D), or (output, weights (B, H, L, S)).
        """
        self._check_heads(query, key, value)
        check_flag("need_weights", need_weights)
        if share is not None:
            given = dict(attn_mask=attn_mask, attn_bias=attn_bias, query_offset=query_offset)
            refuse_over_ranks(**given, need_weights=need_weights)
            return ring(query, key, value, share, is_causal, 1 / math.sqrt(self.head_dim))
        shape = (*query.shape[:3], key.shape[2])
        attn_mask = with_heads(attn_mask, shape)
        visible = Visibility(shape, query.device, attn_mask, attn_bias, is_causal, query_offset)
        output, weights = self._attend(query, key, value, visible, need_weights)
        return (output, weights) if need_weights else output

    def join(self, x: Tensor, query: Tensor | None = None) -> Tensor:
        """The last part: heads (B, H, L, D) -> (B, L, H, D) -> (B, L, E), projected.

        Args:
            query: what `project` was given, (B, L, qdim): with gate=True it opens the gates.
        """
        check_floating("x", x)
        if x.ndim != 4 or (x.shape[1], x.shape[3]) != (self.num_heads, self.head_dim):
            raise ValueError(
                f"x must have shape (batch, {self.num_heads}, length, {self.head_dim}), "
                f"got {tuple(x.shape)}"
            )
        self._check_gated(x, query)
        return self._join(x, query)

    def extra_repr(self) -> str:
        heads = f"num_heads={self.num_heads}, num_kv_heads={self.num_kv_heads}"
        text = f"{heads}, dropout={self.dropout}, engine={self.engine!r}"
        return text if self.soft_cap is None else f"{text}, soft_cap={self.soft_cap}"

    def _over_ranks(self, query, is_causal, group, positions, given):
        """`forward` where each rank has its own words."""
        if group is None:
            raise ValueError(f"positions is for group=, got {show(positions)} without")

        def look():
            self._check_inputs(query, query, query)
            check_flag("is_causal", is_causal)
            refuse_over_ranks(**given, **self.unspread())
            terms = terms_of("MultiHeadAttention", query, is_causal, positions)
            sizes = len(query), self.embed_dim, self.num_heads, self.num_kv_heads
            terms["batch size, embed_dim, num_heads and num_kv_heads"] = sizes
            learning = [wants_gradient(x) for x in (query, *self.parameters())]
            terms["how many of input and weights want gradients"] = sum(learning)
            return query.shape[1], held(positions, query.shape[1]), terms

        share = Share(as_ranks(group), look)
        heads = self.attend(*self._project(query, query, query), is_causal=is_causal, share=share)
        return self._join(heads, query)

    def unspread(self) -> dict[str, Any]:
        """What a layer may do on one machine only, by name; None, False or 0 where it does not."""
        dropout = self.dropout if self.training else 0.0
        return dict(soft_cap=self.soft_cap, sink_logit=self.sink is not None, dropout=dropout)

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
        """(..., H, L, D) over (..., Hkv, S, D) -> (..., H, L, D), and the weights or None."""
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
        if need_weights:
            output, weights = attend_with_weights(call)
        else:
            output, weights = attend(call, self.engine), None
        if asked is not query:
            output = output.reshape(query.shape)
            if need_weights:
                weights = weights.reshape(*query.shape[:-1], key.shape[-2])
        return output, weights

    def _can_cut(self, query, key, lengths):
        """Whether keys past the lengths can be left out, which is cheaper than masking them.

        It takes someone to look at the lengths: not on a GPU, which would wait, nor in a graph.
        """
        return (
            lengths.tensor.ndim == 1
            and lengths.tensor.numel() > 0
            and may_look(query, lengths.tensor)
            and key.shape[1] >= LEAST_KEYS_TO_CUT
            and self.engine != "explicit"
            and self._is_plain()
        )

    def _is_plain(self):
        """Whether no option is on that changes the formula."""
        options = (self.q_norm, self.soft_cap, self.gate_proj, self.sink)
        return all(option is None for option in options)

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
                shape = (*part.shape[:2], length)
                output, _ = self._attend(
                    part, k, v, Visibility(shape, part.device, is_causal=causal)
                )
                outputs.append(output.transpose(0, 1))  # (some of L, H, D)
        return self.out_proj(torch.cat(outputs).view(queries.shape))

    def _check_inputs(self, query, key, value):
        check_input("query", query, self.q_proj)
        if key is query and value is query and self.widths_agree:
            return
        check_input("key", key, self.k_proj)
        check_input("value", value, self.v_proj)
        if query.shape[0] != key.shape[0] or key.shape[:2] != value.shape[:2]:
            raise ValueError(
                "query, key and value must have the same batch size, and value one row for each "
                f"key, got {tuple(query.shape)}, {tuple(key.shape)} and {tuple(value.shape)}"
            )

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
        H, Hkv, D = self.num_heads, self.num_kv_heads, self.head_dim
        for name, x, heads in (("query", query, H), ("key", key, Hkv), ("value", value, Hkv)):
            check_floating(name, x)
            if x.ndim != 4 or (x.shape[1], x.shape[3]) != (heads, D):
                raise ValueError(
                    f"{name} must have shape (batch, {heads}, length, {D}), got {tuple(x.shape)}"
                )
        check_alike("query", query, key=key, value=value)
        if query.shape[0] != key.shape[0] or key.shape[2] != value.shape[2]:
            raise ValueError(
                "query, key and value must have the same batch size, and value one row for each "
                f"key, got {tuple(query.shape)}, {tuple(key.shape)} and {tuple(value.shape)}"
            )


def _normed(x, norm):
    """x, normed in the dtype of the weights, which under autocast is not that of x."""
    return x if norm is None else norm(x.to(norm.weight.dtype)).to(x.dtype)


def check_heads(embed_dim, num_heads):
    """Two sizes, of which the second divides the first."""
    check_count("embed_dim", embed_dim)
    check_count("num_heads", num_heads)
    if embed_dim % num_heads:
        raise ValueError(
            f"num_heads must divide embed_dim, got embed_dim={embed_dim}, num_heads={num_heads}"
        )


def check_dropout(dropout):
    """A share."""
    if not is_finite_number(dropout) or not 0 <= dropout <= 1:
        raise ValueError(f"dropout must lie between 0 and 1, got {show(dropout)}")


def _pack(x, lengths):
    """The rows (B, S, E) that count, one sequence after the other: (sum of lengths, E)."""
    return torch.cat([rows[:length] for rows, length in zip(x, lengths, strict=True)])


def check_input(name, x, projection, axes=3):
    """A floating tensor of the width, dtype and device that a projection takes."""
    width, weight = projection.in_features, projection.weight
    if (
        torch.is_tensor(x)
        and x.shape[-1:] == (width,)
        and (x.ndim == axes or (axes is None and x.ndim > 1))
        and x.dtype == weight.dtype
        and x.device == weight.device
    ):
        return  # the usual case; what follows finds the words
    wanted = f"(batch, length, {width})" if axes else f"(..., length, {width})"
    check_floating(name, x, axes=wanted)
    if (axes and x.ndim != axes) or x.shape[-1] != width:
        raise ValueError(f"{name} must have shape {wanted}, got {tuple(x.shape)}")
    if x.device != weight.device or not torch.is_autocast_enabled(x.device.type):
        check_alike("the module's weights", weight, **{name: x})


def with_heads(attn_mask, shape):
    """A mask that fits the scores (B, H, L, S): (B, L, S) -> (B, 1, L, S), others as they are."""
    if attn_mask is None:
        return None
    check_boolean_mask("attn_mask", attn_mask)
    B, H, L, S = shape
    wanted = {2: (L, S), 3: (B, L, S), 4: (B, H, L, S)}.get(attn_mask.ndim, ())
    if len(wanted) != attn_mask.ndim or any(
        have not in (1, full) for have, full in zip(attn_mask.shape, wanted, strict=True)
    ):
        raise ValueError(
            f"attn_mask must have shape (L, S) = {(L, S)}, (B, L, S) = {(B, L, S)} or "
            f"(B, H, L, S) = {shape}, each size full or 1, got {tuple(attn_mask.shape)}; "
            "a mask (B, S) of padding is written mask[:, None]"
        )
    return attn_mask[:, None] if attn_mask.ndim == 3 else attn_mask


def _check_batch(lengths, shape):
    B, _, L, _ = shape
    if lengths.tensor.shape not in ((B,), (B, L)):
        raise ValueError(
            f"valid_lens must have shape (B,) = {(B,)} or (B, L) = {(B, L)}, "
            f"got {tuple(lengths.tensor.shape)}"
        )
    return lengths
