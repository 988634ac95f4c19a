from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmstudio.config.yaml_text import read_yaml, write_scalar


@given(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**18), 10**18),
        st.floats(allow_nan=False),
        st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff\ufffe\uffff")),
    )
)
def test_a_value_reads_back_as_it_was_written(value: str | float | bool | None) -> None:
    again = read_yaml(f"field: {write_scalar(value)}  # help")["field"]
    assert again == value
    assert type(again) is type(value)


@pytest.mark.parametrize(
    "text", ["1e5", "on", "no", "12:30", "2026-12-01", "true", "~", ".5", "1_000", "two\nlines"]
)
def test_text_that_looks_like_something_else_stays_text(text: str) -> None:
    assert read_yaml(f"field: {write_scalar(text)}") == {"field": text}


def test_small_numbers_in_powers_of_ten_are_numbers() -> None:
    assert read_yaml("1e-4") == 0.0001


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a: 1\nb: 2\na: 3", "line 3: 'a' is given twice"),
        ("a: &x 1\nb: *x", "line 2: aliases are not allowed"),
        ("a: [1", "line 1"),
        ("? [1]\n: 2", "a name must be plain text"),
        ("a: !!python/object/apply:os.system [true]", "line 1"),
        ("a: \x00", "special characters"),
        ("[" * 100, "nested too deeply"),
    ],
)
def test_bad_yaml_is_refused_with_its_place(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        read_yaml(text)
    assert complaint in str(caught.value)
