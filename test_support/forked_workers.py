"""A pytest plugin: workers that are forked after collection (`-p test_support.forked_workers --workers 4`).

A worker of pytest-xdist is a new interpreter, which imports the bot and collects all tests again: 14 CPU seconds and
200 MB each. A forked one has both from the start. Session fixtures are made in each worker, after the fork. The tests
of an `xdist_group` have one worker. A failure is printed when it happens, and the names of the running tests after
some seconds without a result. The test during which a worker dies has failed, and another worker goes on.
"""

import multiprocessing
import os
import signal
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from tempfile import TemporaryFile
from types import SimpleNamespace
from typing import Any, Final

import pytest

LOOK_SECONDS: Final = 1.0
"""How often the main process looks for a dead worker whose child still has its end of the connection."""
SILENT_SECONDS: Final = 25.0
"""How long the main process prints nothing while tests run."""
ENDING_SECONDS: Final = 30.0
"""How long a worker that is interrupted may take to end its session fixtures."""
IN_HAND: Final = 2
"""A worker knows its next test as well: fixtures that this one does not need end with the test that runs."""

_fork: Final = multiprocessing.get_context("fork")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--workers", type=int, default=0, help="run the tests in so many workers, forked after collection")


def pytest_runtestloop(session: pytest.Session) -> bool | None:
    options = session.config.option
    if not options.workers or options.collectonly or options.usepdb or session.testsfailed:
        return None  # pytest's own loop
    _Workers(session).run(options.workers)
    return True


@dataclass
class _Worker:
    process: ForkProcess
    connection: Connection
    given: deque[int] = field(default_factory=deque)
    """The numbers of its tests that have not ended, the running one first."""


class _Workers:
    """The workers of a run, seen from the process that collected the tests."""

    def __init__(self, session: pytest.Session) -> None:
        self.session, self.config = session, session.config
        self.reporter: Any = self.config.pluginmanager.getplugin("terminalreporter")
        self.tells_at_once = self.config.option.tbstyle not in {"no", "line"}
        self.living: list[_Worker] = []
        self.started = 0
        self.told_at = time.monotonic()
        groups: dict[object, list[int]] = {}
        for number, item in enumerate(session.items):
            mark = item.get_closest_marker("xdist_group")
            groups.setdefault(number if mark is None else (mark.args, *mark.kwargs.values()), []).append(number)
        self.waiting = deque(groups.values())

    def run(self, workers: int) -> None:
        # Made here, because pytest keeps the folders of only the last three processes that make one.
        self.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined] # as pytest's own plugins
        self.reporter.showfspath = False  # the tests of several files end in any order
        try:
            for _ in range(min(workers, len(self.waiting))):
                self._start()
            while self.living:
                self._look()
        except BaseException:
            self._interrupt()
            raise
        finally:
            if self.tells_at_once:
                self.config.option.tbstyle = "no"  # no failure is told twice

    def _start(self) -> None:
        self.started += 1
        ours, theirs = _fork.Pipe()
        others = [ours, *(worker.connection for worker in self.living)]
        process = _fork.Process(target=_work, args=(self.session, theirs, others, f"worker{self.started}"))
        process.start()
        theirs.close()
        self.living.append(worker := _Worker(process, ours))
        self._give(worker)

    def _give(self, worker: _Worker) -> None:
        """Give a worker tests until it knows its next one. None means that there are no more."""
        with suppress(BrokenPipeError):  # it is dead, which the next look sees
            while len(worker.given) < IN_HAND and self.waiting:
                worker.given.extend(tests := self.waiting.popleft())
                worker.connection.send(tests)
            if len(worker.given) < IN_HAND:
                worker.connection.send(None)

    def _look(self) -> None:
        readable = wait([worker.connection for worker in self.living], LOOK_SECONDS)
        if time.monotonic() > self.told_at + SILENT_SECONDS:
            running = [self.session.items[worker.given[0]].nodeid for worker in self.living if worker.given]
            self.reporter.write_line("")
            self.reporter.write_line(f"running: {', '.join(running)}", flush=True)
            self.told_at = time.monotonic()
        for worker in list(self.living):
            with suppress(EOFError, ConnectionResetError):
                if worker.connection in readable:
                    self._hear(worker, *worker.connection.recv())
                    continue
                if worker.process.is_alive() or worker.connection.poll():
                    continue
            self._bury(worker)  # in no `except`: its successor, forked here, would see that exception in each test

    def _hear(self, worker: _Worker, report: dict[str, Any] | None) -> None:
        hook = self.config.hook
        if report is not None:
            self._tell(hook.pytest_report_from_serializable(config=self.config, data=report))
            return
        item = self.session.items[worker.given.popleft()]
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        self._give(worker)

    def _tell(self, report: pytest.TestReport) -> None:
        self.config.hook.pytest_runtest_logreport(report=report)
        if report.when == "call":
            self.told_at = time.monotonic()
        if report.failed and self.tells_at_once:
            self.reporter.write_line("")
            self.reporter.write_sep("_", f"{report.when} of {report.nodeid}", red=True)
            self.reporter._outrep_summary(report)
            self.reporter.flush()
        if self.session.shouldfail:
            raise self.session.Failed(self.session.shouldfail)

    def _bury(self, worker: _Worker) -> None:
        worker.process.join()
        self.living.remove(worker)
        worker.connection.close()
        if not worker.given:
            return
        item = self.session.items[worker.given.popleft()]
        told = f"The worker of this test has died: its exit status is {worker.process.exitcode}."
        self._tell(pytest.TestReport(item.nodeid, item.location, {}, "failed", told, "call"))
        if worker.given:
            self.waiting.appendleft(list(worker.given))
        if self.waiting:
            self._start()

    def _interrupt(self) -> None:
        for worker in self.living:
            if worker.process.is_alive():
                os.kill(worker.process.pid or 0, signal.SIGINT)
        for worker in self.living:
            worker.process.join(ENDING_SECONDS)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()


