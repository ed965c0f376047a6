"""A running game: calls, old buttons, calza at once, leaving in the middle."""

import random

import pytest

from perudo_core import Bid, BidMade, Call, Calza, CalzaCalled, Dudo, DudoCalled, GameOver, Leave, Reason, Rules
from telegram_bot.tables import lobby, play
from telegram_bot.tables.events import (
    CalzaClaimed,
    ClaimsVoided,
    GameEvents,
    HostChanged,
    RejectedError,
    RejectionReason,
    TableChange,
)
from telegram_bot.tables.model import OnTimeout, Status, Table, Timings, TurnClock
from telegram_bot.tables.turn_clock import apply_due
from tests.telegram_bot.conftest import AUTO_CLOCK, START, TIMINGS, event_names, game_of, lobby_table, running_table

CALZA = Rules.preset("box_2009").with_options(calza=True, lost_dice="visible")
AT_ONCE = Timings(claim_window_seconds=0)


def call(
    table: Table, action: Call, *, step: int | None = None, now: float = START, timings: Timings = TIMINGS
) -> TableChange:
    return play.make_call(table, action, step=step, now=now, rng=random.Random(1), timings=timings)


def denied(table: Table, action: Call, *, step: int | None = None, now: float = START) -> RejectedError:
    before = table.model_dump_json()
    with pytest.raises(RejectedError) as caught:
        call(table, action, step=step, now=now)
    assert table.model_dump_json() == before
    return caught.value


def events(step: TableChange) -> list[str]:
    found = [step_event.events for step_event in step.events if isinstance(step_event, GameEvents)]
    return [type(event).__name__ for group in found for event in group]


def test_a_bid_passes_the_turn_to_the_left() -> None:
    table = running_table("22222", "33333", "44444", opener=1)
    step = call(table, Bid(1, 4, 2), step=0)
    assert game_of(step.table).turn == 2
    assert step.table.step == 1
    assert step.actions == (Bid(1, 4, 2),)
    assert step.events == (GameEvents((BidMade(Bid(1, 4, 2)),)),)


def test_a_dudo_ends_the_round_and_rolls_the_next_one() -> None:
    table = running_table("22222", "33333", calls="6x2")
    step = call(table, Dudo(1), step=1)
    game = game_of(step.table)
    assert (game.round, game.dice_counts, game.opener) == (2, (4, 5), 0)
    assert step.table.deals == table.deals + 1
    assert events(step)[:3] == ["DudoCalled", "Revealed", "DiceLost"]
    assert [type(action).__name__ for action in step.actions] == ["Dudo", "Roll"]


def test_the_last_die_ends_the_game() -> None:
    step = call(running_table("2", "33", calls="2x2"), Dudo(1), step=1)
    assert step.table.status is Status.FINISHED
    assert "GameOver" in events(step)
    assert (step.table.clock_ends, step.table.reminder_at, step.table.idle_at) == (None, None, None)


def test_a_call_against_the_rules_says_why_and_the_least_that_would_do() -> None:
    refused = denied(running_table("22222", "33333", calls="3x4"), Bid(1, 2, 4), step=1)
    assert (refused.reason, refused.rule) == (RejectionReason.ILLEGAL, Reason.BID_TOO_LOW)
    assert refused.standing == Bid(0, 3, 4)
    assert refused.smallest == Bid(1, 3, 5)


def test_out_of_turn_one_hears_whose_turn_it_is() -> None:
    refused = denied(running_table("22222", "33333", "44444"), Bid(2, 3, 4), step=0)
    assert (refused.rule, refused.on_turn) == (Reason.NOT_YOUR_TURN, "Ana")


def test_a_button_of_an_earlier_state_does_nothing() -> None:
    table = running_table("22222", "33333", "44444", calls="3x4 4x4")
    for action in (Dudo(2), Calza(2), Bid(2, 5, 4), Bid(2, 3, 4)):
        for step in (0, 1, 3, 99):
            refused = denied(table, action, step=step)
            assert (refused.reason, refused.standing) == (RejectionReason.STALE, Bid(1, 4, 4))


def test_a_double_tap_on_a_bid_hears_that_it_counted() -> None:
    table = running_table("22222", "33333", calls="3x4")
    assert denied(table, Bid(0, 3, 4), step=0).reason is RejectionReason.ALREADY_DONE
    assert denied(table, Bid(0, 4, 4), step=0).reason is RejectionReason.STALE


def test_a_double_tap_on_dudo_does_not_doubt_twice() -> None:
    table = running_table("22222", "33333", "44444", calls="6x2")
    after = call(table, Dudo(1), step=1).table
    assert denied(after, Dudo(1), step=1).reason is RejectionReason.STALE


