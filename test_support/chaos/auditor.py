"""Compare what people did and saw with the replayed games. A pure function: evidence in, findings out."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from test_support.chaos.evidence import (
    DOUBLED,
    GAP,
    INVENTED,
    LOST,
    ORDER,
    TWICE,
    UNDONE,
    UNSEEN,
    UNTRUE,
    WRONG_DICE,
    Finding,
)
from test_support.chaos.replayed_game import (
    HAND,
    SEAL,
    BrokenGameError,
    MessageClaims,
    ReplayedGame,
    calls_told,
    claims_of,
    replay_game,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from test_support.chaos.evidence import CallMade, Evidence, Json, Move, Shown, Stored

OVER = "finished"
Told: TypeAlias = "dict[int, list[tuple[Shown, MessageClaims]]]"
"""What the screens showed of each table, in order."""
BidsSeen: TypeAlias = "dict[tuple[int, int], int]"
"""How many bids of each table's rounds the groups saw."""
BY_COMPUTER = ("bid", "dudo", "calza")
CALLS = (*BY_COMPUTER, "concede", "leave")
COMPUTER_CAUSE, CLOCK_CAUSE = "computer", "deadline"
SOURCE = "telegram:"


@dataclass(frozen=True, slots=True)
class Audit:
    """What is wrong, and what is acceptable in small numbers."""

    findings: list[Finding]
    twice: list[str]
    """Messages that a chat shows twice."""
    unseen: list[str]
    """Bids, and ends of rounds and games, that no chat showed."""


def audit(evidence: Evidence) -> Audit:
    """Compare all the evidence with the replayed games."""
    found: list[Finding] = [Finding(UNDONE, words) for words in evidence.undone]
    replayed: dict[int, ReplayedGame] = {}
    for game in evidence.games:
        found += _gaps(game)
        try:
            replayed[game.table] = replay_game(game)
        except BrokenGameError as error:
            kind = WRONG_DICE if "record" in str(error) else GAP
            found.append(Finding(kind, f"table {game.table}: {error}"))
    found += _moves(evidence)
    told: Told = {game.table: [] for game in evidence.games}
    seen: BidsSeen = defaultdict(int)
    found += _screens(evidence, replayed, told, seen)
    twice, missing = list(_doubled(told)), list(_unseen(replayed, told, seen))
    if len(twice) > evidence.sent_again + evidence.asked_for:
        again = f"{evidence.sent_again} sends were tried again and {evidence.asked_for} asked for"
        words = f"{len(twice)}, and only {again}: {'; '.join(twice)}"
        found.append(Finding(TWICE, words))
    if len(missing) > evidence.unsure:
        words = f"{len(missing)} bids or ends, and the fate of {evidence.unsure} sends is unknown: {missing}"
        found.append(Finding(UNSEEN, words))
    return Audit(found, twice, missing)


def _gaps(game: Stored) -> Iterator[Finding]:
    numbers = [number for number, _, _ in game.actions]
    if numbers != list(range(len(numbers))):
        yield Finding(GAP, f"table {game.table}: its actions have the numbers {numbers}")
    if game.status != OVER:
        how = "stands without a deadline" if game.live and game.due_at is None else "has not ended"
        yield Finding(GAP, f"table {game.table} {how} ({game.status})")


# What people did


def _moves(evidence: Evidence) -> Iterator[Finding]:
    moves = {move.name: move for move in evidence.moves}
    by_move: defaultdict[str, list[tuple[Stored, Json]]] = defaultdict(list)
    for game in evidence.games:
        for number, cause, action in game.actions:
            if action["type"] not in CALLS:
                continue
            where = f"table {game.table}, action {number}"
            if cause in (CLOCK_CAUSE, COMPUTER_CAUSE) or game.is_computer(action["seat"]):
                if not _may_be(game, cause, action):
                    yield Finding(INVENTED, f"{where}: {action} by {cause}")
                continue
            name = evidence.updates.get(cause.removeprefix(SOURCE))
            if name is None or name not in moves:
                yield Finding(INVENTED, f"{where}: {action} by {cause}")
                continue
            by_move[name].append((game, action))
    for move in evidence.moves:
        yield from _one_move(move, by_move[move.name])


def _may_be(game: Stored, cause: str, action: Json) -> bool:
    """Whether a call that no person made may be there.

    A clock takes a die from a person, and calls for a computer player whose thought comes too late. What a computer
    player calls has the cause of its thought; when only computer players are left they leave with the call before.
    """
    if not game.is_computer(action["seat"]):
        return cause == CLOCK_CAUSE and action["type"] == "concede"
    if action["type"] == "leave":
        return True  # the replay objects to it if people are left
    return cause in (CLOCK_CAUSE, COMPUTER_CAUSE) and action["type"] in BY_COMPUTER


def _one_move(move: Move, made: list[tuple[Stored, Json]]) -> Iterator[Finding]:
    who = f"{move.name} by {move.person}: {move.call or 'dudo'}, told {move.heard!r}"
    if len(made) > 1:
        yield Finding(DOUBLED, f"{who} counts {len(made)} times")
    if move.accepted and not made:
        yield Finding(LOST, f"{who} and is in no game")
    if move.refused and made:
        yield Finding(INVENTED, f"{who} and is in the game")
    for game, action in made:
        if game.chat != move.chat or game.people[action["seat"]] != move.person or _call(action) != move.call:
            yield Finding(INVENTED, f"{who} and became {action} at table {game.table}")


