"""Replay a stored game by the rules alone, and read what a chat's message claims about a game."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perudo_core import (
    Action,
    Bid,
    Dudo,
    GameOver,
    Leave,
    Recorder,
    RecordError,
    Revealed,
    Roll,
    Rules,
    load_action,
    load_state,
    new_game,
    replay,
)
from perudo_core.errors import IllegalActionError
from perudo_core.fair import FairDice
from perudo_core.fair_record import FairRecord
from test_support.audit import HAND_LINE
from test_support.shown_dice import DIE, face, faces

if TYPE_CHECKING:
    from test_support.chaos.evidence import Stored

SEAL = re.compile(r"\b[0-9a-f]{64}\b")
ROUND = re.compile(r"🎲 Round (?P<number>\d+)")
HAND = re.compile(r"🎲 (?P<title>.+) · round (?P<number>\d+)")
OWN_DICE = re.compile(rf"Your dice: ((?:{DIE}| )+)")
STANDING = re.compile(rf"(?:🔸|✅|💤)[^\d\n]*(\d+) × ({DIE})")
"""The bid to beat, or the one that the reader has made."""
OWN_CALL = re.compile("(?m)^(?:🗣|🎯) ")
ENDED = re.compile("[⌛🚪]")
COUNTED = re.compile(r"Counted (\d+)")
PLACE = re.compile(r"(?m)^(?:🥇|🥈|🥉|\d+\.) (.+)$")

LISTED = re.compile(rf"(?P<name>.+) (?P<quantity>\d+) × (?P<face>{DIE})")
"""A bid in the list of a round's bids."""
DOUBTS = re.compile(r"🗣 Dudo! (?P<name>.+) doubts ")


class BrokenGameError(Exception):
    """The stored actions are not a legal game."""


@dataclass(slots=True)
class RoundPlayed:
    """One round of the replayed game."""

    hands: tuple[tuple[int, ...], ...]
    bids: list[tuple[int, int]] = field(default_factory=list)
    bidders: list[str] = field(default_factory=list)
    doubter: str | None = None
    count: int | None = None


@dataclass(frozen=True, slots=True)
class ReplayedGame:
    """A replayed game."""

    names: tuple[str, ...]
    rounds: dict[int, RoundPlayed]
    placings: tuple[str, ...] | None
    seal: str | None


def replay_game(stored: Stored) -> ReplayedGame:
    """Replay the stored actions: each must be legal, and the final state must be the stored one.

    Raises:
        BrokenGameError: an action is illegal, the states differ, or the dice are not those that were sealed.
    """
    names = tuple(seat["name"] for seat in stored.state["seats"])
    recorder = Recorder(new_game(Rules.from_dict(stored.state["rules"]), names))
    rounds: dict[int, RoundPlayed] = {}
    placings: tuple[str, ...] | None = None
    for number, _, raw in stored.actions:
        action = load_action(raw)
        _check_that_people_play(stored, recorder.state.active_seats, action)
        try:
            events = recorder.apply(action)
        except IllegalActionError as error:
            raise BrokenGameError(f"action {number} is not legal: {error.reason}") from error
        state = recorder.state
        if isinstance(action, Roll):
            rounds[state.round] = RoundPlayed(tuple(tuple(sorted(hand)) for hand in action.dice))
        elif isinstance(action, Bid):
            rounds[state.round].bids.append((action.quantity, action.face))
            rounds[state.round].bidders.append(names[action.seat])
        elif isinstance(action, Dudo):
            rounds[max(rounds)].doubter = names[action.seat]
        for event in events:
            if isinstance(event, Revealed):
                rounds[max(rounds)].count = event.matching
            if isinstance(event, GameOver):
                order = sorted(range(len(names)), key=lambda seat: event.outcome.placements[seat])
                placings = tuple(names[seat] for seat in order)
    if stored.state["game"] is None or recorder.state != load_state(stored.state["game"]):
        raise BrokenGameError("the stored state is not where the actions lead")
    return ReplayedGame(names, rounds, placings, _seal(stored, recorder) if rounds else None)


def _check_that_people_play(stored: Stored, active: Sequence[int], action: Action) -> None:
    """Computer players leave when only they are left, and then do nothing else."""
    alone = all(map(stored.is_computer, active))
    if alone and not isinstance(action, Leave):
        raise BrokenGameError(f"computer players play alone: {action}")
    if isinstance(action, Leave) and stored.is_computer(action.seat) and not alone:
        raise BrokenGameError("a computer player has left a game that people play")


