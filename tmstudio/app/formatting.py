"""How numbers are written: with unit, sensible digits, and a narrow space between thousands."""

from __future__ import annotations

import math

NOTHING = "–"
"""Shown where there is no value yet."""

_NARROW_SPACE = "\u202f"
"""Does not break at the end of a line."""
_MINUS = "\u2212"


def count(value: float | None) -> str:
    """A whole number: ``412 384``."""
    if value is None or not math.isfinite(value):
        return NOTHING
    return f"{round(value):,}".replace(",", _NARROW_SPACE).replace("-", _MINUS)


def short_count(value: float | None) -> str:
    """A large number in few digits: ``410 k``, ``2.4 M``."""
    if value is None or not math.isfinite(value):
        return NOTHING
    size = abs(value)
    if size < 10_000:
        return count(value)
    if size < 999_500:
        return f"{value / 1e3:.0f} k"
    return f"{value / 1e6:.1f} M" if size < 1e8 else f"{value / 1e6:.0f} M"


def decimal(value: float | None, digits: int, *, signed: bool = False) -> str:
    """A number with a fixed number of decimals, with a real minus sign."""
    if value is None or not math.isfinite(value):
        return NOTHING
    text = f"{value:+.{digits}f}" if signed else f"{value:.{digits}f}"
    if float(text) == 0:
        text = f"{0:.{digits}f}"
    return text.replace("-", _MINUS)


def compact(value: float | None) -> str:
    """Three significant digits, for losses and the like."""
    if value is None or not math.isfinite(value):
        return NOTHING
    size = abs(value)
    if size != 0 and (size < 1e-3 or size >= 1e5):
        return f"{value:.1e}".replace("-", _MINUS)
    digits = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3
    return decimal(value, digits)


def lap(seconds: float | None) -> str:
    """A lap time: ``36.90 s``, ``1:02.40``."""
    if seconds is None or not math.isfinite(seconds):
        return NOTHING
    if seconds < 60:
        return f"{seconds:.2f} s"
    hundredths = round(seconds * 100)
    return f"{hundredths // 6000}:{hundredths % 6000 / 100:05.2f}"


def lap_exact(seconds: float | None) -> str:
    """A lap time to the millisecond, as the game shows it: ``36.900 s``."""
    if seconds is None or not math.isfinite(seconds):
        return NOTHING
    thousandths = round(seconds * 1000)
    if thousandths < 60_000:
        return f"{thousandths / 1000:.3f} s"
    return f"{thousandths // 60_000}:{thousandths % 60_000 / 1000:06.3f}"


def clock(seconds: float | None) -> str:
    """Elapsed time: ``12:31``, ``1:02:09``."""
    if seconds is None or not math.isfinite(seconds):
        return NOTHING
    whole = max(0, int(seconds))
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60}:{rest % 60:02d}"


def age(seconds: float | None) -> str:
    """How long ago: ``14 ms``, ``3 s``, ``9 min``, ``2 h``."""
    if seconds is None or not math.isfinite(seconds):
        return NOTHING
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h" if seconds < 36 * 3600 else f"{seconds / 86400:.0f} days"


def percent(share: float | None) -> str:
    """A share of one: ``54 %``."""
    if share is None or not math.isfinite(share):
        return NOTHING
    return f"{share * 100:.0f} %"


def metres(value: float | None) -> str:
    """A length: ``2 160 m``."""
    return NOTHING if value is None or not math.isfinite(value) else f"{count(value)} m"


def plural(number: int, one: str, many: str = "") -> str:
    """``1 car``, ``16 cars``."""
    return f"{count(number)} {one if number == 1 else many or one + 's'}"
