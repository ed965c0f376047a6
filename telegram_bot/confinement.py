"""Confine a process that works on strangers' data to as little as the kernel allows.

Calls the kernel by `ctypes`: the packages for Landlock and seccomp are first versions or unmaintained, and each of the
calls below is made once.
"""

import ctypes
import os
import resource
import signal
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from select import select
from typing import Any, Final

_LIBC: Final[Any] = ctypes.CDLL(None, use_errno=True)
_LINUX: Final = sys.platform.startswith("linux")

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_DUMPABLE: Final = 4
_PR_SET_SECCOMP: Final = 22
_PR_SET_NO_NEW_PRIVS: Final = 38
_CAPABILITIES: Final = 0x20080522
"""The version of `capset` with 64 bits."""

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""Landlock's calls have the same numbers on every architecture."""
_ASK_VERSION: Final = 1
_PATH_BENEATH: Final = 1
_FILE_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15}
"""How many rights to files each version of Landlock knows; later ones 16. Their bits have the same order."""
_NETWORK_SINCE, _SCOPES_SINCE = 4, 6
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = (1 << bit for bit in range(4))
_READ: Final = _EXECUTE | _READ_FILE | _READ_DIR

_MACHINES: Final = {"x86_64": (0xC000003E, 302, 9), "aarch64": (0xC00000B7, 261, 222)}
"""For each machine its number in a filter, and the numbers of the calls `prlimit64` and `mmap`."""
_REFUSED: Final[dict[str, tuple[int | None, int | None]]] = {
    "socket": (41, 198),
    "io_uring_setup": (425, 425),  # it creates sockets as well
    "setpriority": (141, 140),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "ioprio_set": (251, 30),
    "setpgid": (109, 154),  # a signal to the group reaches every child
    "setsid": (112, 157),
    "memfd_create": (319, 279),  # no limit counts such memory
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "add_key": (248, 217),
    "keyctl": (250, 219),
    "chmod": (90, None),  # Landlock lets a process change the mode, the times and the attributes of any file
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
}
"""The calls that a filter refuses, with their numbers on x86-64 and on ARM64, which has no old forms of some."""
_SHARED_ANONYMOUS: Final = 0x21
"""The flags of `mmap` for memory that no limit counts."""
_X32: Final = 0x40000000
_LOAD, _RETURN, _IF_EQUAL, _IF_AT_LEAST, _AND = 0x20, 0x06, 0x15, 0x35, 0x54
_ARCHITECTURE_AT, _CALL_AT, _FIRST_ARGUMENT_AT, _FOURTH_ARGUMENT_AT = 4, 0, 16, 40
_REFUSE, _ALLOW = 0x00050001, 0x7FFF0000


@dataclass(frozen=True, slots=True)
class Needed:
    """The folders that a process needs after loading; most processes need none."""

    reading: tuple[Path, ...] = ()
    writing: tuple[Path, ...] = ()


