"""`make` in a fresh copy of the repository, in a folder with an odd name, `make install`, and the programs in .ci."""

import json
import os
import re
import shutil
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from telegram_bot.channels.sms.gateways.base import WebRequest
from test_support import without_features
from test_support.child_processes import run
from test_support.documents import ROOT
from tests.telegram_bot.channels.sms.conftest import Answer, http_server

MAINTAINERS = ".ci/maintainers.mk"
PACKAGES = "SYSTEM_PACKAGES=no-such-program"
UV = r"""#!/bin/sh
# Installs extras into the file `installed`, as uv does: a sync removes others unless it is --inexact.
set -eu
case $1 in
    sync)
        echo sync >>uv.log
        mkdir -p .venv/bin
        touch .venv/installed .venv/bin/python
        printf '#!/bin/sh\necho "${PYTHONPATH-}"\n' >.venv/bin/perudo-bot
        chmod +x .venv/bin/perudo-bot
        case " $* " in
            *" --all-extras "*) set -- --extra developers --extra postgresql --extra sandbox --extra voice ;;
            *" --inexact "*) set -- $(sed 's/^/--extra /' .venv/installed) "$@" ;;
        esac
        : >.venv/installed
        for word; do
            [ "${before-}" != --extra ] || echo "$word" >>.venv/installed
            before=$word
        done
        ;;
    build) touch .venv/compiled/core.whl ;;
esac
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    tmp_path = tmp_path / "my games (old)" / "pérudo"
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci", ignore=shutil.ignore_patterns("__pycache__"))
    projects = [f"{folder}/pyproject.toml" for folder in (".", "perudo_core", "telegram_sandbox")]
    for name in ("Makefile", "uv.lock", *projects):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def with_uv(copy: Path) -> Path:
    """The same folder, in which uv is there."""
    (version,) = re.findall(r"(?m)^UV_VERSION := (\S+)$", (copy / "Makefile").read_text(encoding="utf-8"))
    uv = copy / ".tools/bin/uv"
    uv.parent.mkdir(parents=True)
    uv.write_text(UV, encoding="utf-8")
    uv.chmod(0o755)
    (copy / f".tools/.uv-{version}").touch()
    return copy


def make(folder: Path, *words: str) -> str:
    """Run it with this Python: to find one costs a third of a second where pyenv stands before it."""
    own = os.environ | {"PYTHON": sys.executable, "PYTHONPATH": ""}
    done = run("sh", "-c", 'make --no-print-directory "$@" 2>&1', "make", *words, cwd=folder, env=own, check=True)
    return done.stdout


def test_a_python_in_a_shared_library_is_taken_if_there_is_no_other(copy: Path) -> None:
    for name, answer in (("slow", '[ "${2#*libpython}" = "$2" ]'), ("quick", "")):
        (copy / name).mkdir()
        (python := copy / name / "python3").write_text(f"#!/bin/sh\n{answer}\n", encoding="utf-8")
        python.chmod(0o755)
    for tool in ("grep", "which"):
        (copy / "slow" / tool).symlink_to(shutil.which(tool) or "")
    for path, taken in ((f"{copy}/slow", "slow"), (f"{copy}/slow:{copy}/quick", "quick")):
        steps = run(shutil.which("make") or "", "-n", "setup", cwd=copy, env={"PATH": path}, check=True).stdout
        assert f'"{copy}/{taken}/python3" -m pip install' in steps


@pytest.mark.parametrize("target", ["play", "party"])
def test_a_game_needs_the_bot_and_its_sandbox_and_no_compiler(target: str, copy: Path) -> None:
    steps = make(copy, "-n", target, "PORT=9000")
    assert f"perudo-bot {'sandbox' if target == 'play' else target} --port 9000" in steps
    assert "--no-dev --extra sandbox" in steps
    assert not [word for word in ("--all-extras", "uv build", ".ci/") if word in steps]
    assert "150 MB into .venv" in steps


@pytest.mark.parametrize(("target", "missing"), [("setup", set()), ("run", {"play"})])
def test_a_game_uses_the_environment_that_is_there(target: str, missing: set[str], copy: Path) -> None:
    """The environment of a service has no sandbox."""
    (copy / ".venv/bin").mkdir(parents=True)
    (copy / ".venv/bin/python").touch()
    (copy / re.findall(r"touch (\.venv/\.ready\S*)", make(copy, "-n", target))[0]).touch()
    (copy / ".venv/.extras").write_text("dev" if target == "setup" else "postgresql", encoding="utf-8")
    assert {game for game in ("play", "party") if "sync" in make(copy, "-n", game)} == missing


def test_the_tests_say_first_what_they_install_how_much_and_that_it_needs_root(copy: Path) -> None:
    said = make(copy, "announce", PACKAGES)
    assert said.startswith("All tests take about eight minutes on two cores")
    assert "All tests" not in make(copy, "announce", PACKAGES, "TESTS=tests/perudo_core")
    assert "1.7 GB in .venv and .tools; this takes one to five minutes" in said
    assert "which apt-get installs as root (by sudo), up to 1 GB in one to five minutes: no-such-program" in said
    assert "100 MB from npm" in said
    steps = make(copy, "-n", "test", PACKAGES)
    assert steps.index("--announce no-such-program") < steps.index("pip install") < steps.index("--all-extras")
    assert steps.index("--all-extras") < steps.index(".ci/system-packages no-such-program")


def test_the_linters_need_no_root_and_say_first_what_they_leave_out(copy: Path) -> None:
    left_out = "NOT CHECKED: the pages' JavaScript"
    steps = make(copy, "-n", "lint", "NODE=")
    assert steps.index(left_out) < steps.index("pip install") < steps.index("ruff check") < steps.rindex(left_out)
    assert ".ci/" not in steps
    assert "python -m test_support.typed_pages" in make(copy, "-n", "lint", "CI=true")


def test_no_target_touches_a_folder_whose_name_is_a_part_of_the_checkouts(with_uv: Path) -> None:
    """They are older than the sources, as any folder is after a fresh clone."""
    games = with_uv.parent
    others = [games.parent / "my", games.parent / "my games", games / "p", with_uv / "games", with_uv / "(old)"]
    for folder in others:
        folder.mkdir(exist_ok=True)
        (folder / "photo").touch()
        os.utime(folder, (0, 0))
    assert make(with_uv, "run").endswith(f"once: this takes about half a minute\n{with_uv}/.venv/compiled\n")
    for target in ("play", "party", "doctor", "clean"):
        make(with_uv, target)
    assert [folder for folder in others if not (folder / "photo").exists() or [*folder.glob("*.whl")]] == []
    assert sorted(path.name for path in games.parent.iterdir()) == ["my", "my games", "my games (old)"]


def test_the_folders_path_is_quoted_in_each_command(with_uv: Path) -> None:
    listed = (with_uv / "Makefile").read_text(encoding="utf-8") + (with_uv / MAINTAINERS).read_text(encoding="utf-8")
    targets = re.sub(r"\\\n", "", " ".join(re.findall(r"(?m)^\.PHONY: ((?:.*\\\n)*.*)", listed))).split()
    own = (f"CONFIG={with_uv}/my.toml", f"MODEL={with_uv}", f"PREFIX={with_uv}", "REPOSITORY=https://example.org")
    steps = make(with_uv, "-n", f"--file={MAINTAINERS}", *targets, *own)
    run("sh", "-n", input=steps, check=True)
    assert len(re.findall(re.escape(f'"{with_uv}'), steps)) == steps.count(str(with_uv)) >= 4


@pytest.mark.parametrize(
    "typed",
    [
        "run EXTRAS=postgresql\\ voice, doctor, play, run, party, run EXTRAS=, doctor EXTRAS=voice",
        "play, run, doctor, setup, run, play, doctor",
        "setup doctor run, play",
    ],
)
def test_no_command_takes_away_what_another_one_has_installed(typed: str, with_uv: Path) -> None:
    def installed() -> set[str]:
        return set((with_uv / ".venv/installed").read_text(encoding="utf-8").split())

    there: set[str] = set()
    commands = [re.split(r"(?<!\\) ", line) for line in typed.split(", ")]
    for words in commands:
        make(with_uv, *(word.replace("\\", "") for word in words))
        assert there <= (there := installed()), words
    log = with_uv / "uv.log"
    log.unlink()
    for words in commands:
        make(with_uv, *(word.replace("\\", "") for word in words))
    assert not log.exists(), "once set up they fetch nothing"
    later = time.time() + 60
    os.utime(with_uv / "uv.lock", (later, later))
    (with_uv / ".venv/installed").write_text("", encoding="utf-8")
    make(with_uv, "run")
    assert installed() == there, "the packages of each extra are brought up to a new lock"


def test_the_quick_tests_are_there() -> None:
    for test in make(ROOT, "-s", "-f", MAINTAINERS, "fast-tests").split():
        assert (ROOT / test.partition("::")[0]).exists(), test


def test_the_quick_tests_hold_those_of_what_was_changed(copy: Path) -> None:
    """They need neither a browser nor Node."""
    tests = ("features/coin/test_coin", "features/coin/test_page", "words/test_lines", "voice/test_beam", "test_party")
    for name in [f"tests/telegram_bot/{test}.py" for test in tests]:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text("async def test_page(browser): ..." if "page" in name else "", encoding="utf-8")
    for words in ("init -q", "add .", "-c user.name=Ana -c user.email=ana@example.org commit -qm old"):
        run("git", *words.split(), cwd=copy, check=True)
    changed = ("features/coin/__init__.py", "notices/round.py", "party.py")
    for name in changed:
        (copy / "telegram_bot" / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / "telegram_bot" / name).touch()
    chosen = make(copy, "-n", "test-fast").split()
    assert [test for test in tests if f"tests/telegram_bot/{test}.py" in chosen] == [tests[0], tests[2], tests[4]]


def test_a_feature_that_there_is_not_deletes_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["", str(tmp_path)])
    with pytest.raises(SystemExit, match="No feature"):
        without_features.main()
    assert tmp_path.exists()


def test_ci_tries_the_release_on_the_first_of_many_pythons(copy: Path) -> None:
    (copy / MAINTAINERS).write_text("setup:\ntest-release:\n\t@echo tried: $(PYTHONS)\n", encoding="utf-8")
    many = "#!/bin/sh\nseq --format '/opt/a python/%g' 99999\n"
    (copy / ".ci/interpreters").write_text(many, encoding="utf-8")
    done = run(copy / ".ci/run", "test-release", timeout=60)
    assert "tried: /opt/a python/1\n" in done.stdout, done.stderr
    assert done.returncode == 0


# `make install`: the service's user can read it whatever the umask, and no file of the installer's is left behind


NOBODY = 65534
INSTALL = ROOT / "config/deploy/install"


HEAVY = "babel cryptography phonenumbers pillow psycopg-binary pydantic pydantic-core python-telegram-bot sqlalchemy"
"""To install these takes half of the time; no command that a test types here imports them."""


def make_install(prefix: Path | str, python: Path | str, *more: str, umask: int = 0o022) -> CompletedProcess[str]:
    words = ("--no-print-directory", "install", f"PREFIX={prefix}", f"PYTHON={python}", *more)
    return run("make", *words, cwd=ROOT, umask=umask)


def machines_python() -> str:
    """A Python that a service's user can read."""
    for each in ("/usr/bin/python3", "/usr/local/bin/python3", os.path.realpath(sys.executable)):
        if Path(each).exists() and not Path(each).resolve().is_relative_to(Path.home()):
            return each
    raise AssertionError("this machine has no Python outside a home folder: apt-get install python3")


