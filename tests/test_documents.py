"""Facts in the documents: links lead somewhere, examples run, and commands, files, settings and figures are true."""

import ast
import importlib.util
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Final

import pytest
import yaml

from telegram_bot.settings import load_settings
from test_support import generated_docs, test_cost
from test_support.child_processes import run
from test_support.documents import FENCED, NOT_SETTINGS, PAGES, ROOT, commands, names_a_setting, spans, understands
from test_support.figures import FILE, Figure, all_figures, figures, limits
from test_support.film.stories import FILMS

README = ROOT / "README.md"
OPERATING = (ROOT / "docs/operating.md", *(ROOT / "docs/operating").glob("*.md"))
CURRENT = [page for page in PAGES if page.name != "CHANGELOG.md"]
"""The pages that name no feature which a later version removed."""


FOLDERS: Final = {
    *(".ci", "benchmarks", "config", "docs", "perudo_core"),
    *("telegram_bot", "telegram_sandbox", "test_support", "tests"),
}
MADE_BY_THE_READER: Final = {
    "config/deploy/.env",
    "telegram_bot/channels/line/__init__.py",
    "telegram_bot/channels/line/channel.py",
    "telegram_bot/features/coin/__init__.py",
    "telegram_bot/features/coin/coin.py",
    "telegram_bot/service/handlers/shuffle.py",
    "telegram_bot/words/locale/pt/LC_MESSAGES/perudo.po",
    "telegram_bot/words/grammars/pt.toml",
    "tests/telegram_bot/features/coin/",
    "tests/telegram_bot/words/phrases/pt.toml",
}


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@pytest.mark.parametrize("block", re.findall(r"```python\n(.*?)```", text_of(README), re.DOTALL))
def test_the_readmes_example_plays_a_game(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(block, "README.md", "exec"), {})  # noqa: S102 - the project's own text
    assert capsys.readouterr().out.endswith(" wins\n")


@pytest.mark.parametrize("page", [page for page in PAGES if "<!-- generated: " in text_of(page)], ids=name_of)
def test_the_generated_parts_of_a_page_are_of_today(page: Path) -> None:
    again = "`python -m test_support.generated_docs` writes the pages again"
    assert generated_docs.page(text_of(page)) == text_of(page), again


def test_each_picture_of_the_film_is_shown_and_has_one_description() -> None:
    taken = [file for film in FILMS for file in film.files]
    files = {f"film/{file.name}" for file in (ROOT / "docs/images/film").iterdir()}
    assert files == {file for file in taken if file.startswith("film/")}
    shown = [
        (page, file, contents)
        for page in CURRENT
        for contents, file in re.findall(r"!\[([^\]]+)\]\((?:docs/)?images/([^)]+)\)", text_of(page))
        if file in files or file in taken
    ]
    assert sorted(file for file, _ in {each[1:] for each in shown}) == sorted(taken)
    of_film = [file for page, file, _ in shown if page.name == "film.md"]
    assert of_film == [file for file in taken if file in of_film], "its pictures are in the order of the stories"


