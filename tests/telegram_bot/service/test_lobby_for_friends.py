"""Through the service: quick choices, questions before final steps, the next game, bids in talk, the check."""

import re
from dataclasses import replace
from typing import Any

import pytest

from perudo_core import Rules
from telegram_bot.intents import intents as i
from telegram_bot.intents.envelope import MessageRef
from telegram_bot.notices import Confirmation, ConfirmationNotice
from telegram_bot.notices.rendering import message_html, toast_text
from telegram_bot.presentation.notice_keys import keys_of
from telegram_bot.service.announcing.table_outbox import OFFER_SLOT
from telegram_bot.service.handlers.ending import Leave, PlayOn, Stop
from telegram_bot.service.handlers.game_requests import CallCalza, CallDudo, ConfirmCall, MakeBid
from telegram_bot.service.handlers.lobby_requests import (
    ChangeOption,
    Join,
    LeaveNextGames,
    OpenLobby,
    OpenMenu,
    RequestNextGame,
    StartPrivateChat,
)
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import DirectMessages, NextGameRequest, Player, TableSeat
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.house_rules import HouseRules, QuickChoice
from telegram_bot.tables.model import DAY, Status, TurnClock
from telegram_bot.tables.quiet_hours import QuietHours
from tests.telegram_bot.conftest import EN, GROUP, GroupHarness, chosen, confirmation_of, game_of, rejection_of

CLASSIC = Rules.preset("box_2009").with_options(calza=True, lost_dice="visible")
HOUSES = (
    HouseRules(key="classic", title="Classic", line="five dice each, and an exact call wins one back", rules=CLASSIC),
    HouseRules(key="friday_night", title="Friday night", line="four dice", rules=CLASSIC.with_options(starting_dice=4)),
)
NIGHT = QuietHours(22 * 60, 8 * 60, "UTC")


@pytest.fixture
def house(database: Database) -> GroupHarness:
    """An installation with the rules that come with the bot and one more file."""
    harness = GroupHarness(database, rules=CLASSIC)
    harness.service.config = replace(harness.service.config, house_rules=HOUSES, night=NIGHT)
    return harness


def lobby_of(harness: GroupHarness) -> str:
    shown = harness.notices("lobby")
    return message_html(next((each for each in shown if each.to_host), shown[-1]), EN) or ""


async def test_a_new_table_is_classic_and_the_operators_own_rules_are_offered_by_name(house: GroupHarness) -> None:
    await house.say("Ana", StartPrivateChat(), where=None)
    await house.lobby("Ana", "Bo")
    assert "📖 Classic: five dice each, and an exact call wins one back\n" in lobby_of(house)
    await house.tap("Ana", OpenMenu("rules"), where=None)
    offered = re.findall(r"^• <b>(.*?)</b>", lobby_of(house), flags=re.MULTILINE)
    assert offered[:6] == ["Classic", "Short", "Slow", "2009 edition", "Aces (English)", "Friday night"]
    assert "First out wins" in offered[6:], "before the tap"
    await house.tap("Ana", ChangeOption("house", "friday_night"), where=None)
    assert house.table().rules.starting_dice == 4
    assert "📖 Friday night: four dice\n" in lobby_of(house)
    gone = (await house.tap("Ana", ChangeOption("house", "saturday"))).toast
    assert rejection_of(gone) is RejectionReason.UNKNOWN_OPTION


async def test_a_twist_is_switched_on_and_off_and_an_option_that_differs_stands_out(house: GroupHarness) -> None:
    await house.say("Ana", StartPrivateChat(), where=None)
    await house.lobby("Ana", "Bo")
    await house.tap("Ana", ChangeOption("twist", "calza_costs_others"), where=None)
    assert house.table().rules == CLASSIC.with_options(calza_costs_others=True)
    await house.tap("Ana", OpenMenu("options"), where=None)
    assert "• Calza: on · with calza\n" in lobby_of(house)
    await house.tap("Ana", OpenMenu("names"), where=None)
    told = lobby_of(house)
    assert "• <b>Calza costs others: on</b>\n" in told
    assert "• Calza: on\n" in told
    assert "send me its name and a value: <code>Calza: off</code>" in told
    await house.tap("Ana", ChangeOption("twist", "calza_costs_others"), where=None)
    assert house.table().rules == CLASSIC


