"""The game at a table: calls, calza claims, leaving, and the dice that follow."""

from dataclasses import replace
from importlib.metadata import version
from typing import Final
from zlib import crc32

from perudo_core import (
    Action,
    Bid,
    Call,
    Calza,
    Dudo,
    Event,
    Leave,
    Phase,
    Reason,
    Reroll,
    Roll,
    Transition,
    apply,
    is_legal,
    settle_claims,
    smallest_raise,
    why_illegal,
)
from telegram_bot.tables.events import (
    CalzaClaimed,
    ClaimsVoided,
    GameEvents,
    Handover,
    PlainEvent,
    RejectedError,
    RejectionReason,
    SeatReturned,
    TableChange,
    no_running_game,
)
from telegram_bot.tables.handovers import goes_back, seat_the_next, withdraw, withdraw_lost
from telegram_bot.tables.model import (
    Clock,
    FirstTap,
    HelpGiven,
    Moment,
    Seat,
    SpokenBid,
    SpokenNote,
    Status,
    StepState,
    Table,
    Timings,
)
from telegram_bot.tables.offered_bids import offered_bids
from telegram_bot.tables.sealed_dice import next_reroll, next_roll
from telegram_bot.tables.views import HandView, hand_view

CORE_VERSION: Final = version("perudo-core")

STALE_AFTER_SECONDS = 2
"""A typed call that was sent this long before the turn began was meant for an earlier turn.

The channel gives the time by this installation's clock, but perhaps in whole seconds only.
"""


def dice_shown_at(table: Table, action: Action, *, moment: Moment) -> float:
    """Return when the dice are shown if an action ends the round now: after a call, its words come first.

    If a player leaves before the dice of the round before are shown, both ends are shown then.
    """
    if isinstance(action, Dudo | Calza):
        return moment.now + moment.timings.reveal_delay(table.clock)
    return max(moment.now, table.turn_since)


def deal_round(table: Table, *, begins: float, moment: Moment) -> TableChange:
    """Roll the dice that the game needs now: for the opener, then for all players.

    For an opener who is away the bot makes the smallest bid in the same step: the others read the round with that bid.
    `begins`: when the dice of the round before are shown, and the turn clock starts; in a practice game it starts after
    the player has looked at them.
    """
    state = table.begun_game
    if state.phase is Phase.ROLLING:
        table = seat_the_next(table)
    events: list[Event] = []
    actions: list[Action] = []
    deals = table.deals
    while state.phase in (Phase.OPENING, Phase.ROLLING):
        roll = next_roll(table, state, moment.rng)
        actions.append(roll)
        deals += isinstance(roll, Roll)
        transition = apply(state, roll)
        state = transition.state
        events.extend(transition.events)
    dealt = table.replace(game=state, deals=deals, status=Status.PLAYING, show_at=None, turn_since=begins)
    happened = (GameEvents(tuple(events)),) if events else ()
    if state.is_terminal:
        return TableChange(dealt.ended(Status.FINISHED), happened, tuple(actions))
    if table.practice and 0 < table.deals < deals and _is_shown_to_somebody(dealt):
        begins += moment.timings.practice_pause_seconds
        dealt = dealt.replace(show_at=begins, turn_since=begins)
    step = TableChange(dealt, happened, tuple(actions))
    if actions and state.turn is not None and table.seats[state.turn].away:
        opening = smallest_raise(state)
        assert opening is not None  # noqa: S101 - no bid is there to be raised
        return step.then(advance(dealt, opening, moment=moment))
    return step.then(start_clock(dealt, now=begins, timings=moment.timings))


def _is_shown_to_somebody(table: Table) -> bool:
    """Return True if a person plays the game or watches its end."""
    return table.watched or not table.without_people


