"""Compare what people did and saw with the replayed games. A pure function: evidence in, findings out."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from perudo_core import (
    Action,
    Bid,
    Calza,
    Dudo,
    GameOver,
    IllegalActionError,
    Leave,
    Recorder,
    RecordError,
    Revealed,
    Roll,
    Rules,
    SeatOut,
    load_action,
    load_state,
    new_game,
    replay,
)
from perudo_core.fair import FairDice
from perudo_core.fair_record import FairRecord
from test_support.audit import HAND_LINE
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
    CallMade,
    Evidence,
    Finding,
    Move,
    Shown,
    Stored,
)
from test_support.screen_recorder import Json
from test_support.shown_dice import ANIMAL, BID, DIE, face, faces

SEAL = re.compile(r"\b[0-9a-f]{64}\b")
ROUND = re.compile(r"🎲 Round (?P<number>\d+)")
HAND = re.compile(r"🎲 (?P<title>.+) · round (?P<number>\d+)")
TITLED = re.compile(r"🎲 (?P<title>.+?)(?: · round (?P<number>\d+))?\n")
WON = re.compile(r"(?m)^🏆 (?:.+ wins!|You win!)")
OWN_DICE = re.compile(rf"Your dice: ((?:{DIE}| )+)")
STANDING = re.compile(rf"(?:🔸|✅|💤)[^\d\n]*(\d+) × ({DIE})")
"""The bid to beat, or the one that the reader has made."""
OWN_CALL = re.compile("(?m)^(?:🗣|🎯) ")
ENDED = re.compile("[⌛🚪]")
COUNTED = re.compile(r"Counted (\d+)")
PLACE = re.compile(rf"(?m)^(?:🥇|🥈|🥉|\d+\.) {ANIMAL}(.+)$")

LISTED = re.compile(rf"(?P<name>(?![🔸🎙]).+) (?P<quantity>\d+) × (?P<face>{DIE})")
"""A bid in the list of a round's bids."""
CALLED = re.compile(r"(?:🗣 (?P<call>Dudo)! (?P<name>.+) doubts |🎯 Calza! (?P<exact>.+) says )")
OUT = re.compile(r"(?m)^☠️ (.+) is out")


class BrokenGameError(Exception):
    """The stored actions are not a legal game."""


@dataclass(slots=True)
class RoundPlayed:
    """One round of the replayed game."""

    hands: tuple[tuple[int, ...], ...]
    bids: list[tuple[int, int]] = field(default_factory=list)
    bidders: list[str] = field(default_factory=list)
    call: str | None = None
    caller: str | None = None
    count: int | None = None
    out: list[str] = field(default_factory=list)


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
        elif isinstance(action, Dudo | Calza):
            played = rounds[max(rounds)]
            played.call, played.caller = type(action).__name__, names[action.seat]
        for event in events:
            match event:
                case Revealed():
                    rounds[max(rounds)].count = event.matching
                case SeatOut():
                    rounds[max(rounds)].out.append(names[event.seat])
                case GameOver():
                    order = sorted(range(len(names)), key=lambda seat: event.outcome.placements[seat])
                    placings = tuple(names[seat] for seat in order)
    if stored.state["game"] is None or recorder.state != load_state(stored.state["game"]):
        raise BrokenGameError("the stored state is not where the actions lead")
    return ReplayedGame(names, rounds, placings, _seal(stored, recorder) if rounds else None)


def _check_that_people_play(stored: Stored, active: Sequence[int], action: Action) -> None:
    """Check that computer players leave when only they are left, and then do nothing else."""
    alone = all(map(stored.is_computer, active))
    if alone and not isinstance(action, Leave):
        raise BrokenGameError(f"computer players play alone: {action}")
    if isinstance(action, Leave) and stored.is_computer(action.seat) and not alone and not stored.state.get("going_on"):
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
        salt = "\n".join(["perudo-stirs/3", *(stir["what"] for stir in stored.state["stirs"])])
        code, schema = stored.state["code"], stored.state["dice_schema"]
        dice = FairDice(bytes.fromhex(secret), recorder.state.rules, code, salt, schema)
        FairRecord.of(dice, [seat["name"] for seat in stored.state["seats"]], actions).verify(dice.commitment)
    except RecordError as error:
        raise BrokenGameError(f"the record does not stand: {error}") from error
    return dice.commitment


