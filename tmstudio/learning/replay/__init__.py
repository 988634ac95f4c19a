"""Where past driving is kept and drawn from."""
