"""The studio: everything that uses Qt. It never imports torch, not even through another module."""
