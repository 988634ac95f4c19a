"""Tracks from files that other programs or the game have made."""
