"""The wire format: tmstudio.proto and the modules generated from it."""
