"""A machine whose folders are private to this process: what it installs, and its accounts, end with the process."""

import os
import pwd
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Final

from test_support.child_processes import copy_known_files

SCRATCH: Final = Path("/mnt")
INSIDE: Final = "PERUDO_PRIVATE_MACHINE"
CHANGED: Final = ("/home", "/opt", "/srv", "/usr/local/bin", "/var/backups", "/var/lib")
"""The paths that the pages change, besides /etc."""
READER: Final = "reader"
_PROXIES: Final = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
NETWORK: Final = ("PIP_", "UV_", "SSL_CERT_", *_PROXIES, *map(str.lower, _PROXIES))
"""How this machine reaches packages; a reader's own machine needs no such settings."""
Account = pwd.struct_passwd
LONGEST: Final = 300.0
"""Seconds that a command may take, or that a bot may need to answer."""


class FailedError(Exception):
    """A command did not do what its page says."""


class NotPossibleError(Exception):
    """This machine allows no private folders; the message names the reason."""


def enter(module: str, arguments: list[str]) -> None:
    """Run this module again in namespaces of its own; return only within them."""
    if os.environ.get(INSIDE):
        return
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        raise NotPossibleError("this needs Linux, and root")
    command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if subprocess.run([*command, "true"], capture_output=True, check=False).returncode:  # noqa: S603
        raise NotPossibleError("this machine allows no namespaces (in a container: --cap-add SYS_ADMIN)")
    reaper = ("sh", "-c", '"$@"; exit $?', "sh")  # the first process must wait for orphans, which Python does not
    again = [*command, *reaper, sys.executable, "-m", module, *arguments]
    sys.exit(subprocess.run(again, env=os.environ | {INSIDE: "1"}, check=False).returncode)  # noqa: S603


def make_private() -> pwd.struct_passwd:
    """Put private folders in the place of the machine's, with what is in them, and give a reader an account."""
    _run("mount", "-t", "tmpfs", "-o", "mode=755", "perudo", str(SCRATCH))
    _run("cp", "--archive", "/etc", str(SCRATCH / "etc"))
    _run("mount", "--bind", str(SCRATCH / "etc"), "/etc")
    for number, folder in enumerate(CHANGED):
        before = SCRATCH / f"before-{number}"
        before.mkdir()
        _run("mount", "--bind", folder, str(before))
        _run("mount", "-t", "tmpfs", "-o", "mode=755", "perudo", folder)
        for entry in before.iterdir():
            Path(folder, entry.name).symlink_to(entry)
    Path("/etc/gitconfig").write_text("[safe]\n\tdirectory = *\n")  # the reader's origin is root's
    _run("useradd", "--create-home", "--shell", "/bin/sh", READER)
    Path("/etc/sudoers.d").mkdir(exist_ok=True)
    Path("/etc/sudoers.d/reader").write_text(f"{READER} ALL=(ALL) NOPASSWD: ALL\n")
    variables = {name: value for name, value in os.environ.items() if name.startswith(NETWORK)}
    Path("/etc/environment").write_text("".join(f"{name}={value}\n" for name, value in variables.items()))
    return pwd.getpwnam(READER)


def environment_of(reader: pwd.struct_passwd) -> dict[str, str]:
    """The environment of a new session of the reader."""
    own = {"HOME": reader.pw_dir, "USER": READER, "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
    return own | {name: value for name, value in os.environ.items() if name.startswith(NETWORK)}


def put_program(name: str, text: str) -> None:
    """A program that every user has."""
    program = Path("/usr/local/bin", name)
    program.unlink(missing_ok=True)
    program.write_text(text)
    program.chmod(0o755)


def copy_of_the_repository(root: Path, to: Path) -> None:
    """A repository with the checkout's present files, committed or not, in one commit."""
    copy_known_files(root, to)
    _run("git", "init", "--quiet", cwd=to)
    commit(to, "What is in the checkout")


def commit(repository: Path, message: str) -> None:
    _run("git", "add", "--all", "--force", cwd=repository)
    author = ("-c", "user.name=test", "-c", "user.email=test@example.org")
    _run("git", *author, "commit", "--quiet", "--message", message, cwd=repository)


def _run(*command: str, cwd: Path | None = None) -> None:
    subprocess.run(command, cwd=cwd, check=True)  # noqa: S603


def start(line: str, folder: Path, environment: dict[str, str], account: Account | None) -> subprocess.Popen[str]:
    """Type a line in a shell of this account, or of one's own."""
    return subprocess.Popen(  # noqa: S603 - the project's own documents
        ("sh", "-c", line),  # noqa: S607
        cwd=folder,
        env=environment,
        encoding="utf-8",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        user=account and account.pw_uid,
        group=account and account.pw_gid,
        extra_groups=account and [],
    )


def finish(line: str, process: subprocess.Popen[str], given: str = "") -> str:
    """Wait for the end of a line; return its output."""
    began = time.monotonic()
    try:
        said, _ = process.communicate(given, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise FailedError(f"{line}\nhas not come to an end") from None
    sys.stdout.write(f"{time.monotonic() - began:6.1f} s  {line}\n")
    sys.stdout.flush()
    if process.returncode:
        raise FailedError(f"{line}\nended with status {process.returncode} and said:\n{said}")
    return said


@contextmanager
def running(line: str, process: subprocess.Popen[str], wanted: str) -> Iterator[str]:
    """Let a line run until it has printed a text, which is yielded with all before, and press Ctrl-C in the end."""
    assert process.stdout is not None
    said, late = "", Timer(LONGEST, os.killpg, (process.pid, signal.SIGKILL))
    late.start()
    try:
        while not re.search(wanted, said):
            read = process.stdout.readline()
            said += read
            if not read:
                raise FailedError(f"{line}\nended and said:\n{said}")
        late.cancel()
        yield said
        os.killpg(process.pid, signal.SIGINT)
        rest, _ = process.communicate(timeout=LONGEST)
        by_the_signal = {-signal.SIGINT, 128 + signal.SIGINT}  # make ends by it, and uv names it
        if process.returncode not in {0, *by_the_signal} or "Traceback" in said + rest:
            raise FailedError(f"{line}\nended with status {process.returncode} after Ctrl-C: {said}{rest}")
        sys.stdout.write(f"   Ctrl-C  {line}\n")
    finally:
        late.cancel()
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