def files_of_the_checkout() -> dict[str, int]:
    """The files of the checkout with their owners, which an installation could change."""
    folders = [ROOT / ".tools", *(ROOT / name for name in ("perudo_core", "telegram_bot", "telegram_sandbox"))]
    places = [ROOT, *(path for folder in folders for path in (folder, *folder.rglob("*")))]
    return {str(path): path.lstat().st_uid for path in places if "__pycache__" not in path.parts}


def test_a_narrow_umask_leaves_a_bot_that_another_user_can_run(tmp_path: Path) -> None:
    """After `umask 077`, as before a backup. The checkout and the installer's own cache stay as they were."""
    tmp_path.chmod(0o755)
    cache = Path.home() / ".cache/uv"
    before = files_of_the_checkout(), sorted(cache.glob("*")) if cache.exists() else None
    uv = tmp_path / "uv"
    left_out = " ".join(f"--no-install-package {each}" for each in HEAVY.split())
    uv.write_text(f'#!/bin/sh\nexec .tools/bin/uv "$@" {left_out}\n')
    uv.chmod(0o700)
    outcome = make_install(prefix := tmp_path / "perudo", machines_python(), f"UV={uv}", umask=0o077)
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stdout.startswith("perudo-bot ")
    installed = [path for path in (prefix, *prefix.rglob("*")) if not path.is_symlink()]
    assert [path for path in installed if path.stat().st_mode & 0o005 < (0o005 if path.is_dir() else 0o004)] == []
    assert (files_of_the_checkout(), sorted(cache.glob("*")) if cache.exists() else None) == before
    assert list(prefix.rglob("telegram_bot/__pycache__/app.*.pyc")), "or each start would compile everything"
    assert (prefix / ".extras").read_text() == "postgresql\n"
    assert "\nprompt = perudo-bot\n" in (prefix / "pyvenv.cfg").read_text(), "by which the next install knows it"
    assert not list(prefix.rglob("site-packages/pytest")), "the developers' packages are not a service's"
    if os.geteuid() == 0:  # as the service's user would, who cannot look into pytest's own folder
        copy = Path("/tmp") / f"perudo-install-{os.getpid()}"  # noqa: S108
        prefix.rename(copy)
        try:
            asked = (copy / "bin/python", "-m", "telegram_bot.cli", "--version")
            said = run(*asked, user=NOBODY, group=NOBODY, cwd="/")
        finally:
            copy.rename(prefix)
        assert (said.returncode, said.stdout) == (0, outcome.stdout), said.stderr


