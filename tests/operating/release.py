"""Install the files of `dist/` as a stranger does, and type the commands of the READMEs: `.ci/run test-release`."""

import contextlib
import http.cookiejar
import json
import os
import pwd
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import traceback
import zipfile
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.request import HTTPCookieProcessor, Request, build_opener

from test_support.child_processes import let_children_hear_ctrl_c, run
from test_support.documents import FENCED, ROOT, command_lines
from tests.operating import private_machine as machine
from tests.operating.private_machine import LONGEST, FailedError

READMES: Final = {
    name: (ROOT / name).read_text(encoding="utf-8")
    for name in ("README.md", "perudo_core/README.md", "telegram_sandbox/README.md")
}
SOURCES: Final = {
    "perudo_core": "perudo_core/src/perudo_core",
    "telegram_sandbox": "telegram_sandbox/src/telegram_sandbox",
    "perudo_bot": "telegram_bot",
}
"""The folder of each distribution whose files its wheel holds."""
OUTSIDE: Final = ("bot.toml", "deploy/", "house_rules/classic.toml")
"""The files of `config/` in the bot's wheel."""


@dataclass
class Stranger:
    """A person with a Python, pip and an empty home folder."""

    home: Path
    python: str
    dist: Path
    constraints: Path
    account: pwd.struct_passwd | None
    typed: list[str] = field(default_factory=list)
    folder: str = ""
    """The virtual environment that is active, and the current folder."""

    def environment(self) -> dict[str, str]:
        """The environment of a new session, with the virtual environment activated."""
        network = {name: value for name, value in os.environ.items() if name.startswith(machine.NETWORK)}
        return network | {
            "HOME": str(self.home),
            "PATH": f"{self.home / self.folder / '.venv/bin'}:{self.home}/.local/bin:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "PIP_CONSTRAINT": str(self.constraints),
            "PIP_FIND_LINKS": f"{network.get('PIP_FIND_LINKS', '')} {self.dist}",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_QUIET": "1",
            "PYTHONUNBUFFERED": "1",
        }

    def start(self, line: str, before: str = "") -> subprocess.Popen[str]:
        """Type a line."""
        self.typed.append(line)
        return machine.start(before + line, self.home / self.folder, self.environment(), self.account)

    def type(self, line: str, given: str = "") -> str:
        """Type a line and wait for its end; return its output."""
        return machine.finish(line, self.start(line), given)

    def running(self, line: str, wanted: str) -> AbstractContextManager[str]:
        """Type a line that runs until Ctrl-C; return its output up to a text."""
        return machine.running(line, self.start(line, "exec "), wanted)  # so that its own exit status is seen

    def new_environment(self, name: str) -> None:
        """Make a folder with a virtual environment, and work in it."""
        self.folder = ""
        self.type(f"{self.python} -m venv {name}/.venv")
        self.folder = name

    def write(self, name: str, text: str) -> None:
        (self.home / self.folder / name).write_text(text, encoding="utf-8")

    def follow(self, page: str) -> None:
        """Write the files of a page, whose blocks begin with a comment that names the file."""
        for name, text in re.findall(r"```(?:python|ini)\n# (\S+\.\w+)\n(.*?)```", page, re.DOTALL):
            self.write(name, text)


@dataclass
class Web:
    """A browser, and the sandbox's control API."""

    url: str
    opener: Any = field(default_factory=lambda: build_opener(HTTPCookieProcessor(http.cookiejar.CookieJar())))

    def get(self, address: str) -> str:
        """Read a page as a browser does."""
        with self.opener.open(address, timeout=LONGEST) as answer:
            return str(answer.read().decode())

    def post(self, address: str, **body: object) -> Any:
        """Send JSON as a page at this address would."""
        origin = "/".join(address.split("/")[:3])
        request = Request(  # noqa: S310 - this machine's
            address, json.dumps(body).encode(), {"Content-Type": "application/json", "Origin": origin}
        )
        with self.opener.open(request, timeout=LONGEST) as answer:
            return json.load(answer)

    def act(self, what: str, **body: object) -> Any:
        """Act as one of the sandbox's people; some acts wait for the bot."""
        return self.post(f"{self.url}/sandbox/{what}", **body)

    def sees(self, words: str, **where: object) -> Any:
        """Wait for a message of the bot."""
        return self.act("sees", **where, words=words, within=LONGEST / 5)

    def state(self) -> Any:
        """The sandbox's whole state."""
        return json.loads(self.get(f"{self.url}/sandbox/state"))


