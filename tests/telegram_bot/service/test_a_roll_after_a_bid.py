"""Rules in which a player may show dice after their own bid and roll the others again."""

from typing import Literal

import pytest

from perudo_core import Bid, Reason, Reroll, Rules
from telegram_bot import notices as n
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.notices.rendering import message_html
from telegram_bot.presentation.cards import card_of
from telegram_bot.presentation.inline_results import ranked_bids
from telegram_bot.repositories.repositories import actions_of
from telegram_bot.service.handlers.reroll import ShowDice
from telegram_bot.service.results.game_record import game_record
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Chat, Player, PrivateView
from telegram_bot.tables import play
from telegram_bot.tables.events import RejectedError, RejectionReason
from telegram_bot.tables.model import Status, Table
from telegram_bot.tables.tip_rules import Tip
from telegram_bot.tables.views import hand_view, table_view
from telegram_bot.words.lines import Format, Medium
from telegram_bot.words.tip_words import tip_text
from tests.telegram_bot.conftest import (
    ANA,
    BO,
    CY,
    EN,
    GROUP,
    GroupHarness,
    after_call,
    at,
    confirmation_of,
    game_of,
    lobby_table,
    rejection_of,
    running_table,
)

RULES = Rules.preset("box_2009").with_options(reroll_after_bid=True, calza=True)
OPEN_COUNTS = Rules(reroll_after_bid=True, lost_dice="visible", starting_dice=6)
SHOWN = "👐 Ana shows 2️⃣ 2️⃣ 2️⃣ and rolls the others."


@pytest.fixture
def rolls_again(database: Database) -> GroupHarness:
    return GroupHarness(database, rules=RULES)


def labels(notice: n.Notice) -> list[str]:
    return [button["text"] for row in keyboard(notice, EN, bot="bot") for button in row]


async def test_below_their_bid_a_player_shows_what_counts_and_the_board_has_new_dice(rolls_again: GroupHarness) -> None:
    harness = rolls_again
    await harness.game("22255", "33333", "44444", sent=True)
    await harness.call("4x2")
    boards = {each.view.seat: each for each in harness.notices("hand")}
    assert "👐 Show 2️⃣ 2️⃣ 2️⃣, roll the rest" in labels(boards[0])
    assert not [each for seat in (1, 2) for each in labels(boards[seat]) if "👐" in each]
    harness.mark_all_sent()
    outcome = await harness.tap("Ana", ShowDice())
    assert confirmation_of(outcome.toast) is n.Confirmation.REROLLED
    game = game_of(harness.table())
    assert (game.turn, game.current_bid, game.dice[0][:3]) == (1, Bid(0, 4, 2), (2, 2, 2))
    told = {envelope.chat: message_html(envelope.notice, EN) or "" for envelope in harness.envelopes()}
    assert told.keys() == {GROUP, ANA, BO, CY}
    assert all(SHOWN in text for text in told.values())
    boards = {each.view.seat: each for each in harness.notices("hand")}
    assert boards[0].view.dice == game.dice[0]
    assert boards[1].view.on_turn
    assert not any("👐" in label for label in labels(boards[0]))
    harness.mark_all_sent()
    assert rejection_of((await harness.tap("Ana", ShowDice())).toast) is RejectionReason.ILLEGAL
    await harness.call("5x2")
    assert all(SHOWN in (message_html(each.notice, EN) or "") for each in harness.envelopes()), "until the round ends"
    await harness.call("dudo")
    assert game_of(harness.table()).shown == ()


async def test_a_hand_in_the_group_is_sent_anew_for_the_roll_and_after_it(rolls_again: GroupHarness) -> None:
    harness = rolls_again
    await harness.game("22255", "33333")
    harness.update_row(Chat, 1, ephemeral=True)
    harness.update_row(Player, 1, view=PrivateView.EPHEMERAL)
    harness.mark_all_sent()
    await harness.call("3x2")
    (hand,) = [each.notice for each in harness.envelopes() if each.receiver == ANA]
    assert isinstance(hand, n.HandNotice)
    assert hand.view.may_show == (2, 2, 2)
    harness.mark_all_sent()
    await harness.tap("Ana", ShowDice())
    (hand,) = [each.notice for each in harness.envelopes() if each.receiver == ANA]
    assert isinstance(hand, n.HandNotice)
    assert hand.view.dice == game_of(harness.table()).dice[0]


@pytest.mark.parametrize("where", ["group", None])
async def test_the_command_rolls_and_sends_new_dice(rolls_again: GroupHarness, where: Literal["group"] | None) -> None:
    harness = rolls_again
    await harness.game("22255", "33333", calls="3x2", sent=True)
    await harness.say("Ana", ShowDice(), where=where)
    dice = game_of(harness.table()).dice[0]
    assert [each.view.dice for each in harness.notices("hand") if each.view.seat == 0] == [dice]


