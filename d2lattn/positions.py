"""Positional encodings (chapters 6 and 7): three places where attention can be told the order.

    sinusoidal_encoding, LearnedPositionalEncoding    added to the tokens
    apply_rotary                                      rotates queries and keys
    alibi_bias                                        added to the scores

A model holds one of these as a part, `Positions`, and asks it with a `TokenPositions`.

All angles are position · frequency, computed in float64: a float32 angle near 100,000 is known
only to 0.004. The result is cast last, so that a row of an encoding is the same, bit for bit,
whether it is computed alone or with others.
"""

import functools
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.types import Device

from d2lattn.arguments import (
    check_count,
    check_counts,
    check_number,
    check_positions,
    expect,
    show,
)
from d2lattn.tracing import is_eager

READY = 2**16  # a rotation keeps rows of at most so many positions: 32 MiB at width 64


def sinusoidal_encoding(
    length: int,
    dim: int,
    *,
    base: float = 10000.0,
    offset: int = 0,
    dtype: torch.dtype | None = None,
    device: Device = None,
) -> Tensor:
    """Sinusoidal positional encoding: sines and cosines of falling frequency.

    P[i, 2j] = sin((offset + i) / base^(2j/dim)), P[i, 2j+1] = cos of the same angle (Vaswani et
    al. 2017, section 3.5). With an odd width the last column is a sine without its cosine.

    Args:
        length, dim (int): number of positions L and of columns.
        base (float): above 1. Wavelengths grow from 2π positions towards 2π·base.
        offset (int): the first position, from 0: a decoder that has seen n tokens goes on at n.
        dtype, device: of the result; torch's defaults when absent.

    Returns:
        Tensor (length, dim), values from -1 to 1, computed in float64 and cast last.

    Example:
        >>> sinusoidal_encoding(2, 4)
        tensor([[0.0000, 1.0000, 0.0000, 1.0000],
                [0.8415, 0.5403, 0.0100, 0.9999]])
    """
    check_counts(0, length=length, offset=offset)
    check_count("dim", dim)
    dtype = torch.get_default_dtype() if dtype is None else dtype
    device = torch.device(torch.get_default_device() if device is None else device)
    places = torch.arange(offset, offset + length, device=device)
    return _waves(places, dim, base, dtype, device)


def _waves(places, dim, base, dtype, device):
    """Compute the encoding of positions (...): sines and cosines by turns, (..., dim)."""
    angles = _angles(places, dim, functools.partial(_frequencies, base), device)
    P = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)  # (..., dim or dim + 1)
    wide = torch.promote_types(dtype, torch.float32)
    return P[..., :dim].to(wide).to(device, dtype).contiguous()


@dataclass(slots=True)
class TokenPositions:
    """Where the tokens (B, L) of one call stand, in columns of their text.

    Args:
        first (int): the column of the first token, which is how many were read before.
        length (int): L.
        positions: integers (L,), the columns where the tokens do not stand in a row.
        start: integers (B, L), the column in which a token's text begins, where it is not the
            first.
        key_columns: integers (B, S), the columns of the keys, -1 for none, where they are not all
            those up to the last token.
    """

    first: int
    length: int
    _: KW_ONLY
    positions: Tensor | None = None
    start: Tensor | None = None
    key_columns: Tensor | None = None

    @property
    def stop(self) -> int:
        """The column after the last token."""
        return self.first + self.length

    def columns(self, device: Device) -> Tensor:
        """Give the columns of the tokens, (L, 1)."""
        return torch.arange(self.first, self.stop, device=device)[:, None]

    def places(self, device: Device) -> Tensor:
        """Give the positions of the tokens in their texts, (L,), or (B, L) of several texts."""
        if self.positions is not None:
            return self.positions.to(device)
        columns = torch.arange(self.first, self.stop, device=device)
        return columns if self.start is None else columns - self.start


