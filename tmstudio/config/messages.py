"""Pydantic's complaints in plain language, with the paths that the user wrote."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from tmstudio.config.fields import Section
from tmstudio.config.structure import section_kinds
from tmstudio.errors import Fault

_BOUNDS = {
    "less_than_equal": ("at most", "le"),
    "less_than": ("below", "lt"),
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("above", "gt"),
    "multiple_of": ("a multiple of", "multiple_of"),
}
_WHOLE_NUMBER = {"int_type", "int_parsing", "int_from_float", "int_parsing_size"}
_NUMBER = {"float_type", "float_parsing"}
_TRUE_OR_FALSE = {"bool_type", "bool_parsing"}
_GROUP = {"model_type", "model_attributes_type", "dict_type"}


def faults_of(error: ValidationError, model: type[Section]) -> list[Fault]:
    """One fault for each of pydantic's errors, in the order of the fields."""
    return [_fault(details, model) for details in error.errors(include_url=False)]


def unknown_field(name: str, known: Iterable[str]) -> str:
    """What is wrong with ``name``: the nearest of the ``known`` names, or all of them."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    return (
        f"unknown field, did you mean '{near[0]}'?"
        if near
        else f"unknown field; known here: {', '.join(names)}"
    )


def _fault(details: Any, model: type[Section]) -> Fault:
    path, section, name = _place(details["loc"], model)
    kind, context, value = details["type"], details.get("ctx", {}), details["input"]
    if kind == "extra_forbidden":
        problem = unknown_field(name, section.model_fields)
    elif kind in ("union_tag_invalid", "union_tag_not_found"):
        path += ".kind"
        given = value.get("kind") if isinstance(value, Mapping) else value
        problem = _one_of(list(section_kinds(section.model_fields[name])), given)
    elif kind == "literal_error":
        field = section.model_fields[name]
        problem = _one_of(list(getattr(field.annotation, "__args__", ())), value)
    elif kind in _BOUNDS:
        words, bound = _BOUNDS[kind]
        problem = f"must be {words} {_number(context[bound])}{_is(value)}"
    elif kind == "value_error":
        problem = f"{context['error']}{_is(value)}"
    else:
        problem = _wrong_type(kind, context, value, details["msg"])
    return Fault(path, problem)


def _wrong_type(kind: str, context: Mapping[str, Any], value: object, message: str) -> str:
    if kind in _WHOLE_NUMBER:
        return f"must be a whole number{_is(value)}"
    if kind in _NUMBER:
        return f"must be a number{_is(value)}"
    if kind == "finite_number":
        return f"must be a finite number{_is(value)}"
    if kind in _TRUE_OR_FALSE:
        return f"must be true or false{_is(value)}"
    if kind in _GROUP:
        return f"must be a group of fields{_is(value)}"
    if kind == "string_type":
        return f"must be text{_is(value)}"
    if kind == "string_too_short":
        return f"must have at least {context['min_length']} characters{_is(value)}"
    if kind == "string_too_long":
        return f"must have at most {context['max_length']} characters{_is(value)}"
    if kind == "string_pattern_mismatch":
        return f"has characters that are not allowed here{_is(value)}"
    return f"{message[:1].lower()}{message[1:]}{_is(value)}"


def _place(location: tuple[str | int, ...], model: type[Section]) -> tuple[str, type[Section], str]:
    """(path as the user wrote it, section that holds the field, the field's name) of pydantic's ``location``.

    Pydantic puts the kind of a component between its name and its fields, where the user wrote nothing.
    """
    written: list[str] = []
    section, name = model, ""
    parts = [str(part) for part in location]
    while parts:
        name = parts.pop(0)
        written.append(name)
        field = section.model_fields.get(name)
        kinds = section_kinds(field) if field is not None else {}
        if not parts or not kinds:
            continue
        kind = parts.pop(0) if len(kinds) > 1 or parts[0] in kinds else next(iter(kinds))
        section = kinds[kind]
    return ".".join([*written]), section, name


def _one_of(choices: list[Any], value: object) -> str:
    near = (
        difflib.get_close_matches(value, [str(choice) for choice in choices], n=1)
        if isinstance(value, str)
        else []
    )
    text = " or ".join(_shown(choice) for choice in choices)
    return f"must be {text}{_is(value)}" + (
        f", did you mean '{near[0]}'?" if near and len(choices) > 1 else ""
    )


def _is(value: object) -> str:
    return f" (is {_shown(value)})"


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return "a group of fields"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return _number(value)
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "...'"


def _number(value: float) -> str:
    return str(int(value)) if math.isfinite(value) and value == int(value) else f"{value:g}"
