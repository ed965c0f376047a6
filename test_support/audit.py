"""Checks at the end of every test: no failure, and no player has seen another player's dice."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from math import inf

from telegram_bot.pictures.hand import hand_picture
from telegram_sandbox.page_json import PICTURES
from test_support.screen_recorder import Message
from test_support.shown_dice import ANIMAL, BID, DIE, faces
from test_support.world import World

ANY_DIE = re.compile(DIE)
BOARD = re.compile("🎲 .+ · \\w+ \\d+|[🚪⌛] ")
"""The first line of a board: the table and its round, or that the round has ended without a call."""
OWN = re.compile(rf"(?:Your dice|I tuoi dadi|Tes dés|Tus dados|Je stenen)\s?: ((?:{DIE}| )+)")
HAND_LINE = re.compile(rf"(?m)^{ANIMAL}(?P<name>.+): (?P<dice>(?:{DIE}|[\[\] ])+?)(?: → \d+)?$")
STORY_LINE = re.compile(rf"(?m)^[🎭🎯🏁] .+: (?P<name>[^:]+?), [^\d⭐]*(?P<dice>{DIE}(?: {DIE})*) \(.*%\)$")
SIGN_OF_ONES = re.compile(rf"{DIE} (?:is a|è un|est un|es un|is een) \w+\.")
"""The tip that explains the sign, which everyone at a table may get."""
FACE_BUTTON = re.compile(rf"{DIE} …")
DATA = re.compile(
    r"l:\d+:[a-z_]+(=[a-z0-9_]*)?|g:\d+:\d+:[a-z]+(=[a-z0-9]*)?|g:\d+:\d+:said=[a-z0-9]+(_[1-3])?_\d+|p:0:[a-z_]+(=[a-z0-9_]*)?|p:0:learn=\d_\d"
    # A tournament, a person, the address of a group:
    r"|p:0:(entrants|let_in|remove|ask_close|close_list)=\d+(_\d+)?_-100\d+"
)
TUTORIAL = re.compile(r"🎓 .+ · [1-6]/6\n")
"""A step of the tutorial, whose dice are the same for everyone."""
LATE = r"a picture was not (drawn|uploaded) in time|a message was not read aloud: no answer in time|: TooSlowError\b"
"""On a busy machine the words come without their picture, sound or story, which have tests of their own."""
BOARD_IS_THERE = "editMessage(Text|Media|Caption): .*message is not modified"
"""*My dice* on one's own turn edits the board whatever it shows: only Telegram knows whether it was deleted."""
LEVEL = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z \[(?P<level>[a-z]+) *\] ")


@dataclass(frozen=True, slots=True)
class Roll:
    """One roll, by the players' addresses: their dice, when they were rolled, and since when everyone may see them."""

    at: float
    hands: dict[int, tuple[int, ...]]
    names: dict[int, str]
    shown_at: float = inf


def rolls(world: World) -> list[Roll]:
    """Return every roll of every table."""
    address = dict(world.rows("SELECT id, address FROM player"))
    found: list[Roll] = []
    for table, state in world.rows("SELECT id, state FROM game_table"):
        seats = [(address.get(seat["player"], seat["player"]), seat["name"]) for seat in json.loads(state)["seats"]]
        actions = world.rows("SELECT at, action FROM game_action WHERE table_id = :table ORDER BY number", table=table)
        for at, action in ((at, json.loads(raw)) for at, raw in actions):
            if action["type"] == "roll":
                hands = {who: tuple(sorted(hand)) for (who, _), hand in zip(seats, action["dice"], strict=True)}
                found.append(Roll(at, hands, dict(seats)))
            elif action["type"] in ("dudo", "calza"):
                found[-1] = replace(found[-1], shown_at=at)
    return found


def leaks(world: World) -> Iterator[str]:
    """Dice that a screen showed before its owner was allowed to see them."""
    known = rolls(world)
    for shown in world.recorder.versions:
        for person in shown.audience:
            yield from _leaks_in(shown.text, person, shown.at, known, private=shown.audience == {person})
        if shown.media is not None and shown.media.kind in PICTURES:
            yield from _wrong_picture(shown, shown.media.file.content, known)
        for button in shown.buttons:
            rest = FACE_BUTTON.sub("", BID.sub("", button["text"]))
            if ANY_DIE.search(rest):
                yield f"the button {button['text']!r}"
            if not DATA.fullmatch(button.get("callback_data", "l:0:link")):
                yield f"the data {button['callback_data']!r}"
    for tap, at in world.recorder.answers.values():
        yield from _leaks_in(tap.text or "", tap.user_id, at, known, private=True)


