"""Random evenings: for any taps in any order, a table refuses or plays by the rules."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from perudo_core import PRESETS, Bid, Call, Calza, Dudo, Rules, legal_calls, observe, parse_call, why_illegal
from telegram_bot.tables import lobby_rules, play
from telegram_bot.tables.events import RejectedError, TableChange
from telegram_bot.tables.model import Moment, OnTimeout, Seat, Status, Table, Timings, TurnClock
from telegram_bot.tables.turn_clock import apply_due, is_to_be_thought_about, next_due, restart_after_outage, time_out
from telegram_bot.tables.views import hand_view, lobby_view, table_view
from tests.telegram_bot.conftest import NAMES, START, at, lobby_table

IN_A_GAME = ["bid", "bid", "legal", "legal", "legal", "dudo", "calza", "resign", "back", "due", "wait", "outage"]
CHOICES = {"rulebook": [*PRESETS, "nobody's"], "clock": ["0", "30", "60", "7"], "on_timeout": [*OnTimeout]}
IN_A_LOBBY = ["join", "leave", "kick", "consider", *CHOICES, "option", "start", "stop", "rematch"]


@dataclass
class Evening:
    """A table, its clock, and the invariants after every step."""

    rng: random.Random
    table: Table
    timings: Timings
    now: float = START

    @property
    def moment(self) -> Moment:
        return Moment(self.now, self.timings, self.rng)

    def one(self) -> TableChange:
        rng, table, moment = self.rng, self.table, self.moment
        player, seat = rng.randint(1, 8), rng.randint(0, 6)
        begun = table.status is Status.PLAYING or rng.random() >= 0.9
        wish = rng.choice(IN_A_GAME if begun else IN_A_LOBBY)
        host = table.host if rng.random() < 0.8 else player
        unchanged = TableChange(table)
        bid = Bid(seat, rng.randint(-1, 70), rng.randint(0, 7))
        step = rng.choice([None, table.step, table.step - 1])
        calls = legal_calls(table.game) if table.game is not None else ()
        new = lobby_rules.NewTable(table.id, table.code)
        option = rng.choice([*lobby_rules.HOUSE_OPTIONS, "max_seats"])

        def change(name: str, *value: str) -> TableChange:
            return lobby_rules.change_option(table, host, name, *value, moment=moment)

        def call(action: Call, step: int | None = table.step) -> TableChange:
            return play.make_call(table, action, step=step, moment=moment)

        def wait(until: float | None) -> TableChange:
            self.now = max(self.now, until or 0)
            return self.due_now(table)

        acts: dict[str, Callable[[], TableChange]] = {
            "join": lambda: lobby_rules.join(table, Seat(player=player, name=NAMES[player]), moment=moment),
            "leave": lambda: lobby_rules.leave(table, player, moment=moment),
            "kick": lambda: lobby_rules.kick(table, host, player, moment=moment),
            "consider": lambda: lobby_rules.consider(table, host, moment=moment),
            "option": lambda: change(option),
            "start": lambda: lobby_rules.start(table, host, moment=moment),
            "stop": lambda: unchanged if rng.random() < 0.9 else lobby_rules.stop(table, host, is_admin=False),
            "rematch": lambda: lobby_rules.rematch(table, new, player, moment=moment),
            "bid": lambda: call(bid, step),
            "legal": lambda: call(calls[rng.choice([0, 1, 2, 5, -1]) % len(calls)]) if calls else unchanged,
            "dudo": lambda: call(Dudo(seat)),
            "calza": lambda: call(Calza(seat)),
            "resign": lambda: play.resign(table, seat, moment=moment),
            "back": lambda: play.return_seat(table, seat, moment=moment) if seat < len(table.seats) else unchanged,
            "outage": lambda: restart_after_outage(table, moment=moment),
            "wait": lambda: wait(self.now + rng.choice([0.5, 5, 20])),
            "due": lambda: wait(next_due(table)),
        }
        return acts[wish]() if wish in acts else change(wish, rng.choice(CHOICES[wish]))

    def due_now(self, table: Table) -> TableChange:
        """Do every due step; the call for an absent player is found at once."""
        act = time_out if is_to_be_thought_about(table, self.now) else apply_due
        return act(table, moment=self.moment)

    def live(self) -> None:
        """Try one random request of any player; only a denial may be raised, and it changes no field."""
        before = self.table.model_dump_json()
        try:
            step = self.one()
        except RejectedError:
            assert self.table.model_dump_json() == before
            return
        self.follows(self.table, step)
        self.table = step.table

    def follows(self, before: Table, step: TableChange) -> None:
        after = step.table
        assert Table.model_validate_json(after.model_dump_json()) == after
        self.due_is_right(after)
        if after.status is Status.PLAYING and before.status is Status.PLAYING:
            assert after.step - before.step == len([a for a in step.actions if type(a).__name__ != "Roll"])
            assert after.deals >= before.deals
        if after.game is not None:
            self.dice_are_right(before, after)

    def dice_are_right(self, before: Table, after: Table) -> None:
        game = after.begun_game
        counts = game.dice_counts
        assert len(counts) == len(after.seats)
        assert all(0 <= count <= after.rules.starting_dice for count in counts)
        if after.status is Status.PLAYING:
            assert len(game.active_seats) >= 2
            assert game.turn in game.active_seats
            assert tuple(map(len, game.dice)) == counts
            offers = play.likely_calls(hand_view(after, game.turn))
            assert 0 < len(set(offers)) == len(offers) <= play.MOST_OFFERED
            assert all(why_illegal(game, parse_call(offer, game.turn)) is None for offer in offers)
            assert len(table_view(after).seats) == len(counts)
            for seat in game.active_seats:
                assert hand_view(after, seat).dice == observe(game, seat).dice
        if before.game is not None and before.status is Status.PLAYING and before.deals == after.deals:
            assert before.game.dice == game.dice or game.is_terminal, "no one's dice change without a roll"

    def due_is_right(self, table: Table) -> None:
        due = next_due(table)
        match table.status:
            case Status.FINISHED | Status.CLOSED:
                assert due is None
            case Status.LOBBY:
                assert due == table.idle_at
                assert due is not None
                assert lobby_view(table).seats
            case Status.PLAYING:
                game = table.begun_game
                everyone_away = all(table.seats[seat].away for seat in game.active_seats)
                assert due is not None, "no game stands with nothing that moves it on"
                assert not table.paused or due == table.idle_at
                assert not (table.paused and table.running.ends)
                assert everyone_away == table.paused
                assert bool(table.this_step.claims) == (table.this_step.claims_close is not None)
                if table.clock.seconds and not table.paused:
                    assert table.running.ends is not None


@given(st.integers(0, 2**32), st.sampled_from(PRESETS), st.integers(2, 6), st.sampled_from([0, 2]))
@settings(max_examples=50, deadline=None)
def test_any_evening_says_no_or_plays_by_the_rules(seed: int, preset: str, people: int, window: int) -> None:
    rng = random.Random(seed)
    timings = Timings(claim_window_seconds=window)
    clock = TurnClock(seconds=rng.choice([0, 60]), on_timeout=rng.choice(list(OnTimeout)), misses_allowed=2)
    rules = Rules.preset(preset).with_options(calza=rng.random() < 0.5)
    evening = Evening(rng, lobby_table(people, rules, clock=clock, timings=timings), timings)
    for _ in range(120):
        evening.now += rng.choice([0, 0, 1])
        evening.live()


@given(st.data())
@settings(deadline=None)
def test_no_tap_on_an_option_leaves_a_lobby_that_cannot_be_played(data: st.DataObject) -> None:
    table = lobby_table(3)
    for option in data.draw(st.lists(st.sampled_from(lobby_rules.HOUSE_OPTIONS), max_size=12)):
        try:
            table = lobby_rules.change_option(table, 1, option, moment=at(timings=Timings())).table
        except RejectedError:
            continue
    assert Rules.from_dict(table.rules.to_dict()) == table.rules
    assert lobby_rules.start(table, 1, moment=at(timings=Timings())).table.status is Status.PLAYING
