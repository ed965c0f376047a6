"""Every text to a phone, rendered: one message of GSM-7 in each language, for the longest names and numbers."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perudo_core import Rules
from perudo_core._rules import MAX_STARTING_DICE
from telegram_bot import notices as n
from telegram_bot.feature import Feature, install
from telegram_bot.features import FEATURES
from telegram_bot.notices.rendering import sms_text
from telegram_bot.presentation.features import Extension
from telegram_bot.tables import views
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.model import TurnClock
from telegram_bot.tables.result_views import DiceChange, RevealView
from telegram_bot.tables.sealed_dice import with_stir
from telegram_bot.tables.views import BidView, hand_view, lobby_view
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from telegram_bot.words.lines import Format, Line, Medium
from telegram_bot.words.sms import gsm, layout
from telegram_bot.words.sms.layout import TextReader, shorten_name, shorten_names
from test_support.features import features_off
from tests.telegram_bot.conftest import START, lobby_table, running_table, the_end
from tests.telegram_bot.words.notice_examples import AWFUL, Namer, every_notice, evil, longest, named, plain

READER = TextReader(zone=ZoneInfo("Europe/Rome"), now=START, number="+447400123456")
NOTHING_TO_SHOW = (
    n.BidsNotice, n.OutdatedNotice, n.CallNotice, n.OpenedRevealNotice, n.RoundOverNotice, n.ReactionNotice,
    n.VoiceNotice, n.IdentifyAdminNotice, n.LinkCodeNotice, n.HostNotice, n.KnockedOutNotice, n.ResumedNotice,
    n.RestoredNotice, n.NextGameOfferNotice, n.NextGameNotice, n.HeardNotice,
)  # fmt: skip


def is_for_chats_alone(notice: n.Notice) -> bool:
    w = Format(catalogue("en"), Medium.TEXT)
    return isinstance(notice, n.FeatureNotice) and all(line.rank is None for line in notice.lines(w))


@pytest.fixture(autouse=True)
def _nothing_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bot cuts only texts for which no shorter form was written."""

    def refuse(text: str, _length: int) -> str:
        raise AssertionError(f"too long for one message, {len(text)}: {text}")

    monkeypatch.setattr(gsm, "cut", refuse)


def texted(notice: n.Notice, language: str = "en", reader: TextReader = READER) -> str:
    text = sms_text(notice, catalogue(language), reader)
    assert text is not None
    return text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lobbys_text_shows_what_was_stirred(language: str) -> None:
    stirred = with_stir(with_stir(lobby_table(2).replace(secret="5e" * 32), 2, "🦊"), 1, "🍀")
    text = texted(n.LobbyNotice(view=lobby_view(stirred), numbers=(READER.number,)), language)
    assert "Bo 2, Ana 1." in text
    in_one_message(text)


def in_one_message(text: str) -> None:
    assert set(text) <= gsm.BASIC
    assert gsm.count_segments(text) == ("GSM-7", len(text), 1)
    assert text.strip() == text != ""
    assert "{" not in text
    assert "  " not in text


@pytest.mark.parametrize(
    ("language", "name"),
    [
        *((language, longest) for language in LANGUAGES),
        ("it", evil),
        ("fr", AWFUL.__getitem__),
        ("es", f"{'王' * 40}{{}}".format),
    ],
)
def test_every_notice_is_one_message(language: str, name: Namer) -> None:
    for notice in every_notice(name):
        text = sms_text(notice, catalogue(language), replace(READER, round=999))
        assert (text is None) == (isinstance(notice, NOTHING_TO_SHOW) or is_for_chats_alone(notice))
        if text is not None:
            in_one_message(text)


SEATS = tuple(views.SeatView(player=seat, name=f"{'W' * 40}{seat}", dice=MAX_STARTING_DICE) for seat in range(20))
BID = BidView(seat=18, quantity=199, face=6)


