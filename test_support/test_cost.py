"""A pytest plugin that prints the CPU seconds of tests and of their child processes: `make test-cost`."""

import os
from collections import defaultdict
from collections.abc import Generator
from pathlib import PurePosixPath

import pytest

FOLDER_DEPTH = 4
"""How many parts of a path name a group of tests."""
COSTLIEST = 40
_seconds: dict[str, float] = {}
"""The CPU seconds of each test, in the process that prints the table."""
_STARTED = pytest.StashKey[float]()


def _spent() -> float:
    """Return the CPU seconds of this process and of its ended children."""
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    item.stash[_STARTED] = _spent()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if call.when == "teardown":
        report.user_properties.append(("cpu", _spent() - item.stash[_STARTED]))
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