def test_a_python_under_a_home_folder_is_refused_with_the_reason(tmp_path: Path) -> None:
    """The test makes this Python's folder the asker's home folder."""
    home = os.environ | {"HOME": str(Path(os.path.realpath(sys.executable)).parents[1])}
    private = run(INSTALL, sys.executable, tmp_path / "perudo", "0", "/nonexistent", env=home)
    assert private.returncode == 1
    assert "is under the home folder" in private.stderr
    assert "make install PYTHON=/usr/bin/python3" in private.stderr
    assert not (tmp_path / "perudo").exists()


def test_a_python_that_is_none_is_refused(tmp_path: Path) -> None:
    outcome = make_install(tmp_path / "perudo", "/nonexistent/python")
    assert outcome.returncode != 0
    assert "is no Python that works" in outcome.stderr


@pytest.mark.parametrize("name", ["", "my games/with a photo"])
def test_a_folder_that_holds_something_else_is_refused_and_stays_as_it_is(name: str, tmp_path: Path) -> None:
    prefix = tmp_path / name
    prefix.mkdir(parents=True, exist_ok=True)
    (prefix / "photo").touch(0o600)
    (prefix / "pyvenv.cfg").write_text("prompt = another")
    (prefix / "pyvenv.cfg").chmod(0o644)
    outcome = make_install(prefix if name else "", machines_python())
    assert outcome.returncode != 0
    assert (f"{prefix} holds something else" if name else "where to?") in outcome.stderr
    assert sorted(path.stat().st_mode & 0o777 for path in prefix.iterdir() if path.is_file()) == [0o600, 0o644]


