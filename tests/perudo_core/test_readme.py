"""The examples of the README and of the site's pages run, each page by itself."""

import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
TEXTS = {
    page.stem: page.read_text(encoding="utf-8")
    for page in (PROJECT / "perudo_core/README.md", *sorted(PROJECT.glob("docs/library/*.md")))
}
EXAMPLES = {
    name: found for name, text in TEXTS.items() if (found := re.findall(r"```python\n(.*?)```", text, re.DOTALL))
}


@pytest.mark.parametrize("page", EXAMPLES)
def test_the_examples_run(page: str) -> None:
    names: dict[str, object] = {}
    for block in EXAMPLES[page]:
        exec(compile(block, page, "exec"), names)  # noqa: S102 - the project's own text
