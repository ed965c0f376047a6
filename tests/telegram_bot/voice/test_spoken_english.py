"""A listener understands the bot's speech by ear alone: a recogniser that knows the sentences decodes its notes."""

import pytest

from perudo_core import Rules
from telegram_bot.notices import HandNotice, HeardNotice, RevealNotice
from telegram_bot.notices.rendering import spoken_text
from telegram_bot.tables import play
from telegram_bot.tables.model import Table
from telegram_bot.tables.result_views import reveal_view
from telegram_bot.tables.tip_rules import Tip
from telegram_bot.tables.views import hand_view
from telegram_bot.words.catalogue import catalogue
from test_support.espeak_speaker import EspeakSpeaker
from test_support.spoken_english import Listener, Told
from tests.telegram_bot.conftest import at, parse, running_table

RULES = Rules.preset("aces").with_options(palifico=False)


@pytest.fixture(scope="module")
def listener() -> Listener:
    return Listener()


def tell(listener: Listener, told: HandNotice | HeardNotice | RevealNotice) -> Told:
    text = spoken_text(told, catalogue("en"))
    return listener.hear(EspeakSpeaker().say(text, "en"))


def hand(table: Table, seat: int) -> HandNotice:
    return HandNotice(view=hand_view(table, seat), player=seat + 1, title="Friends", deal=1)


def test_dice_turn_and_bids_are_understood(listener: Listener) -> None:
    table = running_table("11255", "33666", rules=RULES)
    told = tell(listener, hand(table, 0))
    assert (told.dice, told.my_turn, told.bids) == ((5, 5, 2, 1, 1), True, ())
    waits = tell(listener, hand(table, 1))
    assert (waits.dice, waits.my_turn) == ((6, 6, 6, 3, 3), False)
    table = running_table("11255", "33666", rules=RULES, calls="3x4")
    for tip in (None, *Tip):
        told = tell(listener, hand(table, 1).model_copy(update={"tip": tip}))
        assert (told.bids, told.dice, told.my_turn) == (((3, 4),), (6, 6, 6, 3, 3), True), tip


def test_the_end_of_a_round_is_understood(listener: Listener) -> None:
    before = running_table("16", "35", rules=RULES, calls="2x6")
    call = parse(before, "dudo")
    step = play.make_call(before, call, step=before.step, moment=at())
    view = reveal_view(before, step.table, step.game_events)
    assert view is not None
    told = tell(listener, RevealNotice(view=view, seat=0))
    assert told.text.startswith("dudo bo doubts ana's two sixes ana has one six and one one there are exactly two")
    assert "the bid holds bo loses a die" in told.text


@pytest.mark.parametrize(("call", "meant"), [("3x5", (3, 5)), ("1x6", (1, 6)), ("dudo", "dudo")])
def test_what_was_heard_is_understood(listener: Listener, call: str, meant: object) -> None:
    asked = HeardNotice(table=1, step=1, player=1, name="Ana", private=True, guesses=(call,))
    assert tell(listener, asked).heard == meant
