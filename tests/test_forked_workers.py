"""The output of tests at a terminal: workers that are forked after collection, and two commands at the same time."""

import os
import re
import shlex
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest

from test_support.documents import ROOT

SIX = """
import os, sys
import pytest

print("collected")

@pytest.fixture(scope="session", autouse=True)
def kept(tmp_path_factory):
    yield
    with open("ended", "a") as ended:
        ended.write(f"{os.getpid()} {tmp_path_factory.getbasetemp().name}\\n")
"""

NAMED = re.compile(r"(?m)^running: .*::test_waits\[\d\], .*::test_waits\[\d\]$")


def command(*arguments: str, workers: int = 2) -> Sequence[str]:
    plugins = ("-p", "test_support.forked_workers", "-p", "pytest_timeout")
    return (sys.executable, "-m", "pytest", *plugins, "--workers", str(workers), "-ra", "--rootdir=.", *arguments)


@pytest.fixture(autouse=True)
def no_other_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """To import those that are installed would take half of the time."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def run(pytester: pytest.Pytester, tests: str, *arguments: str) -> pytest.RunResult:
    pytester.makepyfile(SIX + tests)
    pytester.syspathinsert(ROOT)
    return pytester.run(*command(*arguments))


def test_each_test_runs_once_with_its_own_output_and_each_worker_ends_its_session(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
@pytest.mark.parametrize("number", range(6))
def test_prints(number, tmp_path):
    os.system(f"echo words of {number} from a program")
    print(f"words of {number}")
    assert number < 4
""",
        "--junitxml=junit.xml",
    )
    result.assert_outcomes(passed=4, failed=2)
    cases = ET.parse(pytester.path / "junit.xml").getroot().findall(".//testcase")  # noqa: S314 - we wrote it
    assert sorted(case.attrib["name"] for case in cases) == [f"test_prints[{number}]" for number in range(6)]
    failed = result.stdout.str().split("FAILURES")[0].split("call of ")[1:]
    for told in failed:
        number = told[told.index("[") + 1]
        said = told.partition("Captured stdout call")[2].splitlines()
        assert [line for line in said if "words" in line] == [f"words of {number} from a program", f"words of {number}"]
    ended = (pytester.path / "ended").read_text().split()
    assert len(set(ended)) == len(ended) == 4, "two workers, each with a folder of its own"


def test_a_worker_that_dies_fails_its_test_by_name_and_the_others_run(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
@pytest.mark.parametrize("number", range(8))
def test_dies(number):
    if number == 1:
        os.kill(os.getpid(), 9)
    assert sys.exc_info() == (None, None, None)
""",
    )
    result.assert_outcomes(passed=7, failed=1)
    result.stdout.fnmatch_lines(["*::test_dies?1? _*", "The worker of this test has died: its exit status is -9."])


def test_a_test_that_takes_too_long_is_told_where_it_was(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        "import signal\n\ndef test_waits():\n    signal.pause()\n",
        "--timeout=0.1",
        "-o",
        "timeout_func_only=true",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([">*signal.pause()", "E*Timeout*0.1*"])


def test_the_tests_of_a_group_run_in_one_worker(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
@pytest.mark.parametrize("number", range(12))
def test_in_any(number):
    pass

@pytest.mark.xdist_group("one")
@pytest.mark.parametrize("number", range(6))
def test_in_one(number):
    with open("pids", "a") as pids:
        pids.write(f"{os.getpid()}\\n")
""",
        "-o",
        "markers=xdist_group",
    )
    result.assert_outcomes(passed=18)
    assert len(set((pytester.path / "pids").read_text().split())) == 1


