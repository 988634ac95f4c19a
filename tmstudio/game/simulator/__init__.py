"""The built-in driving game: car, world, starts and pictures."""
