"""Measured figures: each that a page prints is in one file, with its command, day and commit."""

import re
from pathlib import Path
from typing import Final

import pytest

from test_support.documents import FENCED, PAGES, ROOT
from test_support.figures import Figure, all_figures, figures, limits

READ_BY_USERS: Final = [
    page
    for page in PAGES
    if page.name not in {"CHANGELOG.md", "PROTOCOL.md", "NOTICES.md"} and ROOT / "benchmarks" not in page.parents
]
SIZE_OR_TIME: Final = re.compile(r"\d[\d.,]* ?(?:[GMk]B|[GM]iB|KB|ms|ns|% of a core)(?!\w)")


def words_of(file: str) -> str:
    return " ".join((ROOT / file).read_text(encoding="utf-8").split())


@pytest.mark.parametrize("figure", figures().values(), ids=lambda figure: figure.name)
def test_a_figure_is_printed_where_the_file_says(figure: Figure) -> None:
    """Those of today are measured here."""
    assert figure.table is None or f"<!-- generated: figures {figure.name} -->" in words_of(figure.page)
    for file, words in figure.printed.items():
        assert figure.in_words(words) in words_of(file), f"{file} prints another figure"


def test_a_figure_has_a_day_and_a_commit_unless_a_test_measures_it() -> None:
    for figure in figures().values():
        if figure.date is None:
            assert figure.commit is None
            assert figure.in_words(figure.value) != figure.value, f"{figure.name} is not measured"
        else:
            assert re.fullmatch("[0-9a-f]{8}", figure.commit or ""), figure.name
            assert "{" not in figure.value


def test_a_missed_goal_is_marked_in_bold() -> None:
    missed = [figure for figure in figures().values() if figure.missed]
    assert missed
    assert all_figures().count(": **missed**") == len(missed)


@pytest.mark.parametrize("page", READ_BY_USERS, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_size_and_time_that_a_page_prints_is_a_figure_or_was_chosen(page: Path) -> None:
    name = str(page.relative_to(ROOT))
    prose = re.sub(r"(?s)<!-- generated: .*?<!-- end -->", "", FENCED.sub("", page.read_text(encoding="utf-8")))
    measured = " ".join(f"{each.table} {each.value} {[*each.printed.values()]}" for each in figures().values())
    known = {*SIZE_OR_TIME.findall(measured), *limits().get(name, [])}
    unknown = [each for each in SIZE_OR_TIME.findall(prose) if each not in known]
    assert unknown == [], "write it into benchmarks/figures.toml"
