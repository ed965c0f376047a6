"""People act on what they see: keys that are shown, old ones too, words, texts, pages, a television."""

import asyncio
import json
import re
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any, Final

import httpx

from perudo_core import Bid, Dudo, legal_calls
from telegram_bot.internet import certificates
from telegram_bot.sandbox_launcher.phones import TextPhone
from telegram_sandbox import Chat, ControlError, StoredMessage, User
from test_support.simulation import engines
from test_support.simulation.world import BOT, TELEVISION, House, keys_of

KEYS_AGO: Final = 5
"""How far up people scroll, in messages."""
LEAVES: Final = re.compile("Leave|Stop|Close|Concede|Mute|End", re.IGNORECASE)
CALLS: Final = re.compile(r"g:\d+:\d+:(?:bid=\d+x\d|dudo|calza|reroll)")
BEGINS: Final = re.compile(
    r"l:\d+:(?:join|start|again|bot=\w+|fill|play_for=\d+|wake=\d+|sleeper_\w+=\d+)|p:0:(?:enter|start_list|fill_list).*"
)
"""The keys with which a game comes about, or goes on without those who are away."""
SHARES: Final = "?start=share_"
"""In the link of the key with which a person shares a result."""
LAST_NIGHT: Final = re.compile(r"p:0:night=.*")
INVITES: Final = re.compile(r"(?:[Tt]ext|e\.g\.|like|smallest raise is) (\d+x\d)\b")
"""The examples in texts, with which the reader can answer."""
LINK: Final = re.compile(r"t\.me/\w+\?start=(\S+)")
IN_GROUP: Final = (
    *("/perudo", "/status", "/dice", "/rules", "/join", "/leave", "/dudo"),
    *("/bid 2 3", "/bid 5x4", "/calza"),
)
IN_GROUP_RARELY: Final = (
    *("/tournament", "/settings", "/league", "/help", "/tv"),
    *("/wake", "/language", "/stop", "/daily", "/guess"),
)
IN_PRIVATE: Final = ("2x3", "3x4", "3 fives", "dudo", "calza", "/status", "/dice", "hello", "tre quattro", "5x6", "?")
IN_PRIVATE_RARELY: Final = (
    *("/start", "/settings", "/practice", "/daily", "/learn"),
    *("/help", "/stats", "/coach", "/phone"),
)
TEXTS: Final = ("2x3", "3x4", "DUDO", "STATUS", "DICE", "?", "4 fours", "HELP", "calza", "BACK", "3x5", "RULES")
URL: Final = f"http://127.0.0.1:{BOT}"
HIDDEN: Final = ("bid", "doubt", "guess ahead")
LANGUAGES: Final = ("en", "it", "fr", "es", "nl", "de")

Seen = tuple[StoredMessage, dict[str, Any]]


def browser() -> httpx.AsyncClient:
    headers = {"Origin": URL, "Content-Type": "application/json"}
    return httpx.AsyncClient(verify=certificates(), base_url=URL, headers=headers, timeout=15)


def newest_code(house: House, before: str) -> str | None:
    """Return the code of a table that the newest message in a group, or to all, has after these words."""
    shown = (message.text or "" for message in reversed(house.world.messages.values()))
    return next((found[1] for text in shown if (found := re.search(f"{before}([A-Z2-9]{{6}})", text))), None)


