"""`make install`: the service's user can read it whatever the umask, and no file of the installer's is left behind."""

import os
import re
import sys
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from test_support.child_processes import run
from test_support.documents import ROOT

NOBODY = 65534
INSTALL = ROOT / "config/deploy/install"


def make_install(prefix: Path | str, python: Path | str, umask: int = 0o022) -> CompletedProcess[str]:
    words = ("--no-print-directory", "install", f"PREFIX={prefix}", f"PYTHON={python}")
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
    outcome = make_install(prefix := tmp_path / "perudo", machines_python(), umask=0o077)
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
