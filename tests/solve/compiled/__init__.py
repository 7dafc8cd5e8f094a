"""Tests of what is compiled."""
