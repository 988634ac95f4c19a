"""What a run *is*: the configuration fields that decide what its saved policy means.

Only these make the fingerprint, so a run resumes with a larger budget, other reward weights or a newer
version of the program, and is refused with another network, observation, delay or track.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from pydantic import BaseModel

from tmstudio.config.run_config import RunConfig

IdentityValue = str | int | float | bool

_TRACK_HASH = "track_sha256"


def identity_of(config: RunConfig, track_sha256: str) -> dict[str, IdentityValue]:
    """Dotted path -> value of every identity field, each component's kind, and the track's content hash."""
    found: dict[str, IdentityValue] = {}
    _collect(config, "", found)
    found[_TRACK_HASH] = track_sha256
    return found


def fingerprint(config: RunConfig, track_sha256: str) -> str:
    """SHA-256 over the identity, as 64 hexadecimal digits."""
    identity = identity_of(config, track_sha256)
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def differences(before: Mapping[str, IdentityValue], after: Mapping[str, IdentityValue]) -> list[str]:
    """The identity fields that differ, one readable line each ("algorithm.critics: 2, now 5").

    A field that only one side has does not count: either its component's kind differs, which is listed, or
    the other side was written by a version that did not have the field yet.
    """
    return [
        f"{path}: {_shown(path, value)}, now {_shown(path, after[path])}"
        for path, value in before.items()
        if path in after and after[path] != value
    ]


def _collect(section: BaseModel, prefix: str, found: dict[str, IdentityValue]) -> None:
    for name, field in type(section).model_fields.items():
        value = getattr(section, name)
        extra = field.json_schema_extra
        if isinstance(value, BaseModel):
            _collect(value, f"{prefix}{name}.", found)
        elif name == "kind" or (isinstance(extra, Mapping) and extra.get("identity") is True):
            found[prefix + name] = value


def _shown(path: str, value: IdentityValue) -> str:
    return str(value)[:12] if path == _TRACK_HASH else str(value)