def test_the_first_failure_ends_the_run_on_request_and_the_next_begins_with_it(pytester: pytest.Pytester) -> None:
    tests = """
import signal

@pytest.mark.parametrize("number", range(9))
def test_one(number):
    if number > 5:
        signal.pause()
    assert number < 5
"""
    result = run(pytester, tests, "-x")
    outcomes = result.parseoutcomes()
    assert outcomes.keys() <= {"failed", "passed"}
    assert outcomes["failed"] == 1
    assert outcomes.get("passed", 0) <= 5, "the other worker may be at one of them"
    result.stdout.fnmatch_lines(["*stopping after 1 failures*"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    run(pytester, tests, "--lf").assert_outcomes(failed=1)


def test_after_a_silence_it_names_what_runs_and_ctrl_c_ends_each_workers_fixtures(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("from test_support import forked_workers\nforked_workers.SILENT_SECONDS = 0")
    pytester.makepyfile(
        SIX
        + """
import time

def test_fails():
    assert not "a reason"

@pytest.mark.parametrize("number", range(3))  # one worker knows at most two of them, so the other one runs one as well
def test_waits(number):
    print("waits", flush=True)
    time.sleep(60)
"""
    )
    pytester.syspathinsert(ROOT)
    process = subprocess.Popen(  # noqa: S603 - our own program
        command("-s"), cwd=pytester.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
    )
    assert process.stdout is not None
    said = ""
    while said.count("waits\n") < 2 or "a reason" not in said or not NAMED.search(said):
        line = process.stdout.readline()
        assert line, said
        said += line
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate()
    assert process.returncode == pytest.ExitCode.INTERRUPTED
    assert re.search(r"FAILED \w+\.py::test_fails", rest)
    assert len((pytester.path / "ended").read_text().splitlines()) == 2


# Two commands at the same time, as `make test` runs the core's tests and all others


WAITS = "import os, signal; print(os.getpid(), flush=True); signal.pause()"


def python(program: str) -> str:
    return shlex.join((sys.executable, "-c", program))


def side_by_side(first: str, second: str) -> "subprocess.Popen[str]":
    command = (sys.executable, "-m", "test_support.side_by_side", python(first), python(second))
    return subprocess.Popen(  # noqa: S603 - our own programs
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8", start_new_session=True
    )


@pytest.mark.parametrize(("first", "second", "status"), [(0, 0, 0), (3, 0, 1), (0, 5, 1)])
def test_both_must_succeed_and_the_output_of_each_is_whole(first: int, second: int, status: int) -> None:
    both = side_by_side(f"print('one', flush=True); print('two'); exit({first})", f"print('three'); exit({second})")
    said, _ = both.communicate()
    assert both.returncode == status
    assert "one\ntwo\n" in said
    assert "three\n" in said


def test_the_second_is_seen_while_the_first_runs_and_ctrl_c_ends_both(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    os.mkfifo(pid)
    both = side_by_side(f"import sys; sys.stdout = open({str(pid)!r}, 'w'); {WAITS}", WAITS)
    assert both.stdout is not None
    with pid.open() as written:
        running = [int(written.readline()), int(both.stdout.readline())]
    os.killpg(both.pid, signal.SIGINT)
    both.communicate()
    assert both.returncode == 128 + signal.SIGINT
    assert not any(map(psutil.pid_exists, running))


def test_a_failure_of_the_first_is_seen_while_it_runs() -> None:
    both = side_by_side(f"print('..F'); print('____ call of tests/test_x.py ____'); {WAITS}", "")
    assert both.stdout is not None
    assert "____ call of" in "".join(both.stdout.readline() for _ in range(3))
    os.killpg(both.pid, signal.SIGINT)
    both.communicate()


def test_a_request_to_stop_interrupts_both(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    os.mkfifo(ready)
    told = "try:\n    {}\nexcept KeyboardInterrupt:\n    print('summary')"
    first = f"import signal; open({str(ready)!r}, 'w').close(); signal.pause()"
    both = side_by_side(told.format(first), told.format(WAITS))
    assert both.stdout is not None
    with ready.open() as opened:
        opened.read()
    both.stdout.readline()
    both.send_signal(signal.SIGTERM)
    said, _ = both.communicate()
    assert said.count("summary") == 2


def test_programs_end_by_ctrl_c_though_their_parent_runs_in_the_background_of_a_script() -> None:
    started = f"""
import signal, subprocess
from test_support.child_processes import let_children_hear_ctrl_c
signal.signal(signal.SIGINT, signal.SIG_IGN)
let_children_hear_ctrl_c()
subprocess.run({python(WAITS)!r}, shell=True)
"""
    parent = subprocess.Popen(  # noqa: S603 - our own program
        (sys.executable, "-c", started), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8"
    )
    assert parent.stdout is not None
    os.kill(int(parent.stdout.readline()), signal.SIGINT)
    parent.communicate()
    assert parent.returncode == 0
