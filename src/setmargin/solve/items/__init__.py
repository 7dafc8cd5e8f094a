"""Engines for product lists."""
