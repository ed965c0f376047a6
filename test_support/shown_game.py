"""Compare what a group was shown of a game with the game that is stored."""

import json
import re
from dataclasses import dataclass

from perudo_core import (
    Bid,
    Calza,
    CalzaCalled,
    Concede,
    Dudo,
    DudoCalled,
    GameOver,
    Leave,
    Recorder,
    Revealed,
    Rules,
    SeatOut,
    load_action,
    load_state,
    new_game,
    replay,
)
from test_support.audit import HAND_LINE
from test_support.game_driver import GameDriver
from test_support.screen_recorder import Group
from test_support.shown_dice import as_signs, faces, sign
from test_support.world import World


@dataclass(frozen=True, slots=True)
class ShownRound:
    """A revealed round, as the group reads it."""

    round: int
    bids: tuple[str, ...]
    call: str
    caller: str
    hands: tuple[tuple[str, tuple[int, ...]], ...]
    count: int
    out: tuple[str, ...]


HEAD = re.compile(r"🎲 Round (\d+)\n(.*)\n(?:🗣 (Dudo)! (.+) doubts|🎯 (Calza)! (.+) says)")


def shown_rounds(world: World, group: Group, since: int) -> list[ShownRound]:
    """The reveals in a group's messages."""
    found = []
    for message in world.recorder.versions:
        if message.chat != group.id or message.to is not None or message.changed < since:
            continue
        head = HEAD.match(message.text)
        if head is None:
            continue
        counted = re.search(r"Counted (\d+)", message.text)
        if counted is None:  # the call alone; the dice follow
            continue
        found.append(
            ShownRound(
                round=int(head[1]),
                bids=tuple(as_signs(head[2]).split(" → ")),
                call=(head[3] or head[5]).lower(),
                caller=head[4] or head[6],
                hands=tuple((name, faces(dice)) for name, dice in HAND_LINE.findall(message.text)),
                count=int(counted[1]),
                out=tuple(re.findall(r"(?m)^☠️ (.+) is out", message.text)),
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class ReplayedGame:
    """A game replayed from its stored actions."""

    rules: Rules
    names: tuple[str, ...]
    rounds: list[ShownRound]
    bids: list[tuple[str, str]]
    placings: tuple[str, ...]
    players: dict[str, int]


def replay_from_database(world: World, table: int) -> ReplayedGame:
    """Replay a table's stored actions: each must be legal, and the final state must be the stored one."""
    (raw,) = world.rows("SELECT state FROM game_table WHERE id = ?", table)[0]
    state = json.loads(raw)
    names = tuple(seat["name"] for seat in state["seats"])
    rules = Rules.from_dict(state["rules"])
    recorder = Recorder(new_game(rules, names))
    rounds: list[ShownRound] = []
    bids: list[tuple[str, str]] = []
    placings: tuple[str, ...] = ()
    numbers = world.rows("SELECT number, action FROM game_action WHERE table_id = ? ORDER BY number", table)
    assert [number for number, _ in numbers] == list(range(len(numbers)))
    for _, action in numbers:
        done = load_action(json.loads(action))
        before = recorder.state
        events = recorder.apply(done)
        match done:
            case Bid():
                bids.append((names[done.seat], _mark(done)))
            case Dudo() | Calza():
                shown = next(event for event in events if isinstance(event, Revealed))
                called = next(event for event in events if isinstance(event, DudoCalled | CalzaCalled))
                rounds.append(
                    ShownRound(
                        round=before.round,
                        bids=tuple(f"{names[bid.seat]} {_mark(bid)}" for bid in before.bids),
                        call="dudo" if isinstance(done, Dudo) else "calza",
                        caller=names[called.seat],
                        hands=tuple((names[seat], tuple(sorted(hand))) for seat, hand in enumerate(shown.dice) if hand),
                        count=shown.matching,
                        out=tuple(names[event.seat] for event in events if isinstance(event, SeatOut)),
                    )
                )
            case Concede() | Leave():
                pass
        for event in events:
            if isinstance(event, GameOver):
                order = sorted(range(len(names)), key=lambda seat: event.outcome.placements[seat])
                placings = tuple(names[seat] for seat in order)
    assert recorder.state == load_state(state["game"])
    if rounds:
        assert replay(recorder.record()).final == recorder.state
    addresses = dict(world.rows("SELECT name, address FROM player"))
    return ReplayedGame(rules, names, rounds, bids, placings, addresses)


def _mark(bid: Bid) -> str:
    return f"{bid.quantity} × {sign(bid.face)}"


def shown_placings(world: World, group: Group, since: int) -> tuple[str, ...]:
    """The places that the last message of a game shows."""
    over = [m for m in world.recorder.versions if m.chat == group.id and m.changed >= since and "🏆" in m.text]
    assert len(over) == 1, over
    return tuple(re.findall(r"(?m)^(?:🥇|🥈|🥉|\d+\.) (.+)$", over[0].text))


def assert_shown_as_recorded(driver: GameDriver) -> ReplayedGame:
    """Assert that the group was shown the finished game as it is stored."""
    derived = replay_from_database(driver.world, driver.table)
    shown = shown_rounds(driver.world, driver.group, driver.began)
    assert shown == derived.rounds
    assert shown_placings(driver.world, driver.group, driver.began) == derived.placings
    told = list(driver.bids)
    for bid in derived.bids:
        if told and bid == told[0]:
            told.pop(0)
    assert not told, f"told to stand but not recorded in this order: {told}"
    return derived
