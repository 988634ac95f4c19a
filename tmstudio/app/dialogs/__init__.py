"""The dialogs of the studio."""
