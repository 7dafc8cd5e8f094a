"""Figures of experiments: from records to curves (pure), curves in the paper's arrangement (layouts), and pictures."""

from setmargin.experiments.figures.curves import Band, Curve, Measure, curve_of
from setmargin.experiments.figures.drawing import SUFFIXES, draw, picture
from setmargin.experiments.figures.layouts import PAPER, Layout, Panel, layout_of

__all__ = [
    "PAPER",
    "SUFFIXES",
    "Band",
    "Curve",
    "Layout",
    "Measure",
    "Panel",
    "curve_of",
    "draw",
    "layout_of",
    "picture",
]
