"""A person sits at several tables: their words belong to the one that they can be about, or the bot asks."""

import pytest

from telegram_bot.features.learning import Practise
from telegram_bot.intents import intents as i
from telegram_bot.notices import WhichTableNotice
from telegram_bot.notices.rendering import message_html
from telegram_bot.service.handlers.game_requests import CallDudo
from telegram_bot.service.handlers.lobby_requests import Join, OpenLobby, Start
from telegram_bot.service.handlers.phone_requests import ChooseTable, OpenPrivateLobby
from telegram_bot.service.handlers.queries import SeeDice, SeeHelp
from telegram_bot.service.note_context import NoteContext, note_context
from telegram_bot.storage.database import Database
from telegram_bot.tables import lobby_rules
from telegram_bot.tables.model import CloseReason, Status, TurnClock
from tests.telegram_bot.conftest import EN, GroupHarness

FRIENDS, ROOM, PRACTICE = 1, 2, 2


async def phones_at_two_tables(harness: GroupHarness, *, games: tuple[int, ...]) -> None:
    """Cy texts at Ana's table and at Bo's; those in `games` play, and the others are open lobbies."""
    await harness.text("Ana", OpenPrivateLobby())
    await harness.text("Bo", OpenPrivateLobby())
    for table, host in ((1, "Ana"), (2, "Bo")):
        await harness.text("Cy", Join(code=harness.table(table).code))
        if table in games:
            await harness.text(host, Start())
    harness.mark_all_sent()


async def let_cy_be_on_turn(harness: GroupHarness, table: int, *, first: bool = False) -> None:
    await harness.set_dice("22345", "22345", opener=1 if first else 0, table=table)


def standing(harness: GroupHarness, table: int) -> tuple[int, int] | None:
    game = harness.table(table).game
    bid = None if game is None else game.current_bid
    return None if bid is None else (bid.quantity, bid.face)


def question(harness: GroupHarness) -> WhichTableNotice:
    (asked,) = harness.notices("which_table")
    assert isinstance(asked, WhichTableNotice)
    return asked


async def test_a_texted_bid_counts_in_the_game_while_another_table_is_an_open_lobby(harness: GroupHarness) -> None:
    await phones_at_two_tables(harness, games=(1,))
    await let_cy_be_on_turn(harness, 1, first=True)
    await harness.text("Cy", ChooseTable(harness.table(2).code))
    await harness.text("Cy", i.TypedText("2x2"))
    assert standing(harness, 1) == (2, 2), "even if the lobby is the table of their last choice"
    assert harness.notices("which_table") == []


async def test_of_two_games_a_call_belongs_to_the_one_that_waits_or_whose_code_is_said(harness: GroupHarness) -> None:
    await phones_at_two_tables(harness, games=(1, 2))
    await let_cy_be_on_turn(harness, 1)
    await let_cy_be_on_turn(harness, 2, first=True)
    await harness.text("Cy", ChooseTable(harness.table(1).code))
    await harness.text("Cy", i.TypedText("2x2"))
    assert (standing(harness, 1), standing(harness, 2)) == (None, (2, 2))
    for table in (1, 2):
        await let_cy_be_on_turn(harness, table, first=True)
    await harness.text("Cy", i.TypedText("2x2", table_code=harness.table(1).code))
    assert (standing(harness, 1), standing(harness, 2)) == ((2, 2), None)
    await let_cy_be_on_turn(harness, 1, first=True)
    await harness.text("Cy", i.TypedText("2x3"))
    assert standing(harness, 1) == (2, 3), "the next words are for the same table"


async def test_the_question_of_two_games_keeps_the_bid_and_names_practice(harness: GroupHarness) -> None:
    await harness.game("22345", "22345")
    await harness.say("Ana", Practise(1), where=None)
    await harness.set_dice("22345", "22345", table=PRACTICE)
    await harness.say("Ana", i.TypedText("2x3"), where=None)
    asked = question(harness)
    assert (asked.call, [choice.title for choice in asked.choices]) == ("2x3", ["Friends", ""])
    assert (standing(harness, FRIENDS), standing(harness, PRACTICE)) == (None, None)


