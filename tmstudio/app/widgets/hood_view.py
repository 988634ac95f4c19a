"""The driver's view with the LIDAR beams painted over it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QImage, QPainter, QPainterPath, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from tmstudio.app.theme import DARK, font, tokens

WIDTH_PX, HEIGHT_PX = 958, 488
ORIGIN_PX = (WIDTH_PX // 2, 44 * HEIGHT_PX // 49)
"""Column and row where the beams begin, as screen LIDAR has it."""

_RADIUS = 10.0
_DOT = 4


class HoodView(QWidget):
    """A frame of 958 x 488 pixels, scaled to the room there is, with beams and a label.

    The picture is of a world with its own colours, so label and beams look the same in both themes.
    """

    def __init__(self, empty_text: str = "The driver's view appears here once a car drives.") -> None:
        super().__init__()
        self._empty_text = empty_text
        self._pixels: NDArray[np.uint8] | None = None
        self._image: QImage | None = None
        self._beams: list[QLineF] = []
        self._label = ""
        self._label_cache: QPixmap | None = None
        self._dot: QPixmap | None = None
        self._faded = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Hood view")

    def show_frame(self, frame: NDArray[np.uint8], beam_ends_px: NDArray[np.floating] | None = None) -> None:
        """Show a new frame.

        Args:
            frame: (488, 958, 4) uint8, BGR and an unused byte: three times as quick to paint as three bytes.
                It must not change afterwards.
            beam_ends_px: (19, 2) column and row where each beam ends, or None for no beams.
        """
        self._pixels = np.ascontiguousarray(frame)  # QImage borrows the memory
        height, width = frame.shape[:2]
        self._image = QImage(self._pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32)
        column, row = ORIGIN_PX
        ends = () if beam_ends_px is None else beam_ends_px
        self._beams = [QLineF(column, row, float(x), float(y)) for x, y in ends]
        self.update()

    def show_label(self, text: str) -> None:
        """Set the text in the corner; none where it is empty."""
        if text != self._label:
            self._label = text
            self._label_cache = None
            self.setAccessibleDescription(text)
            self.update()

    def set_faded(self, faded: bool) -> None:
        """Dim the picture, where it is no longer what happens now."""
        if faded != self._faded:
            self._faded = faded
            self.update()

    def clear(self) -> None:
        """Show no picture."""
        self._pixels = self._image = None
        self._beams = []
        self._label = ""
        self.update()

    def has_frame(self) -> bool:
        """Whether there is a picture."""
        return self._image is not None

    def sizeHint(self) -> QSize:
        return QSize(WIDTH_PX * 5 // 8, HEIGHT_PX * 5 // 8)

    def minimumSizeHint(self) -> QSize:
        return QSize(WIDTH_PX // 4, HEIGHT_PX // 4)

    def paintEvent(self, event: QPaintEvent) -> None:
        colors = tokens()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            outline = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            if self._image is None:
                painter.setPen(QPen(colors.color("line"), 1))
                painter.setBrush(colors.color("panel"))
                painter.drawRoundedRect(outline, _RADIUS, _RADIUS)
                painter.setPen(colors.color("muted"))
                painter.setFont(font(13))
                painter.drawText(
                    outline.adjusted(24, 0, -24, 0),
                    Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap,
                    self._empty_text,
                )
                return
            target = self._target()
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(target, self._image)
            self._paint_beams(painter, target)
            if self._faded:
                painter.fillRect(outline, colors.color("ground", 0.55))
            self._paint_corners(painter, outline)
            if self._label:
                painter.drawPixmap(10, 10, self._label_picture())

    def _paint_corners(self, painter: QPainter, outline: QRectF) -> None:
        """Round the corners by painting over them: a rounded clip would cost more than all the rest."""
        colors = tokens()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colors.color("ground"))
        for corner, turn in (
            (outline.topLeft(), 0),
            (outline.topRight(), 90),
            (outline.bottomRight(), 180),
            (outline.bottomLeft(), 270),
        ):
            painter.save()
            painter.translate(corner)
            painter.rotate(turn)
            painter.drawPath(_corner())
            painter.restore()
        painter.setPen(QPen(colors.color("line"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(outline, _RADIUS, _RADIUS)

    def _target(self) -> QRectF:
        """Where the frame lies: it fills the widget and is cut evenly where the shapes differ."""
        scale = max(self.width() / WIDTH_PX, self.height() / HEIGHT_PX)
        width, height = WIDTH_PX * scale, HEIGHT_PX * scale
        return QRectF((self.width() - width) / 2, (self.height() - height) / 2, width, height)

    def _paint_beams(self, painter: QPainter, target: QRectF) -> None:
        if not self._beams:
            return
        scale = target.width() / WIDTH_PX

        def place(point: QPointF) -> QPointF:
            return QPointF(target.left() + point.x() * scale, target.top() + point.y() * scale)

        beams = [QLineF(place(beam.p1()), place(beam.p2())) for beam in self._beams]
        painter.setPen(QPen(DARK.color("accent"), 1))
        painter.drawLines(beams)
        dot = self._dot_picture()
        for beam in beams:
            painter.drawPixmap(beam.p2() - QPointF(_DOT, _DOT), dot)

    def _dot_picture(self) -> QPixmap:
        """The end of a beam, painted once."""
        if self._dot is None or self._dot.devicePixelRatio() != self.devicePixelRatioF():
            self._dot = self._blank(2 * _DOT, 2 * _DOT)
            with QPainter(self._dot) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setPen(QPen(DARK.color("ground"), 1))
                painter.setBrush(DARK.color("text"))
                painter.drawEllipse(QPointF(_DOT, _DOT), 2.8, 2.8)
        return self._dot

    def _label_picture(self) -> QPixmap:
        """The label, painted once for each text."""
        if self._label_cache is None:
            metrics = QFontMetrics(font(11, 500))
            size = metrics.size(0, self._label)
            picture = self._blank(size.width() + 16, size.height() + 8)
            with QPainter(picture) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setFont(font(11, 500))
                box = QRectF(0, 0, size.width() + 16, size.height() + 8)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(DARK.color("ground", 0.78))
                painter.drawRoundedRect(box, 5, 5)
                painter.setPen(DARK.color("text"))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._label)
            self._label_cache = picture
        return self._label_cache

    def _blank(self, width: int, height: int) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(round(width * ratio), round(height * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        return picture


def _corner() -> QPainterPath:
    """What a rounded corner at the top left leaves out."""
    path = QPainterPath(QPointF(-1, -1))
    path.lineTo(_RADIUS, -1)
    path.lineTo(_RADIUS, 0)
    path.arcTo(0, 0, 2 * _RADIUS, 2 * _RADIUS, 90, 90)
    path.lineTo(-1, _RADIUS)
    path.closeSubpath()
    return path