def _leaks_in(text: str, person: int, at: float, known: list[Roll], *, private: bool) -> Iterator[str]:
    def own(found: re.Match[str]) -> str:
        dice = faces(found[1])
        # The database's clock and the screen's differ by up to a second after a worker was killed.
        mine = any(roll.at <= at and roll.hands.get(person) == dice for roll in known)
        return "" if private and mine else found[0]

    def revealed(found: re.Match[str]) -> str:
        dice = faces(found["dice"])
        fine = any(
            roll.shown_at <= at
            and any(roll.names[who] == found["name"] and hand == dice for who, hand in roll.hands.items())
            for roll in known
        )
        return "" if fine else found[0]

    if private and TUTORIAL.match(text):
        return  # its dice belong to no player
    rest = SIGN_OF_ONES.sub("", BID.sub("", text))
    rest = OWN.sub(own, rest)
    rest = HAND_LINE.sub(revealed, rest)
    rest = STORY_LINE.sub(revealed, rest)
    if ANY_DIE.search(rest):
        yield f"{person} read {text!r}"


def _wrong_picture(shown: Message, picture: bytes, known: list[Roll]) -> Iterator[str]:
    """Yield a board's picture shows dice of its reader, and no others.

    Other pictures are for the end of a round or a game, for the hand of a closed game, or for a story.
    """
    if BOARD.match(shown.text) and len(shown.audience) == 1:
        (reader,) = shown.audience
        hands = {roll.hands[reader] for roll in known if roll.at <= shown.at and roll.hands.get(reader)}
        if not any(picture in _drawn(hand) for hand in hands):
            yield f"the picture above {shown.text!r} shows other dice"
    elif not re.search(r"[🗣🎯🛑📖💥🎁🏆]|\nt\.me/\w+$", shown.text):
        yield f"a picture above {shown.text!r}"


@cache
def _drawn(hand: tuple[int, ...]) -> tuple[bytes, bytes]:
    """Return the pictures of a hand: with ones that are wild, and with others."""
    return hand_picture(hand, ones_wild=True), hand_picture(hand)


def _unexpected(world: World, what: str, found: list[str], *may_be: str) -> list[str]:
    expected = dict.fromkeys(may_be, False) | world.expected[what]
    wrong = [f"{what}: {one}" for one in found if not any(re.search(each, one) for each in expected)]
    needed = (each for each, must in expected.items() if must)
    return wrong + [f"no {what} like {each!r}" for each in needed if not any(re.search(each, one) for one in found)]


def faults(world: World, exit_status: int) -> list[str]:
    calls = world.sandbox.world.calls
    found = [f"schema: {call.method} {call.params}: {call.schema_error}" for call in calls.schema_failures]
    errors = [f"{call.method}: {call.error}" for call in calls.since(0) if call.error]
    found += _unexpected(world, "error", errors, BOARD_IS_THERE)
    found += [
        f"update {cause}: {error or 'not done'} after {attempts}"
        for cause, error, attempts, done in world.rows("SELECT cause, error, attempts, done_at FROM inbox")
        if error or attempts or done is None
    ]
    sendings = world.rows(
        "SELECT status, error FROM outbox WHERE status NOT IN ('sent', 'superseded')"
        " AND (status <> 'pending' OR id <= :newest)",
        newest=world.newest_settled,
    )
    unsent = [f"{status}: {error}" for status, error in sendings]
    found += _unexpected(world, "sending", unsent)
    log = world.log.read_text()
    bad = [line for line in log.splitlines() if not (level := LEVEL.match(line)) or level["level"] != "info"]
    found += _unexpected(world, "log line", bad, LATE)
    found += [f"log line with dice: {line}" for line in log.splitlines() if ANY_DIE.search(line) or "dice" in line]
    if world.sandbox.token in log:
        found.append("the token is in the log")
    found += [f"leak: {leak}" for leak in leaks(world)]
    if exit_status != 0:
        found.append(f"the bot ended with {exit_status}")
    return found
