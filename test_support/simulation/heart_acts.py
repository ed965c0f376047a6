"""The acts of the heart's evenings, as values: an act is a function of this module and the arguments of its call."""

import asyncio
import random
from collections.abc import Callable, Coroutine
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec

from sqlmodel import Session, col, select

from perudo_core import Bid, Dudo, legal_calls
from telegram_bot.intents import intents as i
from telegram_bot.service.handlers import lobby_requests as lobby
from telegram_bot.service.handlers.ending import Leave, Stop
from telegram_bot.service.handlers.game_requests import CallDudo, MakeBid, ReturnToSeat
from telegram_bot.service.handlers.queries import SeeDice, SeeStatus
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.storage.models import Chat, DiceStyle, GameTable, OutboxEntry, PrivateView, RoundEnd
from telegram_bot.storage.web_models import WebRoom
from test_support.simulation.heart_messenger import Message

if TYPE_CHECKING:
    from test_support.simulation.heart import Evening

P = ParamSpec("P")
PEOPLE: Final = ("Ana", "Bo", "Cy", "Dee")
PHONES: Final = ("Gran", "Pa")
EVERYBODY: Final = (*PEOPLE, *PHONES)
SAYINGS: Final = (
    *(lobby.OpenLobby(), lobby.Join(), lobby.Start(), lobby.PlayAgain(), Leave(confirmed=True), SeeDice()),
    *(SeeStatus(), ReturnToSeat(), lobby.AddComputers(1), Stop(confirmed=True), Leave()),
)
CHOICES: Final[tuple[tuple[str, Any], ...]] = (
    *(("view", view) for view in (PrivateView.AUTO, PrivateView.DIRECT, PrivateView.EPHEMERAL, PrivateView.ALERT)),
    ("dice_style", DiceStyle.KEYCAPS),
    ("chosen_language", "it"),
    ("chosen_language", None),
    ("name", "Zed"),
)
UNKNOWN: Final = [{"kind": "of_a_feature_that_is_gone"}]
_HAPPEN: Final[dict[str, Callable[..., Coroutine[Any, Any, None]]]] = {}


@dataclass(frozen=True)
class Act:
    """Something that happens in an evening."""

    name: str
    args: tuple[Any, ...]
    more: tuple[tuple[str, Any], ...]

    def __repr__(self) -> str:
        given = [*map(repr, self.args), *(f"{name}={value!r}" for name, value in self.more)]
        return f"{self.name}({', '.join(given)})"

    async def happen(self, evening: "Evening") -> None:
        await _HAPPEN[self.name](evening, *self.args, **dict(self.more))


def act(happen: Callable[Concatenate["Evening", P], Coroutine[Any, Any, None]]) -> Callable[P, Act]:
    """Let a function make acts, at whose time it is called with the evening."""
    name = happen.__name__
    _HAPPEN[name] = happen

    def made(*args: P.args, **more: P.kwargs) -> Act:
        return Act(name, args, tuple(more.items()))

    return made


# People


@act
async def tap(evening: "Evening", who: str, age: int = 0, key: int = 0, twice: bool = False) -> None:
    """Let a person tap a key of a message: `age` is 0 for the newest with keys that they see, 1 for the one before."""
    shown = [message for message in evening.seen_by(who) if message.keys]
    if shown:
        message = shown[-1 - age % len(shown)]
        await evening.tap(who, message, key % len(message.keys), times=1 + twice)


@act
async def call(evening: "Evening", key: int = 0, doubts: bool = False, in_words: bool = False) -> None:
    """Let the person who holds the newest bids call: a bid, or dudo if there is one to doubt. `in_words`: typed."""
    asked: list[tuple[float, int, str, Message, list[int]]] = []
    requests = CallDudo if doubts else MakeBid | CallDudo
    for who in EVERYBODY:
        for message in evening.seen_by(who):
            table, step = message.envelope.notice.keyed_at
            calls = [place for place, each in enumerate(message.keys) if isinstance(each.request, requests)]
            mine = message.envelope.receiver is not None or message.envelope.chat > 0
            if calls and mine and table is not None:
                asked.append((message.changed_at, step or 0, who, message, calls))
    if asked:
        *_, who, message, calls = max(asked, key=lambda each: each[:2])
        act = evening.type_key if in_words and who in PEOPLE else evening.tap
        await act(who, message, calls[key % len(calls)])


