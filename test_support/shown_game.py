"""Compare what people were shown of a game with the game that is stored."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from test_support import shown_dice
from test_support.audit import HAND_LINE
from test_support.game_driver import GameDriver
from test_support.replayed_game import BrokenGameError, ReplayedGame, RoundPlayed, Stored, replay_game, stored_games
from test_support.shown_dice import ANIMAL, BID, DIE, face, faces

ORDER, UNTRUE, WRONG_DICE, GAP = "out of order", "untrue message", "wrong dice", "gap"
TWICE, UNSEEN = "doubled message", "unseen message"
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


@dataclass(frozen=True, slots=True)
class Finding:
    """An error that the audit found."""

    kind: str
    words: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.words}"


@dataclass(frozen=True, slots=True)
class Shown:
    """A message of the bot as it appeared or changed on a screen, in the order of `at`."""

    at: int
    chat: int
    person: int | None
    """The one person who sees the message, or None if the whole group does."""
    key: str
    text: str
    fresh: bool
    """Whether this is a new message and not an edit."""


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


Told = list[tuple[Shown, MessageClaims]]
"""The screens' contents, in order."""


def untruths(driver: GameDriver) -> list[Finding]:
    """Find untrue or disordered contents of the screens in the driver's game."""
    return [
        finding for finding in _audit(_stored(driver), _shown(driver)) if finding.kind in (ORDER, UNTRUE, WRONG_DICE)
    ]


def replayed(driver: GameDriver) -> ReplayedGame:
    """Return the driver's game, replayed from its stored actions."""
    return replay_game(_stored(driver))


def assert_shown_as_recorded(driver: GameDriver) -> ReplayedGame:
    """Assert that the screens showed the whole finished game as it is stored, and that other counts would be found."""
    stored, shown = _stored(driver), _shown(driver)
    deleted = frozenset(key for _, key in driver.world.recorder.deleted)
    assert _audit(stored, shown, deleted) == []
    miscounted = [replace(one, text=re.sub(r"Counted (\d+)", r"Counted 1\1", one.text)) for one in shown]
    assert UNTRUE in {finding.kind for finding in _audit(stored, miscounted)}
    game = replayed(driver)
    rounds = game.rounds.values()
    made = [(name, bid) for played in rounds for name, bid in zip(played.bidders, played.bids, strict=True)]
    recorded: Iterator[object] = iter(made)
    missing = [(name, bid) for name, bid in driver.bids if (name, shown_dice.bid(bid)) not in recorded]
    assert not missing, f"told to stand but not recorded in this order: {missing}"
    return game


def _stored(driver: GameDriver) -> Stored:
    (game,) = (game for game in stored_games(driver.world) if game.table == driver.table)
    return game


def _shown(driver: GameDriver) -> list[Shown]:
    shown = []
    for message in driver.world.recorder.versions:
        person = message.to or (message.chat if message.chat > 0 else None)
        new = message.first == message.changed
        shown.append(Shown(message.changed, message.chat, person, message.key, message.text, new))
    return shown


def _audit(game: Stored, shown: Sequence[Shown], deleted: frozenset[str] = frozenset()) -> list[Finding]:
    """Compare the screens with the replayed game; `deleted`: the messages that the bot deleted and posted anew."""
    found: list[Finding] = []
    numbers = [number for number, _, _ in game.actions]
    if numbers != list(range(len(numbers))):
        found.append(Finding(GAP, f"its actions have the numbers {numbers}"))
    if game.status != "finished":
        found.append(Finding(GAP, f"it has not ended ({game.status})"))
    try:
        again = replay_game(game)
    except BrokenGameError as error:
        return [*found, Finding(GAP, str(error))]
    told: Told = []
    seen: dict[int, int] = {}
    for each in _about(game, shown):
        seal = SEAL.search(each.text) if each.person is None and "🏆" not in each.text else None
        if seal is not None and seal[0] != again.seal:
            found.append(Finding(WRONG_DICE, "the seal that was shown is not that of its dice"))
        calls, telling = calls_told(each.text, again.rounds), claims_of(each.text, again.rounds)
        if isinstance(calls, CallsTold):
            seen[calls.round] = max(seen.get(calls.round, 0), calls.bids)
        if isinstance(telling, MessageClaims):
            told.append((each, telling))
            found += _true(game, again, each, telling)
        found += [Finding(UNTRUE, f"{why}: {each.text!r}") for why in (calls, telling) if isinstance(why, str)]
    twice = (Finding(TWICE, words) for words in _doubled(told, deleted))
    missing = (Finding(UNSEEN, words) for words in _unseen(again, told, seen))
    return [*found, *_in_order(told), *twice, *missing]


def _about(game: Stored, messages: Sequence[Shown]) -> Iterator[Shown]:
    """Yield the screens of a game, without changes of buttons alone."""
    before: dict[str, str] = {}
    for shown in sorted(messages, key=lambda one: one.at):
        if before.get(shown.key) == shown.text:
            continue
        before[shown.key] = shown.text
        if shown.person is None:
            if shown.chat == game.chat:
                yield shown
        elif (title := TITLED.match(shown.text)) is not None and title["number"] and title["title"] == game.title:
            yield shown


def _true(game: Stored, again: ReplayedGame, shown: Shown, telling: MessageClaims) -> Iterator[Finding]:
    where = f"round {telling.round}"
    if telling.kind == "over":
        if telling.placings != again.placings:
            yield Finding(UNTRUE, f"the places {telling.placings} instead of {again.placings}")
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


def _in_order(told: Told) -> Iterator[Finding]:
    newest: dict[int, MessageClaims] = {}
    for shown, telling in told:
        last = newest.get(shown.chat)
        if last is not None and telling.place < last.place:
            what = f"chat {shown.chat}: {telling.kind} of {telling.place} after {last.kind} of {last.place}"
            yield Finding(ORDER, what)
        newest[shown.chat] = telling


def _doubled(told: Told, deleted: frozenset[str]) -> Iterator[str]:
    """Yield each message that repeats an earlier one which is still in the same chat."""
    first: dict[tuple[int, str, tuple[int, int, int]], Shown] = {}
    for shown, telling in told:
        if not shown.fresh or shown.key in deleted:
            continue
        before = first.setdefault((shown.chat, telling.kind, telling.place), shown)
        if before is not shown:
            yield f"{telling.kind} of {telling.place}: {before.key} and {shown.key}"


def _unseen(again: ReplayedGame, told: Told, bids_seen: dict[int, int]) -> Iterator[str]:
    """Yield the bids, and the ends of rounds and games, that no chat showed; of each round once."""
    seen = {(telling.kind, telling.round) for _, telling in told}
    for number, played in again.rounds.items():
        if played.count is not None and ("reveal", number) not in seen:
            yield f"round {number}"
        elif bids_seen.get(number, 0) < len(played.bids):
            yield f"round {number}, bids {played.bids[bids_seen.get(number, 0) :]}"
    if again.placings is not None and ("over", 0) not in seen:
        yield "the end"