class Positions(nn.Module):
    """How a model knows the order of its tokens, as a part of it; this one does not know it.

    A part of one's own overrides one of the three methods, which act at three places of a model.

    Attributes:
        max_len: how many positions it has; None if there is no end.

    Example:
        >>> x, where = torch.zeros(1, 3, 4), TokenPositions(0, 3)
        >>> torch.equal(Positions().add(x, where), x)
        True
    """

    max_len: int | None = None

    def add(self, x: Tensor, where: TokenPositions) -> Tensor:
        """Embeddings (B, L, E) with their positions added."""
        return x

    def rotation(self, where: TokenPositions) -> Callable[[Tensor], Tensor] | None:
        """Give a function that rotates queries and keys (B, H, L, D), or None."""
        return None

    def bias(self, where: TokenPositions, device: torch.device) -> Tensor | None:
        """Make what is added to the scores, (H, L, S) or (B, H, L, S), or None."""
        return None


class _Table:
    """Rows of the first positions, kept ready: `make(places, x)` gives those of any positions for
    tokens x (..., width). They double when they end, up to `most`, are made again for another
    width, dtype or device, and are left out of what is saved or copied.
    """

    def __init__(self, make, most):
        self.make, self.most, self.ready = make, most, None

    def __getstate__(self):
        return self.__dict__ | dict(ready=None)

    def rows(self, x, first):
        """Give the rows (..., L, width) of tokens x (..., L, width) from a position on."""
        stop = first + x.shape[-2]
        if stop > self.most or not is_eager():
            return self.make(torch.arange(first, stop, device=x.device), x)
        like = x.shape[-1], x.dtype, x.device
        ready = self.ready  # another thread may put a shorter one there at any time
        if ready is None or ready[0] != like or ready[1].shape[-2] < stop:
            rows = min(1 << max(stop - 1, 63).bit_length(), self.most)
            with torch.inference_mode(False):  # else no gradient could pass them later
                self.ready = ready = like, self.make(torch.arange(rows, device=x.device), x)
        return ready[1][..., first:stop, :]


class _Added(Positions):
    """A module that adds to x (..., L, E) the rows of its positions, in the dtype of x.

    `_rows(x, offset)` gives those from offset on, (L, E), and `_at(places, x)` those of any
    positions (...), (..., E).
    """

    embed_dim: int
    _rows: Callable[..., Tensor]
    _at: Callable[..., Tensor]

    def add(self, x, where):
        """Positions count from the first token of a text."""
        if where.positions is None and where.start is None:
            return self._dropped(x + self._rows(x, where.first))
        return self._dropped(x + self._at(where.places(x.device), x))

    def forward(self, x: Tensor, offset: int = 0) -> Tensor:
        """x (..., L, E), the first token at position `offset` -> the same shape and dtype."""
        expect("x", x, f"... length {self.embed_dim}")
        check_count("offset", offset, least=0)
        return self._dropped(x + self._rows(x, offset))

    def _dropped(self, x):
        return x


class Rotary(Positions):
    """Queries and keys are rotated by `apply_rotary`, at their columns: RoPE as a part of a model.

    Where a text begins shifts its columns alike, which a product of rotated rows does not notice.
    base is that of `apply_rotary`; another function may stand in `frequencies`, which gives the
    radians per position of each pair (D/2,), in float64, for a width D and a device.

    Example:
        >>> turn = Rotary().rotation(TokenPositions(2, 3))
        >>> x = torch.randn(1, 2, 3, 4)
        >>> torch.equal(turn(x), apply_rotary(x, offset=2))
        True
    """

    def __init__(self, base: float = 10000.0) -> None:
        super().__init__()
        self.base, self.frequencies = base_of(base), functools.partial(_frequencies, base)
        self._table = _Table(self._turns_of, READY)

    def _turns_of(self, places, x):
        return _turns(x, places, self.frequencies)

    def rotation(self, where: TokenPositions) -> Callable[[Tensor], Tensor]:
        """Cosines and sines are looked up once a pass, when its first layer asks for them."""
        if where.positions is not None:
            return _turning(functools.partial(self._turns_of, where.positions))
        return _turning(functools.partial(self._table.rows, first=where.first))

    def extra_repr(self) -> str:
        return f"base={self.base}"