def hide_memory() -> None:
    """Keep other processes of the same user from reading this one's memory and environment. Linux only.

    The kernel then writes no core dump of it, and a debugger or profiler needs root.
    """
    if _LINUX:
        _LIBC.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def confine(needed: Needed = Needed()) -> None:
    """Limit this process, for good, to the descriptors that are already open.

    Call it before another thread reads strangers' data: the limit of descriptors binds all threads, the other limits
    bind this thread and the threads that it starts later.

    Limits if no folder is needed:

    - Everywhere: no new descriptor, therefore no opened file or folder, no socket and no pipe. No core dump. Outside
      Linux, root can undo this.
    - On Linux also: no capabilities, not even root's, and no new ones by starting a program. Other processes of the
      user cannot read this process's memory and environment, and this process cannot read those of a bot that has
      called `hide_memory`.
    - With Landlock (Linux 5.13, if enabled): the process cannot execute, remove, rename or create a file, nor truncate
      one (since 6.2), nor debug another process, nor signal one (since 6.12). Without Landlock, code that took over the
      process could remove files of the bot's user and end its processes, but read nothing.
    - With seccomp (x86-64 and ARM64): the process cannot change the limits or the priority of a process, nor a file's
      mode, owner, times and attributes, leaves nothing in the kernel's shared memory, message queues and keys, has no
      memory that its limit does not count, and neither it nor a process that it starts leaves its group. Without
      seccomp, it can.

    With both, the process can still find out that a file exists and where a link leads.

    Limits if folders are needed: the usual limit of descriptors. With Landlock, the process reads and executes only
    files in these folders, and changes only files in the folders for writing; without Landlock, it can read and change
    all files of the user. With seccomp it has no sockets and so no network; on other machines Landlock refuses TCP
    (since 6.7).
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if _LINUX:
        hide_memory()
        _LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        _restrict_files(needed)
        _refuse_calls()
    if not needed.reading and not needed.writing:
        # Zero, not the number of open ones: code could close one and open another instead.
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    if _LINUX:
        _LIBC.capset(struct.pack("Ii", _CAPABILITIES, 0), bytes(24))


def become_program() -> None:
    """Become an operator's program, confined: it keeps the limits that this process sets itself.

    The arguments are the number added to the niceness, the bot's id, the bytes of memory, and then the folders that
    the program may read, `--`, and its command. It changes no file and has no network, as far as the system can refuse
    it (see `confine`). It leads its group; on Linux (since 5.3) the whole group ends with it, and with the bot.
    """
    niceness, parent, memory, *rest = sys.argv[1:]
    folders, command = rest[: rest.index("--")], rest[rest.index("--") + 1 :]
    end_with(int(parent))
    _end_group_with(int(parent))
    os.nice(int(niceness))
    with suppress(ValueError):  # a lower limit is set already
        resource.setrlimit(resource.RLIMIT_DATA, (int(memory), int(memory)))
    confine(Needed(reading=tuple(map(Path, folders))))
    os.environ["OPENSSL_CONF"] = os.devnull  # Node ends where it may not read the usual file
    os.execvp(command[0], command)  # noqa: S606 - the operator's own command


def end_with(parent: int) -> None:
    """Let the kernel kill this process when its parent ends, even while a library hangs. Linux only.

    Elsewhere the process ends when it reads the next question, or writes an answer.
    """
    if _LINUX:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it died before the kernel was asked
            sys.exit(1)


def landlock_version() -> int:
    """Return the version of Landlock in the kernel; 0: none, disabled, or refused to this process."""
    return max(0, _LIBC.syscall(_CREATE_RULESET, None, 0, _ASK_VERSION)) if _LINUX else 0


def _end_group_with(bot: int) -> None:
    """Leave a process behind that kills this process's group when the bot or this process has ended.

    The kernel kills this process alone, and not the processes that its program has started. The one that is left
    behind is in another group, so that it runs on while this group is stopped, and is not confined, so that the program
    cannot end it. It takes 7 MB. The bot as process 1 needs none: the kernel ends all others of its container.
    """
    if bot == 1 or not hasattr(os, "pidfd_open"):
        return
    group = os.getpid()
    try:
        watched = [os.pidfd_open(each) for each in (bot, group)]
    except OSError:  # an older kernel
        return
    if (first := os.fork()) == 0:
        try:
            if os.fork() == 0:  # no child of this process, whose program may wait for all its children
                os.setsid()
                os.closerange(0, 3)  # the pipes must end with the program
                select(watched, [], [])
                os.killpg(group, signal.SIGKILL)
        finally:
            os._exit(0)
    os.waitpid(first, 0)


def _restrict_files(needed: Needed) -> None:
    version = landlock_version()
    if not version:
        return
    every = (1 << _FILE_RIGHTS.get(version, 16)) - 1
    network, scopes = 3 * (version >= _NETWORK_SINCE), 3 * (version >= _SCOPES_SINCE)
    # An older kernel takes the zeros for unknown fields.
    ruleset = _LIBC.syscall(_CREATE_RULESET, struct.pack("QQQ", every, network, scopes), ctypes.c_size_t(24), 0)
    if ruleset < 0:
        raise OSError(ctypes.get_errno(), "Landlock has refused a ruleset")
    try:
        _allow(ruleset, needed.reading, _READ)
        _allow(ruleset, needed.writing, every)
        if needed.reading or needed.writing:
            _allow(ruleset, [Path(os.devnull)], _READ_FILE | _WRITE_FILE)
        if _LIBC.syscall(_RESTRICT_SELF, ruleset, 0):
            raise OSError(ctypes.get_errno(), "Landlock has refused to restrict")
    finally:
        os.close(ruleset)


def _allow(ruleset: int, places: Iterable[Path], rights: int) -> None:
    for place in places:
        opened = os.open(place, os.O_PATH | os.O_CLOEXEC)
        try:
            if _LIBC.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, opened), 0):
                raise OSError(ctypes.get_errno(), "Landlock has refused a rule")
        finally:
            os.close(opened)


def _refuse_calls() -> None:
    machine = os.uname().machine
    if machine not in _MACHINES or sys.maxsize < 1 << 32:  # a program of 32 bits has other numbers
        return
    architecture, prlimit, mmap = _MACHINES[machine]
    numbers = [each[list(_MACHINES).index(machine)] for each in _REFUSED.values()]
    refused = [number for number in numbers if number is not None]
    left = len(refused)  # the instructions between the comparison with the first of them and those about `mmap`
    instructions = (
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_IF_EQUAL, 0, left + 9, architecture),
        (_LOAD, 0, 0, _CALL_AT),
        (_IF_AT_LEAST, left + 7, 0, _X32),
        *((_IF_EQUAL, left + 6 - place, 0, number) for place, number in enumerate(refused)),
        (_IF_EQUAL, 0, 3, mmap),
        (_LOAD, 0, 0, _FOURTH_ARGUMENT_AT),
        (_AND, 0, 0, _SHARED_ANONYMOUS),
        (_IF_EQUAL, 3, 4, _SHARED_ANONYMOUS),
        (_IF_EQUAL, 0, 3, prlimit),
        (_LOAD, 0, 0, _FIRST_ARGUMENT_AT),  # the process; 0 is this one
        (_IF_EQUAL, 1, 0, 0),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    )
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in instructions))
    described = struct.pack("HP", len(instructions), ctypes.addressof(program))
    _LIBC.prctl(_PR_SET_SECCOMP, 2, described, 0, 0)