def test_the_dice_that_a_player_has_shown_are_not_unseen() -> None:
    view = hand_view(shown(running_table("222225", "333333", rules=OPEN_COUNTS, calls="1x2")), 1)
    assert "You hold 0 of those, and 1 die is unseen." in tip_text(Tip.UNSEEN, view, Format(EN, Medium.CHAT))
    ranked = ranked_bids(view)
    assert ranked.index((5, 2)) < ranked.index((7, 2)), "five twos lie open"


def test_one_die_of_a_hand_always_stays_hidden() -> None:
    bid = after_call(running_table("222", "333", rules=RULES), "1x2")
    assert hand_view(bid, 0).may_show == (2, 2)
    open_twos = shown(bid)
    hidden = sum(game_of(open_twos).dice[0]) - 4
    again = after_call(after_call(open_twos, f"2x{hidden}"), f"3x{hidden}")
    assert hand_view(again, 0).may_show == ()


def shown(table: Table, seat: int = 0, *, step: int | None = None) -> Table:
    return play.show_dice(table, seat, step=step, moment=at()).table


def refused(table: Table, seat: int, *, step: int | None = None) -> RejectedError:
    with pytest.raises(RejectedError) as caught:
        shown(table, seat, step=step)
    return caught.value


def test_nobody_rolls_again_at_another_time_or_without_what_it_takes() -> None:
    after = after_call(running_table("22255", "33333", "44444", rules=RULES), "3x2")
    assert refused(running_table("22255", "33333", calls="3x2"), 0).rule is Reason.REROLL_NOT_PLAYED
    assert refused(after, 1).rule is Reason.REROLL_NOT_NOW, "another player's bid"
    assert refused(shown(after), 0).rule is Reason.REROLL_NOT_NOW
    claimed = after_call(after, "2:calza")
    assert hand_view(claimed, 0).may_show == (), "while a calza waits for its window"
    assert refused(claimed, 0).rule is Reason.REROLL_NOT_NOW
    assert refused(after, 0, step=0).reason is RejectionReason.STALE
    assert refused(lobby_table(2, RULES), 0).reason is RejectionReason.NOT_STARTED
    assert refused(running_table("222", "", "333", rules=RULES, calls="1x2"), 1).reason is RejectionReason.OUT


def test_the_next_player_has_a_whole_new_clock_and_keeps_the_bids_that_all_see() -> None:
    table = running_table("22255", "33333", rules=RULES, calls="3x2").noting(spoken=True, shared=True)
    after = play.show_dice(table, 0, step=table.step, moment=at(20)).table
    assert (after.step, after.turn_since) == (table.step + 1, at(20).now)
    assert (after.this_step.spoken, after.this_step.shared) == (True, True)


def test_a_page_shows_the_dice_at_their_player() -> None:
    before = running_table("22255", "33333", rules=RULES, calls="3x2")
    hand = n.HandNotice(view=hand_view(before, 0), player=1, title="", deal=1)
    assert card_of(hand, 1, 1, EN)["shows"] == "Show 2️⃣ 2️⃣ 2️⃣, roll the rest"
    after = shown(before)
    table = n.TableNotice(view=table_view(after), shared=False, unreachable=False)
    told = "Ana shows 2️⃣ 2️⃣ 2️⃣ and rolls the others."
    assert card_of(table, -1, 1, EN)["shown"] == [{"seat": 0, "dice": [2, 2, 2], "text": told}]
    assert card_of(n.HandNotice(view=hand_view(after, 0), player=1, title="", deal=1), 1, 1, EN)["shows"] == ""


async def test_the_record_proves_the_dice_of_a_roll_after_a_bid(rolls_again: GroupHarness) -> None:
    harness = rolls_again
    await harness.start_game("Ana", "Bo")
    rerolls = 0
    while (table := harness.table()).status is Status.PLAYING:
        game = game_of(table)
        assert game.turn is not None
        if game.current_bid is None:
            face = max(game.dice[game.turn])
            await harness.call(f"1x{face if face > 1 else 2}")
            if hand_view(harness.table(), game.turn).may_show:
                await harness.tap(table.seats[game.turn].name, ShowDice())
                rerolls += 1
        else:
            await harness.call("dudo")
    with harness.database.transaction() as session:
        record = game_record(harness.service.unit_of_work(session, ""), table)
        stored = [action for action, _, _ in actions_of(session, table.id)]
    assert sum(isinstance(action, Reroll) for action in stored) == rerolls > 2
    assert not record.failed
    assert record.rolls is not None
