"""Run configurations from and to YAML, and from the command line.

A bad configuration is refused with every fault at once, each with the path as the user wrote it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from tmstudio.config.fields import Section
from tmstudio.config.messages import faults_of, unknown_field
from tmstudio.config.run_config import SCHEMA_VERSION, RunConfig
from tmstudio.config.structure import section_kinds
from tmstudio.config.yaml_text import read_yaml, write_scalar
from tmstudio.errors import ConfigError, Fault

_MAX_BYTES = 1_000_000
_WHOLE_FILE = "(file)"


def load_run_config(path: Path) -> RunConfig:
    """The configuration in the YAML file ``path``.

    Raises:
        ConfigError: it is missing, unreadable, or holds anything but a complete valid configuration.
    """
    source = str(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise _unusable(source, f"cannot be read: {error.strerror or error}") from error
    if len(content) > _MAX_BYTES:
        raise _unusable(source, f"is too large for a configuration ({len(content) / 1e6:.0f} MB)")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _unusable(source, "is not a text file") from error
    try:
        data = read_yaml(text)
    except ValueError as error:
        raise _unusable(source, f"is not valid YAML: {error}") from error
    if data is None:
        raise _unusable(source, "is empty")
    return parse_run_config(data, source)


def parse_run_config(data: object, source: str) -> RunConfig:
    """The configuration that ``data`` describes; fields that are left out have their defaults.

    Args:
        data: nested mappings, as YAML or JSON give them.
        source: what the faults are said to be in ("run.yaml").

    Raises:
        ConfigError: with every fault.
    """
    if not isinstance(data, Mapping):
        raise _unusable(source, "holds no fields with names, such as 'track: valley'")
    _check_version(data, source)
    faults: list[Fault] = []
    prepared = _prepare(data, RunConfig, "", faults)
    try:
        config = RunConfig.model_validate(prepared)
    except ValidationError as error:
        known = {fault.path for fault in faults}
        faults += [fault for fault in faults_of(error, RunConfig) if fault.path not in known]
    if faults:
        raise ConfigError(faults, source=source)
    return config


def apply_overrides(
    config: RunConfig, overrides: Iterable[str], source: str = "the command line"
) -> RunConfig:
    """``config`` with values such as ``"algorithm.gamma=0.97"`` put over it.

    Where a component's kind changes (``algorithm.kind=sac``), the fields that both kinds have keep their values.

    Raises:
        ConfigError: with every fault in the overrides and in what they lead to.
    """
    data = config.model_dump(mode="json")
    faults = []
    pairs = []
    for override in overrides:
        path, equals, text = override.partition("=")
        if not equals or not path.strip():
            faults.append(Fault(override, "is not of the form name=value, such as algorithm.gamma=0.97"))
            continue
        try:
            pairs.append((path.strip(), read_yaml(text)))
        except ValueError as error:
            faults.append(Fault(path.strip(), f"has no usable value: {error}"))
    # Kinds first, so that the order on the command line does not matter; shorter paths hold the longer ones.
    for path, value in sorted(pairs, key=lambda pair: (not pair[0].endswith("kind"), pair[0].count("."))):
        _put(data, path.split("."), value, faults)
    try:
        overridden = parse_run_config(data, source)
    except ConfigError as error:
        raise ConfigError([*faults, *error.faults], source=source) from error
    if faults:
        raise ConfigError(faults, source=source)
    return overridden


def dump_run_config(config: RunConfig) -> str:
    """YAML text with every field in order and its help behind it; :func:`parse_run_config` reads it back."""
    lines = [
        "# A run of TMStudio. Fields marked * decide what the policy is and are fixed once the run exists."
    ]
    _dump(config, 0, lines)
    return "\n".join(lines) + "\n"


def _dump(section: BaseModel, depth: int, lines: list[str]) -> None:
    indent = "  " * depth
    fields = type(section).model_fields
    for name in sorted(
        fields, key=lambda name: name != "kind"
    ):  # what a component is stands before its settings
        field = fields[name]
        value = getattr(section, name)
        if isinstance(value, BaseModel):
            lines.append(f"{indent}{name}:")
            _dump(value, depth + 1, lines)
        else:
            lines.append(f"{indent}{name}: {write_scalar(value)}{_comment(field)}")


def _comment(field: FieldInfo) -> str:
    if not field.description:
        return ""
    extra = field.json_schema_extra
    extra = extra if isinstance(extra, Mapping) else {}
    unit = f" [{extra['unit']}]" if extra.get("unit") else ""
    return f"  # {'* ' if extra.get('identity') else ''}{field.description}{unit}"


def _check_version(data: Mapping[Any, Any], source: str) -> None:
    version = data.get("schema_version", SCHEMA_VERSION)
    if isinstance(version, int) and version > SCHEMA_VERSION:
        problem = f"is {version}, but this TMStudio reads up to {SCHEMA_VERSION}: a newer version wrote it"
        raise ConfigError(
            [Fault("schema_version", problem)], source=source, hint="update TMStudio and try again"
        )


def _prepare(
    data: Mapping[Any, Any], section: type[Section], prefix: str, faults: list[Fault]
) -> dict[str, Any]:
    """``data`` with names as text and each component's kind filled in where it was left out.

    Finds what pydantic would let pass: true and false in place of numbers.
    """
    prepared: dict[str, Any] = {}
    for key, value in data.items():
        name = str(key)
        path = prefix + name
        field = section.model_fields.get(name)
        kinds = section_kinds(field) if field is not None else {}
        if kinds and isinstance(value, Mapping):
            kind = value.get("kind", next(iter(kinds)))
            filled = {"kind": kind, **value} if "" not in kinds else value
            below = kinds.get(kind if isinstance(kind, str) else "")
            prepared[name] = (
                _prepare(filled, below, f"{path}.", faults) if below is not None else dict(filled)
            )
        else:
            prepared[name] = value
            if field is not None and field.annotation in (int, float) and isinstance(value, bool):
                faults.append(Fault(path, f"must be a number (is {str(value).lower()})"))
    return prepared


def _put(data: dict[str, Any], path: list[str], value: Any, faults: list[Fault]) -> None:
    """Set ``path`` in the complete configuration ``data``."""
    section: type[Section] = RunConfig
    for depth, name in enumerate(path):
        field = section.model_fields.get(name)
        dotted = ".".join(path[: depth + 1])
        if field is None:
            faults.append(Fault(dotted, unknown_field(name, section.model_fields)))
            return
        rest = path[depth + 1 :]
        kinds = section_kinds(field)
        if not rest:
            if kinds:
                one = "kind" if "" not in kinds else next(iter(data[name]))
                faults.append(
                    Fault(dotted, f"is a group of fields; set one of them, such as {dotted}.{one}=...")
                )
            else:
                data[name] = value
            return
        if not kinds:
            faults.append(Fault(".".join(path), f"'{dotted}' is a single value and has no fields"))
            return
        below = data[name]
        if rest == ["kind"] and isinstance(value, str) and value in kinds:
            shared = {key: item for key, item in below.items() if key in kinds[value].model_fields}
            data[name] = {**shared, "kind": value}
            return
        section, data = kinds[below.get("kind", "")], below


def _unusable(source: str, problem: str) -> ConfigError:
    return ConfigError([Fault(_WHOLE_FILE, problem)], source=source)
