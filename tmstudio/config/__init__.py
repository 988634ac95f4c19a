"""What a run is: its configuration, presets, fingerprint and folders."""