@dataclass(frozen=True, slots=True)
class MessageClaims:
    """Read one message about a game.

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
    out: tuple[str, ...] = ()


LAST = 10**9


def claims_of(text: str, rounds: dict[int, RoundPlayed]) -> MessageClaims | str | None:
    """Return the claims of a message about this game, a text if it is untrue, or None if it makes no claims."""
    if WON.search(text):
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
            return None  # only the bids: the round's end is in another message
        dice = tuple((name, faces(shown)) for name, shown in HAND_LINE.findall(text))
        count = None if counted is None else int(counted[1])
        return MessageClaims("reveal", (number, 1, 0), number, dice, count, out=tuple(OUT.findall(text)))
    own = OWN_DICE.search(text) if found.re is HAND else None
    has_called = found.re is HAND and OWN_CALL.search(text)
    bids = len(played.bids) if has_called else _bids_told(text, played.bids)
    if bids is None:
        return "it tells of a bid that was not made"
    dice = () if own is None else (("", faces(own[1])),)
    return MessageClaims("table" if found.re is ROUND else "hand", (number, 0, bids), number, dice)


def _bids_told(text: str, made: Sequence[tuple[int, int]]) -> int | None:
    """Return how many bids had been made when the message was written: each bid is higher than those before."""
    standing = STANDING.search(text)
    told = [standing.groups()] if standing is not None else BID.findall(text)[-1:]  # a board lists the bids
    if not told:
        return 0
    bid = (int(told[0][0]), face(told[0][1]))
    return made.index(bid) + 1 if bid in made else None


@dataclass(frozen=True, slots=True)
class CallsTold:
    """How many bids of a round, from the first on, a message of the group names."""

    round: int
    bids: int


def calls_told(text: str, rounds: dict[int, RoundPlayed]) -> CallsTold | str | None:
    """Return the calls that a message of the group names; a text if they were not made, each once and in this order."""
    found = ROUND.match(text)
    played = None if found is None else rounds.get(int(found["number"]))
    if found is None or played is None:
        return None
    called = CALLED.search(text)
    if called is not None and (
        (called["name"] or called["exact"]) != played.caller or (called["call"] or "Calza") != played.call
    ):
        return f"{called[0]!r}, where it was {played.caller}'s {played.call}"
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


OVER = "finished"
Told: TypeAlias = "dict[int, list[tuple[Shown, MessageClaims]]]"
"""The screens' contents for each table, in order."""
BidsSeen: TypeAlias = "dict[tuple[int, int], int]"
"""How many bids of each table's rounds the groups saw."""
BY_COMPUTER = ("bid", "dudo", "calza")
CALLS = (*BY_COMPUTER, "concede", "leave")
COMPUTER_CAUSE, CLOCK_CAUSE = "computer", "deadline"
SOURCE = "telegram:"


@dataclass(frozen=True, slots=True)
class Audit:
    """Faults, and events that are acceptable in small numbers."""

    findings: list[Finding]
    twice: list[str]
    """Messages that a chat shows twice."""
    unseen: list[str]
    """Bids, and ends of rounds and games, that no chat showed."""


def audit(evidence: Evidence) -> Audit:
    """Compare all the evidence with the replayed games."""
    screens = audit_screens(evidence)
    undone = (Finding(UNDONE, words) for words in evidence.undone)
    return replace(screens, findings=[*undone, *screens.findings, *_moves(evidence)])


def audit_screens(evidence: Evidence) -> Audit:
    """Compare what was shown with the replayed games."""
    found: list[Finding] = []
    replayed: dict[int, ReplayedGame] = {}
    for game in evidence.games:
        found += _gaps(game)
        try:
            replayed[game.table] = replay_game(game)
        except BrokenGameError as error:
            kind = WRONG_DICE if "record" in str(error) else GAP
            found.append(Finding(kind, f"table {game.table}: {error}"))
    told: Told = {game.table: [] for game in evidence.games}
    seen: BidsSeen = defaultdict(int)
    found += _screens(evidence, replayed, told, seen)
    twice, missing = list(_doubled(told, evidence.deleted)), list(_unseen(replayed, told, seen))
    excused = Counter(evidence.repeated)
    surplus = [words for place, words in twice if not excused[place]]
    surplus += [
        f"{times} in chat {chat} of table {table}, and {excused[table, chat]} sends were repeated there"
        for (table, chat), times in Counter(place for place, _ in twice).items()
        if times > excused[table, chat] > 0
    ]
    if len(surplus) > evidence.asked_for:
        found.append(Finding(TWICE, f"only {evidence.asked_for} were asked for: {'; '.join(surplus)}"))
    if len(missing) > evidence.unsure:
        words = f"{len(missing)} bids or ends, and the outcome of {evidence.unsure} sends is unknown: {missing}"
        found.append(Finding(UNSEEN, words))
    return Audit(found, [words for _, words in twice], missing)


def _gaps(game: Stored) -> Iterator[Finding]:
    numbers = [number for number, _, _ in game.actions]
    if numbers != list(range(len(numbers))):
        yield Finding(GAP, f"table {game.table}: its actions have the numbers {numbers}")
    if game.status != OVER:
        how = "stands without a deadline" if game.live and game.due_at is None else "has not ended"
        yield Finding(GAP, f"table {game.table} {how} ({game.status})")


# People's acts


