"""One place saves a table, one place maps intents to handlers: the code is walked, and the type checker asked."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[3]
BOT: Final = ROOT / "telegram_bot"
COLUMNS: Final = {"state", "version", "due_at"}
"""What `commit_step` writes of a table, beside what follows from it."""
UNIT_OF_WORK: Final = "telegram_bot/service/unit_of_work.py"
RECORDS: Final = "telegram_bot/service/repositories.py"
FORGET: Final = "telegram_bot/operations/forget.py"
INTENTS: Final = BOT / "service/intents.py"


def functions(source: str) -> Iterator[tuple[str, ast.AST]]:
    """Each node inside a function with the function's name, and inside a constant's value with the constant's name."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from ((node.name, inner) for inner in ast.walk(node))
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            name = ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)
            yield from ((name, inner) for inner in ast.walk(node.value))


def writes(node: ast.AST) -> set[str]:
    """Which of the columns a node may write, of whatever object: assignments, setattr, `values(...)`, constructors."""
    if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        flat = [each for target in targets for each in ast.walk(target)]
        return {each.attr for each in flat if isinstance(each, ast.Attribute)} & COLUMNS
    if not isinstance(node, ast.Call):
        return set()
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name == "setattr":
        return {str(each.value) for each in node.args if isinstance(each, ast.Constant)} & COLUMNS
    if name in {"values", "GameTable"}:
        return {keyword.arg for keyword in node.keywords if keyword.arg} & COLUMNS
    return set()


def writers(files: dict[str, str]) -> set[tuple[str, str, str]]:
    """Who writes which column: (file, function, column)."""
    return {
        (file, function, column)
        for file, source in files.items()
        for function, node in functions(source)
        for column in writes(node)
    }


def callers(files: dict[str, str], function: str) -> set[tuple[str, str]]:
    """Which functions call a function, by its last name."""
    return {
        (file, caller)
        for file, source in files.items()
        for caller, node in functions(source)
        if isinstance(node, ast.Call) and function in (getattr(node.func, "id", None), getattr(node.func, "attr", None))
    }


@pytest.fixture(scope="module")
def sources() -> dict[str, str]:
    """Every module of the bot but the migrations."""
    files = [file for file in BOT.rglob("*.py") if "migrations" not in file.parts]
    return {file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8") for file in files}


def test_a_tables_state_version_and_deadline_have_one_writer(sources: dict[str, str]) -> None:
    assert writers(sources) == {
        *((UNIT_OF_WORK, "_SAVE_TABLE", column) for column in COLUMNS),
        (FORGET, "_forget_at", "state"),
        (FORGET, "_forget_at", "version"),
        (RECORDS, "_POSTPONE", "due_at"),
        (RECORDS, "add_table", "state"),
    }
    assert {
        (file, function)
        for file, source in sources.items()
        for function, node in functions(source)
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "_SAVE_TABLE"
    } == {(UNIT_OF_WORK, "commit_step")}
    assert callers(sources, "postpone_deadline") == {
        ("telegram_bot/service/service.py", "postpone"),
        ("telegram_bot/service/handlers/clock.py", "have_thought"),  # the lease of a worker that thinks
    }


def test_subscribers_are_told_by_commit_step_alone(sources: dict[str, str]) -> None:
    assert callers(sources, "step_committed") == {(UNIT_OF_WORK, "commit_step")}


# Every intent has a handler

UNIONS: Final = ("TableIntent", "PersonIntent", "ChatUpdate", "SystemIntent")


def with_new_intents() -> str:
    """The intents with one more member in each of their unions."""
    source = INTENTS.read_text(encoding="utf-8")
    for union in UNIONS:
        begins = f"{union}: TypeAlias = (\n    "
        assert begins in source
        source = source.replace(begins, f"{begins}New{union}\n    | ") + f"\n\nclass New{union}:\n    cause = ''\n"
    return source


def test_an_intent_without_a_handler_is_an_error_of_the_type_checker(tmp_path: Path) -> None:
    shadow = tmp_path / INTENTS.name
    shadow.write_text(with_new_intents(), encoding="utf-8")
    outcome = subprocess.run(  # noqa: S603
        [
            *(sys.executable, "-m", "mypy", "--follow-imports=silent", f"--cache-dir={tmp_path / 'cache'}"),
            *(BOT / "service/dispatcher.py", "--shadow-file", INTENTS, shadow),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    missing = 'error: Argument 1 to "assert_never" has incompatible type "{}"; expected "Never"'
    said = [line.partition(": ")[2] for line in outcome.stdout.splitlines() if "assert_never" in line]
    assert sorted(line.removesuffix("  [arg-type]") for line in said) == sorted(
        missing.format(f"New{union}") for union in UNIONS
    ), outcome.stdout
