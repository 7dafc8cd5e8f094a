"""Setwise max-margin learning: the paper's strategy."""