def _seal(stored: Stored, recorder: Recorder) -> str | None:
    """Verify the record and its dice; return the commitment to the dice."""
    actions = [load_action(raw) for _, _, raw in stored.actions]
    secret = stored.state["secret"]
    try:
        if replay(recorder.record()).final != recorder.state:
            raise BrokenGameError("the record leads elsewhere")
        if secret is None:
            return None
        seats = {seat["player"]: number for number, seat in enumerate(stored.state["seats"], 1)}
        stirs = [f"{seats.get(stir['player'], '-')} {stir['what']}" for stir in stored.state["stirs"]]
        salt = "\n".join(["perudo-stirs/2", *(stirs or ["nobody stirred"])])
        dice = FairDice(bytes.fromhex(secret), recorder.state.rules, stored.state["code"], salt)
        FairRecord.of(dice, [seat["name"] for seat in stored.state["seats"]], actions).verify(dice.commitment)
    except RecordError as error:
        raise BrokenGameError(f"the record does not stand: {error}") from error
    return dice.commitment


@dataclass(frozen=True, slots=True)
class MessageClaims:
    """What one message says about a game.

    `place` rises in the course of a game: round, whether the game is over, number of bids.
    """

    kind: str
    """`table`, `reveal`, `hand` or `over`."""
    place: tuple[int, int, int]
    round: int = 0
    dice: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """Whose dice the message shows; `""` for the reader's own."""
    count: int | None = None
    placings: tuple[str, ...] = ()


LAST = 10**9


def claims_of(  # noqa: PLR0911 - one per kind of message
    text: str, rounds: dict[int, RoundPlayed]
) -> MessageClaims | str | None:
    """The claims of a message about this game; a text if the message is untrue; None if it makes no claims."""
    if "🏆" in text:
        return MessageClaims("over", (LAST, 0, 0), placings=tuple(PLACE.findall(text)))
    found = HAND.match(text) or ROUND.match(text)
    if found is None:
        return None
    number = int(found["number"])
    played = rounds.get(number)
    if played is None:
        return f"there was no round {number}"
    if "👉" not in text and found.re is ROUND:
        counted = COUNTED.search(text)
        if counted is None and not HAND_LINE.search(text) and not ENDED.search(text):
            return None  # only the bids: the round's end stands in another message
        dice = tuple((name, faces(shown)) for name, shown in HAND_LINE.findall(text))
        return MessageClaims("reveal", (number, 1, 0), number, dice, None if counted is None else int(counted[1]))
    own = OWN_DICE.search(text) if found.re is HAND else None
    has_called = own is not None and OWN_CALL.search(text, own.end())
    bids = len(played.bids) if has_called else _bids_told(text, played.bids)
    if bids is None:
        return "it tells of a bid that was not made"
    dice = () if own is None else (("", faces(own[1])),)
    return MessageClaims("table" if found.re is ROUND else "hand", (number, 0, bids), number, dice)


def _bids_told(text: str, made: Sequence[tuple[int, int]]) -> int | None:
    """How many bids had been made when the message was written: each bid is higher than those before."""
    standing = STANDING.search(text)
    if standing is None:
        return 0
    bid = (int(standing[1]), face(standing[2]))
    return made.index(bid) + 1 if bid in made else None


@dataclass(frozen=True, slots=True)
class CallsTold:
    """How many bids of a round a message of the group tells of, the first ones."""

    round: int
    bids: int


def calls_told(text: str, rounds: dict[int, RoundPlayed]) -> CallsTold | str | None:
    """The calls that a message of the group tells of, each once and in order; a text if they were not made so."""
    found = ROUND.match(text)
    played = None if found is None else rounds.get(int(found["number"]))
    if found is None or played is None:
        return None
    doubt = DOUBTS.search(text)
    if doubt is not None and doubt["name"] != played.doubter:
        return f"{doubt['name']} doubts, where {played.doubter} did"
    standing = _bids_told(text, played.bids) if "👉" in text else len(played.bids)
    if standing is None:
        return None  # `claims_of` objects to it
    made = [(name, *bid) for name, bid in zip(played.bidders, played.bids, strict=True)]
    listed = made[: max(standing - 1, 0)] if "👉" in text else made
    for line in text.splitlines()[1:]:
        *dots, told = line.split("… → ")
        parts = [LISTED.fullmatch(part) for part in told.split(" → ")]
        bids = [(part["name"], int(part["quantity"]), face(part["face"])) for part in parts if part is not None]
        if len(bids) == len(parts) and bids != (listed[-len(bids) :] if dots else listed):
            return f"the bids {bids} instead of {listed}"
    return CallsTold(int(found["number"]), standing)