class Alibi(Positions):
    """Scores are lowered by the distance of query and key, as `alibi_bias` does it.

    Example:
        >>> bias = Alibi(8).bias(TokenPositions(1, 2), torch.device("cpu"))
        >>> torch.equal(bias, alibi_bias(8, 3)[:, 1:])
        True
    """

    def __init__(self, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads

    def bias(self, where: TokenPositions, device: torch.device) -> Tensor | None:
        if where.positions is not None:
            raise ValueError('positions="alibi" is for tokens in a row, got positions of their own')
        keys = torch.arange(where.stop, device=device)
        keys = keys if where.key_columns is None else where.key_columns[:, None, None]
        slopes = alibi_slopes(self.num_heads, device=device)[:, None, None]
        return -slopes * (where.columns(device) - keys).abs()


class PositionalEncoding(_Added):
    """Add the sinusoidal encoding to a sequence, then apply dropout.

    forward(x, offset) = dropout(x + P[offset : offset + L]) (Vaswani et al. 2017, section 3.5).
    The rows are computed for the dtype and device of x; those of the first `max_len` positions are
    kept ready. They are no parameters and not in the state dict.

    Args:
        embed_dim (int): width of the tokens, even or odd.
        dropout (float): fraction of the sums set to 0 in training.
        max_len (int): rows kept ready; no limit to the sequence, and no attribute.
        base (float): as in `sinusoidal_encoding`.

    Example:
        >>> layer = PositionalEncoding(4)
        >>> whole, last = layer(torch.zeros(1, 3, 4)), layer(torch.zeros(1, 1, 4), offset=2)
        >>> torch.equal(whole[:, 2:], last)
        True
    """

    def __init__(
        self, embed_dim: int, dropout: float = 0.0, *, max_len: int = 1000, base: float = 10000.0
    ) -> None:
        super().__init__()
        check_count("embed_dim", embed_dim)
        check_count("max_len", max_len, least=0)
        check_number("dropout", dropout, 0, 1)
        self.embed_dim, self.base = embed_dim, base_of(base)
        self.dropout = nn.Dropout(dropout)
        self._rows = _Table(self._at, max_len).rows

    def _dropped(self, x):
        return self.dropout(x) if self.training else x

    def _at(self, places, x):
        return _waves(places, self.embed_dim, self.base, x.dtype, x.device)

    def extra_repr(self) -> str:
        return f"{self.embed_dim}, base={self.base}"


class LearnedPositionalEncoding(_Added):
    """Add a row of a trained table to each token: one free vector for each position.

    forward(x, offset) = x + weight[offset : offset + L] (Gehring et al. 2017, section 3.1; Vaswani
    et al. 2017, section 3.5, found it as good as the sinusoids). It has no row past `max_len`. The
    max_len·embed_dim parameters are drawn from a normal distribution with deviation 0.02.

    Example:
        >>> layer = LearnedPositionalEncoding(10, 4)
        >>> layer(torch.zeros(2, 3, 4), offset=7).shape
        torch.Size([2, 3, 4])
    """

    def __init__(self, max_len: int, embed_dim: int) -> None:
        super().__init__()
        check_counts(max_len=max_len, embed_dim=embed_dim)
        self.weight = nn.Parameter(torch.empty(max_len, embed_dim))
        self.reset_parameters()

    @property
    def max_len(self) -> int:  # type: ignore[override]
        return self.weight.shape[0]

    @property
    def embed_dim(self) -> int:  # type: ignore[override]
        return self.weight.shape[1]

    def reset_parameters(self) -> None:
        nn.init.normal_(self.weight, std=0.02)

    def _rows(self, x, offset):
        stop, max_len = offset + x.shape[-2], self.weight.shape[0]
        if stop > max_len:
            raise ValueError(
                f"a learned table of max_len={max_len} has no row for the positions from {max_len} "
                f"on, got positions {offset} to {stop - 1}"
            )
        rows = self.weight[offset:stop]
        return rows if rows.dtype == x.dtype else rows.to(x.dtype)

    def _at(self, places, x):
        return self.weight[places].to(x.dtype)


def shift_matrix(delta: float, dim: int) -> Tensor:
    """The linear map that moves a sinusoidal encoding by `delta` positions, wherever it starts.

    M @ P[i] = P[i + delta] for every i, so P[delta:] = P[:-delta] @ M.T for a table of rows. M is
    block diagonal: pair j turns by ω = delta / 10000^(2j/dim), its block being
    [[cos ω, sin ω], [-sin ω, cos ω]] (Vaswani et al. 2017, section 3.5, state that M exists).

    Args:
        delta (float): how far to move, in positions; negative moves back.
        dim (int): width of the encoding, even: a sine without its cosine cannot be moved.

    Returns:
        Tensor (dim, dim), float64, on the CPU; an orthogonal matrix, its transpose moves back.

    Example:
        >>> P = sinusoidal_encoding(10, 4, dtype=torch.float64)
        >>> torch.allclose(shift_matrix(3, 4) @ P[5], P[8])
        True
    """
    delta = check_number("delta", delta)
    _check_even("dim", dim)
    turn = delta * _frequencies(10000.0, dim, torch.device("cpu"))  # (dim/2,)
    M = torch.zeros(dim, dim, dtype=torch.float64, device="cpu")
    even = torch.arange(0, dim, 2, device="cpu")
    M[even, even] = M[even + 1, even + 1] = turn.cos()
    M[even, even + 1] = turn.sin()
    M[even + 1, even] = -turn.sin()
    return M.to(torch.get_default_device())


def apply_rotary(
    x: Tensor,
    *,
    offset: int = 0,
    positions: Tensor | None = None,
    base: float = 10000.0,
    interleaved: bool = True,
) -> Tensor:
    """Rotary position embedding (RoPE): rotate each pair of channels by an angle θ per position.

    (a, b) -> (a cos θ - b sin θ, a sin θ + b cos θ) with θ = (offset + i) / base^(2j/D) for pair j
    of token i (Su et al. 2021, section 3.2.2). Norms are kept, and the score of a query at i and a
    key at j depends on their positions only through i - j.

    Args:
        x: floating tensor (..., L, D), queries or keys of one head; D even.
        offset (int): position of the first token, from 0.
        positions: integers (L,), from 0: the place of each token, instead of offset, where they do
            not stand in a row.
        base (float): as in `sinusoidal_encoding`.
        interleaved (bool): pair j is (2j, 2j+1), as in the paper; False pairs (j, j + D/2), as in
            GPT-NeoX and Hugging Face's Llama. Weights trained with one do not fit the other.

    Returns:
        Tensor of the shape, dtype and device of x, computed in at least float32.

    Example:
        >>> apply_rotary(torch.tensor([[1.0, 0.0], [1.0, 0.0]]))
        tensor([[1.0000, 0.0000],
                [0.5403, 0.8415]])
    """
    expect("x", x, "... length width")
    check_count("offset", offset, least=0)
    if positions is None:
        positions = torch.arange(offset, offset + x.shape[-2], device=x.device)
    else:
        check_positions(positions, x.shape[-2])
    frequencies = functools.partial(_frequencies, base)
    return _turning(lambda x: _turns(x, positions, frequencies, interleaved), interleaved)(x)


def _turns(x, places, frequencies, interleaved=True):
    """cos θ and sin θ of positions (L,) for rows as those of x (..., D), of each pair twice:
    (2, L, D), in at least float32; the sine that meets the first of a pair is negative."""
    _check_even("the width of x", x.shape[-1])
    angles = _angles(places, x.shape[-1], frequencies, x.device)
    wide = torch.promote_types(x.dtype, torch.float32)
    cos, sin = angles.cos().to(x.device, wide), angles.sin().to(x.device, wide)
    if interleaved:
        both = cos.repeat_interleave(2, -1), torch.stack([-sin, sin], -1).flatten(-2)
    else:
        both = cos.repeat(1, 2), torch.cat([-sin, sin], -1)
    return torch.stack(both)


def _turning(tables, interleaved=True):
    """Give the function that rotates each pair of x (..., L, D): x ∘ cos + x' ∘ sin, where x' has
    the two swapped. `tables` makes cos and sin for an x, once for all that are alike."""
    found: list[Any] = []

    def turn(x: Tensor) -> Tensor:
        like = x.shape[-2:], x.dtype, x.device
        if not found or found[0] != like:
            found[:] = like, *tables(x)
        _, cos, sin = found
        both = x.to(cos.dtype)
        if interleaved:
            exchanged = torch.stack((both[..., 1::2], both[..., 0::2]), dim=-1).flatten(-2)
        else:
            exchanged = torch.cat(both.chunk(2, dim=-1)[::-1], dim=-1)
        return exchanged.mul_(sin).add_(both * cos).to(x.dtype)  # in place: fresh memory costs more

    return turn


def alibi_bias(num_heads: int, L: int, *, device: Device = None) -> Tensor:
    """ALiBi: a bias that lowers each score by the distance of query and key, in each head its own.

    bias[h, i, j] = -slope[h] · |i - j| (Press et al. 2022, section 3). For a power
    of two heads, slope[h] = 2^(-8(h+1)/H). For another H, as in the paper's code: the slopes of the
    next lower power of two n, then every second slope of 2n heads.

    Args:
        num_heads, L (int): H, and the number of queries and keys.

    Returns:
        Tensor (H, L, L), float32, to be passed to `attention` as attn_bias.

    Example:
        >>> alibi_bias(8, 3)[0]
        tensor([[ 0.0000, -0.5000, -1.0000],
                [-0.5000,  0.0000, -0.5000],
                [-1.0000, -0.5000,  0.0000]])
    """
    check_counts(num_heads=num_heads, L=L)
    places = torch.arange(L, device=device)
    slopes = alibi_slopes(num_heads, device=places.device)[:, None, None]
    return slopes * -(places[:, None] - places).abs()  # (H, L, L)


def alibi_slopes(num_heads: int, *, device: Device = None) -> Tensor:
    """Compute the slopes of `alibi_bias`, what it takes off a score a position: (H,), float32."""
    n = 2 ** (num_heads.bit_length() - 1)
    heads = [*range(1, n + 1), *(head + 0.5 for head in range(num_heads - n))]
    return torch.tensor(
        [2 ** (-8 * head / n) for head in heads], device=device, dtype=torch.float32
    )


def base_of(base):
    """Give the base as a float: a number above 1."""
    number = check_number("base", base)
    if number <= 1:
        raise ValueError(f"base must be above 1, got {show(base)}")
    return number


def _frequencies(base, dim, device):
    """Compute the radians per position of each pair of columns; the last may be half a pair."""
    pairs = torch.arange(0, dim, 2, dtype=torch.float64, device=device)  # (⌈dim/2⌉,)
    return base_of(base) ** -(pairs / dim)


def _angles(places, dim, frequencies, device):
    """Angles (..., ⌈dim/2⌉) of positions (...), in float64; on the CPU for a device that has no
    float64."""
    near = "cpu" if device.type == "mps" else device
    return places.to(near)[..., None] * frequencies(dim, near)


def _check_even(name, dim):
    check_count(name, dim, least=2)
    if dim % 2:
        raise ValueError(f"{name} must be even, since features turn in pairs, got {dim}")
