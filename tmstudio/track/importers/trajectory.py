"""Reading of TMRL reward trajectories: a pickled array of positions, read without running what a pickle may hold."""

from __future__ import annotations

import io
import pickle
import pickletools
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tmstudio.errors import TMStudioError

_MAX_FILE_BYTES = 64 * 2**20


# Everything else that a pickle can do is refused before it is read: opcodes of a few bytes can ask for gigabytes.
_OPCODES = frozenset({
    "PROTO", "FRAME", "STOP", "GLOBAL", "STACK_GLOBAL", "BINUNICODE", "SHORT_BINUNICODE", "BINGET", "LONG_BINGET",
    "BINPUT", "MEMOIZE", "BININT", "BININT1", "BININT2", "SHORT_BINBYTES", "BINBYTES", "BINBYTES8", "MARK",
    "EMPTY_TUPLE", "TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "REDUCE", "BUILD", "NEWTRUE", "NEWFALSE", "NONE",
})  # fmt: skip
_MAX_OPCODES = 200


class _Numbers:
    """Stands in for ``numpy.dtype``, whose own state would let a pickle change how memory is read."""

    def __init__(self, code: object, *_: object) -> None:
        if code not in ("f4", "f8"):
            raise pickle.UnpicklingError(f"its values are {code!r}, not float32 or float64")
        self.dtype = np.dtype(f"<{code}")

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        if state[1] != "<":
            raise pickle.UnpicklingError("its numbers are not little-endian")


class _Array:
    """Stands in for ``numpy.ndarray``; ``array`` is there once the state has been read."""

    array: NDArray[Any] | None = None

    def __init__(self, *_: object) -> None:
        pass

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        _, shape, numbers, by_columns, content = state
        if type(numbers) is not _Numbers or type(content) is not bytes:
            raise pickle.UnpicklingError("it holds no plain numbers")
        flat = np.frombuffer(content, numbers.dtype)
        self.array = flat.reshape(shape, order="F" if by_columns else "C")


_ALLOWED: dict[tuple[str, str], type] = {
    ("numpy", "ndarray"): _Array,
    ("numpy", "dtype"): _Numbers,
    ("numpy.core.multiarray", "_reconstruct"): _Array,
    ("numpy._core.multiarray", "_reconstruct"): _Array,
}


class _ArrayUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> type:
        try:
            return _ALLOWED[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}, which is not run") from None


def read_trajectory(path: Path) -> NDArray[np.float64]:
    """Read a TMRL ``reward.pkl`` as (N, 3) float64 positions x, y (up), z in metres.

    Raises:
        TMStudioError: the file is missing, too large, no pickle of one plain array, or holds no finite positions.
    """
    try:
        if path.stat().st_size > _MAX_FILE_BYTES:
            raise _unusable(path, f"it is larger than {_MAX_FILE_BYTES // 2**20} MiB")
        content = path.read_bytes()
        _check_opcodes(content)
        loaded = getattr(_ArrayUnpickler(io.BytesIO(content)).load(), "array", None)
    except TMStudioError:
        raise
    except Exception as error:  # A damaged or hostile pickle can raise nearly anything.
        raise _unusable(path, str(error) or type(error).__name__) from error
    if not isinstance(loaded, np.ndarray):
        raise _unusable(path, "it holds no array of numbers")
    if loaded.ndim != 2 or loaded.shape[1] != 3 or len(loaded) < 3:
        raise _unusable(path, f"its shape is {loaded.shape}, not (3 or more samples, 3)")
    if not np.isfinite(loaded).all():
        raise _unusable(path, "some positions are not finite numbers (NaN or infinite)")
    return np.asarray(loaded, np.float64)


def _check_opcodes(content: bytes) -> None:
    for count, (opcode, argument, _) in enumerate(pickletools.genops(content)):
        if opcode.name not in _OPCODES or count >= _MAX_OPCODES:
            raise pickle.UnpicklingError(f"a plain array needs no {opcode.name} (opcode {count})")
        if opcode.name == "GLOBAL" and tuple(str(argument).split(" ")) not in _ALLOWED:
            raise pickle.UnpicklingError(f"it asks for {argument}, which is not run")


def _unusable(path: Path, cause: str) -> TMStudioError:
    return TMStudioError(
        f"The trajectory {path.name} cannot be used.",
        cause=cause,
        hint="a trajectory is TMRL's reward.pkl: an array (samples, 3) of positions x, y, z in metres",
    )