def _moves(evidence: Evidence) -> Iterator[Finding]:
    moves = {move.name: move for move in evidence.moves}
    by_move: defaultdict[str, list[tuple[Stored, Json]]] = defaultdict(list)
    for game in evidence.games:
        before = ""
        for number, cause, action in game.actions:
            follows, before = action["type"] == "leave" and cause == before, cause
            if action["type"] not in CALLS or follows:  # the call before has ended the game
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
    """Return whether a game may contain this call, which no person made.

    When the clock expires, a person loses a die, or the bot makes a call for a computer player that found none in
    time. Other calls of a computer player have the cause of its thought. When only computer players are left, they
    leave in the transaction of the call before.
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
        if game.chat != move.chat or game.people[action["seat"]] != move.person or call_of(action) != move.call:
            yield Finding(INVENTED, f"{who} and became {action} at table {game.table}")


def call_of(action: Json) -> CallMade | str:
    """Return the call of a stored action."""
    match action["type"]:
        case "bid":
            return action["quantity"], action["face"]
        case "dudo":
            return None
        case other:
            return str(other)


# People's screens


def _screens(evidence: Evidence, replayed: dict[int, ReplayedGame], told: Told, seen: BidsSeen) -> Iterator[Finding]:
    """Read every screen, and note what it showed."""
    for game, shown, again in _about_games(evidence, replayed):
        seal = SEAL.search(shown.text) if shown.person is None and "🏆" not in shown.text else None
        if seal is not None and seal[0] != again.seal:
            yield Finding(WRONG_DICE, f"table {game.table}: the seal that was shown is not that of its dice")
        calls = calls_told(shown.text, again.rounds)
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
    """Yield the screens of each game, without changes of buttons alone.

    At a table of a tournament, which is played in private, a reveal names no game: it belongs to the round that was
    shown in the same chat before, or to a later one whose dice a slow chat was not shown.
    """
    by_chat = {game.chat: game for game in evidence.games}
    by_title = {game.title: game for game in evidence.games}
    before: dict[str, str] = {}
    newest: dict[int, tuple[Stored | None, str]] = {}
    for shown in sorted(evidence.shown, key=lambda one: one.at):
        if before.get(shown.key) == shown.text:
            continue
        text = before[shown.key] = shown.text
        if shown.person is None:
            game = by_chat.get(shown.chat)
        else:
            title = TITLED.match(shown.text)
            game = None if title is None else by_title.get(title["title"])
            in_private = game is not None and bool(game.state.get("going_on"))
            if title is not None and title["number"]:
                newest[shown.chat] = game if in_private else None, title["number"]
            elif title is not None and not in_private:
                game = None
            elif title is None and CALLED.match(text) and shown.chat in newest:
                game, number = newest[shown.chat]
                again = None if game is None else replayed.get(game.table)
                rounds = [int(number)] if again is None else range(int(number), max(again.rounds, default=0) + 1)
                told = [f"🎲 Round {each}\n{text}" for each in rounds] or [f"🎲 Round {number}\n{text}"]
                true = (each for each in told if game and again and _is_true(game, again, replace(shown, text=each)))
                text = next(true, told[0])
        if game is not None and game.table in replayed:
            yield game, replace(shown, text=text), replayed[game.table]


def _is_true(game: Stored, again: ReplayedGame, shown: Shown) -> bool:
    """Return True if a message of a round agrees with the game."""
    calls, telling = calls_told(shown.text, again.rounds), claims_of(shown.text, again.rounds)
    if isinstance(calls, str) or isinstance(telling, str):
        return False
    return telling is None or not any(_true(game, again, shown, telling))


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
    if telling.count is not None and len(telling.dice) != len(list(filter(None, played.hands))):
        yield Finding(UNTRUE, f"{where}: shown are only {telling.dice}")
    if telling.count is not None and list(telling.out) != played.out:
        yield Finding(UNTRUE, f"{where}: {played.out} are out, shown are {telling.out}")


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


def _doubled(told: Told, deleted: frozenset[str]) -> Iterator[tuple[tuple[int, int], str]]:
    """Table, chat and description of each message that repeats an earlier one which is still in the same chat."""
    for table, messages in told.items():
        first: dict[tuple[int, str, tuple[int, int, int]], Shown] = {}
        for shown, telling in messages:
            if not shown.fresh or shown.key in deleted:
                continue
            before = first.setdefault((shown.chat, telling.kind, telling.place), shown)
            if before is not shown:
                words = f"table {table}, {telling.kind} of {telling.place}: {before.key} and {shown.key}"
                yield (table, shown.chat), words


def _unseen(replayed: dict[int, ReplayedGame], told: Told, bids_seen: BidsSeen) -> Iterator[str]:
    """Yield the bids, and the ends of rounds and games, that no chat showed; of each round once."""
    for table, again in replayed.items():
        seen = {(telling.kind, telling.round) for _, telling in told[table]}
        for number, played in again.rounds.items():
            if played.count is not None and ("reveal", number) not in seen:
                yield f"table {table}, round {number}"
            elif bids_seen[table, number] < len(played.bids):
                yield f"table {table}, round {number}, bids {played.bids[bids_seen[table, number] :]}"
        if again.placings is not None and ("over", 0) not in seen:
            yield f"table {table}, the end"
