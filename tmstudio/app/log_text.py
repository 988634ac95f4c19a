"""Events of a run as lines a person reads. Plain Python, no Qt."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

_BOOKKEEPING = {"v", "at", "role", "pid", "kind"}


def event_line(event: Mapping[str, Any]) -> str:
    """``12:31:04 learner checkpoint step 200000``."""
    details = [_detail(name, value) for name, value in event.items() if name not in _BOOKKEEPING]
    parts = [
        _time(str(event.get("at", ""))),
        str(event.get("role", "?")),
        str(event.get("kind", "?")).replace("_", " "),
    ]
    return " ".join([*parts, *filter(None, details)])


def _time(stamp: str) -> str:
    try:
        return datetime.fromisoformat(stamp).astimezone().strftime("%H:%M:%S")
    except ValueError:
        return "--:--:--"


def _detail(name: str, value: Any) -> str:
    if value in (None, "", [], {}):
        return ""
    if isinstance(value, float):
        value = f"{value:.4g}"
    if name in ("message", "reason", "text"):
        return f"· {value}"
    return f"· {name.replace('_', ' ')} {value}"