def watch_end(table: Table, *, moment: Moment) -> TableChange:
    """Let the computer players end a practice game, for the person who is out and watches.

    Raises:
        RejectedError: the game is over, or the person still plays.
    """
    if table.status is not Status.PLAYING:
        raise no_running_game(table)
    if not table.practice or not table.without_people:
        raise RejectedError(RejectionReason.STALE)
    if table.watched:
        return TableChange(table)
    step = start_clock(table.replace(watched=True), now=moment.now, timings=moment.timings)
    return TableChange(step.table, (PlainEvent.ROUND_SHOWN,))


INTERRUPTIONS: Final = "interruptions"
"""The timer of computer players whose turn it is not: then they may call dudo or calza."""
RESULT: Final = "result"
"""The timer of a game that is over, until the table's chat shows its last dice."""


def start_clock(table: Table, *, now: float, timings: Timings) -> TableChange:
    """Start the clock of the player whose turn it is; the game pauses when no person is there to play it."""
    still = table.replace(running=Clock(since=now)).with_timer(INTERRUPTIONS, None)
    if table.suspension is not None:
        return TableChange(still)
    stopped = still.replace(idle_at=None, paused=False)
    state = table.game
    if state is None or state.turn is None or table.status is not Status.PLAYING:
        return TableChange(stopped)
    if table.practice and not _is_shown_to_somebody(table):
        return TableChange(stopped.replace(idle_at=now + timings.lobby_idle_seconds))
    unattended = not table.watched and not any(map(table.is_attended, state.active_seats))
    if unattended and not table.going_on:
        return TableChange(
            stopped.replace(paused=True, idle_at=now + timings.paused_idle_seconds), (PlainEvent.GAME_PAUSED,)
        )
    if may_interrupt(table):
        stopped = stopped.with_timer(INTERRUPTIONS, now + _thinking_seconds(table, timings, "interrupt"))
    if table.is_computer(state.turn) or table.seats[state.turn].away:
        # People at other tables wait for the end of an unattended one.
        think_at = now if unattended else now + _thinking_seconds(table, timings)
        return TableChange(stopped.with_clock(think_at=think_at, ends=think_at + timings.think_patience_seconds))
    seconds = table.clock.seconds
    if not seconds:
        return TableChange(stopped.replace(idle_at=now + timings.unclocked_idle_seconds))
    reminder = turn_ends(table, state.turn, seconds - timings.warning(table.clock), now=now)
    return TableChange(stopped.with_clock(ends=turn_ends(table, state.turn, seconds, now=now), reminder_at=reminder))


def turn_ends(table: Table, seat: int, seconds: float, *, now: float) -> float:
    """Return when a player to call has had so many seconds; their quiet hours do not count, unless they are awake."""
    player = table.seats[seat]
    quiet = player.quiet or table.clock.quiet
    return now + seconds if quiet is None or now < player.awake_until else quiet.after_waking(seconds, now)


_WATCHED_SPEED: Final = 1 / 4
"""How long computer players wait if only spectators watch, as a part of the usual time."""
_MOST_UNKNOWN_DICE: Final = 4
"""With more unknown dice no agent is sure enough of an exact count to call calza out of turn, so none is asked."""


def may_interrupt(table: Table) -> tuple[int, ...]:
    """Return the computer players who may call dudo or calza out of turn now, by the rules of the table."""
    state = table.game
    if state is None or not state.bids:
        return ()
    found = []
    for seat in state.active_seats:
        sure = state.total_dice - state.dice_counts[seat] <= _MOST_UNKNOWN_DICE
        calls = (Dudo(seat), Calza(seat)) if sure else (Dudo(seat),)
        if table.is_computer(seat) and seat != state.turn and any(is_legal(state, call) for call in calls):
            found.append(seat)
    return tuple(found)


def _thinking_seconds(table: Table, timings: Timings, about: str = "") -> float:
    """Return how long the bot waits before it calls: different each turn, and the same if the turn begins anew."""
    part = crc32(f"{table.code} {table.step}{about}".encode()) / 2**32
    seconds = timings.think_least_seconds + part * (timings.think_most_seconds - timings.think_least_seconds)
    return seconds * _WATCHED_SPEED if table.watched else seconds


