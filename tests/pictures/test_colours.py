"""Marks and lines can be seen on light and on dark pages, and maps grow darker evenly."""

import matplotlib as mpl
import numpy as np
import pytest

from d2lattn_book.pictures import plots
from d2lattn_book.pictures.colours import ROLES, SHADES


def luminance(colour):
    """WCAG 2: relative luminance."""
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def contrast(one, other):
    """WCAG 2: (lighter + 0.05) / (darker + 0.05)."""
    darker, lighter = sorted([luminance(one), luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("role", ROLES)
def test_a_mark_is_seen_on_light_and_dark_pages(role):
    assert contrast(ROLES[role], "#ffffff") >= 3
    assert contrast(ROLES[role], "#111111") >= 3


@pytest.mark.parametrize("shade", SHADES)
def test_a_line_without_a_role_is_seen_on_white(shade):
    assert contrast(shade, "#ffffff") >= 3


def test_maps_of_weights_grow_darker_evenly():
    """In steps of lightness (CIE L*), from nearly white."""
    shades = [mpl.colors.to_hex(colour) for colour in plots.SEQUENTIAL(np.linspace(0, 1, 9))]
    lightness = 116 * np.cbrt([luminance(shade) for shade in shades]) - 16
    assert lightness[0] > 96 and (steps := -np.diff(lightness)).min() > 0.9 * steps.mean() > 9
