"""Work that would hold up the window, done elsewhere, with its result brought back to the window's thread."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal, Slot
from shiboken6 import isValid

from tmstudio.errors import TMStudioError


class _Task(QObject):
    """One piece of work and who waits for it. Lives in the window's thread; only `_Work` runs elsewhere."""

    _ended = Signal(object, object)

    def __init__(
        self,
        owner: QObject,
        work: Callable[[], Any],
        done: Callable[[Any], object],
        failed: Callable[[TMStudioError], object],
    ) -> None:
        super().__init__()
        self._owner = owner
        self._done = done
        self._failed = failed
        self._ended.connect(self._deliver)
        _WAITING.add(self)
        QThreadPool.globalInstance().start(_Work(work, self._ended.emit))

    @Slot(object, object)
    def _deliver(self, result: Any, error: BaseException | None) -> None:
        _WAITING.discard(self)
        if not isValid(self._owner):
            return  # nobody waits any more
        if error is None:
            self._done(result)
        elif isinstance(error, TMStudioError):
            self._failed(error)
        else:
            sys.excepthook(type(error), error, error.__traceback__)


class _Work(QRunnable):
    def __init__(self, work: Callable[[], Any], ended: Callable[[object, object], None]) -> None:
        super().__init__()
        self._work = work
        self._ended = ended

    def run(self) -> None:
        try:
            result = self._work()
        except Exception as error:  # noqa: BLE001 - brought to the window's thread, which decides
            self._ended(None, error)
        else:
            self._ended(result, None)


_WAITING: set[_Task] = set()


def in_background(
    owner: QObject,
    work: Callable[[], Any],
    done: Callable[[Any], object],
    failed: Callable[[TMStudioError], object],
) -> None:
    """Do ``work`` on another thread, then call ``done`` with its result on the window's thread.

    Args:
        owner: who waits; nothing is called once it is gone.
        work: touches no widget.
        done: takes what ``work`` returns.
        failed: takes the fault of the world or the user's mistake that ended ``work``; any other exception is a
            bug and goes where uncaught exceptions go.
    """
    _Task(owner, work, done, failed)


class Newest:
    """Work of which only what was asked last still matters, such as a preview that follows what is typed.

    Args:
        owner: who waits, as for `in_background`.
    """

    def __init__(self, owner: QObject) -> None:
        self._owner = owner
        self._asked = 0

    def forget(self) -> None:
        """Drop the results of all that was asked so far."""
        self._asked += 1

    def ask(
        self,
        work: Callable[[], Any],
        done: Callable[[Any], object],
        failed: Callable[[TMStudioError], object],
    ) -> None:
        """As `in_background`, in place of what was asked before."""
        self.forget()
        asked = self._asked

        def if_newest(take: Callable[[Any], object]) -> Callable[[Any], None]:
            def deliver(result: Any) -> None:
                if asked == self._asked:
                    take(result)

            return deliver

        in_background(self._owner, work, if_newest(done), if_newest(failed))


def finish_background() -> None:
    """Wait for all work, at the end of the program."""
    QThreadPool.globalInstance().waitForDone(5000)