def test_who_is_out_says_nothing_more() -> None:
    table = running_table("222", "", "333", calls="1x4")
    for action in (Bid(1, 3, 4), Dudo(1), Calza(1)):
        assert denied(table, action).reason is RejectionReason.OUT


@pytest.mark.parametrize("status", [Status.LOBBY, Status.FINISHED, Status.CLOSED])
def test_nobody_calls_without_a_running_game(status: Status) -> None:
    table = lobby_table(2) if status is Status.LOBBY else running_table("22", "33").replace(status=status)
    denial = denied(table, Bid(0, 1, 4), step=0).reason
    assert denial is (RejectionReason.NOT_STARTED if status is Status.LOBBY else RejectionReason.NO_GAME)


def test_a_tap_after_the_clock_hears_too_late_until_the_game_moves_on() -> None:
    table = running_table("22222", "33333", "44444", calls="3x4", clock=AUTO_CLOCK)
    late = apply_due(table, now=START + 61, rng=random.Random(1), timings=TIMINGS).table
    assert late.timed_out == 1
    for action in (Bid(1, 5, 4), Dudo(1)):
        assert denied(late, action, step=1, now=START + 61).reason is RejectionReason.TOO_LATE
    assert denied(late, Calza(2), step=1, now=START + 61).reason is RejectionReason.STALE, (
        "it was not this player's clock"
    )
    moved = call(late, Dudo(game_of(late).turn or 0), step=2, now=START + 62).table
    assert denied(moved, Bid(1, 5, 4), step=1, now=START + 63).reason is RejectionReason.STALE


# Calza out of turn: claims are gathered for a short window


def test_calza_out_of_turn_waits_for_the_window() -> None:
    table = running_table("22222", "33333", "44444", calls="5x2", rules=CALZA)
    step = call(table, Calza(2), step=1)
    assert step.events == (CalzaClaimed(2),)
    assert (step.table.claims, step.table.claims_close) == ((2,), START + TIMINGS.claim_window_seconds)
    assert (step.table.step, step.actions) == (1, ()), "the player on turn may still act on the same state"


def test_two_say_calza_at_once_the_nearest_to_the_left_of_the_bidder_counts() -> None:
    """box_2009, italian_box: two say calza at once."""
    table = running_table("22222", "33333", "44444", "55555", calls="5x2", rules=CALZA)
    late_but_near = call(call(table, Calza(3), step=1).table, Calza(2), step=1, now=START + 1)
    assert late_but_near.table.claims_close == START + 2, "the window does not grow"
    settled = apply_due(late_but_near.table, now=START + 2, rng=random.Random(1), timings=TIMINGS)
    assert settled.actions[0] == Calza(2)
    assert settled.events[0] == ClaimsVoided((3,))
    assert game_of(settled.table).opener == 2


def test_calza_at_the_moment_the_player_on_turn_acts_is_void() -> None:
    """box_2009, italian_box: the action stands."""
    table = call(running_table("22222", "33333", "44444", calls="5x2", rules=CALZA), Calza(2), step=1).table
    for action in (Bid(1, 6, 2), Dudo(1)):
        step = call(table, action, step=1, now=START + 1)
        assert step.events[0] == ClaimsVoided((2,))
        assert (step.table.claims, step.table.claims_close) == ((), None)
        assert not any(isinstance(acted, Calza) for acted in step.actions)


def test_the_player_on_turn_says_calza_at_once() -> None:
    table = running_table("22222", "33333", "44444", calls="5x2", rules=CALZA)
    claimed = call(table, Calza(2), step=1).table
    step = call(claimed, Calza(1), step=1)
    assert step.events[0] == ClaimsVoided((2,))
    assert step.actions[0] == Calza(1)
    assert "CalzaCalled" in events(step)


def test_without_a_window_calza_counts_at_once() -> None:
    table = running_table("22222", "33333", "44444", calls="5x2", rules=CALZA, timings=AT_ONCE)
    step = call(table, Calza(2), step=1, timings=AT_ONCE)
    assert any(
        isinstance(event, CalzaCalled)
        for step_event in step.events
        if isinstance(step_event, GameEvents)
        for event in step_event.events
    )


def test_claiming_twice_hears_that_it_counted() -> None:
    table = call(running_table("22222", "33333", "44444", calls="5x2", rules=CALZA), Calza(2), step=1).table
    assert denied(table, Calza(2), step=1).reason is RejectionReason.ALREADY_DONE