async def test_a_typed_rule_is_answered_with_the_rule_and_a_wrong_value_with_all_values(house: GroupHarness) -> None:
    await house.say("Ana", i.TypedText("Calza: off", may_be_talk=True))
    assert house.waiting() == [], "it is talk where no lobby waits"
    await house.lobby("Ana", "Bo")
    house.mark_all_sent()
    for words, said in (
        ("Calza: off", "Calza: off"),
        (
            "Dice each: 12",
            "Dice each has these values: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10. Send, for example: Dice each: 10",
        ),
        ("clock: 3 minutes", "Send, for example: Clock: "),
    ):
        await house.say("Ana", i.TypedText(words, may_be_talk=True))
        (told,) = (each.notice for each in house.envelopes() if each.notice.kind in ("confirmation", "rejection"))
        assert said in toast_text(told, EN)
        house.mark_all_sent()
    assert house.table().rules == CLASSIC.with_options(calza=False)


async def test_three_quick_choices_set_rules_and_clock_and_are_answered_at_once(house: GroupHarness) -> None:
    await house.lobby("Ana", "Bo")
    toast = (await house.tap("Ana", ChangeOption("quick_table", QuickChoice.SHORT))).toast
    assert isinstance(toast, ConfirmationNotice)
    assert toast_text(toast, EN) == "We play: Classic · 3 dice each · ⏱ 1 minute"
    assert house.table().rules == CLASSIC.with_options(starting_dice=3)
    assert house.table().clock.seconds == 60

    toast = (await house.tap("Ana", ChangeOption("quick_table", QuickChoice.SLOW))).toast
    assert isinstance(toast, ConfirmationNotice)
    assert "24 hours, nights off (22-8 UTC)" in toast_text(toast, EN)
    assert house.table().clock == TurnClock(seconds=DAY, quiet=NIGHT)
    for seconds, quiet in (("21600", NIGHT), ("60", None)):
        await house.tap("Ana", ChangeOption("clock", seconds))
        assert house.table().clock.quiet == quiet, "a quick clock does not stand still at night"

    await house.tap("Ana", ChangeOption("quick_table", QuickChoice.CLASSIC))
    assert (house.table().rules, house.table().clock) == (CLASSIC, TurnClock())
    refused = await house.tap("Bo", ChangeOption("quick_table", QuickChoice.SLOW))
    assert rejection_of(refused.toast) is RejectionReason.NOT_HOST


async def test_closing_a_running_game_asks_first_and_tells_who_closed_it(harness: GroupHarness) -> None:
    await harness.game("11", "22", "33", sent=True)
    harness.shows("deal:1", 55, keyboard=True)
    for is_admin, why in ((False, RejectionReason.NOT_ALLOWED), (None, RejectionReason.CANNOT_TELL)):
        assert rejection_of((await harness.tap("Bo", Stop(is_admin=is_admin))).toast) is why
    await harness.say("Dee", Stop(is_admin=True))
    (question,) = harness.notices("confirm")
    assert question.name == "Dee"
    assert harness.table().status is Status.PLAYING
    harness.mark_all_sent()

    answer = Stop(is_admin=None, confirmed=True, asked=question.player)
    assert rejection_of((await harness.tap("Ana", answer)).toast) is RejectionReason.NOT_YOURS
    await harness.tap("Dee", replace(answer, is_admin=True))
    assert harness.table().status is Status.CLOSED
    closed = harness.notices("closed")[0]
    assert "<b>Dee</b> closed the table." in (message_html(closed, EN) or "")
    told = [("closed", chat) for chat in (GROUP, 101, 102, 103)]
    assert sorted(harness.waiting_kinds()) == sorted([("outdated", GROUP), *told])
    assert rejection_of((await harness.tap("Ana", MakeBid(3, 4))).toast) is RejectionReason.NO_GAME


