"""The pages that people follow: what they link to is there, what they tell one to type works."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml

from telegram_bot.cli import _parser
from telegram_bot.settings import load_settings

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
README = (ROOT / "README.md").read_text(encoding="utf-8")
OPERATING = (ROOT / "docs/operating.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
TYPED = [
    line
    for page in (README, OPERATING)
    for block in re.findall(r"```\n(.*?)```", page, re.DOTALL)
    for line in block.splitlines()
    if line and not line.startswith((" ", "{"))
] + re.findall(r"`((?:sudo |make |docker |perudo-bot )[^`…]+)`", OPERATING)
ASSIGNMENT = re.compile(r"[A-Z_]+=\S+")


@pytest.mark.parametrize("block", BLOCKS)
def test_the_readmes_example_plays_a_game(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(block, "README.md", "exec"), {})  # noqa: S102 - our own page

    assert capsys.readouterr().out.endswith(" wins\n")


# Links


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"(?m)^#+ (.*)$", page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_everything_a_page_links_to_is_there(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)]+)\)", page.read_text(encoding="utf-8"))
    for link in links:
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_the_readme_leads_to_every_page() -> None:
    linked = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [page.name for page in PAGES[2:] if f"{page.name})" not in linked] == []


# What one is told to type


def understands(words: list[str]) -> bool:
    try:
        _parser().parse_args(words)
    except SystemExit:
        return False
    return True


def works_as_typed(line: str) -> None:
    """Fail where a line names a command, a file, a unit or a service that there is not."""
    words = shlex.split(line)
    while words and (words[0] == "sudo" or ASSIGNMENT.fullmatch(words[0])):
        if ASSIGNMENT.fullmatch(words[0]) and words[1:]:
            assert words[0].partition("=")[0] in {"PERUDO_TOKEN", "PERUDO_CONFIG"}, line
        words = words[1:]
    match words:
        case ["make", target, *variables]:
            outcome = subprocess.run(  # noqa: S603 - our own page
                ["make", "--dry-run", target, *variables],  # noqa: S607
                cwd=ROOT,
                capture_output=True,
                encoding="utf-8",
                check=False,
            )
            assert outcome.returncode == 0, outcome.stderr
        case ["perudo-bot" | "perudo", *arguments]:
            assert understands(arguments), line
        case ["install", *arguments]:
            files = [word for word in arguments if word.startswith("config/")]
            assert all((ROOT / file).is_file() for file in files), line
        case ["systemctl", *arguments]:
            units = [re.sub(r"@\d+", "@", word).removesuffix("*") for word in arguments if word.startswith("perudo")]
            assert units
            assert all((ROOT / f"config/deploy/{unit}.service").is_file() for unit in units), line
        case ["docker", "compose", *arguments]:
            services = yaml.safe_load((ROOT / "config/deploy/compose.yaml").read_text(encoding="utf-8"))["services"]
            named = [word for word in arguments if re.fullmatch(r"worker-\d|migrate|proxy|database", word)]
            assert set(named) <= services.keys()
            if {"exec", "run"} & set(arguments) and named != ["migrate"]:
                program, *given = arguments[arguments.index(named[0]) + ("exec" in arguments) :]
                assert program == named[0] or program in {"perudo-bot", "pg_dump", "pg_restore"}, line
                assert program.startswith("pg_") or understands(given), line
        case _:
            pass


@pytest.mark.parametrize("line", sorted(set(TYPED)))
def test_what_one_is_told_to_type_is_there(line: str) -> None:
    works_as_typed(line)


@pytest.mark.parametrize(
    "line",
    [
        "make dance",
        "perudo-bot walk",
        "sudo perudo doctor --loudly",
        "sudo install -m 644 config/deploy/no.service /etc",
        "sudo systemctl start perudos",
        "docker compose stop worker-9",
        "docker compose exec worker-1 perudo-bot walk",
        "docker compose run --rm worker-1 walk",
        "docker compose exec -T database walk",
    ],
)
def test_what_is_not_there_would_be_noticed(line: str) -> None:
    with pytest.raises(AssertionError):
        works_as_typed(line)


def test_the_settings_one_is_told_to_set_are_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    lines = set(re.findall(r"(?m)^((?:PERUDO_\w+|DATABASE_URL)=\S+)$", OPERATING))
    lines |= set(re.findall(r"`((?:PERUDO_\w+|DATABASE_URL)=[^`]+)`", OPERATING))
    lines |= {f"{name}=anything-that-is-long" for name in re.findall(r"`(PERUDO_\w+)`", OPERATING) if "SECRET" in name}
    assert len(lines) > 6
    (tmp_path / "bot.toml").touch()
    for line in lines:
        name, _, value = line.partition("=")
        monkeypatch.setenv(name, value.replace("/etc/perudo/bot.toml", "bot.toml"))
    assert load_settings().webhook.url == "https://bot.example.org/telegram"
