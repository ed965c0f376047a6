"""A person who asks too much gets one message and is then ignored for a while; players notice no limit."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import event
from sqlmodel import SQLModel

from telegram_bot.app import service_config
from telegram_bot.intents import intents as i
from telegram_bot.intents.config import Quota, Quotas
from telegram_bot.intents.envelope import MessageRef
from telegram_bot.intents.intents import LONGEST_NAME, LONGEST_TITLE
from telegram_bot.notices import Confirmation
from telegram_bot.parsing.to_intent import parse_text
from telegram_bot.service.handlers.ending import Leave, Stop
from telegram_bot.service.handlers.game_requests import MakeBid
from telegram_bot.service.handlers.lobby_requests import ChangeOption, Join, OpenLobby, PlayAgain, Start
from telegram_bot.service.handlers.queries import SeeDice, SeeHelp, SeeRules, SeeStatus
from telegram_bot.service.quotas import MUTE_SECONDS, QuotaDecision, QuotaGate
from telegram_bot.service.service import HandleResult, Service
from telegram_bot.settings import Settings
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable, Rate
from telegram_bot.tables.events import RejectionReason
from tests.telegram_bot.conftest import START, GroupHarness, confirmation_of, rejection_of

USUAL = service_config(Settings()).quotas


def with_quotas(harness: GroupHarness, quotas: Quotas = USUAL) -> GroupHarness:
    config = replace(harness.service.config, quotas=quotas)
    harness.service = Service(
        harness.database, config, rng=harness.service.rng, now=lambda: harness.now, parse_text=parse_text
    )
    return harness


@pytest.fixture
def busy(harness: GroupHarness) -> GroupHarness:
    return with_quotas(harness)


def told(outcome: HandleResult) -> str:
    if outcome.ignored:
        return "ignored"
    return "told" if getattr(outcome.toast, "reason", None) is RejectionReason.TOO_FAST else "served"


async def test_a_flood_of_commands_is_answered_once_and_then_ignored_for_some_seconds(busy: GroupHarness) -> None:
    outcomes = [await busy.say("Ana", SeeRules()) for _ in range(50)]
    assert sum(not outcome.ignored for outcome in outcomes) == 7 + 1
    assert [notice.reason for notice in busy.notices("rejection")] == [RejectionReason.TOO_FAST], "once"
    assert len(busy.notices("rules")) == 1, "the same answer is not queued twice either"
    intent = busy.intent("Ana", SeeHelp())
    assert busy.service.quota_gate.is_muted(intent)
    busy.now -= 3600
    assert not busy.service.quota_gate.is_muted(intent), "the clock was set back"
    busy.now += 3600 + MUTE_SECONDS + 1
    assert not (await busy.say("Ana", SeeHelp())).ignored
    assert len(busy.notices("help")) == 1
    free = with_quotas(busy, Quotas())
    assert not any([(await free.say("Ana", SeeHelp())).ignored for _ in range(100)]), "zero switches a limit off"


async def test_a_flood_of_taps_gets_one_kind_answer_and_costs_no_one_else_anything(busy: GroupHarness) -> None:
    await busy.lobby("Ana", "Bo", "Cy")
    outcomes = [told(await busy.tap("Bo", SeeStatus())) for _ in range(60)]
    assert outcomes.count("told") == 1
    assert outcomes.index("told") == 30
    assert set(outcomes[31:]) == {"ignored"}
    statements: list[str] = []
    event.listen(busy.database.engine, "before_cursor_execute", lambda _c, _cursor, sql, *_: statements.append(sql))
    ignored = busy.intent("Bo", SeeStatus(), by="toast", table=1)
    assert busy.service.quota_gate.is_muted(ignored), "a worker that knows need not ask"
    assert statements == []
    await busy.service.handle(ignored)
    assert not [statement for statement in statements if "game_table" in statement or "player" in statement]
    assert told(await busy.tap("Ana", SeeStatus())) == "served"
    assert not (await busy.say("Cy", SeeHelp())).ignored
    busy.now += MUTE_SECONDS
    assert not busy.service.quota_gate.is_muted(ignored)


async def test_many_who_flood_one_chat_share_its_limit(busy: GroupHarness) -> None:
    heard = 0
    for number in range(100):
        intent = busy.intent("Ana", SeeHelp())
        who = replace(intent.who, address=5000 + number)
        heard += not (await busy.service.handle(replace(intent, who=who))).ignored
    assert heard == 30 + 1
    elsewhere = replace(busy.intent("Ana", SeeHelp()), where=i.Place("telegram", -2))
    assert not (await busy.service.handle(replace(elsewhere, who=replace(elsewhere.who, address=9)))).ignored


async def test_workers_share_the_counts(database: Database, busy: GroupHarness) -> None:
    other = with_quotas(GroupHarness(database))
    other._causes = 1000
    for _ in range(4):
        await busy.say("Ana", SeeHelp())
        await other.say("Ana", SeeHelp())
    assert [notice.reason for notice in busy.notices("rejection")] == [RejectionReason.TOO_FAST]
    assert (await busy.say("Ana", SeeHelp())).ignored
    assert (await other.say("Ana", SeeHelp())).ignored


async def test_on_turn_one_is_heard_however_much_one_tapped_before(busy: GroupHarness) -> None:
    await busy.game("22222", "33333", "44444")
    for _ in range(60):
        await busy.tap("Bo", MakeBid(2, 2), step=0)
    assert (await busy.tap("Bo", MakeBid(2, 2))).ignored, "it is Ana's turn"
    await busy.call("2x2")
    assert confirmation_of((await busy.tap("Bo", MakeBid(3, 2))).toast) is Confirmation.BID


async def test_wrong_calls_on_ones_own_turn_are_limited_too(busy: GroupHarness) -> None:
    await busy.game("22222", "33333")
    outcomes = [told(await busy.say("Ana", MakeBid(99, 2))) for _ in range(80)]
    assert outcomes.count("ignored") > 30
    busy.now += 2
    assert (await busy.say("Ana", MakeBid(2, 2))).toast is None
    assert busy.table().step == 1


async def test_a_fast_game_never_comes_near(busy: GroupHarness) -> None:
    """Two people who answer each other within a second, and look at their dice before each call."""
    await busy.lobby("Ana", "Bo")
    for option in range(20):
        busy.now += 0.3
        assert told(await busy.tap("Ana", ChangeOption("clock", str(30 + 30 * (option % 2))))) == "served"
    await busy.tap("Ana", Start())
    for _ in range(300):
        game = busy.table().game
        if game is None or game.turn is None:
            break
        busy.now += 0.5
        name = busy.table().seats[game.turn].name
        assert told(await busy.tap(name, SeeDice())) == "served"
        busy.now += 0.5
        bid = game.current_bid
        quantity = 1 if bid is None else bid.quantity + 1
        call = "dudo" if bid is not None and quantity > game.total_dice // 2 else f"{quantity}x{bid.face if bid else 3}"
        assert told(await busy.call(call)) == "served"


@pytest.mark.parametrize(
    ("flood", "other", "reason"),
    [("what a lucky round", "five fours", RejectionReason.ILLEGAL), ("five fours", "status", None)],
)
async def test_chatter_uses_up_no_calls_and_calls_leave_room_for_talk(
    busy: GroupHarness, flood: str, other: str, reason: RejectionReason | None
) -> None:
    await busy.game("22222", "33333", "44444", sent=True)
    said: dict[str, Any] = {"replied_to": MessageRef(7)}
    many, one = (i.TypedText(text, may_be_talk=True) for text in (flood, other))
    outcomes = [await busy.say("Bo", many, **said) for _ in range(60)]
    heard = [outcome.ignored for outcome in outcomes].index(True)
    assert heard > 30 if reason is None else busy.notices("rejection") == [], "no one is told off for talking"
    gate = busy.service.quota_gate
    assert gate.is_muted(busy.intent("Bo", many, **said)), "dropped before it costs the database a row"
    busy.mark_all_sent()
    assert not gate.is_muted(busy.intent("Bo", one, **said))
    assert not (await busy.say("Bo", one, **said)).ignored
    assert [notice.reason for notice in busy.notices("rejection")] == ([reason] if reason else [])


async def test_what_telegram_itself_tells_is_always_heard(busy: GroupHarness) -> None:
    arrived = i.BotMembershipChanged(present=True, ephemeral_allowed=True)
    for what in (i.MemberLeft(), i.PrivateChatBlocked(), arrived):
        assert not any([(await busy.say("Ana", what, by="nothing")).ignored for _ in range(40)]), what


@given(st.integers(1, 200), st.lists(st.floats(0, 5), min_size=1, max_size=80))
@settings(max_examples=30)
def test_no_minute_holds_too_much_who_waits_is_served(per_minute: int, pauses: list[float]) -> None:
    memory = Database("sqlite://")
    SQLModel.metadata.create_all(memory.engine, tables=[Rate.__table__])  # type: ignore[attr-defined]
    now = START
    gate = QuotaGate(Quotas(person_words=Quota(per_minute)), lambda: now)
    intent = i.Intent("telegram", "1", i.Person("telegram", 1, "Ana"), SeeHelp())
    served: list[float] = []
    for pause in pauses:
        now += pause
        with memory.transaction() as session:
            if gate.check(session, intent, intent.request) is QuotaDecision.SERVE:
                served.append(now)
    burst = Quota(per_minute).burst
    for start in served:
        assert sum(start <= at < start + 60 for at in served) <= per_minute + burst
    now += 60 / per_minute + 0.001
    with memory.transaction() as session:
        assert gate.check(session, intent, intent.request) is QuotaDecision.SERVE
    memory.close()


async def test_one_hosts_only_so_many_tables_at_once(harness: GroupHarness) -> None:
    host = with_quotas(harness, Quotas(tables_per_host=2))
    for number in (1, 2, 3):
        host.group = i.Place("telegram", -number, 0, f"Group {number}")
        await host.say("Ana", OpenLobby())
    assert len(host.rows(GameTable)) == 2
    (refusal,) = host.notices("rejection")
    assert (refusal.reason, refusal.number) == (RejectionReason.HOSTS_ENOUGH, 2)
    await host.say("Bo", OpenLobby())
    assert len(host.rows(GameTable)) == 3, "someone else may"
    await host.say("Ana", Join())
    await host.tap("Ana", Stop(confirmed=True), table=1, where=i.Place("telegram", -1))
    host.group = i.Place("telegram", -4, 0, "Group 4")
    await host.say("Ana", OpenLobby())
    assert len(host.rows(GameTable)) == 4, "one that was stopped does not count, nor one where someone else hosts"


async def test_whoever_hands_their_tables_over_has_opened_them_all_the_same(harness: GroupHarness) -> None:
    host = with_quotas(harness, Quotas(tables_per_host=2))
    for number in range(1, 6):
        host.group = i.Place("telegram", -number, 0, f"Group {number}")
        await host.say("Ana", OpenLobby())
        for friend in ("Bo", "Cy")[: number % 3]:
            await host.say(friend, Join())
        await host.say("Ana", Leave())
    assert len(host.rows(GameTable)) == 2
    assert {notice.reason for notice in host.notices("rejection")} >= {RejectionReason.HOSTS_ENOUGH}
    await host.say("Bo", OpenLobby())
    assert len(host.rows(GameTable)) == 3, "whom they were handed to may open their own"


async def test_nor_does_playing_again_escape(harness: GroupHarness) -> None:
    host = with_quotas(harness, Quotas(tables_per_host=1))
    await host.start_game("Ana", "Bo")
    await host.tap("Ana", Stop(confirmed=True))
    host.group = i.Place("telegram", -2, 0, "Others")
    await host.say("Ana", OpenLobby())
    await host.say("Bo", Join())
    await host.say("Ana", Leave())
    again = await host.tap("Ana", PlayAgain(), table=1, where=i.Place("telegram", -1001))
    assert rejection_of(again.toast) is RejectionReason.HOSTS_ENOUGH


async def test_a_house_that_is_full_opens_no_table(harness: GroupHarness) -> None:
    config = with_quotas(harness, Quotas(live_tables=1))
    await config.lobby("Ana", "Bo")
    config.group = i.Place("telegram", -2, 0, "Others")
    await config.say("Bo", OpenLobby())
    assert [notice.reason for notice in config.notices("rejection")] == [RejectionReason.HOUSE_FULL]
    config.group = i.Place("telegram", -1001, 0, "Friends")
    await config.tap("Ana", Start())
    await config.tap("Ana", Stop(confirmed=True))
    config.group = i.Place("telegram", -2, 0, "Others")
    await config.say("Bo", OpenLobby())
    assert len(config.rows(GameTable)) == 2
    with_quotas(config, Quotas(live_tables=1))
    again = await config.tap("Ana", PlayAgain(), where=i.Place("telegram", -1001))
    assert rejection_of(again.toast) is RejectionReason.HOUSE_FULL


KEPT = {
    "x" * 5000: "x" * LONGEST_NAME,
    "Ana\nMaria\t ": "Ana Maria",
    "Ana\0\x1b[2J": "Ana [2J",
    "\u202eanA\u202c": "anA",
    "half \ud83d": "half",
    "👩‍👩‍👧 José": "👩‍👩‍👧 José",
    "A" + 30 * "\u0301" + "na": "A" + 4 * "\u0301" + "na",
    "བསྒྲུབས": "བསྒྲུབས",
    "\0\n": "101",
    "": "101",
}


async def test_a_name_is_kept_in_a_form_that_can_be_stored(harness: GroupHarness) -> None:
    place = i.Place("telegram", -1001, 0, "t" * 5000 + "\0")
    for given_name, kept in KEPT.items():
        who = i.Person("telegram", 101, given_name, "u" * 500, "e\0n")
        await harness.service.handle(replace(harness.intent("Ana", OpenLobby()), who=who, where=place))
        assert (harness.player("Ana").name, harness.player("Ana").username) == (kept, "u" * 64)
    assert len(place.title) == LONGEST_TITLE
