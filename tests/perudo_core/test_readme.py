"""The examples of the README run."""

import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2] / "perudo_core"
README = PROJECT / "README.md"


def test_the_examples_run(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 16
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(README), "exec"), names)  # noqa: S102 - the project's own text
    assert capsys.readouterr().out.endswith(" wins\n")
