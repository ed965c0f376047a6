"""Two commands at the same time, as `make test` runs the core's tests and all others."""

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from test_support.documents import ROOT

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