def advance(table: Table, action: Action, *, moment: Moment) -> TableChange:
    """Apply a legal action, roll for the next round if one begins, and restart the clock.

    A decided game ends, except a practice game, whose end the person may watch.
    """
    transition = apply(table.begun_game, action)
    transition, after = (transition, ()) if table.practice else _ended_if_decided(table, transition)
    void = tuple(seat for seat in table.this_step.claims if not (isinstance(action, Calza) and seat == action.seat))
    versions = tuple(dict.fromkeys((*table.core_versions, CORE_VERSION)))
    moved = table.replace(game=transition.state, step=table.step + 1, this_step=StepState(), core_versions=versions)
    begins = dice_shown_at(table, action, moment=moment)
    happened = (ClaimsVoided(void),) if void else ()
    step = TableChange(moved, (*happened, GameEvents(transition.events)), (action, *after))
    step = step.then(withdraw_lost(moved))
    return step.then(deal_round(step.table, begins=begins, moment=moment))


def _ended_if_decided(table: Table, transition: Transition) -> tuple[Transition, tuple[Leave, ...]]:
    """End a game in which no person is left, or no more than go on: the player who is last by dice leaves first.

    Also return the actions.
    """
    state, events = transition
    leaves: list[Leave] = []
    while not state.is_terminal and sum(not table.is_computer(seat) for seat in state.active_seats) <= table.going_on:
        counts = state.dice_counts
        last = max if state.rules.first_out_wins else min
        leaves.append(Leave(last(state.active_seats, key=lambda seat: counts[seat])))
        state, more = apply(state, leaves[-1])
        events += more
    return Transition(state, events), tuple(leaves)


def make_call(table: Table, action: Call, *, step: int | None, moment: Moment) -> TableChange:
    """Make a player's bid or call.

    `step`: the step of the game that the caller saw, None for typed words.

    Raises:
        RejectedError: the call is late, stale, or against the rules.
    """
    check_call(table, action, step=step)
    if isinstance(action, Calza) and table.begun_game.turn != action.seat and moment.timings.claim_window_seconds > 0:
        return claim_calza(table, action.seat, moment=moment)
    return advance(table, action, moment=moment)


def show_dice(table: Table, seat: int, *, step: int | None, moment: Moment) -> TableChange:
    """Show all dice that support a player's own bid, and roll the others again: `Rules.reroll_after_bid`.

    At least one die stays hidden. The next player gets a whole new clock, because there is more to think about. `step`:
    as for `make_call`.

    Raises:
        RejectedError: the player may not do so now, or a calza waits for its window.
    """
    state = table.game
    if table.status is not Status.PLAYING or state is None:
        raise no_running_game(table)
    if (why := why_gone(table, seat)) is not None:
        raise RejectedError(why)
    if step is not None and step != table.step:
        raise RejectedError(RejectionReason.STALE, standing=state.current_bid, wild_by=table.wild_by)
    shown = hand_view(table, seat).may_show
    if not shown:
        why_not = Reason.REROLL_NOT_NOW if table.this_step.claims else why_illegal(state, Reroll(seat, (), ()))
        raise RejectedError(RejectionReason.ILLEGAL, rule=why_not)
    done = advance(table, next_reroll(table, state, seat, shown, moment.rng), moment=moment)
    kept = table.this_step
    return replace(done, table=done.table.noting(spoken=kept.spoken, shared=kept.shared))


def why_gone(table: Table, seat: int) -> RejectionReason | None:
    """Return why a person on a seat does not play there any more, or None if they do."""
    if not table.in_play(seat):
        return RejectionReason.OUT
    sitting = table.seats[seat]
    if not sitting.left_to_bot:
        return None
    # A player of a seat that changed hands may have left it; the host takes only others off.
    return RejectionReason.OUT if sitting.changed_hands else RejectionReason.SENT_OUT


