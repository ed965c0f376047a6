"""Write and parse the callback data of buttons: at most 64 bytes, no secrets, everything checked after a tap."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from urllib.parse import parse_qs, urlsplit

from perudo_core.agents import Level
from perudo_core.stirs import SIGNS
from telegram_bot.channels.telegram.buttons import start_link
from telegram_bot.service import intents as i
from telegram_bot.tables.views import PredictedCall
from telegram_bot.words.catalogue import LANGUAGES
from telegram_bot.words.chat.lobby import LobbyPage

LONGEST: Final = 64
PRACTISE: Final = "p:0:practise=2"
"""The data of the button that begins a practice game, against as many as make a lively one."""
_TO: Final = "__"
"""Stands between an option and its value."""
_AUTOMATIC: Final = "auto"
"""The value of the button that removes the chosen language."""
_SHAPE: Final = re.compile(
    r"(?P<area>[a-z]{1,2}):(?P<table>\d{1,15})(?::(?P<step>\d{1,9}))?:(?P<word>[a-z_]+)(?:=(?P<value>[A-Za-z0-9_]*))?"
)
_BID: Final = re.compile(r"(\d{1,3})x([1-6])")
_ANSWER: Final = re.compile(r"(?:(?P<call>\d{1,3}x[1-6]|dudo|calza)_(?P<rank>[1-3])|no)_(?P<asked>\d{1,15})")
_LESSON: Final = re.compile(r"(\d)(?:_(\d))?")
_DAILY: Final = re.compile(r"(\d{1,9})_(\d{1,3}x[1-6]|dudo|calza)")
_NUMBER: Final = re.compile(r"\d{1,15}")


@dataclass(frozen=True, slots=True)
class ParsedTap:
    """What a tapped button asks for."""

    what: i.What
    table: int | None
    step: int | None


def lobby(table: int, word: str, value: object = None) -> str:
    """The data of a lobby button."""
    return _data("l", table, None, word, value)


def game(table: int, step: int, word: str, value: object = None) -> str:
    """The data of a game button, bound to one step of the game."""
    return _data("g", table, step, word, value)


def note_answer(table: int, step: int, asked: int, call: str | None = None, rank: int = 0) -> str:
    """The data of a button with which a player tells what they said; None: nothing of what was heard."""
    return game(table, step, "said", f"no_{asked}" if call is None else f"{call}_{rank}_{asked}")


def option(table: int, name: str, value: object = None) -> str:
    """The data of a button that sets an option of the lobby to a value; None: to its next value."""
    return lobby(table, "set", name if value is None else f"{name}{_TO}{value}")


def setting(name: str, value: i.SettingValue, *, to_all: bool) -> str:
    """The data of a button that sets a setting of the person, or of everybody in the group."""
    text = next(text for text, each in _setting_values(name).items() if each == value)
    return person("set_to_all" if to_all else "set", f"{name}{_TO}{text}")


def _setting_values(name: str) -> dict[str, i.SettingValue]:
    """The values of a setting that buttons offer, by how they are written."""
    kind = i.SETTINGS[name].kind
    if kind is bool:
        return {"on": True, "off": False}
    if issubclass(kind, StrEnum):
        return {member.value: member for member in kind}
    if name == "chosen_language":
        return {_AUTOMATIC: None, **{language: language for language in LANGUAGES}}
    return {}


def person(word: str, value: object = None) -> str:
    """The data of a button about the person alone."""
    return _data("p", 0, None, word, value)


def tutorial(step: int, answer: int | None = None) -> str:
    """The data of a button of the tutorial: an answer to a step; None: show the step."""
    return person("learn", step if answer is None else f"{step}_{answer}")


def _data(area: str, table: int, step: int | None, word: str, value: object) -> str:
    head = f"{area}:{table}" if step is None else f"{area}:{table}:{step}"
    return f"{head}:{word}" if value is None else f"{head}:{word}={value}"


def parse_callback(data: str | None) -> ParsedTap | None:
    """The intent of a button's data; None if no button of the bot has this data.

    The data comes from outside and may be anything.
    """
    found = _SHAPE.fullmatch(data) if data and len(data) <= LONGEST else None
    if found is None:
        return None
    value = found["value"]
    step = None if found["step"] is None else int(found["step"])
    match found["area"]:
        case "l" if step is None:
            what = _lobby(found["word"], value)
        case "g" if step is not None:
            what = _game(found["word"], value)
        case "p" if step is None:
            what = _person(found["word"], value)
            return None if what is None else ParsedTap(what, None, None)
        case _:
            return None
    return None if what is None else ParsedTap(what, int(found["table"]), step)


_PLAIN_LOBBY: Final[dict[str, i.What]] = {
    "join": i.Join(),
    "leave": i.Leave(),
    "start": i.Start(),
    "seal": i.SealDice(),
    "again": i.PlayAgain(),
    "watch": i.WatchEnd(),
    "record": i.SeeRecord(),
    "story": i.TellStory(),
    "stop": i.Stop(),
    "close": i.Stop(confirmed=True),
    "fill": i.AddComputers(None),
}


def _lobby(word: str, value: str | None) -> i.What | None:
    if value is None:
        return _PLAIN_LOBBY.get(word)
    match word:
        case "menu" if value in set(LobbyPage):
            return i.TurnPage(None if value == LobbyPage.MAIN else value)
        case "stir" if _NUMBER.fullmatch(value) and int(value) < len(SIGNS):
            return i.StirDice(SIGNS[int(value)])
        case "set" if value:
            option, _, choice = value.partition(_TO)
            return i.ChangeOption(option, choice or None)
        case "close" if _NUMBER.fullmatch(value):
            return i.Stop(confirmed=True, asked=int(value))
        case "play_on" if _NUMBER.fullmatch(value):
            return i.PlayOn(int(value))
        case "bot" if value in set(Level):
            return i.AddComputers(1, Level(value))
        case "bot_level" | "bot_character" if _NUMBER.fullmatch(value):
            return i.ChangeComputer(-int(value), "level" if word == "bot_level" else "character")
        case "bot_kick" if _NUMBER.fullmatch(value):
            return i.Kick(-int(value))
        case "admit" | "refuse" if _NUMBER.fullmatch(value):
            return i.AnswerKnock(int(value), admit=word == "admit")
        case "kick" if _NUMBER.fullmatch(value):
            return i.Kick(int(value))
        case _:
            return None


_PLAIN_GAME: Final[dict[str, i.What]] = {
    "dudo": i.CallDudo(),
    "calza": i.CallCalza(),
    "dice": i.SeeDice(),
    "hint": i.AskCoach(),
    "here": i.BidHere(),
    "back": i.ReturnToSeat(),
    "leave": i.Leave(),
    "rules": i.SeeRules(),
    "status": i.SeeStatus(),
}


def _game(word: str, value: str | None) -> i.What | None:
    match word:
        case "bid" if value and (bid := _BID.fullmatch(value)):
            return i.MakeBid(int(bid[1]), int(bid[2]))
        case "said" if value and (answer := _ANSWER.fullmatch(value)):
            return i.AnswerNote(int(answer["asked"]), answer["call"], int(answer["rank"] or 0))
        case "predict" if value in set(PredictedCall):
            return i.PredictCall(PredictedCall(value))
        case "face" if value in set("0123456"):
            return i.SeeBids(int(value))
        case "faces" if value is None:
            return i.SeeBids(None)
        case "quit" if value and _NUMBER.fullmatch(value):
            return i.Leave(confirmed=True, asked=int(value))
        case _:
            return _PLAIN_GAME.get(word) if value is None else None


def _person(word: str, value: str | None) -> i.What | None:
    if word in ("set", "set_to_all") and value:
        return _setting(value, to_all=word == "set_to_all")
    if word == "open" and value is None:
        return i.OpenLobby()
    if word == "learn":
        return _tutorial(value)
    if word == "daily" and value and (decided := _DAILY.fullmatch(value)):
        return i.PlayDaily(int(decided[1]), decided[2])
    if word == "next" and value is None:
        return i.RequestNextGame()
    if word == "practise" and (value is None or value in set("12345")):
        return i.Practise(None if value is None else int(value))
    return None


def _setting(data: str, *, to_all: bool) -> i.Choose | None:
    name, _, text = data.partition(_TO)
    offered = i.SETTINGS.get(name)
    if offered is None or not (offered.group if to_all else offered.person):
        return None
    values = _setting_values(name)
    return i.Choose(name, values[text], to_all) if text in values else None


def _tutorial(value: str | None) -> i.What | None:
    if value is None:
        return i.TakeTutorial()
    found = _LESSON.fullmatch(value)
    return found and i.TakeTutorial(int(found[1]), None if found[2] is None else int(found[2]))


# An inline result that is a call has a game button's data as its id. The message that it posts tells who posted it and
# where, but not which result it was. So the sign at its beginning is a link to the bot which carries the same data. All
# of it is public as soon as it is posted.

_CALLS: Final = (i.MakeBid, i.CallDudo, i.CallCalza)
_TO_LINK: Final = str.maketrans(":=", "-_")
"""A start parameter consists of letters, digits, - and _."""


def parse_result_id(name: str | None) -> ParsedTap | None:
    """The call that a result's id names; None if it names none."""
    tap = parse_callback(name)
    return tap if tap is not None and isinstance(tap.what, _CALLS) else None


def call_link(bot: str, name: str) -> str:
    """The link that carries a call; whoever follows it opens the private chat with the bot."""
    return start_link(bot, name.translate(_TO_LINK))


def name_in_link(url: str) -> str:
    """The name that `call_link` wrote into a link; anything else names no call."""
    (carried, *_) = parse_qs(urlsplit(url).query).get("start", [""])
    return carried.replace("-", ":").replace("_", "=")