async def test_leaving_a_game_asks_first_and_only_who_was_asked_answers(harness: GroupHarness) -> None:
    await harness.game("11", "22", "33", sent=True)
    harness.shows("deal:1", 77, keyboard=True)
    await harness.say("Bo", Leave())
    assert harness.waiting_kinds() == [("confirm", GROUP)]
    (question,) = harness.notices("confirm")
    assert (question.player, question.name) == (harness.player("Bo").id, "Bo")
    harness.mark_all_sent()
    stay, go = PlayOn(asked=question.player), Leave(confirmed=True, asked=question.player)
    for what in (stay, go):
        assert rejection_of((await harness.tap("Cy", what)).toast) is RejectionReason.NOT_YOURS
    await harness.tap("Bo", stay, tapped=MessageRef(77))
    assert harness.waiting() == [], "a forged answer does not write over the table's message"
    assert confirmation_of((await harness.tap("Bo", stay, tapped=MessageRef(55))).toast) is Confirmation.PLAYS_ON
    (edit,) = harness.envelopes()
    assert (edit.target, edit.chat) == (MessageRef(55), GROUP)
    assert message_html(edit.notice, EN) == "The game goes on."
    assert all(harness.table().in_play(seat) for seat in range(3))
    harness.mark_all_sent()

    assert confirmation_of((await harness.tap("Bo", go, tapped=MessageRef(55))).toast) is Confirmation.LEFT
    stripped = [(each.notice.kind, each.chat) for each in harness.envelopes() if each.target is not None]
    assert stripped == [("outdated", GROUP)], "the question"
    bos = [(each.notice.kind, each.edits) for each in harness.envelopes() if each.chat == harness.person("Bo").address]
    assert bos == [("reveal", True)], "the dice"
    assert not harness.table().in_play(1)
    harness.mark_all_sent()
    assert rejection_of((await harness.tap("Bo", go)).toast) is RejectionReason.OUT
    assert [row.live for row in sorted(harness.rows(TableSeat), key=lambda row: row.player_id)] == [True, False, True]


async def test_dudo_on_a_keyboard_that_all_share_counts_at_the_second_tap(harness: GroupHarness) -> None:
    await harness.game("11", "22", "33", calls="2x2")

    async def doubt(name: str, later: float) -> Any:
        harness.now += later
        return (await harness.tap(name, CallDudo(), tapped=MessageRef(9))).toast

    assert confirmation_of(await doubt("Bo", 0)) is Confirmation.TAP_DUDO_AGAIN
    assert confirmation_of(await doubt("Bo", 0.2)) is Confirmation.TAP_DUDO_AGAIN, "a double tap is one slip"
    assert confirmation_of(await doubt("Bo", 60)) is Confirmation.TAP_DUDO_AGAIN, "after a minute it is asked anew"
    assert rejection_of(await doubt("Cy", 2)) is RejectionReason.ILLEGAL, "it is not Cy's turn"
    assert harness.table().deals == 1
    assert confirmation_of(await doubt("Bo", 0)) is Confirmation.DUDO
    assert harness.table().deals == 2


CALZA_EXPLAINED = (
    "Calza says: exactly 2 × 2️⃣. If so you win a die back, if not you lose one. Calza? If you're sure, tap it once more."
)


async def exact(harness: GroupHarness, name: str) -> Any:
    harness.now += 2
    return (await harness.tap(name, CallCalza(), where=None, tapped=MessageRef(9))).toast


async def test_calza_out_of_turn_counts_at_the_second_tap_and_is_explained_till_then(harness: GroupHarness) -> None:
    harness.service.config = replace(harness.service.config, rules=CLASSIC)
    await harness.game("11", "22", "33", "44", calls="2x2")
    first = await exact(harness, "Cy")
    assert confirmation_of(first) is Confirmation.TAP_CALZA_AGAIN
    assert toast_text(first, EN) == CALZA_EXPLAINED
    for call in ("3x2", "4x2", "5x2"):
        await harness.call(call)
    again = await exact(harness, "Cy")
    assert toast_text(again, EN).startswith("Calza says: exactly 5 × 2️⃣."), "a tap before the last bid counts not"
    assert harness.table().this_step.claims == ()
    assert confirmation_of(await exact(harness, "Cy")) is Confirmation.CLAIMED
    await harness.call("6x2")
    told = toast_text(await exact(harness, "Cy"), EN)
    assert told == "Calza? If you're sure, tap it once more.", "Cy has said calza before"