def test_a_later_install_keeps_the_extras_of_an_earlier_one(tmp_path: Path) -> None:
    (tmp_path / "pyvenv.cfg").write_text("prompt = perudo-bot\n")
    (tmp_path / ".extras").write_text("postgresql\nvoice\n")
    uv = tmp_path / "uv"
    uv.write_text(
        '#!/bin/sh\nmkdir -p "$UV_PROJECT_ENVIRONMENT/bin"\necho "echo $*" >"$UV_PROJECT_ENVIRONMENT/bin/perudo-bot"\n'
    )
    uv.chmod(0o755)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/perudo-bot").touch(0o755)
    said = run(INSTALL, machines_python(), tmp_path, "0", uv, "sandbox", check=True).stdout
    assert {"sandbox", "postgresql", "voice"} == set(re.findall(r"--extra (\S+)", said))
    assert (tmp_path / ".extras").read_text() == "postgresql\nsandbox\nvoice\n"


# .ci/addresses: what an index shows of the three distributions leads somewhere


FOLDERS = (".", "perudo_core", "telegram_sandbox")


def links(root: Path, folder: str) -> list[str]:
    return re.findall(r"\]\(([^)]*)\)", (root / folder / "README.md").read_text(encoding="utf-8"))


def urls(root: Path, folder: str) -> dict[str, str]:
    project = tomllib.loads((root / folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found: dict[str, str] = project.get("urls", {})
    return found


@pytest.mark.parametrize("address", ["https://example.org/perudo", None])
def test_a_distribution_has_whole_links_or_none(tmp_path: Path, address: str | None) -> None:
    for folder in FOLDERS:
        (tmp_path / folder).mkdir(exist_ok=True)
        for name in ("README.md", "pyproject.toml"):
            shutil.copy(ROOT / folder / name, tmp_path / folder / name)
    run(sys.executable, ROOT / ".ci/addresses", tmp_path, *filter(None, [address]), check=True)
    for folder in FOLDERS:
        within = [link for link in links(ROOT, folder) if not link.startswith(("http", "#"))]
        assert within, "the README of the repository has links to its own pages"
        assert [link for link in links(tmp_path, folder) if not link.startswith(("http", "#"))] == []
        whole = [link for link in links(tmp_path, folder) if address and link.startswith(f"{address}/")]
        assert len(whole) == (len(within) if address else 0)
        assert not any("/../" in link for link in whole)
        assert all(url.startswith(str(address)) for url in urls(tmp_path, folder).values())
        assert len(urls(tmp_path, folder)) == (5 if address else 0)
        assert urls(ROOT, folder) == {}, "no file of the repository has an address"


# .ci/audit, with pip-audit itself and an advisory service of our own


FLAW = {
    "id": "PYSEC-2026-1",
    "aliases": ["CVE-2026-1"],
    "summary": "somebody may walk in",
    "details": "somebody may walk in",
    "modified": "2026-01-01T00:00:00Z",
    "affected": [
        {
            "package": {"name": "starlette", "ecosystem": "PyPI"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "99.1"}]}],
        }
    ],
}


