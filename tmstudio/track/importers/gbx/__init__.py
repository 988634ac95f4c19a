"""Reading TrackMania's own files: maps, ghosts and replays."""
