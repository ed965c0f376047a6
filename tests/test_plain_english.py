"""The check of docs/style.md, applied to the sentences of that page."""

import re
from pathlib import Path

import pytest

from test_support.plain_english import ROOT, check, files_below, findings_in, main

EXAMPLES = re.findall(r"(?m)^\| (.+?) \| (.+?) \|$", (ROOT / "docs/style.md").read_text("utf-8").split("| now |")[1])


def cures(text: str) -> list[str]:
    return [cure for _, _, cure in findings_in(text)]


@pytest.mark.parametrize("now", [now for now, _ in EXAMPLES if "†" not in now])
def test_a_sentence_of_the_left_column_is_found(now: str) -> None:
    assert cures(now)


@pytest.mark.parametrize(
    "text",
    [
        *(better for _, better in EXAMPLES),
        "What is calza? A call.",
        "A player who is out watches.",
        "Of course the host may stop.",
        "```\nNobody reads code\n```",
        "`Nobody` is a word in code. <!-- Nothing here -->",
        "[Backups](whoever.md) are yours.",
        "The standing bid is five fours, no more, but it may be raised.",
    ],
)
def test_the_right_column_questions_code_links_and_ordinary_sentences_pass(text: str) -> None:
    assert cures(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "The host starts. Who is late waits.",
        "- a dash\n- **Nobody** waits",
        "# A heading\n\n> Whoever is late waits.",
        "| right | What is wrong |",
        "1. Nothing waits.",
        "```\ncode\n```\n\n## What it is\n\n`code`",
        "A sentence that goes over\nthe line. *What* it says is wrong.",
    ],
)
def test_a_sentence_is_found_wherever_it_begins(text: str) -> None:
    assert len(cures(text)) == 1


MODULE = '''"""A module.

Nobody reads it.
"""

# The host waits
# for who is late.
WORDS = "Nobody waits"  # Nothing more


class Seat:
    """What a seat is."""

    dice: int
    """Nobody else sees them."""
'''


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("page.md", "# Title\n\n```\ncode\n```\n\nOne.\nNobody waits.\n\nA line,\nwhoever reads it.\n", [8, 11]),
        ("turns.md", "Bo is on turn.\n\nEverybody in the same Wi-Fi sees it.\n", [1, 3, 3]),
        ("module.py", MODULE, [3, 7, 8, 12, 15]),
        ("NOTICE", "A font.\nNobody may sell it.\n", [2]),
        ("Caddyfile", "example.org {\n\t# The host waits\n\t# for who is late.\n\ttls a#b # Nothing more\n}\n", [3, 4]),
        ("Makefile", "play:  # Nobody waits\n\t@echo 'Nobody'\n", [1]),
        ("service", "#!/bin/sh\n# Whoever starts it waits.\nNobody=1\n", [2]),
        ("check", '#!/usr/bin/env python3\n"""Nobody reads it."""\nprint("Nobody")\n', [2]),
        ("alerts.yml", 'rules:\n  - alert: Late\n    summary: "Nobody waits"\n  # Nothing more\n', [3, 4]),
        ("compose.yaml", "services:\n  bot:\n    about: |\n      One line.\n      Nobody waits.\n", [5]),
        ("page.js", "/**\n * One.\n * Nobody waits.\n */\nf('// Nobody', 'a//Nobody'); // Nothing more\n", [3, 5]),
        ("page.js", "// One word.\nlet whoever = beside;\n", []),
        ("page.css", "/* Nobody waits */\nbody { color: red; } /* One word.\n   Nothing more */\n", [1, 3]),
        ("page.html", "<title>One</title>\n<script>\n// Nobody\n</script>\n<p>Nobody waits</p>\n", [5]),
    ],
)
def test_texts_and_comments_of_any_file_are_read(name: str, text: str, lines: list[int], tmp_path: Path) -> None:
    (file := tmp_path / name).write_text(text, encoding="utf-8")
    assert sorted(line for line, *_ in check(file)) == lines


def test_every_file_that_a_person_reads_is_checked() -> None:
    files = {str(file.relative_to(ROOT)) for file in files_below(ROOT)}
    assert {
        *("NOTICE", "Makefile", "babel.cfg", ".ci/run", ".github/pull_request_template.md", ".github/workflows/ci.yml"),
        *("config/deploy/Caddyfile", "config/deploy/compose.yaml", "config/prometheus-alerts.yml"),
        *("telegram_bot/channels/web/static/seat_page.js", "telegram_sandbox/src/telegram_sandbox/static/index.html"),
    } <= files
    assert not {file for file in files if file.endswith((".png", ".po")) or file.startswith((".venv", ".tools"))}


def test_it_fails_and_says_where_and_what_to_write(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(str(ROOT / "docs/style.md")) == 1
    assert re.search(r"docs/style\.md:\d+: 'Who': name the actor: player", capsys.readouterr().out)
