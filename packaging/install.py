"""Installs TMStudio and what it needs into .venv, at pinned versions, with one line of progress a stage.

Only the standard library, and only syntax that an old Python reads, so that it can say that it is too old.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
STAMP = ENVIRONMENT / "tmstudio-install.json"
LOG = ENVIRONMENT / "install.log"
CONSTRAINTS = ROOT / "packaging" / "constraints.txt"
PYPROJECT = ROOT / "pyproject.toml"

OLDEST_PYTHON = (3, 11)
NEWEST_PYTHON = (3, 13)

TORCH_CPU_INDEX = "https://download.pytorch.org/whl/cpu"
TORCH_CUDA_INDEX = (
    "https://download.pytorch.org/whl/cu130"  # only Windows needs it: its default is the CPU build
)

# What PySide6's wheels take from the system, for its offscreen, X11 and OpenGL parts.
QT_PACKAGES = (
    "libglib2.0-0",
    "libgl1",
    "libegl1",
    "libfontconfig1",
    "libxkbcommon0",
    "libdbus-1-3",
    "libgssapi-krb5-2",
    "libxkbcommon-x11-0",
    "libxcb-cursor0",
    "libxcb-icccm4",
    "libxcb-keysyms1",
    "libxcb-shape0",
)
# What the tests need to open real windows on a display of their own, and to click and photograph them.
TEST_PACKAGES = ("xvfb", "xauth", "xdotool", "imagemagick")

HINTS = (
    (r"No module named pip|requires a different Python", "delete the folder .venv and start again"),
    (r"No space left on device", "free some disk space: the environment takes about 2 GB"),
    (
        r"name resolution|NewConnectionError|ConnectTimeout|ReadTimeout|ProxyError|Network is unreachable",
        "check the connection to the internet (and the proxy settings), then start again: it goes on where it stopped",
    ),
    (
        r"No matching distribution found|Could not find a version",
        "this Python or this system has no ready package of that version; Python 3.11 on 64-bit Linux or Windows has all",
    ),
    (
        r"Permission denied|Access is denied",
        "check that you may write to this folder and that no TMStudio still runs",
    ),
    (
        r"Unable to locate package",
        "this system names the package differently: install it by hand, then start again",
    ),
)


class SetupError(Exception):
    """Something that stops the work and that the person can do something about."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def environment_python(environment: Path = ENVIRONMENT) -> Path:
    """Path of the interpreter inside a virtual environment."""
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def check_python(version: Sequence[int]) -> None:
    """Raise SetupError unless ``version``, major and minor, is a Python that TMStudio runs on."""
    if OLDEST_PYTHON <= tuple(version) <= NEWEST_PYTHON:
        return
    found = ".".join(str(number) for number in version)
    bounds = "Python {}.{} to {}.{}".format(*OLDEST_PYTHON, *NEWEST_PYTHON)
    fitting = fitting_pythons()
    if fitting:
        hint = f"this machine has one: {fitting[0]} packaging/dev.py {' '.join(sys.argv[1:])}".rstrip()
    else:
        hint = f"install one of them, then start this with it: python3.{NEWEST_PYTHON[1]} packaging/dev.py"
    raise SetupError(f"TMStudio needs {bounds}; this is Python {found}.", hint)


def fitting_pythons() -> list[str]:
    """Names of interpreters on this machine that start and that TMStudio runs on, the newest first."""
    minors = range(NEWEST_PYTHON[1], OLDEST_PYTHON[1] - 1, -1)
    return [name for name in (f"python3.{minor}" for minor in minors) if starts(name)]


def starts(command: str) -> bool:
    """Whether an interpreter is there and works; a version manager's placeholder for another version does not."""
    return (
        bool(shutil.which(command)) and subprocess.call([command, "-c", ""], stderr=subprocess.DEVNULL) == 0
    )


@dataclass(frozen=True)
class Wanted:
    """What an environment shall hold."""

    tests: bool
    gpu: bool


@dataclass(frozen=True)
class Installed:
    """What the stamp says an environment holds; ``fingerprint`` is of all that it was made from."""

    fingerprint: str
    tests: bool
    gpu: bool

    def covers(self, wanted: Wanted, fingerprint: str) -> bool:
        """Whether nothing needs to be installed. A GPU build serves as well where none was asked for."""
        return (
            self.fingerprint == fingerprint
            and (self.tests or not wanted.tests)
            and (self.gpu or not wanted.gpu)
        )


NOTHING = Installed(fingerprint="", tests=False, gpu=False)


