"""Import of recorded borders: the real ones, made ones with known answers, and bad ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.track.reference import distance_to_line
from tmstudio.errors import TMStudioError
from tmstudio.track.borders import SPAWN_LEAD_M, track_from_borders
from tmstudio.track.geometry import Track
from tmstudio.track.importers.borders import import_borders
from tmstudio.track.pairing import pair_borders
from tmstudio.track.recording import clean_line

Floats = NDArray[np.float64]

# --------------------------------------------------------------------------------------- the real recordings


def test_the_lap_of_the_reference_track_is_2160_m(tmrl: Track) -> None:
    assert tmrl.length_m == pytest.approx(2160.0, abs=2.0)
    assert tmrl.width_m == pytest.approx(23.5, abs=0.3)
    assert tmrl.checkpoints_m == ()


def test_the_reference_spawn_and_finish_are_where_the_game_has_them(tmrl: Track) -> None:
    assert tmrl.spawn.position_m == pytest.approx((496.0, 10.0, 624.0), abs=0.1)
    assert tmrl.spawn.heading_rad == pytest.approx(0.0, abs=np.radians(0.5))
    finish, heading = tmrl.place([tmrl.finish_arc_m])
    assert finish[0, 0] == pytest.approx(383.5, abs=0.3)
    assert heading[0] == pytest.approx(-np.pi / 2, abs=np.radians(3))


def test_the_imported_borders_are_the_recorded_ones(tmrl: Track, recordings: Path) -> None:
    for side, border in (("left", tmrl.left_m), ("right", tmrl.right_m)):
        recorded = np.load(recordings / f"{side}-recorded.npy")[::5, [0, 2]].astype(float)
        away = distance_to_line(recorded, border[:, [0, 2]])
        assert away.max() < 0.12
        assert away.mean() < 0.03


def test_the_imported_track_agrees_with_the_reference_geometry(tmrl: Track, recordings: Path) -> None:
    """That geometry is smoother: at the outside of hairpins its borders are up to 1.1 m inside the recordings."""
    with np.load(recordings / "geometry.npz") as archive:
        sides = {side: archive[side][:1082, [0, 2]].astype(float) for side in ("left", "center", "right")}
    inner = slice(tmrl.lap_points.start - 2, tmrl.lap_points.stop + 2)
    limits = {"left": (0.6, 0.1), "center": (0.7, 0.12), "right": (1.2, 0.15)}
    for side, points in sides.items():
        line = getattr(tmrl, f"{side}_m")[inner][:, [0, 2]]
        away = distance_to_line(points, line)
        assert away.max() < limits[side][0], side
        assert away.mean() < limits[side][1], side


def test_height_is_that_of_the_recordings(tmrl: Track) -> None:
    heights = tmrl.center_m[:, 1]
    assert 10.0 <= heights.min() <= heights.max() <= 10.4


# ------------------------------------------------------------------------------------- recordings with answers


def drive(radius_m: float = 30.0, width_m: float = 20.0) -> tuple[Floats, Floats, float]:
    """Borders of: 60 m toward +z, a half turn to the left, 60 m, a half turn to the right, 60 m; and the length."""
    center: list[Floats] = []
    position, heading = np.zeros(2), 0.0
    for length, bend in (
        (60, 0),
        (np.pi * radius_m, 1 / radius_m),
        (60, 0),
        (np.pi * radius_m, -1 / radius_m),
        (60, 0),
    ):
        steps = max(round(length / 0.05), 1)
        step = length / steps
        for _ in range(steps):
            center.append(np.array([*position, heading]))
            heading += bend * step / 2
            position = position + step * np.array([np.sin(heading), np.cos(heading)])
            heading += bend * step / 2
    path = np.array(center)
    normal = np.stack([np.cos(path[:, 2]), -np.sin(path[:, 2])], axis=1) * width_m / 2
    left, right = (np.insert(path[:, :2] + sign * normal, 1, 5.0, axis=1) for sign in (1, -1))
    return left, right, 180 + 2 * np.pi * radius_m


def as_recorded(
    border: Floats, rng: np.random.Generator, *, step_m: float = 0.28, noise_m: float = 0.0
) -> Floats:
    """Samples of a car that stands at both ends and moves at even speed between."""
    arcs = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(border[:, [0, 2]], axis=0).T))])
    wanted = np.arange(0, arcs[-1], step_m)
    line = np.stack([np.interp(wanted, arcs, column) for column in border.T], axis=1)
    line[1:-1, [0, 2]] += rng.normal(0, noise_m, (len(line) - 2, 2))
    standing = [np.repeat(line[index : index + 1], 150, axis=0) for index in (0, -1)]
    samples = np.concatenate([standing[0], line, standing[1]])
    return samples + rng.normal(0, 1e-4, samples.shape)


@pytest.mark.parametrize("radius_m", [14.0, 30.0, 80.0])
def test_a_made_road_is_recovered(radius_m: float) -> None:
    left, right, length_m = drive(radius_m)
    rng = np.random.default_rng(1)
    track = track_from_borders(as_recorded(left, rng), as_recorded(right, rng), "made")
    # The measuring line cuts bends a little: sigma squared over two radii, in each of two half turns.
    cut = 2 * np.pi * 4.0**2 / (2 * radius_m)
    assert track.length_m == pytest.approx(length_m + SPAWN_LEAD_M - cut, abs=1.0)
    assert track.width_m == pytest.approx(20.0, abs=0.05)
    half_width = track.half_width_m[track.lap_points]
    assert half_width == pytest.approx(10.0, abs=0.15)
    center = track.center_m[track.lap_points][2:-2, [0, 2]]
    made = (left + right)[:, [0, 2]] / 2
    assert distance_to_line(center, made[::10]).max() < 0.15


def test_noise_of_some_centimetres_does_not_lengthen_the_lap() -> None:
    left, right, _ = drive(30.0)
    rng = np.random.default_rng(2)
    clean = track_from_borders(as_recorded(left, rng), as_recorded(right, rng), "made")
    noisy = track_from_borders(
        as_recorded(left, rng, noise_m=0.05), as_recorded(right, rng, noise_m=0.05), "made"
    )
    assert noisy.length_m == pytest.approx(clean.length_m, rel=0.005)
    apart = distance_to_line(noisy.center_m[62:-62, [0, 2]], clean.center_m[:, [0, 2]])
    assert apart.max() < 0.15


def test_recordings_of_unequal_rates_and_ends_still_face_each_other() -> None:
    left, right, _ = drive(20.0)
    rng = np.random.default_rng(3)
    left, right = as_recorded(left[80:], rng, step_m=0.9), as_recorded(right[:-120], rng, step_m=0.11)
    lines = clean_line(left, "left"), clean_line(right, "right")
    pairs = pair_borders(*lines)
    width = np.hypot(*(pairs[0] - pairs[1])[:, [0, 2]].T)
    assert width == pytest.approx(20.0, abs=0.3)
    # The lap begins where both exist, 4 m in, and ends where both do, 6 m before the end.
    assert pairs[0][0, 2] == pytest.approx(4.0, abs=0.4)


def test_pairs_never_cross_at_a_sharp_inner_corner() -> None:
    """A square corner: the inner border is a point, the outer one a right angle."""
    corner = 80.0
    outer = np.array([[-12.0, 0, 0], [-12.0, 0, corner + 24], [corner, 0, corner + 24]])
    inner = np.array([[12.0, 0, 0], [12.0, 0, corner], [corner, 0, corner]])
    rng = np.random.default_rng(4)
    track = track_from_borders(as_recorded(inner, rng), as_recorded(outer, rng), "corner")
    assert (track.half_width_m[track.lap_points] >= 11.8).all()
    assert track.half_width_m.max() < 18.0


def test_a_driver_who_backed_up_is_forgiven() -> None:
    left, right, _ = drive(30.0)
    rng = np.random.default_rng(5)
    left, right = as_recorded(left, rng), as_recorded(right, rng)
    clean = track_from_borders(left, right, "made")
    stop = len(left) // 2
    backed_up = np.concatenate([left[:stop], left[stop - 60 : stop][::-1], left[stop - 60 :]])
    track = track_from_borders(backed_up, right, "made")
    assert track.length_m == pytest.approx(clean.length_m, abs=0.5)


# ------------------------------------------------------------------------------------------------ bad recordings


@pytest.fixture
def good(tmp_path: Path) -> tuple[Path, Path]:
    rng = np.random.default_rng(6)
    left, right, _ = drive(30.0)
    paths = tmp_path / "left.npy", tmp_path / "right.npy"
    for path, border in zip(paths, (left, right), strict=True):
        np.save(path, as_recorded(border, rng).astype(np.float32))
    return paths


def test_good_files_are_imported(good: tuple[Path, Path]) -> None:
    track = import_borders(*good, "my track", "uid")
    assert (track.name, track.map_uid) == ("my track", "uid")
    assert track.origin["left"] == "left.npy"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (np.zeros((100, 2)), "not (samples, 3)"),
        (np.zeros(300), "not (samples, 3)"),
        (np.zeros((0, 3)), "0 points"),
        (np.array([[0.0, 0, 0], [0, 0, 50]]), "2 points"),
        (np.where(np.arange(300).reshape(100, 3) == 150, np.nan, 1.0), "1 of 100 samples"),
        (np.full((100, 3), np.inf), "not finite"),
        (np.zeros((100, 3), dtype=complex), "not numbers"),
        (np.full((100, 3), "x"), "not numbers"),
        (np.full((100, 3), 1e9), "1000 km"),
        (np.array([{"a": 1}] * 5, dtype=object), "pickle"),
        (b"", "empty"),
        (b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (9999999, 3), }  \n", ""),
        (b"not an array", ""),
    ],
)
@pytest.mark.parametrize("side", [0, 1])
def test_unusable_files_are_refused_by_name(
    good: tuple[Path, Path], content: Floats | bytes, message: str, side: int
) -> None:
    if isinstance(content, bytes):
        good[side].write_bytes(content)
    else:
        np.save(good[side], content, allow_pickle=True)
    with pytest.raises(TMStudioError) as caught:
        import_borders(*good, "my track")
    text = str(caught.value)
    assert message in text
    assert good[side].name in text
    assert ("left", "right")[side] in text
    assert caught.value.hint


def test_other_unusable_paths_are_refused(good: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(TMStudioError, match="missing"):
        import_borders(tmp_path / "none.npy", good[1], "my track")
    with pytest.raises(TMStudioError, match="folder"):
        import_borders(tmp_path, good[1], "my track")
    archive = tmp_path / "both.npz"
    np.savez(archive, left=np.zeros((9, 3)))
    with pytest.raises(TMStudioError, match="archive"):
        import_borders(archive, good[1], "my track")
    with pytest.raises(TMStudioError, match="name"):
        import_borders(*good, "../evil")


def test_a_pickle_is_never_loaded(good: tuple[Path, Path], tmp_path: Path) -> None:
    class Bomb:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (open, (str(tmp_path / "exploded"),))

    np.save(good[0], np.array([Bomb()], dtype=object), allow_pickle=True)
    with pytest.raises(TMStudioError, match="never loaded"):
        import_borders(*good, "my track")
    assert not (tmp_path / "exploded").exists()


def spoiled(kind: str) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(7)
    left, right = (as_recorded(border, rng) for border in drive(30.0)[:2])
    if kind == "crossing":
        made_left, made_right, _ = drive(30.0)
        share = np.clip((np.arange(len(made_left)) - 3000) / 400, 0, 1)[:, None]
        left = as_recorded(made_left + share * (made_right - made_left), rng)
        right = as_recorded(made_right + share * (made_left - made_right), rng)
    elif kind == "exchanged":
        left, right = right, left
    elif kind == "opposite":
        right = right[::-1]
    elif kind == "teleport":
        left = np.concatenate([left[:600], left[600:] + np.array([80.0, 0, 0])])
    elif kind == "standing":
        left = np.repeat(left[:1], 500, axis=0)
    elif kind == "same":
        left = right + 0.01
    elif kind == "elsewhere":
        left = left + np.array([5000.0, 0, 0])
    elif kind == "incomplete":
        left = left[: len(left) // 4]
    elif kind == "another way":
        z = np.linspace(0, 400, 1500)
        right = np.stack([np.full(1500, -10.0), 0 * z, z], axis=1)
        left = np.stack([10 + 200 * np.sin(np.pi * z / 400), 0 * z, z], axis=1)
    return left, right


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("crossing", "cross"),
        ("exchanged", "exchanged"),
        ("opposite", "opposite directions"),
        ("teleport", "jumps 80 m"),
        ("standing", "too short"),
        ("same", "cross|touch"),
        ("elsewhere", "different maps"),
        ("incomplete", "apart|from each other"),
        ("another way", "apart"),
    ],
)
def test_recordings_that_are_no_borders_of_one_road_are_refused(kind: str, message: str) -> None:
    with pytest.raises(TMStudioError, match=message) as caught:
        track_from_borders(*spoiled(kind), "spoiled")
    assert caught.value.hint
