"""Trials of trained policies: published seeds, deterministic driving, honest reports."""
