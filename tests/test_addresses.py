"""`.ci/addresses`: what an index shows of the three distributions leads somewhere."""

import re
import shutil
import sys
import tomllib
from pathlib import Path

import pytest

from test_support.child_processes import run
from test_support.documents import ROOT

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