@act
async def say(evening: "Evening", who: str, what: int, group: int = 0) -> None:
    await evening.say(who, SAYINGS[what % len(SAYINGS)], group=group)


@act
async def type_words(evening: "Evening", who: str, words: str, group: int | None = None) -> None:
    await evening.say(who, i.TypedText(words), group=group)


@act
async def text_code(evening: "Evening", who: str, group: int = 0) -> None:
    """Let a phone take a seat at a group's table by its code."""
    code = evening.code_of(group)
    if code is not None:
        await evening.say(who, lobby.Join(code=code, name=who), group=None)


@act
async def block(evening: "Evening", who: str, blocks: bool) -> None:
    """Let a person block the bot, or let it in again and write to it in private."""
    blocked, address = evening.messenger.blocked, evening.person(who).address
    (blocked.add if blocks else blocked.discard)(address)
    await evening.say(who, i.PrivateChatBlocked() if blocks else lobby.StartPrivateChat(), group=None)


@act
async def prefer(evening: "Evening", who: str, what: int) -> None:
    await evening.say(who, Choose(*CHOICES[what % len(CHOICES)]), group=None)


@act
async def delete(evening: "Evening", who: str, age: int) -> None:
    shown = evening.seen_by(who)
    if shown:
        message = shown[-1 - age % len(shown)]
        message.deleted = True
        evening.deleted.add(message.number)


@act
async def wait(_: "Evening", seconds: float) -> None:
    await asyncio.sleep(seconds)


# Calls that no screen offers


@act
async def forge(evening: "Evening", who: str, ahead: int = 1) -> None:
    """Let a person send the button of a step that nobody has shown them yet."""
    for row, table in evening.tables():
        if row.live and table.game is not None:
            await evening.press(who, MakeBid(1, 5), row.id, table.step + ahead - 1)
            return


@act
async def public_call(evening: "Evening", doubts: bool = False) -> None:
    """Let the player to call bid as many as there probably are, or doubt: a call that depends on nobody's dice."""
    for row, table in evening.tables():
        game = table.game
        if not row.live or game is None or game.turn is None:
            continue
        who = table.seats[game.turn].name
        legal, likely = legal_calls(game, game.turn), game.total_dice / 3
        bids = (each for each in legal if isinstance(each, Bid))
        bid = min(bids, key=lambda each: abs(each.quantity - likely), default=None)
        dudo = next((each for each in legal if isinstance(each, Dudo)), None)
        made = dudo if bid is None or (doubts and dudo is not None) else bid
        if who in EVERYBODY and made is not None:
            request = MakeBid(made.quantity, made.face) if isinstance(made, Bid) else CallDudo()
            await evening.press(who, request, row.id, table.step)
            return


def _other_dice(hand: list[int], chance: random.Random) -> list[int]:
    """Return another hand of as many dice: a hand that stays the same is not sent again, so times would differ too."""
    while (dice := sorted(chance.randint(1, 6) for _ in hand)) == hand:
        pass
    return dice


@act
async def change_dice(evening: "Evening", reader: str) -> None:
    """Let the dice of everybody but one player become others; two evenings differ only in these."""
    chance = random.Random(evening.variant)
    with Session(evening.engine) as session:
        for row in session.exec(select(GameTable).where(col(GameTable.live))):
            state = deepcopy(row.state)
            game = state["game"]
            if game is not None and game["phase"] == "bidding":
                own = [seat["name"] for seat in state["seats"]].index(reader)
                game["dice"] = [
                    hand if seat == own or not hand else _other_dice(hand, chance)
                    for seat, hand in enumerate(game["dice"])
                ]
                row.state, evening.changed_round = state, (row.id, game["round"])
                row.version += 1
        session.commit()
    evening.changed_at = len(evening.messenger.log), len(evening.answers)