def test_nobody_claims_calza_on_their_own_bid_or_where_it_is_not_played() -> None:
    assert denied(running_table("222", "333", calls="3x2", rules=CALZA), Calza(0)).rule is Reason.OWN_BID
    plain = Rules.preset("box_2009")
    assert (
        denied(running_table("222", "333", "444", calls="3x2", rules=plain), Calza(2)).rule is Reason.CALZA_NOT_PLAYED
    )


def test_a_claim_whose_player_leaves_counts_no_more() -> None:
    table = call(running_table("22222", "33333", "44444", "55555", calls="5x2", rules=CALZA), Calza(2), step=1).table
    step = play.resign(table, 2, now=START, rng=random.Random(1), timings=TIMINGS)
    assert ClaimsVoided((2,)) in step.events
    assert step.table.claims == ()


# Leaving


def test_leaving_takes_the_dice_and_rolls_the_round_again() -> None:
    table = running_table("22222", "33333", "44444", calls="3x4")
    step = play.resign(table, 1, now=START, rng=random.Random(1), timings=TIMINGS)
    game = game_of(step.table)
    assert game.dice_counts == (5, 0, 5)
    assert (game.bids, game.round, step.table.deals) == ((), 2, 2)
    assert not step.table.in_play(1)
    assert step.actions[0] == Leave(1)


def test_when_the_host_leaves_the_game_another_player_is_host() -> None:
    table = running_table("22222", "33333", "44444")
    gone = play.resign(table, 0, now=START, rng=random.Random(1), timings=TIMINGS)
    assert lobby.hand_over_host(gone.table, 1).events == (HostChanged(2),)
    other = play.resign(table, 2, now=START, rng=random.Random(1), timings=TIMINGS)
    assert lobby.hand_over_host(other.table, 3).events == (), "the host still plays"


def test_nobody_who_is_out_becomes_host() -> None:
    table = running_table("22222", "", "44444", "55555")
    gone = play.resign(table, 0, now=START, rng=random.Random(1), timings=TIMINGS)
    assert lobby.hand_over_host(gone.table, 1).table.host == 3


def test_when_one_is_left_the_game_is_over() -> None:
    step = play.resign(running_table("22222", "33333"), 0, now=START, rng=random.Random(1), timings=TIMINGS)
    assert step.table.status is Status.FINISHED
    over = [
        event.outcome.winner
        for step_event in step.events
        if isinstance(step_event, GameEvents)
        for event in step_event.events
        if isinstance(event, GameOver)
    ]
    assert over == [1]


def test_nobody_leaves_twice() -> None:
    table = play.resign(running_table("22", "33", "44"), 1, now=START, rng=random.Random(1), timings=TIMINGS).table
    with pytest.raises(RejectedError) as caught:
        play.resign(table, 1, now=START, rng=random.Random(1), timings=TIMINGS)
    assert caught.value.reason is RejectionReason.OUT


# What is kept


@pytest.mark.parametrize("preset", ["box_2009", "azteca"])
def test_a_table_in_any_state_comes_back_from_json(preset: str) -> None:
    rules = Rules.preset(preset).with_options(calza=True)
    playing = running_table(
        "22222", "33333", "44444", rules=rules, calls="5x2", clock=TurnClock(on_timeout=OnTimeout.DROP_OUT)
    )
    claimed = call(playing, Calza(0 if preset == "azteca" else 2), step=1).table if preset == "box_2009" else playing
    finished = play.resign(
        running_table("22", "33", rules=rules), 0, now=START, rng=random.Random(1), timings=TIMINGS
    ).table
    away = playing.with_seat(0, away=True, misses=2).replace(
        paused=True, ephemeral_sent_at=3, timed_out=1, idle_at=START
    )
    palifico = running_table("2", "33333", "4", rules=rules, palifico=0, calls="1x1")
    closed = lobby.stop(playing, 1, is_admin=False).table
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


def test_nothing_but_a_dudo_or_calza_shows_dice() -> None:
    table = running_table("22222", "33333", "44444")
    quiet = [call(table, Bid(0, 3, 4), step=0), play.resign(table, 1, now=START, rng=random.Random(1), timings=TIMINGS)]
    for step in quiet:
        assert "Revealed" not in events(step)
    loud = call(call(table, Bid(0, 3, 4), step=0).table, Dudo(1), step=1)
    assert events(loud).count("Revealed") == 1
    assert isinstance(loud.events[0], GameEvents)
    assert isinstance(loud.events[0].events[0], DudoCalled)
    assert event_names(loud.events) == ["GameEvents", "GameEvents"]
