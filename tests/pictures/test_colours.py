"""The role colours stay apart for readers of every colour vision, on light and on dark pages."""

from itertools import combinations

import matplotlib as mpl
import numpy as np
import pytest

from d2lattn_book.pictures import plots
from d2lattn_book.pictures.colours import ROLES, SHADES

# Machado, Oliveira & Fernandes 2009, table 1, severity 1.0: matrices for linear RGB.
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
XYZ = np.array(  # linear sRGB to XYZ, white D65
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def linear_rgb(colour):
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """WCAG 2: (lighter + 0.05) / (darker + 0.05) of the relative luminances."""
    luminances = sorted((XYZ @ linear_rgb(colour))[1] for colour in (one, other))
    return (luminances[1] + 0.05) / (luminances[0] + 0.05)


def lab(colour, vision="normal"):
    seen = (VISION[vision] @ linear_rgb(colour)).clip(0, 1)
    t = XYZ @ seen / (XYZ @ np.ones(3))
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t * (29 / 6) ** 2 / 3 + 4 / 29)
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def ciede2000(one, other):
    """Sharma, Wu & Dalal 2005, equations 2 to 22, for two colours in CIELAB."""
    (L1, a1, b1), (L2, a2, b2) = one, other
    C = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    stretch = 1 + 0.5 * (1 - np.sqrt(C**7 / (C**7 + 25**7)))
    C1, C2 = np.hypot(a1 * stretch, b1), np.hypot(a2 * stretch, b2)
    h1, h2 = (np.degrees(np.arctan2(b, a * stretch)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180
    L, C, h = (L1 + L2) / 2, (C1 + C2) / 2, (h1 + turn / 2) % 360
    cos = [np.cos(np.radians(k * h + shift)) for k, shift in ((1, -30), (2, 0), (3, 6), (4, -63))]
    T = 1 - 0.17 * cos[0] + 0.24 * cos[1] + 0.32 * cos[2] - 0.20 * cos[3]
    lightness = (L2 - L1) / (1 + 0.015 * (L - 50) ** 2 / np.sqrt(20 + (L - 50) ** 2))
    chroma = (C2 - C1) / (1 + 0.045 * C)
    hue = 2 * np.sqrt(C1 * C2) * np.sin(np.radians(turn / 2)) / (1 + 0.015 * C * T)
    blue = np.exp(-(((h - 275) / 25) ** 2))
    rotation = -2 * np.sqrt(C**7 / (C**7 + 25**7)) * np.sin(np.radians(60 * blue))
    return np.sqrt(lightness**2 + chroma**2 + hue**2 + rotation * chroma * hue)


def distances(vision):
    pairs = combinations(ROLES, 2)
    return {(a, b): ciede2000(lab(ROLES[a], vision), lab(ROLES[b], vision)) for a, b in pairs}


@pytest.mark.parametrize("role", ROLES)
def test_a_mark_is_seen_on_light_and_dark_pages(role):
    assert contrast(ROLES[role], "#ffffff") >= 3
    assert contrast(ROLES[role], "#111111") >= 3


@pytest.mark.parametrize("vision, least", [*dict.fromkeys(VISION, 19).items(), ("normal", 28)])
def test_any_two_roles_are_apart(vision, least):
    closest = min(distances(vision).items(), key=lambda item: item[1])
    assert closest[1] >= least, closest


@pytest.mark.parametrize("vision", VISION)
def test_query_and_key_differ_at_a_glance(vision):
    assert distances(vision)["query", "key"] >= 41


@pytest.mark.parametrize("shade", SHADES)
def test_a_line_without_a_role_is_near_no_role(shade):
    assert contrast(shade, "#ffffff") >= 3
    assert min(ciede2000(lab(shade), lab(colour)) for colour in ROLES.values()) >= 20


def test_maps_of_weights_have_the_colour_of_weights():
    """And they grow darker in even steps of lightness (CIE L*), from nearly white."""
    shades = [mpl.colors.to_hex(colour) for colour in plots.SEQUENTIAL(np.linspace(0, 1, 33))]
    steps = -np.diff([lab(shade)[0] for shade in shades[::4]])
    assert lab(shades[0])[0] > 96 and steps.min() > 0.9 * steps.mean() > 9
    assert min(ciede2000(lab(ROLES["weight"]), lab(shade)) for shade in shades) < 1.5
