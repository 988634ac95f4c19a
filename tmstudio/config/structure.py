"""What the configuration models are made of, for whoever walks them: files, overrides, forms, reviews."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from tmstudio.config.fields import Section


def section_kinds(field: FieldInfo) -> dict[str, type[Section]]:
    """The sections that may stand in ``field``, by kind; ``""`` for one without a kind; empty for a plain value.

    The first is the default.
    """
    annotation = field.annotation
    candidates = get_args(annotation) or (annotation,)
    sections = [item for item in candidates if isinstance(item, type) and issubclass(item, Section)]
    default = field.get_default(call_default_factory=True, validated_data={}) if sections else None
    sections.sort(key=lambda item: item is not type(default))
    return {_kind_of(item): item for item in sections}


def values(section: BaseModel, prefix: str = "") -> Iterator[tuple[str, Any, FieldInfo]]:
    """(dotted path, value, field) of every plain value below ``section``, in field order."""
    for name, field in type(section).model_fields.items():
        value = getattr(section, name)
        if isinstance(value, BaseModel):
            yield from values(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value, field


def _kind_of(section: type[Section]) -> str:
    field = section.model_fields.get("kind")
    return str(field.default) if field is not None else ""
