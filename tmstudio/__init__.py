"""TMStudio: a desktop control centre that teaches a car to drive in TrackMania 2020."""

__version__ = "0.1.0"
