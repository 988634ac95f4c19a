"""Painted and composed widgets. They show plain model objects and know nothing of processes or files."""
