from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tmstudio.cli.output import print_json, table


def test_one_line_of_strict_json_whatever_the_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    print_json(
        {
            "laps": [np.float64(40.5), float("nan"), None, float("inf")],
            "count": np.int64(3),
            "array": np.arange(3),
            "ok": np.bool_(True),
            "path": Path("a"),
            "name": "Zürich\n",
            "seeds": (1, 2),
        }
    )
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert json.loads(out) == {
        "laps": [40.5, None, None, None],
        "count": 3,
        "array": [0, 1, 2],
        "ok": True,
        "path": "a",
        "name": "Zürich\n",
        "seeds": [1, 2],
    }


def test_what_has_no_json_form_is_a_bug() -> None:
    with pytest.raises(TypeError, match="object has no JSON form"):
        print_json({"a": object()})


def test_columns_are_as_wide_as_they_must_be_and_numbers_stand_to_the_right() -> None:
    assert table(("run", "steps"), [("2026-a", "7"), ("a", "1,200"), ("b", "-")]) == (
        "run     steps\n"
        "2026-a      7\n"
        "a       1,200\n"
        "b           -"
    )  # fmt: skip
    assert table(("a", "b"), []) == "a  b"
