"""Measured figures: each that a page prints is in one file, with its command, day and commit."""

import re
import sys
import tomllib
from pathlib import Path
from typing import Final

import pytest

from test_support import test_cost
from test_support.documents import FENCED, PAGES, ROOT
from test_support.figures import FILE, Figure, all_figures, figures, limits

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


COSTS = {"folders": {"tests/dear": 100.0}, "long": {"tests/dear/test_long.py": "a reason"}}
LONG, ONE = "tests/dear/test_long.py::test_b", "tests/dear/test_one.py::test_a"


@pytest.mark.parametrize(
    ("costs", "slowness", "wrong"),
    [
        ({ONE: 9.0, LONG: 106.0}, 1.0, []),
        ({LONG: 120.0}, 1.0, ["tests/dear cost 120 CPU seconds; its figure for this machine: 100"]),
        ({LONG: 120.0, ONE: 11.0}, 2.0, []),
        ({ONE: 11.0}, 1.0, [f"{ONE} cost 11 CPU seconds, and figures.toml has no reason for it"]),
        ({"tests/new/test_one.py::test_a": 1.0}, 1.0, ["tests/new has no figure in figures.toml"]),
    ],
)
def test_tests_that_cost_too_much_are_named(costs: dict[str, float], slowness: float, wrong: list[str]) -> None:
    assert test_cost.too_costly(costs, COSTS, slowness) == wrong


def test_the_costs_of_the_folders_of_a_run_are_written_and_the_others_kept() -> None:
    before = '[tests]\nunit = 1.0000\n\n[tests.folders]\n"tests/a" = 10\n"tests/b" = 20\n\n[tests.long]\n'
    after = test_cost.written(before, {"tests/b": [1.0, 2.0], "tests/c": [5.0]}, 2.0)
    assert after == before.replace("1.0000", "2.0000").replace(
        'a" = 10\n"tests/b" = 20', 'a" = 20\n"tests/b" = 3\n"tests/c" = 5'
    )


def test_a_run_that_costs_too_much_fails(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # to import them would take half of the time
    pytester.makepyfile("def test_passes(): pass")
    pytester.syspathinsert(ROOT)
    result = pytester.run(sys.executable, "-m", "pytest", "-p", "test_support.test_cost", "--rootdir=.")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["* has no figure in figures.toml"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_every_folder_of_tests_has_a_figure_and_every_reason_is_of_a_test() -> None:
    known = tomllib.loads(FILE.read_text("utf-8"))["tests"]
    files = [str(file.relative_to(ROOT)) for file in (ROOT / "tests").rglob("test_*.py")]
    assert set(known["folders"]) == set(test_cost.folders(dict.fromkeys(files, 0.0)))
    for reason in known["long"]:
        file, _, test = reason.partition("::")
        assert any(each.startswith(file) for each in files), reason
        assert not test or f"def {test}" in (ROOT / file).read_text("utf-8"), reason
