"""Provably optimal decision trees, for any splitting rule."""

__version__ = "0.1.0"
