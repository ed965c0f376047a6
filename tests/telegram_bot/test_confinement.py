"""Processes next to the bot: they answer, hang, die, know no secret; attacks of code that has taken one over."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

import psutil
import pytest

from perudo_core import PRESETS, Rules, observe, parse_call, set_up
from perudo_core.agents import Character, Level, new_memory
from telegram_bot import confinement
from telegram_bot.confinement import Needed, landlock_version
from telegram_bot.ingress.computer_calls import choose, load_rules
from telegram_bot.side_process import BusyError, FunctionFailedError, SideProcess, TooSlowError
from telegram_bot.voice.decode import CHILD
from telegram_bot.voice.speaking import load_voices
from test_support.child_processes import WITHOUT_PRIVILEGES, has_in_sight
from test_support.documents import ROOT
from test_support.side_functions import act, refuse, run_code

LINUX: Final = sys.platform.startswith("linux")
HAS_FILTER: Final = LINUX and os.uname().machine in confinement._MACHINES
READS: Final = {
    "reads a file": "open('/etc/passwd').read()",
    "reads the bot's token": "import os; open(f'/proc/{os.getppid()}/environ').read()",
    "opens a socket": "import socket; socket.socket()",
    "opens a socket for UDP": "import socket; socket.socket(type=socket.SOCK_DGRAM)",
    "opens a local socket": "import socket; socket.socket(socket.AF_UNIX)",
}
DESCRIPTORS: Final = READS | {
    "lists a folder": "import os; os.listdir('/')",
    "makes a pipe": "import os; os.pipe()",
    "raises its limit": "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (50, 50)); open('/etc/passwd')",
    "takes an open descriptor's place": "import os; os.close(0); open('/etc/passwd')",
}
LANDLOCK: Final = {
    "removes a file": (1, "import os; os.unlink({victim!r})"),
    "starts a program": (1, "import os; os.execv('/bin/sh', ['sh', '-c', 'exit 7'])"),
    "truncates a file": (3, "import os; os.truncate({victim!r}, 0)"),
    "ends the bot": (6, "import os; os.kill(os.getppid(), 0)"),
}
"""The calls that Landlock refuses, by its version; without it they succeed."""
SECCOMP: Final = {
    "starves the bot": "import os, resource as r; r.prlimit(os.getppid(), r.RLIMIT_MSGQUEUE, (0, 0))",
    "slows the bot": "import os; os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)",
    "ties the bot to a processor": "import os; os.sched_setaffinity(os.getppid(), {0})",
    "keeps memory": "import ctypes as c; l = c.CDLL(None, use_errno=True); "
    "l.shmctl(l.shmget(0, 64, 0o1600), 0, 0) and exec('raise OSError')",
    "shares memory that no limit counts": "import ctypes as c; m = c.CDLL(None).mmap; "
    "m.restype = c.c_ssize_t; m(None, 4096, 3, 0x21, -1, 0) == -1 and exec('raise OSError')",
    "leaves a child in a session of its own": "import os; child = os.fork(); "
    "child or exec('try: os.setsid()\\nexcept OSError: os._exit(1)\\nos._exit(0)'); "
    "os.waitpid(child, 0)[1] and exec('raise OSError')",
    "changes a file's mode": "import os; os.chmod(VICTIM, 0o777)",
    "changes a file's time": "import os; os.utime(VICTIM)",
    "changes a file's owner": "import os; os.chown(VICTIM, os.getuid(), -1)",
    "changes a file's attributes": "import os; os.setxattr(VICTIM, 'user.a', b'')",
}
"""The calls that seccomp refuses."""
OLD_KERNEL: Final = "from telegram_bot import confinement as c; c.landlock_version = lambda: 0; c._MACHINES.clear()\n"
"""A system with neither Landlock nor seccomp."""


async def in_a_side_process(*attacks: str, prepare: Callable[[], Needed] = Needed) -> list[str]:
    """Try each attack in one process, which goes on after a failure, and return the end of each."""
    side = SideProcess(run_code, seconds=250, prepare=prepare)
    said = []
    try:
        for attack in attacks:
            try:
                said.append((await side.ask(attack)).decode())
            except FunctionFailedError as error:
                said.append(str(error))
    finally:
        await side.close()
    return said


async def in_the_decoder(*attacks: str, before: str = "") -> list[str]:
    """The same in the process that decodes voice notes; `before`: what runs before it locks itself up."""
    program = f"import sys; sys.path[:0] = [{str(CHILD.parent)!r}, {str(ROOT)!r}]\n{before}"
    program += "import decode_child; decode_child.lock_up()\n"
    for attack in attacks:
        program += f"try:\n    {attack}\nexcept BaseException as error:\n    print(type(error).__name__, flush=True)\n"
        program += "else:\n    print('done', flush=True)\n"
    child = await asyncio.create_subprocess_exec(sys.executable, "-I", "-c", program, stdout=subprocess.PIPE)
    said, _ = await child.communicate()
    return said.decode().split() or [f"status {child.returncode}"]


def not_refused(attacks: Mapping[str, str], said: list[str], *errors: str) -> dict[str, str]:
    """The attacks that ended otherwise than with an error of the system."""
    refused = {"OSError", "PermissionError", *errors}
    return {attack: words for attack, words in zip(attacks, said, strict=True) if words not in refused}


async def test_a_process_that_needs_no_folder_gets_no_descriptor_whatever_the_kernel_has() -> None:
    attacks = DESCRIPTORS.values()
    for said in (
        await in_the_decoder(*attacks),
        await in_the_decoder(*attacks, before=OLD_KERNEL),
        await in_a_side_process(*attacks),
    ):
        assert not_refused(DESCRIPTORS, said, "ValueError") == {}


@pytest.mark.parametrize("attack", LANDLOCK)
async def test_where_landlock_is_nothing_outside_is_changed(attack: str, tmp_path: Path) -> None:
    since, code = LANDLOCK[attack]
    victim = tmp_path / "victim"
    for run in (in_the_decoder, in_a_side_process):
        victim.write_text("games")
        refused = await run(code.format(victim=str(victim))) == ["PermissionError"]
        assert refused == (landlock_version() >= since)


async def test_with_seccomp_the_bot_is_not_starved_and_no_file_changed(tmp_path: Path) -> None:
    (victim := tmp_path / "victim").touch()
    attacks = [attack.replace("VICTIM", repr(str(victim))) for attack in SECCOMP.values()]
    if HAS_FILTER:
        for run in (in_the_decoder, in_a_side_process):
            assert not_refused(SECCOMP, await run(*attacks)) == {}


async def test_the_voice_reads_its_data_and_nothing_else() -> None:
    """Its library reads a language's files at its first use; `test_speaking` proves that it still can."""
    said = await in_a_side_process(*READS.values(), prepare=partial(load_voices, ()))
    for attack, words in zip(READS, said, strict=True):
        holds = HAS_FILTER if "socket" in attack else landlock_version() > 0 or "token" in attack
        assert words == ("PermissionError" if holds else "done"), attack