@dataclass(eq=False)
class TelegramPerson:
    """A person with Telegram on a phone."""

    house: House
    user: User
    chance: Random
    old: deque[Seen] = field(default_factory=lambda: deque(maxlen=30))
    """Keys that were shown before: an app may show them a while longer."""
    last: Callable[[], Awaitable[object]] | None = None

    @property
    def name(self) -> str:
        return self.user.name

    async def act(self) -> str:
        chance, draw = self.chance, self.chance.random()
        if draw < 0.03 and self.last is not None:
            await self.last()
            return "does it again"
        if draw < 0.06:
            return await self._live()
        keys = self._all_keys()
        begins = [key for key in keys if BEGINS.fullmatch(key[1].get("callback_data", ""))]
        begins += [key for key in keys if SHARES in key[1].get("url", "")]
        calls = [key for key in keys if CALLS.fullmatch(key[1].get("callback_data", ""))]
        if draw < 0.1 and self.old:
            return await self._press(*chance.choice(self.old), forged=True)
        if calls and draw < 0.65:
            return await self._press(*chance.choice(calls))
        if begins and draw < 0.5:
            return await self._press(*chance.choice(begins))
        usual = [key for key in keys if not LEAVES.search(key[1]["text"])] if chance.random() < 0.9 else keys
        if usual and draw < 0.85:
            return await self._press(*chance.choice(usual))
        if chance.random() < 0.5:
            return await self._write(
                chance.choice(IN_GROUP if chance.random() < 0.8 else IN_GROUP_RARELY), self.house.group
            )
        return await self._write(chance.choice(IN_PRIVATE if chance.random() < 0.8 else IN_PRIVATE_RARELY), None)

    async def do(self, what: str) -> str | None:
        """Write a command in the group, or press the first key whose data has these words, or one that is not shown."""
        if what.startswith("/"):
            return await self._write(what, self.house.group)
        if what in HIDDEN:
            return await self._press_hidden(what)
        found = next((key for key in self._all_keys() if what in key[1].get("callback_data", "")), None)
        return None if found is None else await self._press(*found)

    async def _press_hidden(self, what: str) -> str | None:
        """Press a key of the running step that may be shown to nobody: a call that depends on nobody's dice."""
        for table in self.house.games():
            game, call = table.begun_game, "bid=1x5"
            if what != "guess ahead":
                if game.turn is None or table.seats[game.turn].name != self.name:
                    continue
                legal, likely = legal_calls(game, game.turn), game.total_dice / 3
                bids = (each for each in legal if isinstance(each, Bid))
                bid = min(bids, key=lambda each: abs(each.quantity - likely), default=None)
                doubts = what == "doubt" and any(isinstance(each, Dudo) for each in legal)
                call = "dudo" if bid is None or doubts else f"bid={bid.quantity}x{bid.face}"
            data, shown = f"g:{table.id}:{table.step}:{call}", self.user.messages(self.house.group)[-1]
            for pause in (1.2, 0) if call == "dudo" else (0,):  # a beginner is asked whether they are sure
                await self.user.tap_button(data, self.house.group, forged=True, message_id=shown.message_id)
                await asyncio.sleep(pause)
            return f"presses {data}"
        return None

    async def press_words(self, *words: str, after: float = 0) -> None:
        """Press the key that has each word, of the group or else of the private chat, if it is there."""
        with suppress(ControlError):
            for word in words:
                await asyncio.sleep(after)
                if (found := next((key for key in self._all_keys() if word in key[1]["text"]), None)) is not None:
                    self.house.note(f"{self.name} {await self._press(*found)}")

    async def guess_last_night(self) -> None:
        self.house.note(f"{self.name} {await self._write('/daily', self.house.group)}")
        await asyncio.sleep(3)
        keys = [key for key in self._keys(self.house.group) if LAST_NIGHT.fullmatch(key[1].get("callback_data", ""))]
        if keys:
            self.house.counts["guesses of last night"] += 1
            self.house.note(f"{self.name} {await self._press(*self.chance.choice(keys))}")

    def _all_keys(self) -> list[Seen]:
        return [*self._keys(self.house.group), *self._keys(None)]

    def _keys(self, chat: Chat | None) -> list[Seen]:
        messages = self.user.messages(chat)[-KEYS_AGO:]
        shown = ((message, key) for message in messages for key in keys_of(message))
        return [(message, key) for message, key in shown if "callback_data" in key or "url" in key]

    async def _press(self, message: StoredMessage, button: dict[str, Any], *, forged: bool = False) -> str:
        """Press a key; `forged`: it may not be there any more."""
        if "url" in button:
            found = LINK.search(button["url"])
            if found is None:
                return f"reads {button['text']!r}"
            self.house.counts["shares a result"] += SHARES in button["url"]
            return await self._write(f"/start {found[1]}", None)
        self.old.append((message, button))
        self.house.counts["looks through the bids"] += ":face=" in button["callback_data"]
        self.house.counts["plays on for another"] += ":play_for=" in button["callback_data"]
        chat = self.house.world.chats[message.chat_id]
        number = message.ephemeral_message_id
        where = {"ephemeral_message_id": number} if number else {"message_id": message.message_id}

        self.last = partial(self.user.tap_button, button["callback_data"], chat, forged=forged, **where)
        if not forged and not self.user.person.blocked_bot and CALLS.fullmatch(button["callback_data"]):
            _, table, step, _ = button["callback_data"].split(":")
            self.house.accepted(self.name, button["text"], turn=(int(table), int(step)))
        await self.last()
        return f"presses {button['text']!r} ({button['callback_data']})"

    async def _write(self, words: str, chat: Chat | None) -> str:
        reply = None
        if chat is not None and not words.startswith("/"):
            bot = self.house.world.settings.bot_id
            mine = [one for one in self.user.messages(chat)[-KEYS_AGO:] if one.sender_id == bot]
            reply = self.chance.choice(mine) if mine else None
        self.last = partial(self.user.send, words, chat, reply_to=reply)
        await self.last()
        return f"writes {words!r} {'in private' if chat is None else 'in the group'}"

    async def _live(self) -> str:
        """Do what people do besides playing."""
        user, chance = self.user, self.chance
        match chance.randrange(6):
            case 0:
                if user.person.blocked_bot:
                    await self.house.let_bot_in(user)
                    return "lets the bot in"
                await user.change(blocked_bot=True)
                return "blocks the bot"
            case 1:
                await user.change(language_code=chance.choice(LANGUAGES))
                return "changes the language"
            case 2:
                await user.change(name=f"{user.name[:12]}{chance.choice('aeiou')}")
                return "changes the name"
            case 3 if self.user.id in self.house.group.members and self.house.group.owner != self.user.id:
                await user.leave(self.house.group)
                return "leaves the group"
            case _ if self.user.id not in self.house.group.members:
                await user.join(self.house.group)
                return "joins the group"
            case _:
                return "does nothing"


