"""The run folder and what is kept in it: manifest, jobs, locks, events, metrics and the live ring."""
