"""A pytest plugin that prints the CPU seconds of tests and of their child processes: `.ci/run test-cost`.

It fails the run if a folder costs more than `benchmarks/figures.toml` says, or a test is costly without a reason there.
`.ci/run test-cost WRITE=--write-costs` writes the costs of the folders of this run.
"""

import os
import re
import time
import timeit
import tomllib
from collections import defaultdict
from collections.abc import Generator, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any, Final

import psutil
import pytest

FILE: Final = Path(__file__).parents[1] / "benchmarks/figures.toml"
FOLDER_DEPTH = 4
"""How many parts of a path name a group of tests."""
COSTLIEST = 40
MOST: Final = 1.15
"""How many times its figure a folder may cost."""
NOISE_SECONDS: Final = 2.0
"""A folder may cost so much more than that, because the first test in a browser or with a bot starts it."""
LONG_SECONDS: Final = 10.0
"""A test that costs more needs a reason."""
_wrong: list[str] = []
_seconds: dict[str, float] = {}
"""The CPU seconds of each test, in the process that prints the table."""
_starting: set[str] = set()
"""The tests that started what later tests use as well, a browser or the server that forks bots."""
_before: tuple[float, set[int]] = (0.0, set())
"""The CPU seconds of this process and those below it when the last test ended, and its children."""


def _spent() -> tuple[float, set[int]]:
    """Return the CPU seconds of this process and of all below it, as fork servers and browsers are; its children."""
    here, spent = psutil.Process(), 0.0
    for process in (here, *here.children(recursive=True)):
        with suppress(psutil.Error):
            spent += sum(process.cpu_times()[:4])  # its own, and those of its ended children
    return spent, {child.pid for child in here.children()}


def pytest_collection_finish() -> None:
    global _before  # noqa: PLW0603 - one look at all processes for each test
    _before = _spent()


def pytest_configure() -> None:
    os.register_at_fork(after_in_child=pytest_collection_finish)  # a worker begins with none


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if call.when == "teardown":
        before, children = _before
        pytest_collection_finish()
        spent, lasting = _before
        cpu = max(0.0, spent - before), bool(lasting - children)  # an ended browser is lost
        report.user_properties.append(("cpu", cpu))
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if cpu := dict[str, Any](report.user_properties).get("cpu"):
        _seconds[report.nodeid], starts = cpu
        _starting.update({report.nodeid} if starts else ())


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-costs", action="store_true", help=f"write the CPU seconds of each folder to {FILE.name}")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    unit = _unit()
    if session.config.option.write_costs:
        FILE.write_text(written(FILE.read_text("utf-8"), folders(_seconds), unit), "utf-8")
    figures = tomllib.loads(FILE.read_text("utf-8"))["tests"]
    _wrong.extend(too_costly(_seconds, figures, unit / figures["unit"]))
    if _wrong and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _unit() -> float:
    """Return the CPU seconds of one computation on this machine, whose speed the costs depend on."""
    statement = 'loads(dumps({"quantity": 12345, "faces": [3] * 9}))'
    return min(timeit.repeat(statement, "from json import dumps, loads", time.process_time, number=20_000))


def folders(seconds: Mapping[str, float]) -> dict[str, list[float]]:
    found: defaultdict[str, list[float]] = defaultdict(list)
    for test, cost in seconds.items():
        file = PurePosixPath(test.partition("::")[0])
        found["/".join(file.parent.parts[:FOLDER_DEPTH])].append(cost)
    return dict(sorted(found.items(), key=lambda row: -sum(row[1])))


def too_costly(seconds: Mapping[str, float], figures: Mapping[str, Any], slowness: float) -> list[str]:
    """Return sentences on the folders and tests that cost too much, on a machine that takes so many times as long."""
    wrong = []
    for folder, costs in folders(seconds).items():
        figure = figures["folders"].get(folder)
        if figure is None:
            wrong.append(f"{folder} has no figure in {FILE.name}")
        elif sum(costs) > figure * slowness * MOST + NOISE_SECONDS:
            wrong.append(
                f"{folder} cost {sum(costs):.0f} CPU seconds; its figure for this machine: {figure * slowness:.0f}"
            )
    long = {test: cost for test, cost in seconds.items() if cost > LONG_SECONDS * slowness and test not in _starting}
    return wrong + [
        f"{test} cost {cost:.0f} CPU seconds, and {FILE.name} has no reason for it"
        for test, cost in long.items()
        if not any(test.startswith(known) for known in figures["long"])
    ]


def written(text: str, found: Mapping[str, list[float]], unit: float) -> str:
    kept = tomllib.loads(text)["tests"]
    # Two processes of pytest write, each the folders of its own tests.
    costs = {folder: cost * unit / kept["unit"] for folder, cost in kept["folders"].items()}
    costs |= {folder: sum(each) for folder, each in found.items()}
    lines = "".join(f'"{folder}" = {cost:.0f}\n' for folder, cost in sorted(costs.items()))
    text = re.sub(r"(?m)^unit = .*", f"unit = {unit:.4f}", text)
    return re.sub(r'(\[tests\.folders\]\n)(?:".*\n)*', lambda found: found[1] + lines, text)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    write = terminalreporter.write_line
    write(f"\nCPU seconds of {len(_seconds)} tests with their child processes: {sum(_seconds.values()):.0f}")
    for folder, costs in folders(_seconds).items():
        write(f"{sum(costs):8.1f} {len(costs):6} {folder}")
    for test, seconds in sorted(_seconds.items(), key=lambda row: -row[1])[:COSTLIEST]:
        write(f"{seconds:8.1f}        {test}")
    for line in _wrong:
        write(line, red=True)
