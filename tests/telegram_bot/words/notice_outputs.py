"""Writes the approved sentences: `python -m tests.telegram_bot.words.notice_outputs`.

`approved/` has a file for each notice with its sentences, `approved_options.txt` what each value of an option says. A
reviewer reads both as a diff.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any, Final, get_args

from perudo_core import PRESETS, Rules, RulesError
from telegram_bot import notices as n
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.notices.rendering import message_html, sms_text, spoken_text, toast_text
from telegram_bot.words import rules as rule_words
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from tests.telegram_bot.words.notice_examples import every_notice, plain
from tests.telegram_bot.words.test_every_notice_by_text import READER

BESIDE: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"calza": True},
    {"first_out_wins": True},
    {"sudden_death": True},
    {"palifico": False},
    {"palifico_every_round": True},
    {"palifico_face_change": True, "starting_dice": 1},
)
ALONE: Final[tuple[dict[str, Any], ...]] = (
    *BESIDE,
    {"min_seats": 4, "max_seats": 4},
    {"calza": True, "starting_dice": 3, "max_seats": None, "min_seats": 3},
    {"calza": True, "calza_costs_others": True, "sudden_death": True},
)
APPROVED: Final = Path(__file__).with_name("approved")
OPTIONS_APPROVED: Final = Path(__file__).with_name("approved_options.txt")


def of_options() -> Iterator[str]:
    """Yield the sentences that each value of each option adds to the rules of a table, or takes from them.

    With the usual rules, and with options that change what the value means.
    """
    w = catalogue("en")

    def told(options: dict[str, Any]) -> list[str]:
        rules = Rules.preset("box_2009").with_options(**options)
        return [
            *re.split(r"(?<=\.) ", " ".join(rule_words.rules_text(rules, w))),
            *rule_words.options_differing(rules, w),
        ]

    values: list[dict[str, Any]] = [
        {name: value} for name, option in rule_words.OPTIONS.items() for value in option.values
    ]
    for name, value in ((name, value) for name, option in rule_words.OPTIONS.items() for value in option.values):
        yield f"en {rule_words.option_label(name, w)}: {rule_words.option_value_label(name, value, w)}\n"
    for rules in map(Rules.preset, PRESETS):
        yield from (f"en {rules.book}, how to play: {each}\n" for each in rule_words.how_to_play(rules, w))
        yield from (f"en {rules.book}, in brief: {each}\n" for each in rule_words.in_brief(rules, w))
    for others, chosen in [*product([{}], ALONE), *product(BESIDE, values)]:
        with suppress(RulesError):
            before, after = told(others), told(others | chosen)
            said = [f"- {each}" for each in before if each not in after]
            said += [f"+ {each}" for each in after if each not in before]
            at = " ".join(f"{name}={value}" for name, value in (others | chosen).items())
            yield from (f"en {at}: {each}\n" for each in said)


def sentences(*languages: str) -> dict[str, str]:
    """Return each notice's sentences by its kind: each once for a language and a medium, whatever its numbers are."""
    found = defaultdict[str, dict[tuple[str, str], str]](dict)
    for language in languages:
        w = catalogue(language)
        for notice in every_notice(plain):
            said = {
                "chat": message_html(notice, w),
                "toast": toast_text(notice, w) if isinstance(notice, get_args(n.Toast)) else "",
                "text": sms_text(notice, w, READER),
                "aloud": spoken_text(notice, w),
                "keys": "\n".join(key["text"] for row in keyboard(notice, w, bot="perudo_bot") for key in row),
            }
            for medium, text in said.items():
                for sentence in re.split(r"\n|(?<=[.!?]) (?=\w)", text or ""):
                    if shape := " ".join(re.findall(r"[^\W\d_]+", sentence)):
                        found[notice.kind].setdefault((f"{language} {medium}", shape), sentence.strip())
    files = {kind: sorted(each, key=lambda key: (not key[0].startswith("en "), key[0])) for kind, each in found.items()}
    return {kind: "".join(f"{at}: {found[kind][at, of]}\n" for at, of in each) for kind, each in files.items()}


if __name__ == "__main__":
    install(FEATURES)
    APPROVED.mkdir(exist_ok=True)
    for old in APPROVED.glob("*.txt"):
        old.unlink()
    for kind, text in sentences(*LANGUAGES).items():
        (APPROVED / f"{kind}.txt").write_text(text, encoding="utf-8")
    OPTIONS_APPROVED.write_text("".join(of_options()), encoding="utf-8")