@contextmanager
def advisories(known: dict[str, Any]) -> Iterator[tuple[str, set[str]]]:
    """A service that speaks OSV; its address, and the packages of its requests."""
    asked: set[str] = set()

    def answer(_path: str, request: WebRequest) -> Answer:
        asked.add(name := json.loads(request.body)["package"]["name"])
        return 200, {}, json.dumps({"vulns": [known[name]]} if name in known else {}).encode()

    with http_server(answer) as url:
        yield f"{url}/v1/query", asked


def audit(url: str) -> CompletedProcess[str]:
    variables = {"AUDIT_OSV_URL": url, "AUDIT_SERVICES": "osv", "no_proxy": "127.0.0.1"}
    return run(sys.executable, ROOT / ".ci/audit", env=os.environ | variables, timeout=120)


def test_every_package_of_the_lock_is_asked_about() -> None:
    with advisories({}) as (url, asked):
        outcome = audit(url)
    said = f"Audit: no known vulnerability in {len(asked)} packages, says osv.\n"
    assert (outcome.returncode, outcome.stdout) == (0, said), outcome.stderr
    assert {"starlette", "python-telegram-bot", "sqlalchemy", "psycopg", "av", "structlog"} <= asked
    assert "pytest" not in asked


def test_a_known_vulnerability_fails_the_change() -> None:
    with advisories({"starlette": FLAW}) as (url, _):
        outcome = audit(url)
    assert outcome.returncode == 1
    words = r"starlette \S+: PYSEC-2026-1, CVE-2026-1; mended in 99.1\nAudit: 1 known vulnerabilities, says osv.\n"
    assert re.fullmatch(words, outcome.stdout)


def test_a_service_that_is_away_fails_nothing_and_is_not_passed_over_in_silence() -> None:
    outcome = audit("http://127.0.0.1:9/v1/query")
    assert outcome.returncode == 0
    assert "Audit: NOT DONE." in outcome.stdout
    assert outcome.stdout.count("!" * 100) == 2
