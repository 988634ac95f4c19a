"""Cards side by side whose shares of the width are fixed, whatever the cards themselves would like."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

_NARROW_PX = 1000
_GAP = 12


class CardRow(QWidget):
    """A row of cards. The first is as wide as the others with the gaps between them when the shares say so.

    Args:
        least_height: it is never lower than this.
        cards: from left to right.
        wide: their shares of the width; equal if empty.
        narrow: their shares where the row is narrow; as when it is wide if empty.
    """

    def __init__(
        self,
        least_height: int,
        cards: Sequence[QWidget],
        wide: Sequence[int] = (),
        narrow: Sequence[int] = (),
    ) -> None:
        super().__init__()
        self.setProperty("role", "scrolled")
        self.setMinimumHeight(least_height)
        self._wide = tuple(wide) or (1,) * len(cards)
        self._narrow = tuple(narrow) or self._wide
        self._outer = _row(self)
        rest = QWidget()
        self._inner = _row(rest)
        for position, card in enumerate(cards):
            card.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
            card.setMinimumWidth(60)
            (self._inner if position else self._outer).addWidget(card)
        rest.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        self._outer.addWidget(rest)
        self._share(self._wide)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share(self._narrow if self.width() < _NARROW_PX else self._wide)

    def _share(self, shares: tuple[int, ...]) -> None:
        self._outer.setStretch(0, shares[0])
        self._outer.setStretch(1, sum(shares[1:]))
        for position, share in enumerate(shares[1:]):
            self._inner.setStretch(position, share)


def _row(widget: QWidget) -> QHBoxLayout:
    row = QHBoxLayout(widget)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(_GAP)
    return row