def the_widest_ends() -> Iterator[RevealView]:
    told: dict[str, Any] = {"table": 1, "round": 998, "seats": SEATS, "bids": (BID,), "caller": 19, "dice": ()}
    told |= {"ones_wild": True, "next_opener": 3, "next_palifico": True}
    for call, losers in product(("dudo", "calza", "forfeit", "leave"), (0, 1, 2, 19)):
        counted = {"bid": BID, "count": 199} if call in ("dudo", "calza") else {"bid": None, "count": None}
        changes = tuple(DiceChange(seat=seat, dice=-10) for seat in range(losers))
        lost = {"changes": changes, "out": tuple(range(losers // 2)), "timed_out": call == "leave"}
        yield RevealView(call=call, **told | counted | lost)


def the_widest_hand(*, on_turn: bool, standing: BidView | None, total: int | None) -> views.HandView:
    bids = () if standing is None else (standing,)
    told: dict[str, Any] = {"table": 1, "step": 1, "round": 999, "seats": SEATS, "turn": 0 if on_turn else 17}
    told |= {"opener": 17, "bids": bids, "palifico": 17, "ones_wild": False, "total_dice": total, "paused": False}
    told |= {"clock_ends": START + 90_000, "calza_seats": (0,), "dudo_seats": (0, 17) if bids else ()}
    view = views.TableView(raises=((200, 6),), rules=Rules.preset("box_2009"), **told)
    own: dict[str, Any] = {"on_turn": on_turn, "may_calza": True, "may_dudo": standing is not None}
    return views.HandView(table=view, seat=0, dice=(6,) * MAX_STARTING_DICE, **own)


def the_widest_hands() -> Iterator[n.HandNotice]:
    """Twenty people with names of forty letters, ten dice each, bids of three digits, losses all round."""
    for on_turn in (True, False):
        for total in (200, None):
            bidden = the_widest_hand(on_turn=on_turn, standing=BID, total=total)
            yield n.HandNotice(view=bidden, player=1, title="W" * 40, deal=1)
            for previous in the_widest_ends():  # with the end of a round comes a new one, without a bid
                opening = the_widest_hand(on_turn=on_turn, standing=None, total=total)
                yield n.HandNotice(view=opening, player=1, title="W" * 40, deal=1, previous=previous)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_widest_round_is_one_message_that_leaves_nothing_out_that_matters(language: str) -> None:
    for notice in the_widest_hands():
        text = texted(notice, language)
        in_one_message(text)
        assert text.startswith("R999 ")
        assert "6 6 6 6 6 6 6 6 6 6" in text
        if notice.previous is not None and notice.previous.count is not None:
            assert "199x6" in text
        if notice.view.on_turn:
            assert "200x6" in text


def test_the_whole_turn_is_one_text() -> None:
    previous, _, table = the_end(running_table("13446", "22345", "11256", calls="4x4 5x4"), "dudo")
    table = table.with_clock(ends=START + 120)
    hands = {
        seat: n.HandNotice(view=hand_view(table, seat), player=1, title="", deal=2, previous=previous)
        for seat in (0, 2)
    }
    assert texted(hands[2]) == (
        "R2 Bo said 5x4, you doubted: there were 6. You lose a die. "
        f"Your dice: {faces(hands[2])}. You open: text e.g. 3x3. Until 23:15."
    )
    assert texted(hands[0]) == (
        f"R2 Bo said 5x4, Cy doubted: there were 6. Cy loses a die. Your dice: {faces(hands[0])}. Cy opens."
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_wins_is_called_as_in_the_last_round(language: str) -> None:
    table = named(running_table("2", "33", "", calls="2x2"), lambda seat: f"Wolfeschlegelsteinhausen {seat}")
    previous, over, _ = the_end(table, "dudo")
    assert over is not None
    text = texted(n.GameOverNotice(view=over, previous=previous), language)
    in_one_message(text)
    assert "2x2" in text
    assert re.findall(r"Wolf[a-z]*(\d)", text) == ["1", "2", "1", "2"], "bidder, doubter, who is out, who wins"


def faces(notice: n.HandNotice) -> str:
    return " ".join(map(str, sorted(notice.view.dice)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bid_to_answer_says_how_and_until_when(language: str) -> None:
    table = running_table("13446", "22345", calls="4x4").with_clock(ends=START + 30 * 3600)
    text = texted(n.HandNotice(view=hand_view(table, 1), player=2, title="", deal=1), language)
    assert re.search(r"\b(alle|las) \D*05:13", text) is None, "an hour of another day follows no article"
    if language == "en":
        assert text == (
            "R1 Your dice: 2 2 3 4 5. Ana says 4x4. That's 4 fours among all dice. "
            "Your turn: raise it, e.g. 5x4, or DUDO if you doubt it. Until Thu 05:13."
        )


def test_no_text_tells_of_dice_but_the_readers() -> None:
    table = running_table("66666", "11111", "22222", calls="2x3")
    for seat, others in ((0, "12"), (1, "26"), (2, "16")):
        text = texted(n.HandNotice(view=hand_view(table, seat), player=1, title="", deal=1))
        assert not any(f"{face} {face}" in text for face in others)
    assert "6 6" not in texted(n.TableNotice(view=views.table_view(table), shared=False, unreachable=False))


def test_a_lobby_says_how_it_starts() -> None:
    table = lobby_table(2, clock=TurnClock(seconds=0))
    assert "Ana texts GO to start." in texted(n.LobbyNotice(view=lobby_view(table.with_seat(0, by_text=True))))
    elsewhere = texted(n.LobbyNotice(view=lobby_view(table)))
    assert "Ana starts the game in the group." in elsewhere
    assert "Clock" not in elsewhere, "there is none"


def test_the_question_about_calza_says_what_is_at_stake() -> None:
    for option, stakes in (
        ("calza_costs_others", "If so all the others lose a die, if not you lose one."),
        ("first_out_wins", "If so you give a die away, if not the bidder does."),
    ):
        rules = Rules.preset("box_2009").with_options(calza=True, **{option: True})
        bid = BidView(seat=0, quantity=1, face=3)
        notice = n.ConfirmationNotice(done=n.Confirmation.TAP_CALZA_AGAIN, bid=bid, **views.calza_stakes(rules))
        assert f"exactly 1x3. {stakes}" in texted(notice)


def test_what_a_player_is_told_begins_with_the_round_but_not_what_the_carriers_want_said() -> None:
    playing = replace(READER, round=7)
    assert (
        texted(n.RejectionNotice(reason=RejectionReason.ILLEGAL, on_turn="Bo"), reader=playing)
        == "R7 It's Bo's turn. You'll get a text when it's yours."
    )
    assert texted(n.PhoneNotice(word=n.PhoneMessage.TOO_OLD), reader=playing).startswith("R7 ")
    for word in (n.PhoneMessage.STOPPED, n.PhoneMessage.RESUMED, n.PhoneMessage.WHO):
        assert texted(n.PhoneNotice(word=word), reader=playing).startswith("Perudo")


def test_a_features_line_for_chats_alone_takes_the_place_of_no_line_of_a_text() -> None:
    for_chats = Extension(n.GameOverNotice, lines=lambda _, __: [Line("Scroll up for the dice.", rank=None)])
    over = next(each for each in every_notice(plain) if isinstance(each, n.GameOverNotice) and not each.view.going_on)
    with features_off([feature.name for feature in FEATURES]):
        before = texted(over)
        install([Feature("sentence", extensions=(for_chats,))])
        assert texted(over) == before
    assert before.endswith("Text AGAIN for another.")


@given(st.lists(st.text(max_size=50), min_size=1, max_size=20), st.sampled_from(layout.NAME_LENGTHS))
def test_shortened_names_can_be_told_apart_and_typed(names: list[str], letters: int) -> None:
    cut = shorten_names(names, letters)
    assert all(1 <= len(name) <= max(letters, 4) for name in cut)
    assert all(set(name) <= gsm.BASIC for name in cut)
    assert len({name.casefold() for name in cut}) == len(names)


def test_names_that_look_alike_are_numbered_and_none_is_a_link() -> None:
    for names, letters, cut in (
        (["Alexander", "Alexandra"], 6, ["Alexa1", "Alexa2"]),
        (["Bo", "bo"], 6, ["Bo1", "bo2"]),
        (["Anna", "Anna B", "Ann2"], 4, ["Ann1", "Ann2", "Ann3"]),
        (["Bo", "Bo1", "bo"], 6, ["Bo1", "Bo12", "bo3"]),
        (["王小明", "Владимир"], 16, ["WangXiaoMing", "Vladimir"]),
        (["😀", ""], 6, ["1", "2"]),
    ):
        assert shorten_names(names, letters) == cut
    for name in ("win.example/prize", "http://x.yz", "5x4\nYour turn", "a@b.c", "[url]"):
        assert not set(shorten_name(name, 40)) & set("./:@\n[]"), name
