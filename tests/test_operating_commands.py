"""Every command of the operators' pages is either typed by `make test-operating` or named as one that cannot be.

The run itself takes one to two minutes and is not part of `.ci/run`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from test_support.documents import FENCED
from test_support.operating import commands, private_machine


def test_each_command_of_the_pages_is_typed_or_named_in_the_pages_order() -> None:
    assert commands.unclassified() == []


@pytest.mark.parametrize(
    ("was", "now", "complaint"),
    [
        ("make doctor\n", "make doctor\nmake dance\n", "tells to type 'make dance'"),
        ("git pull\n", "", "no longer tells to type 'git pull'"),
        ("docker compose build\n", "", "no page tells to type 'docker compose build'"),
    ],
)
def test_a_command_that_comes_goes_or_moves_is_noticed(
    monkeypatch: pytest.MonkeyPatch, was: str, now: str, complaint: str
) -> None:
    page = commands.OPERATING.read_text("utf-8")
    assert was in page
    real = commands.commands

    def changed(path: Path) -> list[str]:
        if path != commands.OPERATING:
            return real(path)
        blocks = FENCED.findall(page.replace(was, now, 1))
        return [line for language, block in blocks if not language for line in block.splitlines()]

    monkeypatch.setattr(commands, "commands", changed)
    assert any(complaint in each for each in commands.unclassified())


def test_without_root_it_says_loudly_that_nothing_was_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.delenv(private_machine.INSIDE, raising=False)
    with pytest.raises(private_machine.NotPossibleError, match="root"):
        private_machine.enter("test_support.operating.follow", [])
