"""The README's examples, run as they stand."""

import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "telegram_sandbox"
README = (PACKAGE / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: re.findall(r"async def (test_\w+)", example)[0])
async def test_the_readmes_example_passes(example: str) -> None:
    names: dict[str, object] = {}
    exec(compile(example, "README.md", "exec"), names)  # noqa: S102 - our own page
    tests = [function for name, function in names.items() if name.startswith("test_")]
    assert len(tests) == 1
    for test in tests:
        await test()  # type: ignore[operator]


def test_there_are_examples_for_a_library_for_plain_http_and_for_inline_mode() -> None:
    assert ["telegram.ext" in example for example in EXAMPLES] == [True, False, True]
    assert "type_inline" in EXAMPLES[2]
    assert "httpx" in EXAMPLES[1]


def test_everything_the_readme_links_to_is_there() -> None:
    links = re.findall(r"\]\((?!https?:)([^)]+)\)", README)
    assert [link for link in links if not (PACKAGE / link).exists()] == []
