"""Tracks: geometry, progress along them, ray casting, the library, the generator and importers."""
