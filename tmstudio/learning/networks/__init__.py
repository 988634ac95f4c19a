"""Networks of policies and critics, made from the configuration."""