# Messenger, machine and program


@act
async def lose_chat(evening: "Evening", group: int, lost: bool, reported: bool = True) -> None:
    """Let the bot lose its rights in a group, or get them back."""
    address = evening.address_of(group)
    (evening.messenger.lost.add if lost else evening.messenger.lost.discard)(address)
    evening.uncertain_chats.add(address)
    if reported or not lost:
        change = i.BotMembershipChanged(True, evening.house.ephemeral, can_write=not lost)
        await evening.say("Ana", change, group=group)


@act
async def move_chat(evening: "Evening", group: int, reported: bool, known: bool = False) -> None:
    """Let a group become a supergroup; the bot hears of it by an update, or by the next answer.

    `known`: somebody opened a lobby with a page at the new address before.
    """
    old = evening.address_of(group)
    new = old - 1000
    if old in evening.messenger.lost or new in evening.addresses:
        return
    if known:
        await evening.hand_in("Ana", lobby.OpenLobby(), i.Place("telegram", new, 0, "Friends"))
        with Session(evening.engine) as session:
            chat = session.exec(select(Chat).where(Chat.address == new)).first()
            if chat is not None and session.get(WebRoom, chat.id) is None:
                session.add(WebRoom(chat_id=chat.id, key=f"key{new}"))
                session.commit()
    evening.messenger.move(old, new)
    if reported:
        await evening.say("Ana", i.ChatMoved(new), group=group)
    evening.addresses[group] = new


@act
async def unreachable(evening: "Evening", seconds: float) -> None:
    evening.messenger.unreachable_until = evening.loop_time + seconds


@act
async def set_clock(evening: "Evening", seconds: float) -> None:
    evening.clock_offset += seconds
    evening.worker.process.clock_offset = evening.clock_offset
    evening.clock_set_at = evening.loop_time


@act
async def kill(evening: "Evening", sending: str = "") -> None:
    """Let the worker die, now or in its next send of a kind of notice; another one starts some seconds later."""
    if sending:
        evening.dies_sending.add(sending)
    else:
        evening.worker.die()


@act
async def freeze(evening: "Evening", seconds: float) -> None:
    process = evening.worker.process
    process.freeze()
    asyncio.get_running_loop().call_later(seconds, process.thaw)


@act
async def forget_feature(evening: "Evening") -> None:
    """Let the parts that features added to stored messages become of a kind that this version does not know."""
    with Session(evening.engine) as session:
        for row in session.exec(select(GameTable).where(col(GameTable.live))):
            row.started_parts = [*(row.started_parts or []), *UNKNOWN]
            for end in session.exec(select(RoundEnd).where(RoundEnd.table_id == row.id)):
                end.parts, end.reveal_parts = [*end.parts, *UNKNOWN], [*end.reveal_parts, *UNKNOWN]
        for waiting in session.exec(select(OutboxEntry).where(col(OutboxEntry.notice).is_not(None))):
            stored = deepcopy(waiting.notice or {})
            if "parts" in stored.get("notice", {}):
                stored["notice"]["parts"] += UNKNOWN
                waiting.notice = stored
        session.commit()


@act
async def break_words(evening: "Evening", seconds: float) -> None:
    """Let the wording of the newest table raise for some seconds; nothing of it may be expected then."""
    tables = [row.id for row, _ in evening.tables() if row.live]
    if len(tables) > 1:
        evening.broken_table = tables[-1]
        await asyncio.sleep(seconds)
        evening.broken_table = None
        evening.broken_until[tables[-1]] = evening.loop_time
