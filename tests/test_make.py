"""`make` in a fresh copy of the repository, in a folder with an odd name: what it would install, and what it runs.

A program in the place of uv notes what is installed.
"""

import os
import re
import shutil
import sys
import time
from pathlib import Path

import pytest

from test_support import without_features
from test_support.child_processes import run
from test_support.documents import ROOT

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
    own = os.environ | {"PYTHON": sys.executable}
    done = run("sh", "-c", 'make --no-print-directory "$@" 2>&1', "make", *words, cwd=folder, env=own, check=True)
    return done.stdout


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
    assert said.startswith("All tests take about nine minutes on two cores")
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
