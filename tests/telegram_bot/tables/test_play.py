"""A running game: calls, old buttons, calza at once, leaving in the middle."""

import random
from collections.abc import Callable

import pytest

from perudo_core import Bid, BidMade, Call, Calza, Dudo, Leave, Reason, Rules
from telegram_bot.tables import lobby_rules, play
from telegram_bot.tables.events import (
    CalzaClaimed,
    ClaimsVoided,
    GameEvents,
    HostChanged,
    RejectedError,
    RejectionReason,
    TableChange,
)
from telegram_bot.tables.model import Moment, OnTimeout, Status, Table, Timings, TurnClock
from telegram_bot.tables.turn_clock import apply_due
from telegram_bot.tables.views import hand_view
from tests.telegram_bot.conftest import AUTO_CLOCK, START, TIMINGS, at, game_of, lobby_table, running_table

CALZA = Rules.preset("box_2009").with_options(calza=True, lost_dice="visible")
AT_ONCE = Timings(claim_window_seconds=0)


def call(
    table: Table, action: Call, *, step: int | None = None, now: float = START, timings: Timings = TIMINGS
) -> TableChange:
    return play.make_call(table, action, step=step, moment=Moment(now, timings, random.Random(1)))


def resign(table: Table, seat: int) -> TableChange:
    return play.resign(table, seat, moment=at())


def denied(table: Table, action: Call, *, step: int | None = None, now: float = START) -> RejectedError:
    before = table.model_dump_json()
    with pytest.raises(RejectedError) as caught:
        call(table, action, step=step, now=now)
    assert table.model_dump_json() == before
    return caught.value


def events(step: TableChange) -> list[str]:
    return [type(event).__name__ for event in step.game_events]


def test_a_bid_passes_the_turn_to_the_left() -> None:
    table = running_table("22222", "33333", "44444", opener=1)
    assert "Revealed" not in events(resign(table, 2)), "nothing but a dudo or a calza shows dice"
    step = call(table, Bid(1, 4, 2), step=0)
    assert game_of(step.table).turn == 2
    assert step.table.step == 1
    assert step.actions == (Bid(1, 4, 2),)
    assert step.events == (GameEvents((BidMade(Bid(1, 4, 2)),)),)


def test_help_offers_two_bids_and_one_dudo_where_others_may_say_dudo_too() -> None:
    rules = Rules.preset("box_2009").with_options(out_of_turn_dudo=True)
    table = running_table("22222", "33333", "44444", calls="5x2", rules=rules)
    assert play.likely_calls(hand_view(table, 1)) == ("5x3", "6x2", "dudo"), "her five threes hold, six twos hardly"


def test_a_dudo_ends_the_round_and_rolls_the_next_one() -> None:
    table = running_table("22222", "33333", calls="6x2")
    step = call(table, Dudo(1), step=1)
    game = game_of(step.table)
    assert (game.round, game.dice_counts, game.opener) == (2, (4, 5), 0)
    assert step.table.deals == table.deals + 1
    assert events(step)[:3] == ["DudoCalled", "Revealed", "DiceLost"]
    assert [type(action).__name__ for action in step.actions] == ["Dudo", "Roll"]


def test_a_call_against_the_rules_says_why_and_the_least_that_would_do() -> None:
    refused = denied(running_table("22222", "33333", calls="3x4"), Bid(1, 2, 4), step=1)
    assert (refused.reason, refused.rule) == (RejectionReason.ILLEGAL, Reason.BID_TOO_LOW)
    assert (refused.standing, refused.smallest) == (Bid(0, 3, 4), Bid(1, 3, 5))
    refused = denied(running_table("22222", "33333", "44444"), Bid(2, 3, 4), step=0)
    assert (refused.rule, refused.on_turn) == (Reason.NOT_YOUR_TURN, "Ana")
    assert denied(running_table("222", "333", calls="3x2", rules=CALZA), Calza(0)).rule is Reason.OWN_BID
    assert denied(running_table("222", "333", "444", calls="3x2"), Calza(2)).rule is Reason.CALZA_NOT_PLAYED
    for action in (Bid(1, 3, 4), Dudo(1), Calza(1)):
        assert denied(running_table("222", "", "333", calls="1x4"), action).reason is RejectionReason.OUT
    assert denied(lobby_table(2), Bid(0, 1, 4), step=0).reason is RejectionReason.NOT_STARTED
    for status in (Status.FINISHED, Status.CLOSED):
        over = running_table("22", "33").replace(status=status)
        assert denied(over, Bid(0, 1, 4), step=0).reason is RejectionReason.NO_GAME


def test_a_button_of_an_earlier_state_does_nothing_but_a_double_tap_on_a_bid_hears_that_it_counted() -> None:
    table = running_table("22222", "33333", "44444", calls="3x4 4x4")
    for action in (Dudo(2), Calza(2), Bid(2, 5, 4), Bid(2, 3, 4)):
        for step in (0, 1, 3, 99):
            refused = denied(table, action, step=step)
            assert (refused.reason, refused.standing) == (RejectionReason.STALE, Bid(1, 4, 4))
    table = running_table("22222", "33333", "44444", calls="6x2")
    assert denied(table, Bid(0, 6, 2), step=0).reason is RejectionReason.ALREADY_DONE
    assert denied(table, Bid(0, 6, 4), step=0).reason is RejectionReason.STALE
    after = call(table, Dudo(1), step=1).table
    assert denied(after, Dudo(1), step=1).reason is RejectionReason.STALE


