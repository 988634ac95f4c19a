"""The hood view and the top view: right way round, and readable by screen LIDAR."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tmstudio.game.simulator.camera import BEAM_ORIGIN_PX, HEIGHT_PX, HORIZON_PX, WIDTH_PX, project_beams
from tmstudio.game.simulator.renderer import HoodRenderer
from tmstudio.game.simulator.top_view import TopView, lap_picture
from tmstudio.track.geometry import Track
from tmstudio.track.library import TrackLibrary
from tmstudio.track.raycast import cast

BORDER_BELOW = 55

Image = NDArray[np.uint8]


@pytest.fixture(scope="module")
def valley() -> Track:
    return TrackLibrary().load("valley")


@pytest.fixture(scope="module")
def view(valley: Track) -> HoodRenderer:
    return HoodRenderer(valley)


def pose(track: Track, share: float, lateral_m: float = 0.0) -> tuple[NDArray[np.float64], float]:
    """Position and heading of a car at a share of the lap."""
    position, heading = track.place(np.array([track.start_arc_m + share * track.length_m]), lateral_m)
    return position[0], float(heading[0])


def is_border(picture: Image) -> NDArray[np.bool_]:
    dark: NDArray[np.bool_] = np.all(picture < BORDER_BELOW, axis=2)
    return dark


def screen_lidar(picture: Image) -> list[int | None]:
    """Reads 19 beams as the reference does; None where a beam leaves the picture without a border."""
    border = is_border(picture)
    height, width = border.shape
    row, column = 44 * height // 49, width // 2
    readings: list[int | None] = []
    for angle in np.deg2rad(np.arange(90, 271, 10)):
        reading = None
        for sample in range(2000):
            distance = 20 + sample
            y, x = int(row + np.cos(angle) * distance), int(column + np.sin(angle) * distance)
            if y <= 0 or x <= 0 or x >= width - 1:
                break
            if border[y, x]:
                reading = sample
                break
        readings.append(reading)
    return readings


def test_the_picture_has_the_size_that_screen_lidar_wants(valley: Track, view: HoodRenderer) -> None:
    picture = view.render(*pose(valley, 0.3))
    assert picture.shape == (488, 958, 3)
    assert picture.dtype == np.uint8


def test_a_picture_can_be_drawn_into_a_given_array(valley: Track, view: HoodRenderer) -> None:
    given = np.zeros((HEIGHT_PX, WIDTH_PX, 3), dtype=np.uint8)
    assert view.render(*pose(valley, 0.3), out=given) is given
    np.testing.assert_array_equal(given, view.render(*pose(valley, 0.3)))


def test_nothing_but_borders_is_as_dark_as_a_border(straight: Track) -> None:
    # From the middle of a straight road the borders fill two narrow wedges; sky, grass and road stay light.
    picture = HoodRenderer(straight).render(*pose(straight, 0.4))
    border = is_border(picture)
    assert not border[: HORIZON_PX - 8].any()
    rows, columns = np.nonzero(border)
    aside = np.abs(columns - WIDTH_PX // 2)
    # Edges of the road, 10 m to either side: straight lines from the vanishing point.
    slope = (rows - HORIZON_PX) / np.maximum(aside, 1)
    near = aside > 100
    assert slope[near].min() > 0.14
    assert slope[near].max() < 0.23
    assert 0.002 < border.mean() < 0.03


def test_screen_lidar_meets_the_borders_of_a_straight_road(straight: Track) -> None:
    readings = screen_lidar(HoodRenderer(straight).render(*pose(straight, 0.3)))
    aside = [reading for reading in (*readings[3:8], *readings[11:16]) if reading is not None]
    assert len(aside) == 10
    mirrored = [
        a - b
        for a, b in zip(readings[3:8], readings[15:10:-1], strict=True)
        if a is not None and b is not None
    ]
    assert max(abs(difference) for difference in mirrored) <= 4


def test_screen_lidar_is_shorter_on_the_side_of_the_nearer_border(straight: Track) -> None:
    readings = screen_lidar(HoodRenderer(straight).render(*pose(straight, 0.3, lateral_m=6.0)))
    assert readings[13] is not None
    assert readings[5] is not None
    # Beam 13 points to the left, beam 5 the same way to the right.
    assert readings[13] < readings[5] - 30


@pytest.mark.parametrize("share", [0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9])
@pytest.mark.parametrize("lateral_m", [-5.0, 0.0, 5.0])
def test_projected_beams_end_at_the_borders(
    valley: Track, view: HoodRenderer, share: float, lateral_m: float
) -> None:
    position, heading = pose(valley, share, lateral_m)
    heading += 0.15
    arc_m = np.array([valley.start_arc_m + share * valley.length_m])
    lidar_m = cast(valley, position[None, [0, 2]], np.array([heading]), arc_m, 120.0)[0]
    border = is_border(view.render(position, heading))
    checked = 0
    for (column, row), length_m in zip(view.project_beams(lidar_m), lidar_m, strict=True):
        if length_m >= 119.0 or not (4 <= column < WIDTH_PX - 4 and row < HEIGHT_PX - 4):
            continue
        around = border[int(row) - 3 : int(row) + 4, int(column) - 3 : int(column) + 4]
        assert around.any(), (column, row, length_m)
        checked += 1
    assert checked >= 5


def test_beams_begin_under_the_car_and_go_the_right_way() -> None:
    ends = project_beams(np.full(19, 30.0))
    assert ends[9, 0] == pytest.approx(BEAM_ORIGIN_PX[0])
    assert ends[9, 1] < BEAM_ORIGIN_PX[1]
    assert ends[0, 0] > WIDTH_PX
    assert ends[18, 0] < 0
    np.testing.assert_allclose(project_beams(np.zeros(19)), np.tile(BEAM_ORIGIN_PX, (19, 1)), atol=0.01)


def test_turning_right_moves_the_view_to_the_left(straight: Track) -> None:
    view = HoodRenderer(straight)
    position, heading = pose(straight, 0.3)
    columns = []
    for turned in (0.0, -0.1):
        _, column = np.nonzero(is_border(view.render(position, heading + turned))[:206])
        columns.append(column.mean())
    assert columns[1] < columns[0] - 20


@pytest.mark.parametrize("heading_rad", [0.0, 1.0, 2.5, -3.1, 40.0])
def test_the_view_can_be_drawn_from_anywhere(valley: Track, view: HoodRenderer, heading_rad: float) -> None:
    for share in (0.0, 0.5, 1.0):
        position, _ = pose(valley, share)
        assert view.render(position, heading_rad).shape == (HEIGHT_PX, WIDTH_PX, 3)
        assert view.render(position + np.array([50.0, 0.0, 40.0]), heading_rad).shape == (
            HEIGHT_PX,
            WIDTH_PX,
            3,
        )


def test_the_top_view_is_no_mirror_image(valley: Track) -> None:
    view = TopView(valley, 900, 600)
    left, right = valley.lap_borders()
    middle = view.to_pixels(((left + right) / 2)[:, [0, 2]])
    ahead = np.diff(middle, axis=0)
    to_left = (view.to_pixels(left[:, [0, 2]]) - middle)[:-1]
    # With rows counting downward, left of the way ahead is where this is negative.
    assert (ahead[:, 0] * to_left[:, 1] - ahead[:, 1] * to_left[:, 0] < 0.0).all()


@pytest.mark.parametrize("name", TrackLibrary().names())
@pytest.mark.parametrize("size", [(900, 600), (400, 900)])
def test_the_whole_track_is_in_the_top_view(name: str, size: tuple[int, int]) -> None:
    track = TrackLibrary().load(name)
    pixels = TopView(track, *size, margin_px=20).to_pixels(np.concatenate(track.lap_borders())[:, [0, 2]])
    assert pixels.min() >= 19.9
    assert (pixels <= np.array(size) - 19.9).all()


def test_a_lap_is_drawn_where_it_was_driven(valley: Track) -> None:
    bare = lap_picture(valley, np.zeros((0, 2)), np.zeros(0), width_px=640, height_px=430)
    position, _ = valley.place(np.linspace(valley.start_arc_m, valley.finish_arc_m, 200))
    speed = np.linspace(10.0, 80.0, 200)
    lap = lap_picture(valley, position[:, [0, 2]], speed, caption="valley", width_px=640, height_px=430)
    assert lap.shape == bare.shape == (430, 640, 3)
    changed = (np.abs(lap.astype(int) - bare).max(axis=2) > 60).mean()
    assert 0.002 < changed < 0.05
