"""Every command of the operators' pages is either typed by `.ci/run test-operating` or named as one that cannot be.

The run itself takes one to two minutes and is not part of `.ci/run`.
"""

import pytest

from tests.operating import commands, private_machine


def test_each_command_of_the_pages_is_typed_or_named_in_the_pages_order() -> None:
    assert commands.unclassified() == []


def test_without_root_it_says_loudly_that_nothing_was_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.delenv(private_machine.INSIDE, raising=False)
    with pytest.raises(private_machine.NotPossibleError, match="root"):
        private_machine.enter("tests.operating.follow", [])