def check_contents(dist: Path) -> None:
    """Every file of a package, its licence with the notices, the settings and a server's files are in its wheel."""
    for name, folder in SOURCES.items():
        (wheel,) = dist.glob(f"{name}-*-none-any.whl")
        with zipfile.ZipFile(wheel) as archive:
            held = set(archive.namelist())
        listed = run("git", "ls-files", folder, cwd=ROOT, check=True).stdout.split()
        package = Path(folder).name
        wanted = {f"{package}/{Path(path).relative_to(folder)}" for path in listed}
        licences = {"LICENSE", "NOTICE"} if name == "perudo_bot" else {"LICENSE"}
        wanted |= {f"{wheel.name.split('-py3')[0]}.dist-info/licenses/{each}" for each in licences}
        if missing := sorted(wanted - held):
            raise FailedError(f"{wheel.name} lacks {missing}")
        more = {path for path in held - wanted if ".dist-info/" not in path}
        if strange := sorted(path for path in more if not path.removeprefix("telegram_bot/").startswith(OUTSIDE)):
            raise FailedError(f"{wheel.name} holds what no commit has: {strange}")


def examples(readme: str) -> list[str]:
    """A README's programs."""
    return [block for language, block in FENCED.findall(READMES[readme]) if language == "python"]


def core(stranger: Stranger) -> None:
    """Test the rules alone: no other package is installed, and the page's programs run."""
    stranger.new_environment("core")
    stranger.type("pip install perudo-core")
    installed = re.findall(r"(?m)^([\w-]+)==", stranger.type("pip list --format=freeze"))
    if others := set(installed) - {"pip", "setuptools", "perudo-core"}:
        raise FailedError(f"pip install perudo-core brought {others}")
    stranger.write("readme.py", "\n".join(examples("perudo_core/README.md")))
    if not stranger.type("python -I -W error readme.py").endswith(" wins\n"):
        raise FailedError("the game of the README does not end")
    stranger.type("python -m perudo_core --version")
    listed = stranger.type("python -m perudo_core --help")
    assert all(word in listed for word in ("replay", "verify", "analyse"))
    stranger.type("pip install 'perudo-core[numpy]'")
    stranger.type("python -W error -c 'import perudo_core.batch'")
    stranger.type("pip install 'perudo-core[gymnasium,pettingzoo]' pytest")
    stranger.type(f"tar -xzf {stranger.dist}/perudo_core-*.tar.gz --strip-components=1")
    stranger.type("python -W error -m perudo_conformance")
    tested = ("builds", "gymnasium", "records")
    stranger.type(f"python -m pytest -q {' '.join(f'tests/perudo_core/test_{name}.py' for name in tested)}")
    stranger.type("python -W error examples/ppo_2x2.py 1 20")


def sandbox(stranger: Stranger) -> None:
    """A bot that is not ours, in the sandbox; and the page's tests of bots."""
    stranger.new_environment("sandbox")
    readme = "telegram_sandbox/README.md"
    lines = command_lines(ROOT / readme)
    install, run_tests = (each for each in lines if each.startswith("pip install") or each.endswith("-m pytest"))
    stranger.type(install)
    stranger.follow(READMES[readme])
    if "1 passed" not in stranger.type(run_tests):
        raise FailedError("the first test of the README does not pass")
    if "aiogram" in stranger.type("pip list --format=freeze"):
        raise FailedError("telegram-sandbox brought aiogram")
    sections = (ROOT / "docs/test-your-bot.md").read_text(encoding="utf-8").split("\n## ")[1:]
    (more,) = (each for each in sections if each.startswith("More people"))
    (process,) = (each for each in sections if each.startswith("A bot in a process"))
    stranger.follow(more + process)
    if "3 passed" not in stranger.type("pip install pytest-xdist && python -m pytest -n 2"):
        raise FailedError("the tests of the page do not pass side by side")
    stranger.follow((ROOT / "docs/sandbox/aiogram.md").read_text(encoding="utf-8"))
    for page in sorted((ROOT / "docs/sandbox").glob("*.md")):
        stranger.type(next(line for line in command_lines(page) if line.startswith("pip install")))
    if "3 passed" not in stranger.type("pip install 'telegram-sandbox[schema]' && python -m pytest -n 2"):
        raise FailedError("the tests of the page do not pass with aiogram")
    (example,) = (each for each in examples(readme) if "async def test" in each and not each.startswith("# "))
    stranger.write("test_example.py", example)
    stranger.type("python -m pytest test_example.py")
    with stranger.running("python -m telegram_sandbox", "http://") as said:
        (url,) = re.findall(r"http://[\d.]+:\d+", said)[:1]
        assert "<!doctype html>" in Web(url).get(url)
    with stranger.running("python -m telegram_sandbox python my_bot.py", "http://") as said:
        (url,) = re.findall(r"http://[\d.]+:\d+", said)[:1]
        for line in (each for each in command_lines(ROOT / "telegram_sandbox/README.md") if each.startswith("curl")):
            stranger.type(line.replace("http://127.0.0.1:8080", url))
            stranger.typed.append(line)
        Web(url).sees("Hello, Ana", **{"from": 7000000001})


