"""How well the simulated car is the recorded one, and the search for the constants that make it so."""
