"""Attacks by code that has taken over a process which reads strangers' data, made in the real process."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from perudo_core import PRESETS, Rules, observe, parse_call, set_up
from perudo_core.agents import Character, Level, new_memory
from telegram_bot import confinement
from telegram_bot.confinement import Needed, landlock_version
from telegram_bot.ingress.computer_calls import choose, load_rules
from telegram_bot.side_process import FunctionFailedError, SideProcess
from telegram_bot.voice.decode import CHILD
from telegram_bot.voice.speaking import load_voices
from test_support.child_processes import WITHOUT_PRIVILEGES, has_in_sight
from test_support.documents import ROOT
from test_support.side_functions import run_code

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