def read_stamp(path: Path = STAMP) -> Installed:
    """What was installed last, ``NOTHING`` where the stamp is missing, unreadable or of another shape."""
    try:
        return Installed(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return NOTHING


def write_stamp(installed: Installed, path: Path = STAMP) -> None:
    """Remember that an installation is complete."""
    path.write_text(json.dumps(vars(installed)) + "\n", encoding="utf-8")


def fingerprint(environment: Path = ENVIRONMENT, sources: Iterable[Path] = (CONSTRAINTS, PYPROJECT)) -> str:
    """Hash of everything that decides what is installed: pins, dependencies, system packages and the Python."""
    digest = hashlib.sha256(repr((QT_PACKAGES, TEST_PACKAGES)).encode())
    for source in (*sources, environment / "pyvenv.cfg"):
        digest.update(source.read_bytes() if source.is_file() else b"-")
    return digest.hexdigest()


def prepare(wanted: Wanted) -> None:
    """Make .venv hold what is wanted; returns at once where it does already."""
    python = environment_python()
    before = read_stamp()
    if python.is_file() and before.covers(wanted, fingerprint()):
        return
    wanted = Wanted(tests=wanted.tests or before.tests, gpu=wanted.gpu or before.gpu)
    if not python.is_file():
        check_python(sys.version_info[:2])
        shutil.rmtree(ENVIRONMENT, ignore_errors=True)  # what an interrupted start left
    ENVIRONMENT.mkdir(exist_ok=True)
    print("Preparing TMStudio in .venv: a minute or two and about 2 GB the first time.", flush=True)
    stages = Stages(LOG)
    install_system_packages(stages, wanted)
    if not python.is_file():
        stages.run(
            "Virtual environment", [sys.executable, "-m", "venv", "--prompt", "tmstudio", str(ENVIRONMENT)]
        )
    STAMP.unlink(missing_ok=True)
    install_python_packages(stages, wanted)
    write_stamp(Installed(fingerprint=fingerprint(), tests=wanted.tests, gpu=wanted.gpu))
    print(f"Ready after {stages.elapsed_s:.0f} s.\n", flush=True)


def install_python_packages(stages: Stages, wanted: Wanted) -> None:
    """Install PyTorch, then everything else and TMStudio itself from this checkout."""
    pip = [str(environment_python()), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
    pinned = [*pip, "-c", str(CONSTRAINTS)]
    stages.run("Build tools", [*pinned, "hatchling", "editables"])
    install_torch(stages, pip, torch_pin(CONSTRAINTS.read_text(encoding="utf-8")), gpu=wanted.gpu)
    project = ".[test]" if wanted.tests else "."
    stages.run("Python packages", [*pinned, "--no-build-isolation", "-e", project])


def torch_pin(constraints: str) -> str:
    """The version of PyTorch that a constraints file asks for."""
    found = re.search(r"^torch==(\S+)$", constraints, re.MULTILINE)
    if found is None:
        raise SetupError(
            "packaging/constraints.txt pins no version of torch.", "restore the file from the repository"
        )
    return found.group(1)


def torch_attempts(version: str, *, gpu: bool, platform: str) -> list[list[str]]:
    """Arguments of ``pip install`` that get the wanted build of PyTorch, to be tried in this order.

    PyPI's Linux wheels are CUDA builds of several gigabytes, its Windows wheels are CPU builds, and macOS has one build.
    ``===`` takes exactly that build, so that a CPU build that is there already is not kept where CUDA is asked for.
    """
    if gpu and platform == "win32":
        return [["--index-url", TORCH_CUDA_INDEX, f"torch=={version}"]]
    if gpu or not platform.startswith("linux"):
        return [[f"torch==={version}"]]
    cpu_build = f"torch=={version}+cpu"
    quick = ["--retries", "1", "--timeout", "20"]
    return [[cpu_build], [*quick, "--index-url", TORCH_CPU_INDEX, cpu_build]]


def install_torch(stages: Stages, pip: list[str], version: str, *, gpu: bool) -> None:
    """Install the wanted build of PyTorch from the first place that has it."""
    first, *others = torch_attempts(version, gpu=gpu, platform=sys.platform)
    title = f"PyTorch {version}, {'CUDA' if gpu else 'CPU'} build"
    try:
        if not others:
            stages.run(title, [*pip, "--no-deps", *first])
        elif not stages.attempt(title, [*pip, "--no-deps", *first]):
            stages.run(f"{title}, from PyTorch's own index", [*pip, "--no-deps", *others[0]])
    except SetupError as error:
        if not others:
            raise
        raise SetupError(
            f"No CPU build of PyTorch {version} was found for this Python.",
            "check the connection, or add --gpu to install the CUDA build of several gigabytes instead",
        ) from error


def install_system_packages(stages: Stages, wanted: Wanted) -> None:
    """On Debian and its kin: install what Python and Qt need of the system, or say how.

    Other systems are left alone: Windows and macOS bring all of it, and of other Linux systems the names differ.
    """
    if not (sys.platform.startswith("linux") and shutil.which("dpkg-query") and shutil.which("apt-get")):
        return
    present = debian_packages()
    missing = [name for name in (*venv_packages(), *QT_PACKAGES) if name not in present]
    missing_for_tests = [name for name in TEST_PACKAGES if wanted.tests and name not in present]
    everything = [*missing, *missing_for_tests]
    if not everything:
        return
    if os.geteuid() != 0:
        command = f"sudo apt-get install --no-install-recommends {' '.join(everything)}"
        if missing:
            raise SetupError(
                "Some system packages are missing.", f"run this once, then start again:\n  {command}"
            )
        print(
            f"  Tests with real windows will be skipped. To run them too, install once:\n  {command}",
            flush=True,
        )
        return
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    stages.run("System package lists", ["apt-get", "update"], environment)
    stages.run(
        f"System packages ({len(everything)})",
        ["apt-get", "install", "--yes", "--no-install-recommends", *everything],
        environment,
    )


def debian_packages() -> set[str]:
    """Names of the installed Debian packages and of what they provide."""
    query = ["dpkg-query", "--show", "--showformat", r"${db:Status-Status}\t${Package}\t${Provides}\n"]
    listing = subprocess.run(query, capture_output=True, text=True, check=False).stdout
    return parse_debian_packages(listing)


def parse_debian_packages(listing: str) -> set[str]:
    """Names in lines of status, package and comma-separated provided names (some with versions), by tabs."""
    names: set[str] = set()
    for line in listing.splitlines():
        status, package, provides = line.split("\t")
        if status == "installed":
            names.add(package)
            names.update(provided.split(" ")[0] for provided in provides.split(", ") if provided)
    return names


def venv_packages() -> list[str]:
    """The Debian package that this Python lacks to make virtual environments; none where it can."""
    if environment_python().is_file() or importlib.util.find_spec("ensurepip") is not None:
        return []
    return ["python{}.{}-venv".format(*sys.version_info[:2])]


class Stages:
    """Runs commands one after another, prints one line with the time for each, and logs all that they say."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._log.write_bytes(b"")
        self._started = time.monotonic()
        self._shows_time = sys.stdout.isatty()

    @property
    def elapsed_s(self) -> float:
        """Seconds since the first stage."""
        return time.monotonic() - self._started

    def run(self, title: str, command: list[str], environment: dict[str, str] | None = None) -> None:
        """Run a command; where it fails, raise SetupError with its last lines and a hint."""
        said = self._run(title, command, environment)
        if said is None:
            return
        print("\n".join(f"    {line}" for line in said.splitlines()[-12:]), file=sys.stderr, flush=True)
        raise SetupError(f"{title}: the command failed.", f"{hint_for(said)} (all output: {self._log})")

    def attempt(self, title: str, command: list[str]) -> bool:
        """Run a command that may fail; whether it went well."""
        return self._run(title, command, None) is None

    def _run(self, title: str, command: list[str], environment: dict[str, str] | None) -> str | None:
        """Run a command. Returns None where it went well, otherwise what it said."""
        started = time.monotonic()
        print(f"  {title} ...", end="", flush=True)
        with self._log.open("ab") as log:
            log.write(f"\n$ {' '.join(command)}\n".encode())
            log.flush()
            offset = log.tell()
            code = self._wait(title, started, command, log, environment)
        took = f"{time.monotonic() - started:.0f} s"
        lead = f"\r  {title} ..." if self._shows_time else ""
        print(f"{lead} {took}" if code == 0 else f"{lead} failed after {took}", flush=True)
        return None if code == 0 else self._log.read_bytes()[offset:].decode(errors="replace")

    def _wait(
        self,
        title: str,
        started: float,
        command: list[str],
        log: BinaryIO,
        environment: dict[str, str] | None,
    ) -> int:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=ROOT, env=environment
        )
        try:
            while True:
                try:
                    return process.wait(timeout=1.0)
                except subprocess.TimeoutExpired:
                    if self._shows_time:
                        print(f"\r  {title} ... {time.monotonic() - started:.0f} s", end="", flush=True)
        finally:
            if process.poll() is None:  # interrupted
                process.kill()
                process.wait()


def hint_for(output: str) -> str:
    """The next thing to try, from what a failed command said."""
    for pattern, hint in HINTS:
        if re.search(pattern, output):
            return hint
    return "read the lines above; start again to go on from here"