@dataclass(eq=False)
class PhonePerson:
    """A person without the app, who texts."""

    house: House
    name: str
    phone: TextPhone
    chance: Random
    _texted_at: float = 0.0

    async def act(self) -> str:
        chance = self.chance
        got, invited, code = self._got(), self._invited(), newest_code(self.house, "JOIN ")
        asked = re.search(r"\b([A-Z]+ \d{4})\.", got[-1][0]) if got else None
        if asked is not None and chance.random() < 0.8:
            words = asked[1]
        elif code is not None and (not got or chance.random() < 0.2):
            words = f"JOIN {code}"
        elif invited and chance.random() < 0.6:
            words = chance.choice(invited)
        elif not got:
            words = self.name if chance.random() < 0.5 else "NEW"
        else:
            words = chance.choice((*TEXTS, self.name, "GO", "NEW"))
        return self._text(words)

    async def do(self, what: str) -> str | None:
        """Text JOIN with the newest code, the EXAMPLE of the bot's last text, or these words."""
        words: str | None = what
        if what == "JOIN":
            words = None if (code := newest_code(self.house, "JOIN ")) is None else f"JOIN {code}"
        elif what == "EXAMPLE":
            words = next(iter(self._invited()), None)
        return None if words is None else self._text(words)

    def _got(self) -> list[tuple[str, float]]:
        """Return the bot's texts to this phone, each with its time."""
        return [(words, at) for number, words, at in self.house.texts if number == self.phone.number]

    def _invited(self) -> list[str]:
        """Return the examples in the bot's last text."""
        return INVITES.findall(got[-1][0]) if (got := self._got()) else []

    def _text(self, words: str) -> str:
        """Text the bot, perhaps twice."""
        house, got = self.house, self._got()
        # Else it may be another text of theirs that ends the turn.
        if words in self._invited() and got[-1][1] > self._texted_at:
            house.accepted(self.name, words, texted=got[-1][1])
        self._texted_at = house.loop.time()
        for _ in range(2 if house.draws("text doubled") else 1):
            house.background(self._send(words))
        return f"texts {words!r}"

    async def _send(self, words: str) -> None:
        await asyncio.sleep(self.chance.uniform(0.2, 30) if self.house.draws("text late") else 0.3)
        self.house.phones.text_bot(self.phone.id, words)


