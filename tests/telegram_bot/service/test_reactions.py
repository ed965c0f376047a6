"""Computer players' words at the end of a round: in the message that is sent anyway, the same each time, not always."""

from dataclasses import replace

import pytest

from perudo_core import Dudo
from perudo_core.agents import Character, Level
from telegram_bot.service.config import ServiceConfig
from telegram_bot.service.intents import ThoughtPlayed
from telegram_bot.storage.models import GameTable
from telegram_bot.tables.model import ComputerPlayer
from telegram_bot.tables.result_views import ReactionTo, RevealView, reaction_to
from telegram_bot.words.catalogue import catalogue
from telegram_bot.words.chat.render import message_html
from tests.telegram_bot.conftest import GroupHarness


async def end_a_round(harness: GroupHarness, *hands: str, character: Character = Character.PLAIN) -> RevealView:
    """Ana has bid two fours, and Bo, a computer player like Cy, doubts them."""
    await harness.game(*hands)
    table = harness.table()
    for seat in range(1, len(hands)):
        computer = ComputerPlayer(level=Level.REGULAR, character=character)
        table = table.with_seat(seat, computer=computer, player=-1_000_001 - seat)
    harness.update_row(GameTable, 1, state=table.model_dump(mode="json"))
    harness.mark_all_sent()
    await harness.call("2x4")
    await harness.service.handle(ThoughtPlayed(1, harness.table().step, 1, Dudo(1)))
    notice, *private = harness.notices("reveal")
    assert all(other.view == notice.view for other in private)
    view: RevealView = notice.view
    return view


async def test_one_in_two_rounds_in_the_message_that_is_sent_anyway(harness: GroupHarness) -> None:
    view = await end_a_round(harness, "44456", "22356", "22356")
    sent = [notice.seat for notice in harness.notices("reveal")]
    assert sent == [None, 0], "to the group, and to Ana"
    assert view.reaction == reaction_to(view)
    rounds = [reaction_to(view.model_copy(update={"round": number})) for number in range(1, 201)]
    told = [each for each in rounds if each is not None]
    assert 60 < len(told) < 140
    assert {(each.seat, each.to) for each in told} == {(1, ReactionTo.LOST_DIE)}
    assert rounds == [reaction_to(view.model_copy(update={"round": number})) for number in range(1, 201)]
    shown = view.model_copy(update={"reaction": told[0]})
    notice, _ = harness.notices("reveal")
    before = message_html(
        notice.model_copy(update={"view": view.model_copy(update={"reaction": None})}), catalogue("en")
    )
    after = message_html(notice.model_copy(update={"view": shown}), catalogue("en"))
    assert before is not None
    assert after is not None
    assert len(after.splitlines()) == len(before.splitlines()) + 1


async def test_people_are_never_spoken_for(harness: GroupHarness) -> None:
    view = await end_a_round(harness, "44456", "22356", "22356")  # Bo loses; then as if Ana had
    of_ana = view.model_copy(update={"changes": tuple(each.model_copy(update={"seat": 0}) for each in view.changes)})
    assert all(reaction_to(of_ana.model_copy(update={"round": number})) is None for number in range(1, 50))


async def test_a_bold_bid_that_held_by_character(harness: GroupHarness) -> None:
    view = await end_a_round(harness, "44456", "22356", "22356")
    assert view.bid is not None
    bluff = view.model_copy(update={"bid": view.bid.model_copy(update={"seat": 2}), "changes": ()})
    reaction = next(r for n in range(9) if (r := reaction_to(bluff.model_copy(update={"round": n}))) is not None)
    assert (reaction.seat, reaction.to) == (2, ReactionTo.BLUFF_HELD)


@pytest.mark.parametrize("reactions", [True, False])
async def test_the_setting(harness: GroupHarness, reactions: bool) -> None:
    config: ServiceConfig = harness.service.config
    harness.service.config = replace(config, reactions=reactions)
    view = await end_a_round(harness, "44456", "22356", "22356")
    told = reaction_to(view.model_copy(update={"reaction": None}))
    assert view.reaction == (told if reactions else None)