def test_a_tap_after_the_clock_hears_too_late_until_the_game_moves_on() -> None:
    table = running_table("22222", "33333", "44444", calls="3x4", clock=AUTO_CLOCK)
    late = apply_due(table, moment=at(61)).table
    assert late.this_step.timed_out == 1
    for action in (Bid(1, 5, 4), Dudo(1)):
        assert denied(late, action, step=1, now=START + 61).reason is RejectionReason.TOO_LATE
    other = denied(late, Calza(2), step=1, now=START + 61)
    assert other.reason is RejectionReason.STALE, "it was not this player's clock"
    moved = call(late, Dudo(game_of(late).turn or 0), step=2, now=START + 62).table
    assert denied(moved, Bid(1, 5, 4), step=1, now=START + 63).reason is RejectionReason.STALE


# Calza out of turn: claims are gathered for a short window


def test_calza_out_of_turn_waits_for_the_window() -> None:
    table = running_table("22222", "33333", "44444", calls="5x2", rules=CALZA)
    step = call(table, Calza(2), step=1)
    assert step.events == (CalzaClaimed(2),)
    waiting = step.table.this_step
    assert (waiting.claims, waiting.claims_close) == ((2,), START + TIMINGS.claim_window_seconds)
    assert (step.table.step, step.actions) == (1, ()), "the player on turn may still act on the same state"
    assert denied(step.table, Calza(2), step=1).reason is RejectionReason.ALREADY_DONE
    assert "CalzaCalled" in events(call(table, Calza(2), step=1, timings=AT_ONCE)), "at once without a window"


def test_two_say_calza_at_once_the_nearest_to_the_left_of_the_bidder_counts() -> None:
    """box_2009, italian_box: two players call calza at the same time."""
    table = running_table("22222", "33333", "44444", "55555", calls="5x2", rules=CALZA)
    late_but_near = call(call(table, Calza(3), step=1).table, Calza(2), step=1, now=START + 1)
    assert late_but_near.table.this_step.claims_close == START + 2, "the window does not grow"
    settled = apply_due(late_but_near.table, moment=at(2))
    assert settled.actions[0] == Calza(2)
    assert settled.events[0] == ClaimsVoided((3,))
    assert game_of(settled.table).opener == 2


def test_calza_at_the_moment_the_player_on_turn_acts_or_its_player_leaves_is_void() -> None:
    """box_2009, italian_box: the action of the player on turn counts, not the claim."""
    table = running_table("22222", "33333", "44444", "55555", calls="5x2", rules=CALZA)
    table = call(table, Calza(2), step=1).table
    for action in (Bid(1, 6, 2), Dudo(1), Calza(1)):
        step = call(table, action, step=1, now=START + 1)
        assert step.events[0] == ClaimsVoided((2,))
        assert (step.table.this_step.claims, step.table.this_step.claims_close) == ((), None)
        assert step.actions[0] == action
    step = resign(table, 2)
    assert ClaimsVoided((2,)) in step.events
    assert step.table.this_step.claims == ()


def test_leaving_takes_the_dice_and_rolls_the_round_again() -> None:
    step = resign(running_table("22222", "33333", "44444", calls="3x4"), 1)
    game = game_of(step.table)
    assert game.dice_counts == (5, 0, 5)
    assert (game.bids, game.round, step.table.deals) == ((), 2, 2)
    assert not step.table.in_play(1)
    assert step.actions[0] == Leave(1)
    with pytest.raises(RejectedError) as caught:
        resign(step.table, 1)
    assert caught.value.reason is RejectionReason.OUT


def test_when_the_host_leaves_the_game_the_next_player_with_dice_is_host() -> None:
    table = running_table("22222", "", "44444", "55555")
    assert lobby_rules.hand_over_host(resign(table, 0).table, 1).events == (HostChanged(3),)
    other = lobby_rules.hand_over_host(resign(table, 2).table, 3)
    assert (other.events, other.table.host) == ((), 1), "the host still plays"


@pytest.mark.parametrize("preset", ["box_2009", "azteca"])
def test_a_table_in_any_state_comes_back_from_json(preset: str) -> None:
    rules = Rules.preset(preset).with_options(calza=True)
    clock = TurnClock(on_timeout=OnTimeout.DROP_OUT)
    playing = running_table("22222", "33333", "44444", rules=rules, calls="5x2", clock=clock)
    claimed = call(playing, Calza(0 if preset == "azteca" else 2), step=1).table if preset == "box_2009" else playing
    finished = resign(running_table("22", "33", rules=rules), 0).table
    away = playing.with_seat(0, away=True, misses=2).noting(ephemeral_sent=True, timed_out=1)
    away = away.replace(paused=True, idle_at=START)
    palifico = running_table("2", "33333", "4", rules=rules, palifico=0, calls="1x1")
    closed = lobby_rules.stop(playing, 1, is_admin=False).table
    lobbies = (lobby_table(1, rules), lobby_table(6, rules))
    for table in (*lobbies, playing, claimed, finished, away, palifico, closed):
        stored = table.model_dump(mode="json")
        assert Table.model_validate(stored) == table
        assert Table.model_validate_json(table.model_dump_json()) == table


def test_a_stored_table_with_something_unknown_in_it_is_refused() -> None:
    stored = running_table("22", "33").model_dump(mode="json")
    for spoilt in (stored | {"surprise": 1}, stored | {"game": {"x": 1}}, stored | {"rules": {"preset": "nobody's"}}):
        with pytest.raises(ValueError, match=r"surprise|game|state|rules|preset"):
            Table.model_validate(spoilt)


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.replace(reveal_at=1.0),
        lambda table: table.with_clock(end=1.0),
        lambda table: table.noting(sharedd=True),
        lambda table: table.with_seat(0, gone=True),
    ],
)
def test_a_table_has_no_fact_of_an_unknown_name(change: Callable[[Table], Table]) -> None:
    with pytest.raises(TypeError, match="has no field"):
        change(lobby_table())