@dataclass(eq=False)
class Page:
    """A guest's page, or a television, that reads its stream and draws cards."""

    house: House
    name: str
    chance: Random
    http: httpx.AsyncClient = field(default_factory=browser)
    cards: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The newest card of each slot."""
    code: str | None = None
    _acts: int = 0
    _reading: asyncio.Task[None] | None = None

    async def post(self, name: str, /, **body: Any) -> tuple[int, dict[str, Any]]:
        """Send a request of the page; return status and JSON, or 0 without an answer."""
        try:
            answer = await self.http.post(f"/seat/{name}", json=body)
        except httpx.TransportError:
            return 0, {}
        found: dict[str, Any] = answer.json() if answer.content[:1] == b"{" else {}
        if found.get("token"):
            self.http.headers["Authorization"] = f"Bearer {found['token']}"
        if name == "room" and "link" in found:
            self.code = found["link"].partition("/t/")[2]
        self.house.counts[f"page {answer.status_code}"] += 1
        return answer.status_code, found

    def read(self) -> None:
        """Begin to read the stream, and again whenever it ends."""
        if self._reading is None or self._reading.done():
            self._reading = self.house.background(self._read())

    @property
    def reads(self) -> bool:
        """Whether it may read the stream."""
        return bool(self.http.cookies) or "Authorization" in self.http.headers

    def opened_anew(self) -> "Page":
        """Return the same page in another tab, which begins to read."""
        other = Page(self.house, f"{self.name} again", self.chance, self.http)
        other.read()
        return other

    def sleep(self) -> None:
        """Stop reading, as a phone in a pocket does."""
        if self._reading is not None:
            self._reading.cancel()

    async def _read(self) -> None:
        while True:
            with suppress(httpx.TransportError):
                async with self.http.stream("POST", f"/seat/stream?tab={self.name}", timeout=None) as answer:
                    if answer.status_code == 200:
                        await self._draw(answer)
            await asyncio.sleep(1)

    async def _draw(self, answer: httpx.Response) -> None:
        rest = ""
        async for piece in answer.aiter_text():
            *events, rest = (rest + piece).split("\n\n")
            for one in events:
                lines = dict(re.findall(r"(?m)^(\w+): (.*)$", one))
                if lines.get("event") == "end" and json.loads(lines["data"]).get("why") == "moved":
                    self.cards.clear()
                if lines.get("event") == "card":
                    card = json.loads(lines["data"])
                    self.cards[card["slot"]] = card
                    self.house.note(f"{self.name} sees {json.dumps(card, sort_keys=True)}")

    async def act(self) -> str:
        chance = self.chance
        if not self.reads:
            return await self._enter()
        self.read()
        draw = chance.random()
        if draw < 0.04:
            self.sleep()
            return "puts the phone away"
        if draw < 0.07:
            self.cards = {}
            self.sleep()
            return "reloads the page"
        if draw < 0.1:
            return await self._change_phone()
        game, hand = self.cards.get("table", {}), self.cards.get("hand", {})
        if self.cards.get("door", {}).get("card") == "knock" and draw < 0.2:
            status, _ = await self.post("room", do="admit", player=self.cards["door"]["player"])
            return f"lets someone in: {status}"
        offer = self.cards.get("twist", {})
        if offer.get("twists") and draw < 0.5:
            return await self._do("twist", game=offer["game"], twist=offer["twists"][0]["twist"])
        if draw < 0.3 and any(each["act"] == "no_twist" for each in game.get("acts") or ()):
            return await self._do("no_twist")
        if game.get("card") == "round" and draw < 0.8:
            away = [seat for seat in game["seats"] if seat["away"] and not seat["out"] and not seat["computer"]]
            if away and chance.random() < 0.2:
                act = chance.choice(("play_for", "play_for", "wake", "sleeper_out", "sleeper_bot"))
                self.house.counts["plays on for another"] += act == "play_for"
                return await self._do(act, player=chance.choice(away)["player"])
            newest = max((game, hand), key=lambda card: card.get("step") or 0)
            more = {"table": game.get("table"), "step": newest.get("step")}
            raises = newest.get("raises") or []
            if raises and chance.random() < 0.7:
                quantity, face = chance.choice(raises[:6])
                if hand:  # else they watch
                    self.house.accepted(self.name, f"{quantity}x{face}", turn=(more["table"], more["step"]))
                return await self._do("bid", quantity=quantity, face=face, lifts=self._acts % 5, **more)
            return await self._do(chance.choice(("dudo", "dudo", "calza")), **more)
        if game.get("card") == "lobby":
            words = ("join", "join", "start", "computers", "again", "round_zero", "known", "name", "shout", "leave")
            word = chance.choice(words)
            player = {"engine": engines.NAME} if self.house.settings.engines.commands else {"level": "beginner"}
            keys: dict[str, dict[str, Any]] = {
                "computers": {"count": 1, **player},
                "round_zero": {"stage": "lift", "answer": 0},
                "shout": {"word": "bravo"},
            }
            more = {"value": f"{self.name}{chance.choice('aeiou')}"} if word == "name" else keys.get(word, {})
            return await self._do(word, **more)
        word = chance.choice(("join", "again", "story", "coach", "shout", "guess", "leave", "language", "wake"))
        guess = chance.choice(("bluff", "exact", "more"))
        return await self._do(word, value="it", word="bravo", guess=guess, step=game.get("step"), player=0)

    async def do(self, _: str) -> str | None:
        """Enter a room, and read."""
        done = await self._enter()
        if not self.reads:
            return None
        self.read()
        return done

    async def _do(self, act: str, /, **more: Any) -> str:
        self._acts += 1
        body = {"id": f"{self.name}{self._acts}", "act": act, **more}
        for _ in range(2 if self.chance.random() < 0.1 else 1):
            status, answer = await self.post("act", **body)
        if act == "language" and status == 200:  # the page clears its room, and reads it again
            self.cards = {}
            self.sleep()
            self.read()
        return f"does {act} {more}: {status} {answer.get('text', '')!r}"

    async def _change_phone(self) -> str:
        """Open the seat on another phone: by the own link, or by the others' answer."""
        _, room = await self.post("room", do="keep_seat")
        code, _, key = ((room.get("seat") or {}).get("link", "")).partition("/t/")[2].partition("#seat=")
        if not key:
            return "has no seat to keep"
        self.sleep()
        self.http.cookies.clear()
        self.cards = {}
        if self.chance.random() < 0.5:
            status, _ = await self.post("enter", code=code, seat=key, language="en")
            return f"opens the own link: {status}"
        _, door = await self.post("door", code=code)
        absent = next((seat["player"] for seat in door.get("absent", []) if seat["name"] == self.name), 0)
        status, _ = await self.post("enter", code=code, claims=absent, language="en")
        return f"says whose seat it is: {status}"

    async def _enter(self) -> str:
        """Enter the group's table by its code, or open a table."""
        host = next((page for page in self.house.pages if page.code is not None), None)
        if host is not None and host is not self and host.code is not None:
            code, _, key = host.code.partition("#")
            status, _ = await self.post("enter", code=code, key=key, name=self.name, language="en")
            return f"enters a room: {status}"
        if (shown := newest_code(self.house, "/t/")) is not None:
            status, _ = await self.post("enter", code=shown, name=self.name, language="en")
            return f"asks for a seat: {status}"
        status, _ = await self.post("open", name=self.name, language="en")
        await self.post("room", do="show")
        return f"opens a table: {status}"


