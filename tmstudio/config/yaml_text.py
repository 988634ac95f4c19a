"""YAML as people expect it: YAML 1.2's plain values, no duplicate keys, no aliases, nothing but data.

PyYAML follows YAML 1.1, where ``1e-4`` is text, ``on`` is true, and ``12:30`` is 750.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

_PLAIN_VALUES = (
    ("tag:yaml.org,2002:bool", re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), "tTfF"),
    ("tag:yaml.org,2002:null", re.compile(r"^(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""]),
    ("tag:yaml.org,2002:int", re.compile(r"^[-+]?[0-9]+$"), "-+0123456789"),
    (
        "tag:yaml.org,2002:float",
        re.compile(
            r"^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"
        ),
        "-+0123456789.",
    ),
)


_MAX_DEPTH = 20


class _Loader(yaml.SafeLoader):
    _depth = 0
    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 PyYAML's own way

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(None, None, "aliases are not allowed", event.start_mark)
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise yaml.composer.ComposerError(None, None, "it is nested too deeply", self.get_mark())
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key_node, _ in node.value:
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else None
            if key is None:
                raise yaml.constructor.ConstructorError(
                    None, None, "a name must be plain text", key_node.start_mark
                )
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"'{key}' is given twice", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep=deep)

    def construct_integer(self, node: yaml.ScalarNode) -> int:
        return int(self.construct_scalar(node))

    def construct_float(self, node: yaml.ScalarNode) -> float:
        return float(self.construct_scalar(node).replace(".inf", "inf").replace(".nan", "nan"))


class _Dumper(yaml.SafeDumper):
    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 PyYAML's own way


for _tag, _pattern, _first in _PLAIN_VALUES:
    _Loader.add_implicit_resolver(_tag, _pattern, list(_first))
    _Dumper.add_implicit_resolver(_tag, _pattern, list(_first))
_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_integer)
_Loader.add_constructor("tag:yaml.org,2002:float", _Loader.construct_float)


def read_yaml(text: str) -> Any:
    """The data in ``text``.

    Raises:
        ValueError: it is not such YAML; the message says what is wrong and in which line.
    """
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 a SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}: " if mark is not None else ""
        raise ValueError(f"{where}{error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


def write_scalar(value: str | float | bool | None) -> str:
    """``value`` as it stands behind a name in YAML; :func:`read_yaml` gives the same value back."""
    one_line = isinstance(value, str) and not value.isprintable()
    style = '"' if one_line else None
    text: str = yaml.dump(value, Dumper=_Dumper, allow_unicode=True, width=10_000, default_style=style)
    return text.removesuffix("\n").removesuffix("\n...")
