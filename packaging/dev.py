"""Install, try, check and measure TMStudio with one command each.

    python packaging/dev.py run      install what is missing and open TMStudio
    python packaging/dev.py test     install what is missing and run every check
    python packaging/dev.py bench    measure speed and print one table

Needs nothing but Python 3.11 to 3.13. Everything is installed into the folder .venv of this checkout, at the
versions in packaging/constraints.txt; a second start finds it there and loses no time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from install import ROOT, SetupError, Wanted, environment_python, prepare

PICTURE = Path("out") / "quickstart.png"


def has_display(environment: dict[str, str], platform: str) -> bool:
    """Whether a window can be opened."""
    if not platform.startswith("linux"):
        return True
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def program_arguments(extra: list[str], *, display: bool) -> list[str]:
    """Arguments of ``tmstudio`` for ``run``: the studio, or without a display the quick-start and its picture.

    What follows ``--`` is added; where it begins with a command it is run instead.
    """
    if display or (extra and not extra[0].startswith("-")):
        return extra
    return ["train", "--preset", "quickstart", "--picture", str(PICTURE), *extra]


def command_run(arguments: argparse.Namespace) -> int:
    """Open TMStudio, or without a display train the quick-start."""
    prepare(Wanted(tests=False, gpu=arguments.gpu))
    words = program_arguments(arguments.extra, display=has_display(dict(os.environ), sys.platform))
    if words[:1] == ["train"]:
        print("There is no display here, so this trains the quick-start without a window.", flush=True)
        (ROOT / PICTURE).parent.mkdir(exist_ok=True)
    command = [str(environment_python()), "-m", "tmstudio", *words]
    return replace_by(command)


def replace_by(command: list[str]) -> int:
    """Become another program, so that signals and exit code are its own."""
    os.chdir(ROOT)
    if os.name != "nt":  # where exec returns to the shell at once
        os.execv(command[0], command)
    return subprocess.call(command)


def checks() -> list[tuple[str, list[str]]]:
    """The checks before the tests: what each is called and its command."""
    python = str(environment_python())
    lint_imports = environment_python().with_name("lint-imports" + (".exe" if os.name == "nt" else ""))
    return [
        ("Style", [python, "-m", "ruff", "check", "--output-format", "concise"]),
        ("Format", [python, "-m", "ruff", "format", "--check", "--output-format", "concise"]),
        ("Types", [python, "-m", "mypy"]),
        ("Imports", [str(lint_imports), "--no-logo"]),
    ]


def command_test(arguments: argparse.Namespace) -> int:
    """Run every check, the tests last; a failed check does not keep the others from running."""
    prepare(Wanted(tests=True, gpu=arguments.gpu))
    failed = []
    for title, command in checks():
        started = time.monotonic()
        print(f"{title} ...", end="", flush=True)
        done = subprocess.run(
            command,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            text=True,
            encoding="utf-8",
        )
        took = f"{time.monotonic() - started:.1f} s"
        print(f" ok, {took}" if done.returncode == 0 else f" FAILED, {took}\n{done.stdout}", flush=True)
        if done.returncode != 0:
            failed.append(title.lower())
    # The tests' summary repeats what failed before them: their own closing line shall be the last.
    environment = {**os.environ, "TMSTUDIO_FAILED_CHECKS": ", ".join(failed)}
    tests = [str(environment_python()), "-m", "pytest", *arguments.extra]
    code = subprocess.call(tests, cwd=ROOT, env=environment)
    return code or int(bool(failed))


BENCH_SCRIPT = "import json, runpy, sys; print(json.dumps(runpy.run_path(sys.argv[1])['main']()))"


def command_bench(arguments: argparse.Namespace) -> int:
    """Run the benchmarks, each alone in a process of its own, and print one table."""
    prepare(Wanted(tests=True, gpu=arguments.gpu))
    rows: list[tuple[str, ...]] = []
    failed = False
    for path in benchmarks(ROOT / "tests" / "bench", arguments.names):
        print(f"{path.stem} ...", end="", flush=True)
        started = time.monotonic()
        done = subprocess.run(
            [str(environment_python()), "-c", BENCH_SCRIPT, str(path)],
            cwd=ROOT,
            env=bench_environment(dict(os.environ)),
            stdout=subprocess.PIPE,
            check=False,
            text=True,
            encoding="utf-8",
        )
        print(f" {time.monotonic() - started:.0f} s", flush=True)
        if done.returncode == 0:
            rows += [tuple(row) for row in json.loads(done.stdout.splitlines()[-1])]
        else:
            failed = True
            print(done.stdout)
            rows.append((path.stem, "failed", ""))
    print("\n" + table([("what", "measured", "asked"), *rows]))
    return int(failed)


def benchmarks(folder: Path, names: Sequence[str]) -> list[Path]:
    """The benchmark files in a folder, or those with these names (``simulator`` is ``bench_simulator.py``)."""
    found = sorted(folder.glob("bench_*.py"))
    by_name = {path.stem[len("bench_") :]: path for path in found}
    unknown = [name for name in names if name not in by_name]
    if unknown:
        raise SetupError(f"There is no benchmark {unknown[0]!r}.", f"there are: {', '.join(by_name)}")
    return [by_name[name] for name in names] or found


def bench_environment(environment: dict[str, str]) -> dict[str, str]:
    """One thread for each library, so that figures compare, and no window unless a benchmark opens one itself."""
    single = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {"QT_QPA_PLATFORM": "offscreen", **environment, **single, "OMP_WAIT_POLICY": "PASSIVE"}


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows as text with aligned columns, the first row as a heading."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    rule = "  ".join("-" * width for width in widths)
    return "\n".join([lines[0], rule, *lines[1:]])


def split_extra(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """The arguments before and after the first ``--``."""
    words = list(argv)
    if "--" not in words:
        return words, []
    at = words.index("--")
    return words[:at], words[at + 1 :]


def parser() -> argparse.ArgumentParser:
    """The command line."""
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument(
        "--gpu", action="store_true", help="install the CUDA build of PyTorch (several gigabytes)"
    )
    top = argparse.ArgumentParser(
        prog="dev.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = top.add_subparsers(metavar="COMMAND", required=True)

    def add(name: str, action: object, text: str, after: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, parents=[common], help=text, description=f"{text}.", epilog=after)
        command.set_defaults(action=action)
        return command

    add(
        "run",
        command_run,
        "Install what is missing and open TMStudio; without a display, train the quick-start",
        "What follows '--' goes to tmstudio: 'dev.py run -- --seed 3', 'dev.py run -- runs --help'.",
    )
    add(
        "test",
        command_test,
        "Install what is missing and run style, format, type and import checks and all tests",
        "What follows '--' goes to pytest: 'dev.py test -- tests/env -k reward'.",
    )
    bench = add(
        "bench", command_bench, "Run the benchmarks and print one table", "Close other programs first."
    )
    bench.add_argument("names", nargs="*", metavar="NAME", help="only these, as in tests/bench/bench_NAME.py")
    return top


def main(argv: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    own, extra = split_extra(argv)
    arguments = parser().parse_args(own)
    arguments.extra = extra
    try:
        return int(arguments.action(arguments))
    except SetupError as error:
        print(f"\n{error.message}" + (f"\nTry: {error.hint}" if error.hint else ""), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. Start again to go on.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