class Television(Page):
    """A television, which shows the room of the first page."""

    async def act(self) -> str:
        if not self.reads:
            host = next((page for page in self.house.pages if page.code is not None and page is not self), None)
            if host is None:
                return "is off"
            _, room = await host.post("room", do="show")
            if not room.get("screen"):
                return "is off"
            code, _, key = room["screen"].partition("/tv/")[2].partition("#")
            status, _ = await self.post("screen", code=code, key=key)
            return f"is on: {status}"
        self.read()
        return "shows the room"


Person = TelegramPerson | PhonePerson | Page


def people_of(house: House) -> list[Person]:
    plan, chance = house.plan, house.chance["people"]
    found: list[Person] = [TelegramPerson(house, user, chance) for user in house.users]
    found += [PhonePerson(house, phone.name, phone, chance) for phone in house.phones.phones.values()]
    house.pages = [(Television if name == TELEVISION else Page)(house, name, chance) for name in plan.guests]
    return [*found, *house.pages]


async def act(person: Person, what: str = "") -> bool:
    """Let one person do something, or what a script says, and write it down; return False if they cannot do that."""
    house = person.house
    try:
        done = await (person.do(what) if what else person.act())
    except ControlError as error:
        done = f"cannot: {error}"
    if done is None:
        return False
    house.counts["acts"] += 1
    house.note(f"{person.name} {done}")
    return True