def _call(action: Json) -> CallMade | str:
    match action["type"]:
        case "bid":
            return action["quantity"], action["face"]
        case "dudo":
            return None
        case other:
            return str(other)


# What people saw


def _screens(evidence: Evidence, replayed: dict[int, ReplayedGame], told: Told, seen: BidsSeen) -> Iterator[Finding]:
    """Read every screen, and note what it showed."""
    for game, shown, again in _about_games(evidence, replayed):
        seal = SEAL.search(shown.text) if shown.person is None and "🏆" not in shown.text else None
        if seal is not None and seal[0] != again.seal:
            yield Finding(WRONG_DICE, f"table {game.table}: the seal that was shown is not that of its dice")
        calls = None if shown.person is not None else calls_told(shown.text, again.rounds)
        if isinstance(calls, str):
            yield Finding(UNTRUE, f"table {game.table}: {calls}: {shown.text!r}")
        elif calls is not None:
            key = game.table, calls.round
            seen[key] = max(seen[key], calls.bids)
        telling = claims_of(shown.text, again.rounds)
        if isinstance(telling, str):
            yield Finding(UNTRUE, f"table {game.table}: {telling}: {shown.text!r}")
        elif telling is not None:
            told[game.table].append((shown, telling))
            yield from _true(game, again, shown, telling)
    for game in evidence.games:
        yield from _in_order(game, told[game.table])


def _about_games(evidence: Evidence, replayed: dict[int, ReplayedGame]) -> Iterator[tuple[Stored, Shown, ReplayedGame]]:
    """What was shown of which game, without changes of buttons alone."""
    by_chat = {game.chat: game for game in evidence.games}
    by_title = {game.title: game for game in evidence.games}
    before: dict[str, str] = {}
    for shown in sorted(evidence.shown, key=lambda one: one.at):
        if before.get(shown.key) == shown.text:
            continue
        before[shown.key] = shown.text
        if shown.person is None:
            game = by_chat.get(shown.chat)
        else:
            title = HAND.match(shown.text)
            game = None if title is None else by_title.get(title["title"])
        if game is not None and game.table in replayed:
            yield game, shown, replayed[game.table]


def _true(game: Stored, again: ReplayedGame, shown: Shown, telling: MessageClaims) -> Iterator[Finding]:
    where = f"table {game.table}, round {telling.round}"
    if telling.kind == "over":
        if telling.placings != again.placings:
            yield Finding(UNTRUE, f"table {game.table}: the places {telling.placings} instead of {again.placings}")
        return
    played = again.rounds[telling.round]
    for name, dice in telling.dice:
        if not name and shown.person not in game.people:
            yield Finding(WRONG_DICE, f"{where}: {shown.person} does not sit there and was shown {dice}")
            continue
        seat = again.names.index(name) if name else game.people.index(shown.person or 0)
        if played.hands[seat] != dice:
            yield Finding(WRONG_DICE, f"{where}: {again.names[seat]} holds {played.hands[seat]}, shown were {dice}")
    if telling.count is not None and telling.count != played.count:
        yield Finding(UNTRUE, f"{where}: counted {played.count}, shown was {telling.count}")


def _in_order(game: Stored, told: list[tuple[Shown, MessageClaims]]) -> Iterator[Finding]:
    newest: dict[int, tuple[MessageClaims, str]] = {}
    for shown, telling in told:
        last = newest.get(shown.chat)
        if last is not None and telling.place < last[0].place:
            yield Finding(
                ORDER,
                f"table {game.table}, chat {shown.chat}: {telling.kind} of {telling.place} after {last[0].kind} of "
                f"{last[0].place}",
            )
        newest[shown.chat] = telling, shown.text


def _doubled(told: Told) -> Iterator[str]:
    """The messages about a game that repeat an earlier one in the same chat."""
    for table, messages in told.items():
        first: dict[tuple[int, str, tuple[int, int, int]], Shown] = {}
        for shown, telling in messages:
            if not shown.fresh:
                continue
            before = first.setdefault((shown.chat, telling.kind, telling.place), shown)
            if before is not shown:
                yield f"table {table}, {telling.kind} of {telling.place}: {before.key} and {shown.key}"


def _unseen(replayed: dict[int, ReplayedGame], told: Told, bids_seen: BidsSeen) -> Iterator[str]:
    """The bids, and the ends of rounds and games, that no chat showed; of each round once."""
    for table, again in replayed.items():
        seen = {(telling.kind, telling.round) for _, telling in told[table]}
        for number, played in again.rounds.items():
            if played.count is not None and ("reveal", number) not in seen:
                yield f"table {table}, round {number}"
            elif bids_seen[table, number] < len(played.bids):
                yield f"table {table}, round {number}, bids {played.bids[bids_seen[table, number] :]}"
        if again.placings is not None and ("over", 0) not in seen:
            yield f"table {table}, the end"
