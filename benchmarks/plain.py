"""A layer and a decoder's pass in plain torch lines, over the weights of ours: the floor.

The products, norms and embeddings are torch's modules, called as nanoGPT calls them; between them
nothing is checked, no part can be replaced, and the angles of a rotation are there before the call.
"""

import torch
import torch.nn.functional as F


def layer(mha, x, *, turn=None, kept=None, **visible):
    """x (B, L, E) -> (B, L, E): four products and torch's kernel, which is told what is visible.

    turn: cos and sin of the angles, (L, D/2) each. kept: keys and values (B, H, rows, D), and how
    many of the rows are written; the new ones come behind them.
    """
    q, k, v = (
        p(x).view(*x.shape[:2], mha.num_heads, -1).transpose(1, 2)
        for p in (mha.q_proj, mha.k_proj, mha.v_proj)
    )
    if turn is not None:
        q, k = turned(q, *turn), turned(k, *turn)
    if kept is not None:
        keys, values, first = kept
        stop = first + x.shape[1]
        keys[:, :, first:stop], values[:, :, first:stop] = k, v
        k, v = keys[:, :, :stop], values[:, :, :stop]
    heads = F.scaled_dot_product_attention(q, k, v, **visible)
    return mha.out_proj(heads.transpose(1, 2).flatten(2))


def turned(x, cos, sin):
    """x (B, H, L, D), each pair of features turned."""
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1).flatten(-2)


def angles(length, dim, device):
    """cos and sin of the angles of the places from 0 on, (length, dim/2) each."""
    frequency = 10000.0 ** -(torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    angle = torch.arange(length)[:, None] * frequency
    return angle.cos().to(device, torch.float32), angle.sin().to(device, torch.float32)


def decoder(model, tokens, *, turns, kept=None, first=0):
    """Tokens (B, L) -> logits (B, L, V), causal.

    turns: cos and sin of all places. kept: keys and values (layers, B, H, rows, D), of which
    `first` rows are written.
    """
    here = slice(first, first + tokens.shape[1])
    x = model.embedding(tokens)
    turn = [of_all[here] for of_all in turns]
    visible = dict(is_causal=tokens.shape[1] > 1)
    for n, block in enumerate(model.blocks):
        mine = None if kept is None else (kept[0][n], kept[1][n], first)
        x = x + layer(block.attention, block.attention_norm(x), turn=turn, kept=mine, **visible)
        wide, gelu, narrow = block.mlp
        x = x + narrow(gelu(wide(block.mlp_norm(x))))
    return model.to_logits(model.norm(x))
