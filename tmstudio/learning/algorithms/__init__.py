"""Algorithms, one file each, written to be read beside their papers."""
