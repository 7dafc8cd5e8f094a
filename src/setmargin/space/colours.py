"""Accent colours: whether they can be read where the page uses them, and the other colours that follow from them."""

from __future__ import annotations

from typing import Final, Literal

Scheme = Literal["light", "dark"]
GROUNDS: Final[dict[Scheme, tuple[str, ...]]] = {"light": ("#f6f6f3", "#ffffff"), "dark": ("#141718", "#1d2122")}
"""What the page shows the accent on: its ground and its surfaces, as in style.css."""
LEAST_CONTRAST: Final = 4.5
"""For text, which links and quiet buttons are; lines and marks need 3."""
_ENDS: Final[dict[Scheme, str]] = {"light": "#000000", "dark": "#ffffff"}
_STEPS: Final = 40


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG counts it, from 1 to 21.

    >>> round(contrast("#ffffff", "#000000"))
    21
    """
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def legibility(accent: str, scheme: Scheme) -> float:
    """The least contrast of the accent with what it stands on."""
    return min(contrast(accent, ground) for ground in GROUNDS[scheme])


def legible(accent: str, scheme: Scheme) -> str:
    """The colour itself where it can be read, else the nearest one towards black or white that can."""
    for step in range(_STEPS + 1):
        mixed = mix(accent, _ENDS[scheme], step / _STEPS)
        if legibility(mixed, scheme) >= LEAST_CONTRAST:
            return mixed
    return _ENDS[scheme]


def palette(accent: str, scheme: Scheme) -> dict[str, str]:
    """The page's colours that follow from an accent which can be read: `accent`, and its stronger and paler ones."""
    surface = GROUNDS[scheme][-1]
    strong = mix(accent, _ENDS[scheme], 0.25)
    pale = mix(surface, accent, 0.12)
    on = max(("#ffffff", "#101414"), key=lambda ink: contrast(accent, ink))
    return {"accent": accent, "accent-strong": strong, "accent-pale": pale, "on-accent": on}


def mix(one: str, other: str, share: float) -> str:
    """The colour on the way from one to the other."""
    pairs = zip(_parts(one), _parts(other), strict=True)
    return "#" + "".join(f"{round(first + (second - first) * share):02x}" for first, second in pairs)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(part / 255) for part in _parts(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)


def _parts(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