# The contents of a page


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to a page's headings."""
    headings = re.findall(r"(?m)^#+ (.*)$", page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def assert_command_works(line: str) -> None:
    """Fail if the command names a module, an option, a file, a unit or a service that does not exist."""
    words = shlex.split(line.replace("…", ""))
    while words and (words[0] == "sudo" or re.fullmatch(r"[A-Z_]+=\S+", words[0])):
        name = words[0].partition("=")[0]
        assert words[0] == "sudo" or name in NOT_SETTINGS or names_a_setting(name) or not words[1:], line
        words = words[1:]
    if words and words[0].startswith(".venv/bin/"):
        words[0] = words[0].removeprefix(".venv/bin/")
    match words:
        case ["python" | "python3", "-m", module, *arguments]:
            assert importlib.util.find_spec(module) is not None, line
            assert_files_exist(arguments, line)
        case ["perudo-bot" | "perudo", *arguments]:
            assert understands(*arguments), line
        case ["install" | "cp" | ".ci/run" | ".ci/pythons", *arguments]:
            assert_files_exist(words if words[0].startswith(".ci/") else arguments, line)
        case ["systemctl", *arguments]:
            units = [re.sub(r"@\d+", "@", word).removesuffix("*") for word in arguments if "perudo" in word]
            names = [unit if unit.endswith(".timer") else f"{unit}.service" for unit in units]
            assert all((ROOT / "config/deploy" / name).is_file() for name in names), line
        case ["docker", "compose", *arguments]:
            _assert_compose_works(arguments, line)
        case _:
            pass


def _assert_compose_works(arguments: list[str], line: str) -> None:
    services = yaml.safe_load((ROOT / "config/deploy/compose.yaml").read_text(encoding="utf-8"))["services"]
    named = [word for word in arguments if re.fullmatch(r"worker-\d|migrate|proxy|database", word)]
    assert set(named) <= services.keys()
    if {"exec", "run"} & set(arguments) and named != ["migrate"]:
        program, *given = arguments[arguments.index(named[0]) + ("exec" in arguments) :]
        assert program == named[0] or program in {"perudo-bot", "pg_dump", "pg_restore"}, line
        assert program.startswith("pg_") or understands(*given), line


def assert_files_exist(words: list[str], where: str, *folders: Path) -> None:
    """Fail if a word that begins with a folder of the project is no path there."""
    for word in words:
        if names_a_path(word) and word not in MADE_BY_THE_READER:
            pattern = re.sub(r"<\w+>", "*", word).rstrip("/")
            assert any(list(folder.glob(pattern)) for folder in (ROOT, *folders)), f"{where}: {word}"


def names_a_path(word: str) -> bool:
    """Whether a word is a path of the project: it has a slash, and begins with a folder of the project."""
    first, slash, _ = word.partition("/")
    return bool(slash) and re.fullmatch(r"[\w./*<>@-]+", word) is not None and first in FOLDERS


# Links


def test_every_link_leads_to_a_file_and_a_heading() -> None:
    broken = []
    for page in PAGES:
        for link in re.findall(r"\]\((?!https?:)([^)]+)\)", text_of(page)):
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            if not target.exists() or (anchor and anchor not in anchors(target)):
                broken.append(f"{name_of(page)}: {link}")
    assert broken == []


def test_the_index_from_which_the_site_makes_its_menu_has_every_page() -> None:
    index = ROOT / "docs/README.md"
    listed = [(index.parent / link).resolve() for link in re.findall(r"(?m)^- \[.*\]\((.*)\)$", text_of(index))]
    assert sorted(listed) == sorted({(ROOT / "config/bot.toml"), *PAGES} - {README, index})


def test_the_pages_that_the_bot_names_exist_with_their_headings() -> None:
    sources = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "telegram_bot").rglob("*.py"))
    named = re.findall(r"See (docs/[\w/]+\.md)(?:, ([^.]+))?\.", sources)
    assert named
    for page, heading in named:
        assert (ROOT / page).is_file()
        assert not heading or heading.lower().replace(" ", "-") in anchors(ROOT / page), heading


# Commands


def test_every_command_works() -> None:
    for line in {line for page in CURRENT for line in commands(page)}:
        assert_command_works(line)


@pytest.mark.parametrize("variables", [False, True], ids=["without variables", "with variables"])
def test_every_target_exists(variables: bool) -> None:
    """One run of make is asked for all targets: it takes a quarter of a second to begin."""
    shown = {re.sub(r"^(sudo |[A-Z_]+=\S+ )+", "", line) for page in CURRENT for line in commands(page)}
    words = {
        tuple(shlex.split(line)[1:])
        for line in shown
        if line.startswith(("make ", ".ci/run ")) and ("=" in line) is variables
    }
    assert len(words) > 5
    outcome = run("make", "--file=.ci/maintainers.mk", "--dry-run", *chain.from_iterable(sorted(words)), cwd=ROOT)
    assert outcome.returncode == 0, outcome.stderr


# Files, settings, tables, addresses


def test_every_file_that_a_page_names_exists() -> None:
    for page in CURRENT:
        assert_files_exist(list(chain.from_iterable(span.split() for span in spans(page))), name_of(page), page.parent)


def test_every_setting_that_a_page_names_exists() -> None:
    text = "".join(map(text_of, CURRENT))
    variables = set(re.findall(r"\bPERUDO_\w+", text)) - NOT_SETTINGS
    variables |= {f"PERUDO_{section}__{key}".upper() for section, key in re.findall(r"`\[(\w+)\] (\w+)`", text)}
    assert {"PERUDO_TOKEN", "PERUDO_STORAGE__KEEP_GAMES_DAYS"} <= variables
    assert [name for name in sorted(variables) if not names_a_setting(name)] == []


