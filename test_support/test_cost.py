"""A pytest plugin that prints the CPU seconds of tests and of their child processes: `make test-cost`."""

import os
from collections import defaultdict
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path, PurePosixPath

import pytest

FOLDER_DEPTH = 4
"""How many parts of a path name a group of tests."""
COSTLIEST = 40
_seconds: dict[str, float] = {}
"""The CPU seconds of each test, in the process that prints the table."""
_spent_before = 0.0
"""The CPU seconds of this process and those below it when the last test ended."""


def _spent() -> float:
    """Return the CPU seconds of this process and of all processes below it, which fork servers and browsers start."""
    if not (here := Path("/proc")).is_dir():
        return sum(os.times()[:4])
    times: dict[int, float] = {}
    below: defaultdict[int, list[int]] = defaultdict(list)
    for stat in here.glob("[0-9]*/stat"):
        with suppress(OSError):
            _, parent, *rest = stat.read_text().rpartition(")")[2].split()
            times[int(stat.parent.name)] = sum(map(int, rest[9:13])) / os.sysconf("SC_CLK_TCK")
            below[int(parent)].append(int(stat.parent.name))
    waiting = family = [os.getpid()]
    while waiting := [child for parent in waiting for child in below[parent]]:
        family = family + waiting
    return sum(times.get(number, 0.0) for number in family)


def pytest_collection_finish() -> None:
    global _spent_before  # noqa: PLW0603 - one look at all processes for each test
    _spent_before = _spent()


os.register_at_fork(after_in_child=pytest_collection_finish)  # a worker


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if call.when == "teardown":
        before = _spent_before
        pytest_collection_finish()
        report.user_properties.append(("cpu", max(0.0, _spent_before - before)))  # an ended browser is lost
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    for name, value in report.user_properties:
        if name == "cpu":
            _seconds[report.nodeid] = float(str(value))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    folders: defaultdict[str, list[float]] = defaultdict(list)
    for test, seconds in _seconds.items():
        file = PurePosixPath(test.partition("::")[0])
        folders["/".join(file.parent.parts[:FOLDER_DEPTH])].append(seconds)
    write = terminalreporter.write_line
    write(f"\nCPU seconds of {len(_seconds)} tests with their child processes: {sum(_seconds.values()):.0f}")
    for folder, costs in sorted(folders.items(), key=lambda row: -sum(row[1])):
        write(f"{sum(costs):8.1f} {len(costs):6} {folder}")
    for test, seconds in sorted(_seconds.items(), key=lambda row: -row[1])[:COSTLIEST]:
        write(f"{seconds:8.1f}        {test}")