@pytest.mark.parametrize("typed", [False, True])
async def test_a_first_calza_on_ones_turn_is_explained_the_next_counts(harness: GroupHarness, *, typed: bool) -> None:
    harness.service.config = replace(harness.service.config, rules=CLASSIC)
    await harness.game("11", "22", "33", calls="2x2", sent=True)
    if typed:
        await harness.say("Bo", CallCalza(), where=None)
        (question,) = harness.notices("confirmation")
        assert (message_html(question, EN) or "").startswith("Calza says: exactly 2 × 2️⃣.")
    else:
        assert toast_text(await exact(harness, "Bo"), EN) == CALZA_EXPLAINED
    assert harness.table().deals == 1
    if typed:
        await harness.say("Bo", CallCalza(), where=None)
    else:
        assert confirmation_of(await exact(harness, "Bo")) is Confirmation.CALZA
    assert harness.table().deals == 2
    await harness.set_dice("11", "22", "33", opener=0)
    await harness.call("2x2")
    assert confirmation_of(await exact(harness, "Bo")) is Confirmation.CALZA


@pytest.mark.parametrize("answer", [CallCalza(), ConfirmCall()])
async def test_calza_typed_in_private_out_of_turn_is_asked_again(harness: GroupHarness, answer: i.AnyRequest) -> None:
    harness.service.config = replace(harness.service.config, rules=CLASSIC)
    await harness.game("11", "22", "33", calls="2x2", sent=True)
    await harness.tap("Cy", Choose("tips", False), where=None)
    await harness.say("Cy", CallCalza(), where=None)
    (question,) = harness.notices("confirmation")
    assert message_html(question, EN) == "Calza? If you're sure, send it once more.", "Cy wants no explanations"
    assert harness.table().this_step.claims == ()
    await harness.say("Cy", answer, where=None)
    assert harness.table().this_step.claims == (2,)


async def test_in_private_a_tapped_dudo_is_asked_twice_where_its_player_wants_it(harness: GroupHarness) -> None:
    await harness.game("11", "22", "33", calls="2x2")
    told = await harness.tap("Bo", Choose("asks_twice", True), where=None)
    assert chosen(told.toast) == ("asks_twice", True)
    first = await harness.tap("Bo", CallDudo(), where=None, tapped=MessageRef(9))
    assert confirmation_of(first.toast) is Confirmation.TAP_DUDO_AGAIN
    await harness.say("Bo", CallDudo())
    assert harness.table().deals == 2
    await harness.set_dice("11", "22", "33", opener=0)
    await harness.call("2x2")
    await harness.tap("Bo", Choose("asks_twice", False), where=None)
    at_once = await harness.tap("Bo", CallDudo(), where=None, tapped=MessageRef(9))
    assert confirmation_of(at_once.toast) is Confirmation.DUDO


OVERHEARD = i.TypedText("3x4", may_be_talk=True, overheard=True)


async def test_a_plain_bid_in_talk_counts_for_the_player_on_turn_alone(harness: GroupHarness) -> None:
    await harness.say("Ana", OVERHEARD)
    assert harness.rows(Player) == [], "where no game runs"
    await harness.game("44", "22", "33", sent=True)
    for name, later in (("Bo", 0), ("Dee", 0), ("Ana", -60)):
        await harness.say(name, OVERHEARD, said_at=harness.now + later)
    assert (harness.waiting(), harness.table().step) == ([], 0)
    assert [player.name for player in harness.rows(Player)] == ["Ana", "Bo", "Cy"]
    await harness.say("Ana", OVERHEARD, said_at=harness.now)
    assert str(game_of(harness.table()).current_bid) == "3x4"
    await harness.say("Bo", OVERHEARD, said_at=harness.now)
    assert [notice.reason for notice in harness.notices("rejection")] == [RejectionReason.ILLEGAL]


