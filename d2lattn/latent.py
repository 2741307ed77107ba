"""Multi-head latent attention (chapter 10): keys and values are made of one short row a word.

Shapes: B batch, H heads, L queries, S keys, E width of the model, D = E / H width of a head, C
width of a latent, R width of the rotary part beside it.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from d2lattn.arguments import check_count, check_flag, check_floating
from d2lattn.attention import attend, attend_with_weights
from d2lattn.engines.call import Call
from d2lattn.engines.visibility import Visibility
from d2lattn.multihead import check_dropout, check_heads, check_input, check_weights, with_heads
from d2lattn.positions import apply_rotary


class LatentAttention(nn.Module):
    """Heads whose keys and values are read off a latent, which is all that has to be kept.

    c_j = W_c x_j is the latent of word j, of C numbers. In head h

        k_j = W_k,h c_j,   v_j = W_v,h c_j,   q_i = W_q,h x_i,   score = q_i·k_j / √(D + R)

    (DeepSeek-AI 2024, "DeepSeek-V2", section 2.1, without its norms and with queries that are not
    compressed). Since q·(W_k c) = (W_kᵀ q)·c and Σ a (W_v c) = W_v (Σ a c), the products with W_k
    and W_v may be done on the side of the query and of the output: `absorbed` attends to the
    latents themselves, as H heads that share one key, and the keys and values are never made.

    A rotation between q and k would depend on both places and could not be moved so. Order comes in
    beside it: R more numbers of each head's query, and R of the word that all heads share, are
    turned as `apply_rotary` does, and their product is added to the score (section 2.1.3).

    `forward` is project, attend, join, as in `MultiHeadAttention`.

    Args:
        embed_dim (int): width E of the input and the output.
        num_heads (int): H, which must divide embed_dim.
        latent_dim (int): C.
        rope_dim (int): R, even; 0 leaves the rotary part out, and with it the order of the words.
        bias (bool): whether the projections of x and of the output add a bias. Those of the latent
            have none, so that they can be absorbed.
        dropout (float): share of the attention weights set to 0 while training.

    Raises:
        ValueError: a size below 1, heads that do not divide embed_dim, an odd rope_dim; in
            `forward`, an argument that does not fit.

    Cost:
        C + R numbers are kept for each word, whatever H. To attend: 2·B·S·C·2·E + 4·B·L·S·E FLOPs,
        or absorbed 2·B·L·C·2·E + 4·B·H·L·S·C, which is less for few queries over many keys.

    Example:
        >>> layer, x = LatentAttention(16, 4, latent_dim=6, rope_dim=2), torch.randn(2, 5, 16)
        >>> output = layer(x, is_causal=True)
        >>> torch.allclose(output, layer(x, is_causal=True, absorbed=True), atol=1e-6)
        True
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        *,
        latent_dim: int,
        rope_dim: int = 0,
        bias: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        check_heads(embed_dim, num_heads)
        check_count("latent_dim", latent_dim)
        check_count("rope_dim", rope_dim, least=0)
        if rope_dim % 2:
            raise ValueError(f"rope_dim must be even, since features turn in pairs, got {rope_dim}")
        check_flag("bias", bias)
        check_dropout(dropout)
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.latent_dim, self.rope_dim, self.dropout = latent_dim, rope_dim, dropout
        self.q_proj = nn.Linear(embed_dim, embed_dim + num_heads * rope_dim, bias=bias)
        self.latent_proj = nn.Linear(embed_dim, latent_dim + rope_dim, bias=bias)
        self.k_proj = nn.Linear(latent_dim, embed_dim, bias=False)
        self.v_proj = nn.Linear(latent_dim, embed_dim, bias=False)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)

    @property
    def kept(self) -> tuple[int, int, int]:
        """What a cache holds of a word: heads, width of a key, width of a value; a latent is both,
        and stands in the place of the key."""
        return 1, self.latent_dim + self.rope_dim, 0

    def forward(
        self,
        x: Tensor,
        *,
        is_causal: bool = False,
        absorbed: bool = False,
        attn_mask: Tensor | None = None,
        query_offset: int | None = None,
        remember: Callable[[Tensor], Tensor] | None = None,
        need_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Words (B, L, E) -> (B, L, E), or (that, weights (B, H, L, S)).

        Args:
            absorbed (bool): attend to the latents themselves: the same numbers, computed otherwise.
            attn_mask, is_causal, query_offset: as in `MultiHeadAttention.forward`. The rotary part
                counts places from query_offset, too.
            remember: a function of the new latents (B, 1, L, C + R), turned already, that gives all
                of them (B, 1, S, C + R): a cache. With n words before these, query_offset=n.
        """
        rotate = functools.partial(apply_rotary, offset=query_offset or 0)
        query, latent = self.project(x, rotate=rotate)
        if remember is not None:
            latent = remember(latent)
        found = self.attend(
            query,
            latent,
            attn_mask=attn_mask,
            is_causal=is_causal,
            query_offset=query_offset,
            need_weights=need_weights,
            absorbed=absorbed,
        )
        if isinstance(found, tuple):
            return self.join(found[0]), found[1]
        return self.join(found)

    def project(
        self, x: Tensor, *, rotate: Callable[[Tensor], Tensor] | None = None
    ) -> tuple[Tensor, Tensor]:
        """The first part of `forward`: (B, L, E) -> queries (B, H, L, D + R), latents
        (B, 1, L, C + R). `rotate` turns the last R numbers of both, (B, H or 1, L, R)."""
        check_input("x", x, self.q_proj)
        query = self.q_proj(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        latent = self.latent_proj(x)[:, None]
        if rotate is not None and self.rope_dim:
            query, latent = (self._turn(part, rotate) for part in (query, latent))
        return query, latent

    def attend(
        self,
        query: Tensor,
        latent: Tensor,
        *,
        attn_mask: Tensor | None = None,
        attn_bias: Tensor | None = None,
        is_causal: bool = False,
        query_offset: int | None = None,
        need_weights: bool = False,
        absorbed: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """The second part: queries (B, H, L, D + R) over latents (B, 1, S, C + R).

        Args:
            attn_mask, attn_bias, is_causal, query_offset: as in `MultiHeadAttention.attend`.
            absorbed (bool): as in `forward`.

        Returns:
            Tensor (B, H, L, D), or (output, weights (B, H, L, S)).
        """
        self._check_parts(query, latent)
        check_flag("need_weights", need_weights)
        check_flag("absorbed", absorbed)
        shape = (*query.shape[:3], latent.shape[2])
        attn_mask = with_heads(attn_mask, shape)
        visible = Visibility(shape, query.device, attn_mask, attn_bias, is_causal, query_offset)
        query, key, value = (self._folded if absorbed else self._unfolded)(query, latent)
        asked, engine = query, "fused"
        if absorbed and visible.hides_nothing():  # heads that share latents are more queries
            engine = "explicit"  # torch's kernels want values as wide as keys, else scale the keys
            asked = query.flatten(1, 2)[:, None]  # (B, 1, H·L, C + R)
            visible = Visibility((*asked.shape[:3], shape[3]), query.device)
        scale = 1 / math.sqrt(self.head_dim + self.rope_dim)
        call = Call(asked, key, value, visible, scale, self.dropout if self.training else 0.0)
        found: Any = attend_with_weights(call) if need_weights else attend(call, engine)
        output = found[0] if need_weights else found
        output = output.reshape(*query.shape[:3], -1)
        if absorbed:  # (B, H, L, C) -> (B, H, L, D)
            output = output @ self._of_heads(self.v_proj).mT
        return (output, found[1].reshape(shape)) if need_weights else output

    def join(self, x: Tensor) -> Tensor:
        """The last part: heads (B, H, L, D) -> (B, L, E), projected."""
        check_floating("x", x)
        if x.ndim != 4 or (x.shape[1], x.shape[3]) != (self.num_heads, self.head_dim):
            shape = f"(batch, {self.num_heads}, length, {self.head_dim})"
            raise ValueError(f"x must have shape {shape}, got {tuple(x.shape)}")
        check_weights("x", x, self.out_proj)
        return self.out_proj(x.transpose(1, 2).flatten(-2))

    def extra_repr(self) -> str:
        widths = f"latent_dim={self.latent_dim}, rope_dim={self.rope_dim}"
        return f"num_heads={self.num_heads}, {widths}, dropout={self.dropout}"

    def _unfolded(self, query, latent):
        """Each head's own keys and values, (B, H, S, D + R) and (B, H, S, D)."""
        content, turned = latent.split([self.latent_dim, self.rope_dim], -1)
        key, value = (
            proj(content[:, 0]).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for proj in (self.k_proj, self.v_proj)
        )
        return query, torch.cat([key, turned.expand(-1, self.num_heads, -1, -1)], -1), value

    def _folded(self, query, latent):
        """W_kᵀ q and the turned part, (B, H, L, C + R), over the latents that all heads share."""
        content, turned = query.split([self.head_dim, self.rope_dim], -1)
        query = torch.cat([content @ self._of_heads(self.k_proj), turned], -1)
        return query, latent, latent[..., : self.latent_dim]

    def _of_heads(self, proj):
        """(H·D, C) -> (H, D, C)."""
        return proj.weight.unflatten(0, (self.num_heads, -1))

    def _turn(self, x, rotate):
        still, turning = x[..., : -self.rope_dim], x[..., -self.rope_dim :]
        return torch.cat([still, rotate(turning)], -1)

    def _check_parts(self, query, latent):
        wanted = {
            "query": (query, self.num_heads, self.head_dim + self.rope_dim),
            "latent": (latent, 1, self.latent_dim + self.rope_dim),
        }
        for name, (x, heads, width) in wanted.items():
            check_floating(name, x)
            if x.ndim != 4 or (x.shape[1], x.shape[3]) != (heads, width):
                raise ValueError(
                    f"{name} must have shape (batch, {heads}, length, {width}), "
                    f"got {tuple(x.shape)}"
                )
        if query.shape[0] != latent.shape[0] or query.dtype != latent.dtype:
            raise ValueError(
                "latent must have the batch size and dtype of query, "
                f"({query.shape[0]}, {query.dtype}), got ({latent.shape[0]}, {latent.dtype})"
            )
