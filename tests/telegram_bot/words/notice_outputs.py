"""Print every output of every notice, to compare them before and after the notices' code is reorganised.

`python -m tests.telegram_bot.words.notice_outputs > before` prints a line for each: its name, and the hash of its
content. Arguments print the contents of the outputs whose names begin with one of them. `--approve` writes
`approved/`: a file for each notice with its sentences, and `approved_options.txt`, which a reviewer reads as a diff.
"""

import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any, Final, get_args

from perudo_core import PRESETS, Rules, RulesError
from telegram_bot import notices as n
from telegram_bot.channels.sms.questions import TextQuestion
from telegram_bot.channels.telegram.buttons import SeatPages
from telegram_bot.channels.telegram.keyboards import keyboard, seat_rows
from telegram_bot.channels.telegram.pictures import picture_of
from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.intents.envelope import Envelope
from telegram_bot.notices.rendering import (
    caption_html,
    message_html,
    news_text,
    sms_text,
    spoken_text,
    texts_to_say,
    toast_text,
)
from telegram_bot.presentation.cards import card_of, may_enter
from telegram_bot.presentation.notice_keys import keys_of
from telegram_bot.screens.posting import Notification, outbox_columns
from telegram_bot.storage.models import DiceStyle
from telegram_bot.words.catalogue import LANGUAGES, Catalogue, catalogue
from telegram_bot.words.page import page_catalogue
from telegram_bot.words.rules import (
    OPTIONS,
    how_to_play,
    in_brief,
    option_label,
    option_value_label,
    options_differing,
    rules_text,
)
from tests.telegram_bot.words.notice_examples import AWFUL, Namer, every_notice, evil, longest, plain
from tests.telegram_bot.words.test_every_notice_by_text import READER

NAMES: Final[dict[str, tuple[Namer, tuple[DiceStyle, ...]]]] = {
    "plain": (plain, tuple(DiceStyle)),
    "evil": (evil, (DiceStyle.KEYCAPS,)),
    "longest": (longest, (DiceStyle.WORDS,)),
    "awful": (AWFUL.__getitem__, (DiceStyle.SIGNS,)),
}
PAGES: Final = SeatPages("https://example.com")
TOASTS: Final = get_args(n.Toast)
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


def facts(notice: n.Notice) -> Iterator[tuple[str, Any]]:
    """Yield what does not depend on the reader's language."""
    yield "stored", notice.model_dump_json()
    yield "table", notice.about_table
    yield "step", notice.keyed_at
    yield "slot", notice.card_slot
    yield "enters", (may_enter(notice, 1), may_enter(notice, -1))
    yield "question", None if (asked := notice.text_question) is None else TextQuestion(*asked)
    for slot in (None, "deal:1"):
        yield "row", outbox_columns(Notification(Envelope(channel="telegram", chat=1, notice=notice), slot=slot), now=0)


def worded(notice: n.Notice, w: Catalogue) -> Iterator[tuple[str, Any]]:
    """Yield its words, keys and pictures for readers of a language with a style of dice."""
    yield "chat", message_html(notice, w)
    yield "cut", message_html(notice, w, 8)
    yield "caption", caption_html(notice, w)
    if isinstance(notice, TOASTS):
        yield "toast", toast_text(notice, w)
    yield "said", [spoken_text(notice, w), list(texts_to_say(notice, w)), news_text(notice, w)]
    for inline in (False, True):
        yield "keys", [[repr(key) for key in row] for row in keys_of(notice, w, inline=inline)]
        yield "buttons", keyboard(notice, w, bot="perudo_bot", inline=inline)
        yield "pages", seat_rows(notice, w, PAGES, bot="perudo_bot", registered=inline)
    for chat in (1, -1):
        picture = picture_of(Envelope(channel="telegram", chat=chat, notice=notice, pictures=True), w)
        yield "picture", None if picture is None else (picture.key, picture.lasting, picture.animated, picture.seconds)


def unstyled(notice: n.Notice, language: str) -> Iterator[tuple[str, Any]]:
    """Yield what phones and pages show."""
    for reader in (READER, replace(READER, round=999), replace(READER, code="1234")):
        yield "text", sms_text(notice, catalogue(language), reader)
    for address, table in ((1, 7), (-1, None)) if notice.card_slot is not None else ():
        yield "card", card_of(notice, address, table, page_catalogue(language))


