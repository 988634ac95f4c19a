"""Makes Gymnasium know the environments of this project.

The installed package names `register` in the entry point group ``gymnasium.envs``. Gymnasium 1.0 and later no longer
reads that group by itself: there the module is named with the id, and importing it registers::

    gymnasium.make("tmstudio.env.registration:TMStudio/Drive-v0", track="meadow")
"""

from __future__ import annotations

import gymnasium
from gymnasium.envs.registration import registry

DRIVE_ID = "TMStudio/Drive-v0"


def register() -> None:
    """Register the environments; a second call changes nothing."""
    if DRIVE_ID not in registry:
        gymnasium.register(
            id=DRIVE_ID,
            entry_point="tmstudio.env.gymnasium_env:DriveEnv",
            vector_entry_point="tmstudio.env.gymnasium_env:DriveVectorEnv",
        )


register()