def test_the_settings_of_the_operators_page_load(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    page = "".join(map(text_of, OPERATING))
    lines = set(re.findall(r"(?m)^((?:PERUDO_\w+|DATABASE_URL)=\S+)$", page))
    lines |= set(re.findall(r"`((?:PERUDO_\w+|DATABASE_URL)=[^`]+)`", page))
    lines |= {f"{name}=anything-that-is-long" for name in re.findall(r"`(PERUDO_\w+)`", page) if "SECRET" in name}
    assert lines
    (tmp_path / "bot.toml").touch()
    for line in lines:
        name, _, value = line.partition("=")
        monkeypatch.setenv(name, value.replace("/etc/perudo/bot.toml", "bot.toml"))
    assert load_settings().webhook.url == "https://bot.example.org/telegram"


# The arrows of docs/architecture.md. The contracts themselves are in pyproject.toml, under importlinter


SUPPORT = "test_support"


def imports(package: Path) -> Iterator[tuple[str, str]]:
    """Every absolute import below a folder, as (where, what); also those of programs in texts."""
    for file in sorted(package.rglob("*.py")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            if named := re.match(r"\s*(?:from|import) (\w[\w.]*)(?: import| as|$)", line):
                yield f"{file.relative_to(ROOT)}:{number}", named[1]


def test_the_pure_package_leans_on_little_but_the_standard_library() -> None:
    """The core's own tests check the same for the core."""
    libraries = ("anyascii", "wcwidth", "perudo_core", "pydantic", "pydantic_core")
    neighbours = (*libraries, "telegram_bot.registry", "telegram_bot.tables")
    found = list(imports(ROOT / "telegram_bot/tables"))
    assert found
    assert [
        f"{where} imports {name}"
        for where, name in found
        if name.partition(".")[0] not in sys.stdlib_module_names
        and not any(name == near or name.startswith(f"{near}.") for near in neighbours)
    ] == []


@pytest.mark.parametrize(
    ("folder", "must_not_import"),
    [
        ("tests", {"benchmarks"}),
        ("benchmarks", {"tests"}),
        (SUPPORT, {"benchmarks", "tests"}),
        ("telegram_bot", {"benchmarks", "tests", SUPPORT}),
        ("perudo_core", {"benchmarks", "tests", SUPPORT}),
        ("telegram_sandbox", {"benchmarks", "tests", SUPPORT}),
    ],
)
def test_tests_and_benchmarks_share_test_support_and_nothing_else(folder: str, must_not_import: set[str]) -> None:
    found = list(imports(ROOT / folder))
    assert found
    assert [f"{where} imports {name}" for where, name in found if name.partition(".")[0] in must_not_import] == []


def test_each_function_on_the_way_of_a_bid_is_where_the_page_says() -> None:
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    _, _, way = page.partition("## From a bid to six phones\n")
    named = re.findall(r"^\d+\. `([\w.]+)`, `(telegram_bot/[\w/]+)\.py`", way.partition("\n## ")[0], re.MULTILINE)
    assert len(named) == 8
    for function, file in named:
        found = attrgetter(function)(import_module(file.replace("/", ".")))
        assert found.__module__ == file.replace("/", "."), function


def test_only_its_own_predicate_looks_at_the_sign_of_a_number_of_a_player_a_place_or_a_table() -> None:
    numbers = {"address", "chat", "chat_id", "owner", "person", "player", "player_id", "subject", "table_id"}
    found = set[tuple[str, str]]()
    package = ROOT / "telegram_bot"
    for file in set(package.rglob("*.py")) - set((package / "storage/migrations").rglob("*.py")):
        for part in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            named = part.name if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) else None
            if isinstance(part, ast.Assign | ast.AnnAssign):
                named = ast.unparse(part.targets[0] if isinstance(part, ast.Assign) else part.target)
            if named is not None:
                place = str(file.relative_to(package))
                found |= {(place, named) for node in ast.walk(part) if _looks_at_sign(node, numbers)}
    assert found == {
        ("channels/sms/sender.py", "is_group"),
        ("channels/telegram/__init__.py", "is_group"),
        ("features/tournament/tables.py", "tournament_about"),
        ("screens/routes.py", "is_room"),
        ("intents/slots.py", "OF_A_TABLE"),
        ("tables/model.py", "is_person"),
    }


def _looks_at_sign(node: ast.AST, numbers: set[str]) -> bool:
    """Return True for a comparison of one of these numbers with zero."""
    if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE):
        return False
    sides = [ast.unparse(side) for side in (node.left, *node.comparators)]
    return "0" in sides and any(set(re.findall(r"\w+", side)[-1:]) & numbers for side in sides)


# Measured figures: each that a page prints is in one file, with its command, day and commit


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
