"""Sharing a game: one line without spoilers, for the person who played it, with a key that copies it."""

from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.features.sharing import NOT_YOURS, OwnResult, OwnResultNotice, ShareResult
from telegram_bot.service.requests import read_link
from telegram_bot.storage.models import RoundEnd
from telegram_bot.storage.statistics_models import SeatResult
from telegram_bot.tables.events import RejectionReason
from tests.telegram_bot.conftest import EN, GroupHarness, rejection_of
from tests.telegram_bot.statistics.conftest import PlayGame


def test_the_key_below_it_copies_it() -> None:
    result = OwnResult(player=1, place=2, players=4, bluffs=10, held=7)
    ((key,),) = keyboard(OwnResultNotice(result=result), EN, bot="bot")
    assert key == {"text": "📋 Copy", "copy_text": {"text": "Perudo 🎲 2nd of 4 · 🦊 7 of 10 bluffs"}}


async def test_the_key_at_the_end_of_a_game_leads_to_the_own_line(harness: GroupHarness, play_game: PlayGame) -> None:
    game = await play_game("Ana", "Bo", seed=1)
    (end,) = [each for each in harness.notices("game_over") if each.in_group]
    rows = keyboard(end.model_copy(update={"unfolded": True}), EN, bot="bot")
    (key,) = [key for row in rows for key in row if key["text"] == "📋 Share my result"]
    assert key["url"] == f"https://t.me/bot?start=share_{game}"
    assert read_link(f"share_{game}") == ShareResult(game)
    harness.mark_all_sent()
    await harness.say("Bo", ShareResult(game), where=None)
    assert harness.waiting_kinds() == [("own_result", harness.person("Bo").address)]
    counted = next(row for row in harness.rows(SeatResult) if row.player_id == harness.player("Bo").id)
    own = harness.notices("own_result")[0].result
    assert (own.place, own.players, own.bluffs) == (counted.place, 2, counted.bluffs)


async def test_the_line_is_for_a_player_who_has_seen_the_last_dice(harness: GroupHarness, play_game: PlayGame) -> None:
    game = await play_game("Ana", "Bo", seed=1)
    harness.mark_all_sent()
    for asked in (game, game + 1):
        assert (await harness.tap("Cy", ShareResult(asked), table=None, where=None)).toast == NOT_YOURS
    last = max(row.deal for row in harness.rows(RoundEnd))
    harness.update_row(RoundEnd, (game, last), seen_at=None)
    toast = (await harness.tap("Bo", ShareResult(game), table=None, where=None)).toast
    assert rejection_of(toast) is RejectionReason.REVEALING
