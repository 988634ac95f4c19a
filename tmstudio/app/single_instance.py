"""One studio for each user: a second start raises the window of the first and ends."""

from __future__ import annotations

import getpass
import hashlib

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from tmstudio.config import folders

_RAISE = b"tmstudio 1 raise\n"
_ANSWER = b"tmstudio 1 raised\n"
_PATIENCE_MS = 1000


def server_name() -> str:
    """The name of this user's studio; one for each place where a studio keeps its things."""
    place = f"{getpass.getuser()}\n{folders.settings_file()}"
    return f"tmstudio-{hashlib.sha256(place.encode()).hexdigest()[:16]}"


def raise_running_studio() -> bool:
    """Ask the studio that runs already to show its window; whether there is one that answered."""
    socket = QLocalSocket()
    socket.connectToServer(server_name())
    if not socket.waitForConnected(_PATIENCE_MS):
        return False
    socket.write(_RAISE)
    socket.waitForBytesWritten(_PATIENCE_MS)
    answered = socket.waitForReadyRead(_PATIENCE_MS) and bytes(socket.readAll().data()) == _ANSWER
    socket.disconnectFromServer()
    return answered


class RaiseServer(QObject):
    """The first studio's end: signals `wanted` when another start asks for the window."""

    wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._accept)

    def listen(self) -> bool:
        """Begin to answer; False where the system refuses, which only costs the raising."""
        QLocalServer.removeServer(server_name())  # left behind by a crash: a living one has answered before
        return self._server.listen(server_name())

    def close(self) -> None:
        """Answer no more."""
        self._server.close()

    def _accept(self) -> None:
        socket = self._server.nextPendingConnection()
        if socket is None:
            return
        socket.readyRead.connect(lambda: self._answer(socket))
        socket.disconnected.connect(socket.deleteLater)

    def _answer(self, socket: QLocalSocket) -> None:
        if bytes(socket.readAll().data()) == _RAISE:
            socket.write(_ANSWER)
            socket.flush()
            self.wanted.emit()