def bot(stranger: Stranger) -> float:
    """Test the bot from an empty folder; return the seconds until its first page."""
    stranger.new_environment("bot")
    stranger.type("pip install pipx")
    began = time.monotonic()
    with stranger.running("pipx run --spec 'perudo-bot[sandbox]' perudo-bot try", "http://") as said:
        (url,) = re.findall(r"http://[\d.]+:\d+", said)[:1]
        web = Web(url)
        assert "<!doctype html>" in web.get(url)
        seconds = time.monotonic() - began
        an_evening(web)
    stranger.type("pipx install perudo-bot")
    if "pip install 'perudo-bot[sandbox]'" not in stranger.type("perudo-bot try || true"):
        raise FailedError("the bot without its sandbox does not say how to install it")
    with stranger.running("../sandbox/.venv/bin/python -m telegram_sandbox --json", "}") as said:
        where = json.loads(said)
        stranger.type(shown_with("read -r token"), given=f"{where['token']}\n")
        stranger.type(f"echo PERUDO_API_BASE_URL={where['api_base_url']} >> .env")
        with stranger.running("perudo-bot run", "playing as @"):
            web = Web(where["url"])
            web.act("messages", **{"from": 7000000001}, text="/start")
            web.sees("Hi Ana", **{"from": 7000000001})
        stranger.type("perudo-bot doctor")
    stranger.type("perudo-bot backup perudo.backup")
    stranger.type("perudo-bot restore --check perudo.backup")
    stranger.type("perudo-bot init my-bot")
    for file in (stranger.home / "bot/my-bot").iterdir():
        origin = ROOT / "config" / ("" if file.name == "bot.toml" else "deploy") / file.name
        if file.read_bytes() != origin.read_bytes():
            raise FailedError(f"perudo-bot init writes another {file.name} than {origin}")
    stranger.type("perudo-bot run --config my-bot/bot.toml --help")
    python = '"$(dirname "$(readlink -f "$(command -v perudo-bot)")")/python"'
    for language, words in {"en": "five fours", "it": "cinque quattro", "nl": "vijf vieren"}.items():
        read = f"{python} -m telegram_bot.cli.read --language {language}"
        assert "5x4" in stranger.type(read, given=f"{words}\n")
    return seconds


def an_evening(web: Web) -> None:
    """Test a group, Gran's telephone, computer players and a guest without an account, in the room of `try`."""
    state = web.state()
    ana = {"from": state["people"][0]["id"]}
    in_group = ana | {"chat_id": next(chat["id"] for chat in state["chats"] if chat["type"] != "private")}
    web.act("messages", **ana, text="/start")
    web.sees("Hi Ana", **ana)
    web.act("messages", **in_group, text="/perudo")
    (code,) = re.findall(r"JOIN (\w+)", web.sees("who's in", **in_group)["text"])
    (gran,) = state["sms"]["phones"]
    web.act("texts", phone=gran["id"], text=f"JOIN {code}")
    web.sees("2. ", **in_group)
    for where, label in ((ana, "🤖 Players"), (ana, "🤖 Fill the table"), (in_group, "▶️ Start")):
        web.act("tap", **where, label=label, within=LONGEST / 5)
    assert web.sees("ound 1", **ana)["photo"], "Ana's dice are a picture"
    assert [text for text in web.state()["sms"]["texts"] if text["phone"] == gran["id"]][1:], "Gran is answered"

    for page in state["brand"]["links"]:
        assert "<!doctype html>" in web.get(page["address"]).lower()
    link = state["brand"]["links"][0]["address"]
    guest = web.post(f"{link.removesuffix('/t')}/seat/open", name="Cy", language="it")
    assert guest["state"] == "in", guest
    if any((totals := web.state()["totals"])[name] for name in ("schema_failures", "flood_refusals")):
        raise FailedError(f"the bot does what Telegram refuses: {totals}")