async def test_an_open_lobby_is_not_offered_for_a_call(harness: GroupHarness) -> None:
    await phones_at_two_tables(harness, games=(1, 2))
    await harness.text("Ana", Join(code=harness.table(2).code))  # refused: it plays
    await harness.say("Dee", OpenLobby())
    await harness.text("Cy", Join(code=harness.table(3).code))
    harness.mark_all_sent()
    for table in (1, 2):
        await let_cy_be_on_turn(harness, table, first=True)
    await harness.text("Cy", i.TypedText("2x2"))
    assert [choice.table for choice in question(harness).choices] == [1, 2]


@pytest.mark.parametrize(("words", "code"), [("2x2", "ZZZZZ9"), ("please", None)])
async def test_no_call_or_table_after_a_code_plays_nothing(harness: GroupHarness, words: str, code: str | None) -> None:
    await phones_at_two_tables(harness, games=(1, 2))
    for table in (1, 2):
        await let_cy_be_on_turn(harness, table, first=True)
    await harness.text("Cy", i.TypedText(words, table_code=code or harness.table(2).code))
    assert (standing(harness, 1), standing(harness, 2)) == (None, None)
    (said,) = [each for kind in ("rejection", "confirmation") for each in harness.notices(kind)]
    assert said.kind == ("rejection" if code else "confirmation"), "a known code chooses the table"


async def test_dice_and_help_are_those_of_the_only_game_and_go_starts_the_only_lobby(harness: GroupHarness) -> None:
    await phones_at_two_tables(harness, games=(1,))
    await let_cy_be_on_turn(harness, 1, first=True)
    await harness.text("Bo", Join(code=harness.table(1).code))
    for request in (SeeDice(), SeeHelp(), CallDudo()):
        await harness.text("Cy", request)
    assert harness.notices("which_table") == []
    await harness.text("Ana", Join(code=harness.table(2).code))
    await harness.text("Bo", Start())
    assert harness.table(2).status is Status.PLAYING


async def test_a_voice_note_is_for_the_game_that_waits_for_its_speaker(harness: GroupHarness) -> None:
    await harness.game("22345", "22345", opener=1)
    await harness.say("Ana", Practise(1), where=None)
    await harness.set_dice("22345", "22345", table=PRACTICE)
    intent = harness.intent("Ana", i.VoiceNote("1", 100, 2), where=None)
    with harness.database.transaction() as session:
        context = note_context(harness.service.unit_of_work(session, ""), intent, notes_per_minute=0)
    assert isinstance(context, NoteContext)
    assert context.table == PRACTICE


@pytest.mark.parametrize("practises", [False, True])
async def test_a_missed_turn_names_the_table_of_who_sits_at_several(database: Database, *, practises: bool) -> None:
    harness = GroupHarness(database, clock=TurnClock(seconds=60))
    await harness.game("22", "33", sent=True)
    if practises:
        await harness.say("Ana", Practise(1), where=None)
        harness.mark_all_sent()
    for _ in range(2):
        await harness.run_deadlines(30)
    (away,) = [each for each in harness.notices("away") if each.table == FRIENDS][:1]
    assert away.title == ("Friends" if practises else "")
    told = message_html(away, EN) or ""
    assert ("Table: <b>Friends</b>." in told) is practises
    assert "You missed your turn, so I play for you." in told


async def test_who_plays_elsewhere_is_not_told_of_a_lobby_that_no_one_used(harness: GroupHarness) -> None:
    await phones_at_two_tables(harness, games=(1,))
    await harness.text("Dee", Join(code=harness.table(2).code))
    harness.mark_all_sent()
    lobby = harness.table(2)
    with harness.database.transaction() as session:
        uow = harness.service.unit_of_work(session, "test")
        row = uow.table_by_id(2)
        assert row is not None
        uow.commit_step(row, lobby, lobby_rules.close(lobby, CloseReason.IDLE))
        uow.finish()
    told = {envelope.chat for envelope in harness.envelopes() if envelope.notice.kind == "closed"}
    assert told == {502, 504}, "Bo and Dee, but not Cy, who plays at the other table"
