"""One interface to a drivable game: the built-in simulator today, the real game beside it."""
