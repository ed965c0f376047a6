"""`make` in a fresh copy of the repository: what it would install, in its order, without installing it."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from test_support.documents import ROOT

PACKAGES = "SYSTEM_PACKAGES=no-such-program"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci", ignore=shutil.ignore_patterns("__pycache__"))
    for name in (
        "Makefile",
        "pyproject.toml",
        "uv.lock",
        "perudo_core/pyproject.toml",
        "telegram_sandbox/pyproject.toml",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def make(folder: Path, *words: str) -> str:
    command = ("make", "--no-print-directory", *words)
    done = subprocess.run(  # noqa: S603 - our own targets
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=True
    )
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
    ready = re.findall(r"touch (\.venv/\.ready\S*)", make(copy, "-n", target))
    (copy / ready[0]).touch()
    assert {game for game in ("play", "party") if "sync" in make(copy, "-n", game)} == missing


def test_the_tests_say_first_what_they_install_how_much_and_that_it_needs_root(copy: Path) -> None:
    said = make(copy, "announce", PACKAGES)
    assert said.startswith("All tests take about fifteen minutes on two cores")
    assert "All tests" not in make(copy, "announce", PACKAGES, "TESTS=tests/perudo_core")
    assert "1.7 GB in .venv and .tools; this takes one to five minutes" in said
    assert "which apt-get installs as root (by sudo), up to 1 GB in one to five minutes: no-such-program" in said
    assert "100 MB from npm" in said
    steps = make(copy, "-n", "test", PACKAGES)
    assert steps.index("--announce no-such-program") < steps.index("pip install") < steps.index("--all-extras")
    assert steps.index("--all-extras") < steps.index(".ci/system-packages no-such-program")