class _Telling:
    """Tells the main process what the tests of a worker do."""

    def __init__(self, config: pytest.Config, connection: Connection) -> None:
        self.config, self.connection = config, connection

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        self.connection.send((data,))


def _work(session: pytest.Session, connection: Connection, others: list[Connection], name: str) -> None:
    """Run tests until there are no more, in a forked process."""
    for other in others:
        other.close()  # the end of the main process ends each worker
    signal.signal(signal.SIGINT, _interrupted)
    config, plugins = session.config, session.config.pluginmanager
    if reporter := plugins.unregister(name="terminalreporter"):  # a timeout asks it for the terminal
        plugins.register(SimpleNamespace(_tw=reporter._tw), "terminalreporter")
    plugins.register(_Telling(config, connection))
    if config.option.capture == "fd":
        captured = plugins.getplugin("capturemanager")._global_capturing
        for each in (captured.out, captured.err):
            with TemporaryFile() as own:  # modules that were imported may keep the object that writes there
                os.dup2(own.fileno(), each.tmpfile.fileno())
    folders = config._tmp_path_factory  # type: ignore[attr-defined] # as pytest's own plugins
    folders._basetemp = folders.mktemp(name, numbered=False)
    tests: deque[pytest.Item] = deque()
    more = True
    try:
        while tests or more:
            while more and len(tests) < IN_HAND:
                more = (given := connection.recv()) is not None
                tests.extend(session.items[number] for number in given or ())
            if tests:
                item = tests.popleft()
                config.hook.pytest_runtest_protocol(item=item, nextitem=tests[0] if tests else None)
                connection.send((None,))
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        pass
    finally:
        session._setupstate.teardown_exact(None)


def _interrupted(*_: object) -> None:
    """End the running test at the first Ctrl-C, and nothing at the second: a terminal and the main process send one."""
    signal.signal(signal.SIGINT, lambda *_: None)
    raise KeyboardInterrupt
