from __future__ import annotations

import pytest

from tmstudio.config.schema import check_schema_version
from tmstudio.errors import TMStudioError


def test_known_versions_pass() -> None:
    check_schema_version(1, 2, "The file")
    check_schema_version(2, 2, "The file")


def test_a_newer_version_is_refused_by_name() -> None:
    with pytest.raises(TMStudioError, match="The file was written by a newer TMStudio") as caught:
        check_schema_version(3, 2, "The file")
    assert "schema version is 3" in caught.value.cause
    assert "update" in caught.value.hint


@pytest.mark.parametrize("found", [None, "1", 0, True, 1.0])
def test_what_is_no_version_is_damage(found: object) -> None:
    with pytest.raises(TMStudioError, match="no usable schema version"):
        check_schema_version(found, 2, "The file")