@pytest.mark.parametrize("preset", PRESETS)
async def test_a_computer_player_still_finds_its_tables(preset: str) -> None:
    """With one opponent it uses tables from the package's files."""
    rules = Rules.preset(preset)
    seen = observe(set_up(rules, ((2, 3), (4, 4, 5)), []), 0)
    player = SideProcess(choose, seconds=250, prepare=load_rules)
    memory = new_memory(rules, 2)
    try:
        call = await player.ask(Level.EXPERT, Character.PLAIN, seen, memory, 1)
    finally:
        await player.close()
    assert parse_call(call.decode(), 0) is not None
    assert choose(Level.EXPERT, Character.PLAIN, seen, memory, 1) == call


def test_a_bot_hides_its_environment_from_other_processes_of_its_user() -> None:
    for words, is_seen in (("", LINUX), ("from telegram_bot.confinement import hide_memory; hide_memory();", False)):
        with subprocess.Popen(  # noqa: S603 - this test's own words
            [sys.executable, "-c", f"{WITHOUT_PRIVILEGES}{words}print(flush=True); input()"],
            cwd=ROOT,
            env={**os.environ, "PERUDO_TOKEN": "a secret"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as bot:
            assert bot.stdout is not None
            bot.stdout.readline()
            assert has_in_sight("a secret", bot.pid) == is_seen
            bot.kill()


PATIENCE: Final = 250.0
"""In seconds: on a busy machine the process starts late."""
BOT: Final = """import asyncio
from telegram_bot.side_process import SideProcess
from test_support.side_functions import act
async def main():
    print((await SideProcess(act, seconds=250, idle_seconds=250).ask()).decode(), flush=True)
    await asyncio.sleep(250)
asyncio.run(main())
"""


@pytest.fixture
async def side() -> AsyncIterator[SideProcess[[str]]]:
    process = SideProcess(act, seconds=PATIENCE, idle_seconds=PATIENCE)
    yield process
    await process.close()
    assert process.pid is None


async def pid_of(side: SideProcess[[str]]) -> int:
    return int(await side.ask(""))


async def test_one_process_answers_all_questions_and_ends_when_it_is_closed(side: SideProcess[[str]]) -> None:
    first, second = await asyncio.gather(pid_of(side), pid_of(side))
    assert first == second == side.pid != os.getpid()
    await side.close()
    assert not psutil.pid_exists(first)
    with pytest.raises(BusyError):
        await side.ask("")


async def test_a_process_that_has_the_number_of_a_dead_one_by_now_lives_on(side: SideProcess[[str]]) -> None:
    psutil.Process(await pid_of(side)).kill()
    dead = side._process
    assert dead is not None
    await dead.wait()
    other = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "input()", stdin=subprocess.PIPE, start_new_session=True
    )
    dead.pid = other.pid
    await side.close()
    await other.communicate(b"\n")
    assert other.returncode == 0


async def test_what_a_library_prints_is_no_answer(side: SideProcess[[str]]) -> None:
    assert int(await side.ask("print")) == side.pid


async def test_it_sees_no_secret_and_gives_way(side: SideProcess[[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERUDO_TOKEN", "123456:secret")
    environment, niceness = json.loads(await side.ask("environment"))
    assert "PERUDO_TOKEN" not in environment
    assert niceness == min(os.nice(0) + 10, 19)


@pytest.mark.parametrize(("function", "why"), [(act, "^ValueError$"), (refuse, "^a reason$")])
async def test_an_error_tells_its_name_and_the_process_goes_on(function: Callable[[str], bytes], why: str) -> None:
    side = SideProcess(function, seconds=PATIENCE, idle_seconds=PATIENCE)
    try:
        for _ in range(2):
            with pytest.raises(FunctionFailedError, match=why):
                await side.ask("fail")
        assert side.pid is not None
    finally:
        await side.close()


async def test_an_answer_that_takes_too_long_costs_the_process_its_life(side: SideProcess[[str]]) -> None:
    before = await pid_of(side)
    side.seconds = 0.01
    with pytest.raises(TooSlowError):
        await side.ask("hang")
    assert not psutil.pid_exists(before)
    side.seconds = PATIENCE
    assert await pid_of(side) != before


async def test_a_question_that_nobody_waits_for_is_given_up(side: SideProcess[[str]]) -> None:
    before = await pid_of(side)
    hanging = asyncio.create_task(side.ask("hang"))
    waiting = asyncio.create_task(pid_of(side))
    await asyncio.sleep(0)
    hanging.cancel()
    assert await waiting != before


async def test_more_than_may_wait_are_refused_and_who_waits_too_long_as_well(side: SideProcess[[str]]) -> None:
    side._most_waiting, side.seconds = 1, 0.01
    async with side._turn:  # as long as a question is being answered
        side._inside += 1
        waiting = asyncio.create_task(side.ask(""))
        await asyncio.sleep(0)
        with pytest.raises(BusyError):
            await side.ask("")
        with pytest.raises(TooSlowError):
            await waiting
        side._inside -= 1
    assert side.pid is None, "no process was begun or killed for it"


async def test_after_a_crash_a_new_process_begins_and_after_several_only_later(side: SideProcess[[str]]) -> None:
    with pytest.raises(BusyError):
        await side.ask("die")
    assert await pid_of(side)
    for wish in ("die", "die", ""):
        with pytest.raises(BusyError):
            await side.ask(wish)
    side._not_before = 0.0
    assert await pid_of(side)


async def test_an_idle_process_ends_and_the_next_question_starts_it_again(side: SideProcess[[str]]) -> None:
    side._idle_seconds = 0.01
    before = await pid_of(side)
    assert side._idle is not None
    await side._idle
    assert not psutil.pid_exists(before)
    side._idle_seconds = 0.0
    once = await pid_of(side)
    assert once != before
    assert not psutil.pid_exists(once), "without idle seconds it ends with the answer"


def test_a_process_that_hangs_does_not_outlive_a_killed_bot() -> None:
    """A stopped process cannot see the end of its input, as if a library hung; Linux ends it (docs/voice.md)."""
    with subprocess.Popen(  # noqa: S603 - this test's own words
        [sys.executable, "-c", BOT], cwd=ROOT, stdout=subprocess.PIPE, encoding="utf-8"
    ) as bot:
        assert bot.stdout is not None
        child = psutil.Process(int(bot.stdout.readline()))
        child.suspend()
        bot.kill()
    child.wait(PATIENCE)