def outputs() -> Iterator[tuple[str, Any]]:
    """Yield the name and the content of each output."""
    for called, (name, styles) in NAMES.items():
        for number, notice in enumerate(every_notice(name)):
            at = f"{called}.{number}.{notice.kind}"
            yield from ((f"{at}.{what}", content) for what, content in facts(notice))
            for language in LANGUAGES:
                yield from ((f"{at}.{what}.{language}", content) for what, content in unstyled(notice, language))
                for style in styles:
                    w = catalogue(language).with_dice(style)
                    yield from ((f"{at}.{what}.{language}.{style}", content) for what, content in worded(notice, w))


def of_options() -> Iterator[str]:
    """Yield the sentences that each value of each option adds to the rules of a table, or takes from them.

    With the usual rules, and with options that change what the value means.
    """
    w = catalogue("en")

    def told(options: dict[str, Any]) -> list[str]:
        rules = Rules.preset("box_2009").with_options(**options)
        return [*re.split(r"(?<=\.) ", " ".join(rules_text(rules, w))), *options_differing(rules, w)]

    values: list[dict[str, Any]] = [{name: value} for name, option in OPTIONS.items() for value in option.values]
    for name, value in ((name, value) for name, option in OPTIONS.items() for value in option.values):
        yield f"en {option_label(name, w)}: {option_value_label(name, value, w)}\n"
    for rules in map(Rules.preset, PRESETS):
        yield from (f"en {rules.book}, how to play: {each}\n" for each in how_to_play(rules, w))
        yield from (f"en {rules.book}, in brief: {each}\n" for each in in_brief(rules, w))
    for others, chosen in [*product([{}], ALONE), *product(BESIDE, values)]:
        with suppress(RulesError):
            before, after = told(others), told(others | chosen)
            said = [f"- {each}" for each in before if each not in after]
            said += [f"+ {each}" for each in after if each not in before]
            at = " ".join(f"{name}={value}" for name, value in (others | chosen).items())
            yield from (f"en {at}: {each}\n" for each in said)


def english_first(at: str) -> tuple[bool, str]:
    """Return by what the sentences of a file are sorted."""
    return not at.startswith("en "), at


def sentences(*languages: str) -> dict[str, str]:
    """Return each notice's sentences by its kind: each once for a language and a medium, whatever its numbers are."""
    found = defaultdict[str, dict[tuple[str, str], str]](dict)
    for language in languages:
        w = catalogue(language)
        for notice in every_notice(plain):
            said = {
                "chat": message_html(notice, w),
                "toast": toast_text(notice, w) if isinstance(notice, TOASTS) else "",
                "text": sms_text(notice, w, READER),
                "aloud": spoken_text(notice, w),
                "keys": "\n".join(key["text"] for row in keyboard(notice, w, bot="perudo_bot") for key in row),
            }
            for medium, text in said.items():
                for sentence in re.split(r"\n|(?<=[.!?]) (?=\w)", text or ""):
                    if shape := " ".join(re.findall(r"[^\W\d_]+", sentence)):
                        found[notice.kind].setdefault((f"{language} {medium}", shape), sentence.strip())
    return {
        kind: "".join(f"{at}: {each[at, shape]}\n" for at, shape in sorted(each, key=lambda key: english_first(key[0])))
        for kind, each in found.items()
    }


if __name__ == "__main__":
    install(FEATURES)
    if sys.argv[1:] == ["--approve"]:
        APPROVED.mkdir(exist_ok=True)
        for old in APPROVED.glob("*.txt"):
            old.unlink()
        for kind, text in sentences(*LANGUAGES).items():
            (APPROVED / f"{kind}.txt").write_text(text, encoding="utf-8")
        OPTIONS_APPROVED.write_text("".join(of_options()), encoding="utf-8")
        sys.exit()
    for name, content in outputs():
        written = json.dumps(content, ensure_ascii=False, default=repr)
        if len(sys.argv) == 1:
            sys.stdout.write(f"{name} {sha256(written.encode()).hexdigest()[:16]}\n")
        elif name.startswith(tuple(sys.argv[1:])):
            sys.stdout.write(f"{name} {written}\n")
