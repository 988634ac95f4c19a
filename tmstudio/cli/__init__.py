"""The commands. Each is a thin module that is imported only when it is asked for."""
