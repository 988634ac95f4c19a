"""Typed configuration fields that carry their unit, range, default and help text.

The window builds its editors from these and the command line its messages, so that a field is described once.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict


class Section(BaseModel):
    """Base of every part of the configuration: unknown fields are faults, values never change in place."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def setting(
    default: Any,
    help_text: str,
    *,
    unit: str = "",
    title: str = "",
    identity: bool = False,
    advanced: bool = False,
    **bounds: Any,
) -> Any:
    """A field of the configuration.

    Args:
        default: the value that is used when the user says nothing.
        help_text: one plain sentence for the person who sets it.
        unit: unit of the number, shown behind it; empty where there is none.
        title: the name shown in the window; made from the field's name where empty.
        identity: whether the field decides what a saved policy *is*. Identity fields make the fingerprint.
        advanced: whether the window hides it behind "Advanced settings".
        bounds: pydantic's range arguments (``ge``, ``le``, ``gt``, ``lt``, ``min_length`` …).
    """
    extra: JsonDict = {"unit": unit, "identity": identity, "advanced": advanced}
    return Field(default, description=help_text, title=title or None, json_schema_extra=extra, **bounds)
