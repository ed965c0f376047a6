"""The README's examples, run without a change."""

import asyncio
import re
from inspect import iscoroutinefunction
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "telegram_sandbox"
README = (PACKAGE / "README.md").read_text(encoding="utf-8")
EXAMPLES = [
    example
    for example in re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    if "def test_" in example and not example.startswith("# ")
]
"""Examples without a file's name. `test_test_your_bot.py` runs the others."""


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: re.findall(r"def (test_\w+)", example)[0])
async def test_the_readmes_example_passes(example: str) -> None:
    names: dict[str, object] = {}
    exec(compile(example, "README.md", "exec"), names)  # noqa: S102 - our own page
    tests = [function for name, function in names.items() if name.startswith("test_")]
    assert len(tests) == 1
    if iscoroutinefunction(tests[0]):
        await tests[0]()
    else:
        await asyncio.to_thread(tests[0])  # type: ignore[arg-type] # without an event loop, as in a test of its own