async def test_the_next_lobby_calls_who_is_listed_and_only_once_in_an_hour(harness: GroupHarness) -> None:
    await harness.game("11", "22", sent=True)
    await harness.say("Bo", OpenLobby())
    assert harness.notices("next_game_offer") == [], "Bo plays"
    for name, ask in (("Dee", Join()), ("Eve", OpenLobby())):
        await harness.say(name, ask)
    assert len(harness.notices("next_game_offer")) == 1, "the one below Eve's words"
    harness.mark_all_sent()
    harness.shows(OFFER_SLOT, 55)
    await harness.say("Dee", Join())
    gone, offered = (each for each in harness.envelopes() if each.chat == GROUP)
    assert (gone.notice.kind, gone.target and gone.target.message) == ("outdated", 55)
    assert (offered.notice.kind, offered.target) == ("next_game_offer", None), "below Dee's words"
    assert harness.notices("rejection") == []
    for name in ("Dee", "Fay"):
        await harness.say(name, StartPrivateChat(), where=None)
    assert [notice.name for notice in harness.notices("welcome")] == ["Dee", "Fay"]
    for name, reachable in (("Dee", True), ("Fay", True), ("Eve", False)):
        toast = (await harness.tap(name, RequestNextGame(), table=None)).toast
        assert isinstance(toast, ConfirmationNotice)
        assert (toast.done, toast.reachable) == (Confirmation.NEXT_GAME, reachable)
    await harness.tap("Ana", Stop(confirmed=True))
    harness.update_row(Player, harness.player("Fay").id, direct=DirectMessages.REFUSED)
    harness.mark_all_sent()

    restarted = GroupHarness(harness.database)
    restarted._causes = 100
    await restarted.say("Bo", OpenLobby())
    (told,) = [envelope for envelope in restarted.envelopes() if envelope.notice.kind == "next_game"]
    assert told.chat == restarted.person("Dee").address, "Fay has closed her private chat"
    assert "The next game opens in <b>Friends</b>" in (message_html(told.notice, EN) or "")
    address = restarted.person("Eve").address
    assert f'<a href="tg://user?id={address}">Eve</a>' in lobby_of(restarted)
    await restarted.say("Cy", Join())
    assert {"Eve", "Fay"} <= {person.name for person in restarted.notices("lobby")[-1].mentions}, "if it had to wait"
    for name in ("Eve", "Fay"):
        await restarted.say(name, Join())
    assert "asked me to tell you" not in lobby_of(restarted)
    await restarted.tap("Bo", Stop(), table=2)
    restarted.now += 3600
    restarted.mark_all_sent()
    await restarted.say("Bo", OpenLobby())
    assert [notice.title for notice in restarted.notices("next_game")] == ["Friends"]
    assert {"Eve", "Fay"} == {person.name for person in restarted.notices("lobby")[-1].mentions}


async def next_lobby_tells(harness: GroupHarness) -> list[str]:
    """Open the next lobby and return the addresses of the people who are told, each by a name."""
    harness.mark_all_sent()
    await harness.say("Bo", OpenLobby())
    told = [envelope.chat for envelope in harness.envelopes() if envelope.notice.kind == "next_game"]
    return [name for name in ("Bo", "Cy", "Dee", "Eve", "Fay") if harness.person(name).address in told]


async def test_only_who_waits_for_the_next_game_and_may_be_told_now_is_told_of_a_lobby(harness: GroupHarness) -> None:
    await harness.game("11", "22", sent=True)
    for name in ("Bo", "Cy", "Dee", "Eve", "Fay"):
        await harness.say(name, StartPrivateChat(), where=None)
        await harness.tap(name, RequestNextGame(), table=None)
    off = await harness.tap("Cy", RequestNextGame(), table=None)
    assert confirmation_of(off.toast) is Confirmation.NO_NEXT_GAME
    await harness.tap("Ana", Stop(confirmed=True))
    await harness.say("Eve", i.MemberLeft(), by="nothing")
    around_now = {"start": 0, "end": 1439, "zone": "UTC"}
    harness.update_row(Player, harness.player("Fay").id, quiet=around_now)
    assert await next_lobby_tells(harness) == ["Dee"]
    harness.update_row(Player, harness.player("Fay").id, quiet=None)
    await harness.tap("Bo", Stop(), table=2)
    assert await next_lobby_tells(harness) == ["Fay"], "Dee was told within the hour"
    assert "asked me to tell you" not in lobby_of(harness)
    (notice,) = harness.notices("next_game")
    (leave,) = [key.request for row in keys_of(notice, EN) for key in row if isinstance(key.request, LeaveNextGames)]
    for _ in range(2):
        off = await harness.tap("Fay", leave, table=None, where=None)
        assert confirmation_of(off.toast) is Confirmation.NO_NEXT_GAME
    listed = {row.player_id for row in harness.rows(NextGameRequest)}
    assert not listed & {harness.player(name).id for name in ("Cy", "Fay")}