def shown_with(words: str) -> str:
    """The only command of the first README that contains these words, in a block or within a sentence."""
    spans: list[str] = re.findall(r"`([^`\n]+)`", READMES["README.md"])
    (line,) = {each for each in spans if words in each}
    return line


def everything(python: str, scratch: Path, dist: Path, constraints: Path, account: pwd.struct_passwd | None) -> float:
    """Do all that a stranger does with one Python; return the seconds until the bot's first page."""
    home = Path(tempfile.mkdtemp(dir=scratch))
    if account is not None:
        os.chown(home, account.pw_uid, account.pw_gid)
    os.umask(0o022)
    stranger = Stranger(home, python, dist, constraints, account)
    sys.stdout.write(f"\n{stranger.type(f'{python} --version')}")
    core(stranger)
    sandbox(stranger)
    seconds = bot(stranger)
    told = [line for readme in READMES for line in command_lines(ROOT / readme)]
    in_a_clone = ("make ", "git clone ", "pip install ./", "pip install './")
    if left := [line for line in told if line not in stranger.typed and not line.startswith(in_a_clone)]:
        raise FailedError(f"the READMEs tell commands that no one has typed: {left}")
    return seconds


def open_to_everybody(pythons: Sequence[str]) -> None:
    """Let the stranger use Pythons in folders that are closed to others, such as root's home; they see nothing else."""
    used = {Path(sys.base_prefix), *(Path(python).parents[1] for python in pythons)}
    closed = {prefix: _closed_above(prefix) for prefix in used}
    prefixes = sorted(prefix for prefix in used if closed[prefix] is not None)
    for number, prefix in enumerate(prefixes):
        (machine.SCRATCH / f"python-{number}").mkdir()
        subprocess.run(["mount", "--bind", prefix, machine.SCRATCH / f"python-{number}"], check=True)  # noqa: S603, S607
    for folder in {closed[prefix] for prefix in prefixes}:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "perudo", str(folder)], check=True)  # noqa: S603, S607
    for number, prefix in enumerate(prefixes):
        prefix.mkdir(parents=True)
        subprocess.run(["mount", "--bind", machine.SCRATCH / f"python-{number}", prefix], check=True)  # noqa: S603, S607


def _closed_above(path: Path) -> Path | None:
    """The outermost folder above a path that only its owner may enter, or None if every user can reach the path."""
    return next((folder for folder in reversed(path.parents) if not folder.stat().st_mode & stat.S_IXOTH), None)


def main(dist: Path, pythons: Sequence[str]) -> int:
    """Test each Python; return the exit status."""
    let_children_hear_ctrl_c()
    listed = subprocess.run([ROOT / ".ci/interpreters"], stdout=subprocess.PIPE, encoding="utf-8", check=True)  # noqa: S603 - our own
    interpreters = pythons or listed.stdout.split() or [os.path.realpath(sys.executable)]
    account = None
    with tempfile.TemporaryDirectory() as scratch:
        there = Path(scratch)
        if os.environ.get(machine.INSIDE):
            account, there = machine.make_private(), machine.SCRATCH
        there.chmod(0o755)
        shutil.copytree(dist, there / "dist", ignore=shutil.ignore_patterns("docs"))
        constraints = there / "constraints.txt"
        options = ("--quiet", "--frozen", "--all-extras", "--no-hashes", "--no-emit-workspace")
        export = (ROOT / ".tools/bin/uv", "export", *options, "--output-file", constraints)
        subprocess.run(export, cwd=ROOT, check=True)  # noqa: S603
        began = time.monotonic()
        try:
            check_contents(dist)
            seconds = {}
            if account is not None:
                open_to_everybody(interpreters)
            for each in interpreters:
                seconds[each] = everything(each, there, there / "dist", constraints, account)
        except (FailedError, AssertionError):
            traceback.print_exc()
            return 1
    for file in sorted(dist.glob("*-*")):
        sys.stdout.write(f"{file.stat().st_size / 1e6:6.2f} MB  {file.name}\n")
    for each, taken in seconds.items():
        sys.stdout.write(f"{taken:6.1f} s   from nothing to the first page of `perudo-bot try`, {each}\n")
    who = "an account of its own" if account else "an empty home"
    sys.stdout.write(f"All of it works for a stranger with {who}, in {time.monotonic() - began:.0f} s.\n")
    return 0


if __name__ == "__main__":
    with contextlib.suppress(machine.NotPossibleError):
        machine.enter("tests.operating.release", sys.argv[1:])
    sys.exit(main(ROOT / "dist", sys.argv[1:]))
