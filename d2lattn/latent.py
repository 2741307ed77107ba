"""Multi-head latent attention (chapter 10): keys and values are made of one short row a token.

Shapes: B batch, H heads, L queries, S keys, E width of the model, D = E / H width of a head, C
width of a latent, R width of the rotary part beside it.
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from d2lattn.arguments import check_count, check_number
from d2lattn.engines.visibility import Call, checked_visibility
from d2lattn.multihead import Context, attend_in_groups, check_heads, check_input, draw_linear
from d2lattn.positions import apply_rotary


class LatentAttention(nn.Module):
    """Heads whose keys and values are read off a latent, which is all that has to be kept.

    c_j = W_c x_j is the latent of token j, of C numbers. In head h

        k_j = W_k,h c_j,   v_j = W_v,h c_j,   q_i = W_q,h x_i,   score = q_i·k_j / √(D + R)

    (DeepSeek-AI 2024, "DeepSeek-V2", section 2.1, without its norms and with queries that are not
    compressed). Since q·(W_k c) = (W_kᵀ q)·c and Σ a (W_v c) = W_v (Σ a c), the products with W_k
    and W_v may be done on the side of the query and of the output: `absorbed` attends to the
    latents themselves, as H heads that share one key, and the keys and values are never made.

    A rotation between q and k would depend on both places and could not be moved so. Order comes in
    beside it: R more numbers of each head's query, and R of the token that all heads share, are
    rotated as `apply_rotary` does, and their product is added to the score (section 2.1.3).

    `forward` is project, attend, join, as in `MultiHeadAttention`.

    Args:
        embed_dim (int): width E of the input and the output.
        num_heads (int): H, which must divide embed_dim.
        latent_dim (int): C.
        rope_dim (int): R, even; 0 leaves the rotary part out, and with it the order of the tokens.
        bias (bool): whether the projections of x and of the output add a bias. Those of the latent
            have none, so that they can be absorbed.
        dropout (float): fraction of the attention weights set to 0 while training.

    Cost:
        C + R numbers are kept for each token, whatever H. To attend: 2·B·S·C·2·E + 4·B·L·S·E FLOPs,
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
        check_number("dropout", dropout, 0, 1)
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.latent_dim, self.rope_dim, self.dropout = latent_dim, rope_dim, dropout
        self.q_proj = nn.Linear(embed_dim, embed_dim + num_heads * rope_dim, bias=bias)
        self.latent_proj = nn.Linear(embed_dim, latent_dim + rope_dim, bias=bias)
        self.k_proj = nn.Linear(latent_dim, embed_dim, bias=False)
        self.v_proj = nn.Linear(latent_dim, embed_dim, bias=False)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)

    @property
    def cache_shape(self) -> tuple[int, int, int]:
        """As in `MultiHeadAttention`; a latent is key and value, in the place of the key."""
        return 1, self.latent_dim + self.rope_dim, 0

    draw_weights = draw_linear

    def forward(
        self,
        x: Tensor,
        *,
        attn_mask: Tensor | None = None,
        is_causal: bool = False,
        need_weights: bool = False,
        absorbed: bool | None = None,
        context: Context | None = None,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Tokens (B, L, E) -> (B, L, E), or (that, weights (B, H, L, S)).

        Args:
            attn_mask, is_causal, need_weights: as in `MultiHeadAttention.forward`.
            absorbed (bool): attend to the latents, where k_proj and v_proj are no more than
                matrices: the same numbers. When absent, if there are more keys than queries.
            context: as there. It rotates the parts (B, H or 1, L, R), which without it
                `apply_rotary` does, from position 0 on. In its cache a latent (B, 1, L, C + R) is
                the key, and comes with a value of width 0.
        """
        rotate = (None if context is None else context.rotate) or apply_rotary
        query, latent = self.project(x, rotate=rotate)  # (B, H, L, D + R), (B, 1, L, C + R)
        if context is not None and context.update_cache is not None:
            latent, _ = context.update_cache(latent, latent[..., :0])  # (B, 1, S, C + R)
        absorbed = query.shape[2] < latent.shape[2] if absorbed is None else absorbed
        seen: dict[str, Any] = dict(attn_mask=attn_mask, is_causal=is_causal, context=context)
        seen |= dict(need_weights=need_weights, absorbed=absorbed)
        attend = self.attend if context is None or context.attend is None else context.attend
        heads, weights = attend(query, latent, **seen)  # (B, H, L, D), and (B, H, L, S) or None
        output = self.join(heads)  # (B, L, E)
        return output if weights is None else (output, weights)

    def project(
        self, x: Tensor, *, rotate: Callable[[Tensor], Tensor] | None = None
    ) -> tuple[Tensor, Tensor]:
        """Make queries and latents: (B, L, E) -> (B, H, L, D + R), (B, 1, L, C + R). `rotate` acts
        on the last R numbers of both, (B, H or 1, L, R)."""
        check_input("x", x, self.embed_dim)
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
        need_weights: bool = False,
        absorbed: bool = False,
        context: Context | None = None,
        **seen: Any,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend in each head: queries (B, H, L, D + R) over latents (B, 1, S, C + R) -> heads
        (B, H, L, D), and the weights (B, H, L, S) or None. All else is as in `forward`, and `seen`
        as in `MultiHeadAttention.attend`."""
        absorbed = absorbed and _is_plain(self.k_proj) and _is_plain(self.v_proj)
        shape, device = (*query.shape[:3], latent.shape[2]), query.device  # (B, H, L, S)
        if context is not None and context.seen:
            visible = context.visible(shape, device, attn_mask, **seen)
        else:
            visible = checked_visibility(shape, device, attn_mask, **seen, of_heads=True)
        # For values narrower than keys torch has no kernel, and first scales a copy of all keys.
        engine = "explicit" if absorbed and visible.hides_nothing() else "fused"
        query, key, value = (self._absorbed if absorbed else self._made)(query, latent)
        dropout_p = self.dropout if self.training else 0.0
        scale = 1 / math.sqrt(self.head_dim + self.rope_dim)
        call = Call(query, key, value, visible, scale, dropout_p)
        heads, weights = attend_in_groups(call, engine, need_weights)
        if absorbed:  # (B, H, L, C) -> (B, H, L, D)
            heads = heads @ self._of_heads(self.v_proj).mT
        return heads, weights

    def join(self, x: Tensor) -> Tensor:
        """Join and project the heads: (B, H, L, D) -> (B, L, E)."""
        return self.out_proj(x.transpose(1, 2).flatten(-2))  # (B, L, H, D) -> (B, L, E)

    def _made(self, query, latent):
        """Give each head's own keys and values, (B, H, S, D + R) and (B, H, S, D)."""
        content, rotated = latent.split([self.latent_dim, self.rope_dim], -1)
        key, value = (
            proj(content[:, 0]).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for proj in (self.k_proj, self.v_proj)
        )
        return query, torch.cat([key, rotated.expand(-1, self.num_heads, -1, -1)], -1), value

    def _absorbed(self, query, latent):
        """W_kᵀ q and the rotated part, (B, H, L, C + R), over the latents that all heads share."""
        content, rotated = query.split([self.head_dim, self.rope_dim], -1)
        query = torch.cat([content @ self._of_heads(self.k_proj), rotated], -1)
        return query, latent, latent[..., : self.latent_dim]

    def _of_heads(self, proj):
        """(H·D, C) -> (H, D, C)."""
        return proj.weight.unflatten(0, (self.num_heads, -1))

    def _turn(self, x, rotate):
        still, turning = x[..., : -self.rope_dim], x[..., -self.rope_dim :]
        return torch.cat([still, rotate(turning)], -1)


def _is_plain(projection):
    """Tell whether a module does no more than multiply by its `weight`, so that the product may be
    done elsewhere. (A parametrization or an adapter changes its class.)"""
    if type(projection) is not nn.Linear or projection.bias is not None:
        return False
    hooks = projection._forward_pre_hooks, projection._forward_hooks
    hooks += projection._backward_pre_hooks, projection._backward_hooks
    own = any(hooks) or "forward" in vars(projection)
    return not own and type(projection.weight) in (nn.Parameter, Tensor)  # not a quantized one