def check_call(table: Table, action: Call, *, step: int | None) -> None:
    """Check that a call may be made now; arguments and errors are those of `make_call`."""
    state = table.game
    if table.status is not Status.PLAYING or state is None:
        raise no_running_game(table)
    if (why := why_gone(table, action.seat)) is not None:
        raise RejectedError(why)
    if step is not None and step != table.step:
        raise _reject_stale(table, action)
    reason = why_illegal(state, action)
    if reason is Reason.NO_BID and action.seat != state.turn:
        reason = Reason.NOT_YOUR_TURN  # else a player who may only doubt out of turn would be told to bid
    if reason is not None:
        raise RejectedError(
            RejectionReason.ILLEGAL,
            rule=reason,
            smallest=smallest_raise(state),
            on_turn=None if state.turn is None else table.seats[state.turn].name,
            standing=state.current_bid,
            wild_by=table.wild_by,
        )


def claim_calza(table: Table, seat: int, *, moment: Moment) -> TableChange:
    """Keep an out-of-turn calza until the window closes: the player whose turn it is may still act first."""
    claims, closes = table.this_step.claims, table.this_step.claims_close
    if seat in claims:
        raise RejectedError(RejectionReason.ALREADY_DONE)
    if closes is None:
        closes = moment.now + moment.timings.claim_window_seconds
    return TableChange(table.noting(claims=(*claims, seat), claims_close=closes), (CalzaClaimed(seat),))


def apply_claims(table: Table, *, moment: Moment) -> TableChange:
    """Close the claim window: the claim of the player nearest to the bidder's left counts."""
    claims = table.this_step.claims
    caller = settle_claims(table.begun_game, claims)
    if caller is None:
        return TableChange(table.noting(claims=(), claims_close=None), (ClaimsVoided(claims),))
    return advance(table, Calza(caller), moment=moment)


def resign(table: Table, seat: int, *, moment: Moment) -> TableChange:
    """Remove a player for good: their dice go, and a round that is being bid is rolled again."""
    if not table.in_play(seat):
        raise RejectedError(RejectionReason.OUT)
    return advance(table, Leave(seat), moment=moment)


def return_seat(table: Table, seat: int, *, moment: Moment) -> TableChange:
    """Hand an away player's seat back; on their turn they get a whole new clock."""
    if not table.in_play(seat) or not (table.seats[seat].away or table.seats[seat].misses):
        return TableChange(table)
    if table.seats[seat].left_to_bot:
        return TableChange(table)
    was_away = table.seats[seat].away
    kept = TableChange(table) if goes_back(table.seats[seat]) else withdraw(table, seat, Handover.KEPT)
    back = kept.table.with_seat(seat, away=False, misses=0, dice_before=None)
    if not was_away:
        return TableChange(back)
    step = TableChange(back, (SeatReturned(seat, dice_lost_away(table, seat, table.seats[seat])), *kept.events))
    on_turn = table.begun_game.turn == seat
    if not on_turn and not table.paused:
        return step
    # A return is no action: a calza that waits for its window remains valid.
    return step.then(start_clock(back, now=moment.now, timings=moment.timings))


def dice_lost_away(table: Table, seat: int, player: Seat) -> int:
    """Return how many dice a seat has lost since its player went away: others may have played there."""
    before = player.dice_before
    return 0 if before is None else max(0, before - table.begun_game.dice_counts[seat])


def _reject_stale(table: Table, action: Call) -> RejectedError:
    state = table.begun_game
    standing = state.current_bid
    if table.this_step.timed_out == action.seat:
        why = RejectionReason.TOO_LATE
    elif isinstance(action, Bid) and action == standing:
        why = RejectionReason.ALREADY_DONE
    else:
        why = RejectionReason.STALE
    return RejectedError(why, standing=standing, wild_by=table.wild_by)


# Calls with a confirmation: the second tap counts, unless it follows within a moment. The same holds for a recognised
# call that was read aloud, or an offered call, which the player confirms.

SOONEST_SECONDS: Final = 0.7
"""A second tap that comes sooner is a finger that slipped twice."""
LATEST_SECONDS: Final = 30.0
LATEST_HEARD_SECONDS: Final = 600.0
"""A limit for players who listen to a call and confirm it by voice, or read an offer and answer by text."""
_HEARD: Final = "heard:"


def remember_heard(table: Table, player: int, *calls: str, now: float) -> Table:
    """Return the table with the calls recognised from a player or offered to them, instead of earlier taps."""
    return _with_tap(table, player, _HEARD + " ".join(calls), now)


def _with_tap(table: Table, player: int, call: str, now: float) -> Table:
    others = tuple(tap for tap in table.this_step.first_taps if tap.player != player)
    return table.noting(first_taps=(*others, FirstTap(player=player, call=call, at=now)))


def remember_note(table: Table, player: int, message: int) -> Table:
    """Return the table with the voice note that may become the player's bid, in place of an earlier one."""
    others = tuple(note for note in table.this_step.notes if note.player != player)
    return table.noting(notes=(*others, SpokenNote(player=player, message=message)))


def note_spoken_bid(before: Table, after: Table, player: int) -> Table:
    """Return the table after a bid that was made by the player's voice note, which the end of the round answers."""
    noted = after.noting(spoken=True)
    message = next((note.message for note in before.this_step.notes if note.player == player), None)
    if message is None:
        return noted
    others = tuple(each for each in before.spoken_bids if each.deal == before.deals)
    made = SpokenBid(deal=before.deals, bid=len(before.begun_game.bids), message=message)
    return noted.replace(spoken_bids=(*others, made))


def heard_calls(table: Table, player: int, *, now: float) -> tuple[str, ...]:
    """Return the player's recognised call, or the offered ones by number, which can still be confirmed."""
    for tap in table.this_step.first_taps:
        if tap.player == player and tap.call.startswith(_HEARD):
            calls = tuple(tap.call.removeprefix(_HEARD).split())
            return calls if len(calls) > 1 or now - tap.at <= LATEST_HEARD_SECONDS else ()
    return ()


MOST_OFFERED: Final = 3
HELP: Final = "help"
"""The answer to a question, or to words without a meaning."""


def likely_calls(hand: HandView) -> tuple[str, ...]:
    """Return the calls to offer, in private, to a player to call who does not know what to say."""
    doubts = ["dudo"] if hand.may_dudo else []
    bids = offered_bids(hand.table, hand.dice)[: MOST_OFFERED - len(doubts)]
    return (*(f"{quantity}x{face}" for quantity, face in bids), *doubts)


def count_help(table: Table, player: int, about: str) -> tuple[Table, int]:
    """Count one more explanation for a player at this step; return the table and their number in a row.

    `about` names the answer. Another one than the last begins anew; `HELP` continues where the last answer ended.
    """
    mine = (given for given in table.this_step.help_given if given.player == player)
    before = next((given.times for given in mine if about in (given.about, HELP)), 0)
    given = HelpGiven(player=player, about=about, times=before + 1)
    others = (each for each in table.this_step.help_given if each.player != player)
    return table.noting(help_given=(*others, given)), given.times


def confirm_call(table: Table, player: int, call: str, *, now: float) -> TableChange | None:
    """Return None if this is the second tap, and the call counts; else the table that remembers the first tap."""
    for tap in table.this_step.first_taps:
        if (tap.player, tap.call) == (player, call) and now - tap.at <= LATEST_SECONDS:
            return TableChange(table) if now - tap.at < SOONEST_SECONDS else None
    return TableChange(_with_tap(table, player, call, now))
