"""List every request once, and find the one of a button, a web page's act or an intent."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from telegram_bot.registry import Registry
from telegram_bot.service import intents as i
from telegram_bot.service.forms import Act, Button
from telegram_bot.service.handlers import (
    ending,
    game,
    lobby,
    pages,
    phones,
    queries,
    settings,
)
from telegram_bot.service.handlers.request import Request
from telegram_bot.service.switches import Switch

_BEFORE_FEATURES: Final[tuple[Request[Any], ...]] = (
    lobby.OPEN_LOBBY,
    lobby.START_PRIVATE_CHAT,
    lobby.JOIN,
    phones.OPEN_PRIVATE_LOBBY,
    queries.SEE_DICE,
    game.MAKE_BID,
    game.CALL_DUDO,
    game.CALL_CALZA,
    queries.SEE_STATUS,
    queries.SEE_RULES,
)
_AFTER_FEATURES: Final[tuple[Request[Any], ...]] = (
    settings.SEE_SETTINGS,
    ending.LEAVE,
    ending.STOP,
    queries.SEE_HELP,
    phones.REQUEST_PHONE_LINK,
    phones.LINK_PHONE,
    phones.UNLINK_PHONE,
    lobby.START,
    lobby.CHANGE_OPTION,
    lobby.KICK_NAMED,
    lobby.ADD_COMPUTERS,
    lobby.PLAY_AGAIN,
    game.RETURN_TO_SEAT,
    settings.CHOOSE,
    lobby.REQUEST_NEXT_GAME,
    lobby.KICK,
    lobby.OPEN_MENU,
    lobby.CHANGE_COMPUTER,
    ending.PLAY_ON,
    pages.ANSWER_KNOCK,
    game.SAY_CALLS,
    game.CONFIRM_CALL,
    game.ANSWER_NOTE,
    game.FAILED_NOTE,
    game.OTHER_RECORDING,
    phones.CHOOSE_TABLE,
    queries.IDENTIFY_ADMIN,
    queries.POSTED_ELSEWHERE,
    queries.BID_HERE,
    queries.SEE_BIDS,
    queries.UNPARSED_TEXT,
    queries.UNKNOWN_CHOICE,
)

REQUESTS: Final = Registry[type[i.PersonRequest], Request[Any]]("the requests")
"""Every request by its type, in the order of the commands on the help page."""
_BUTTONS: Final = Registry[str, list[tuple[Button, type[i.PersonRequest]]]]("the buttons")
"""The buttons by the first word of their data; those of a table first."""
_LINKS: Final = Registry[str, tuple[Button, type[i.PersonRequest]]]("the links")
"""The links to the bot by the first word of their start parameter."""
_ACTS: Final = Registry[str, tuple[Act, type[i.PersonRequest]]]("the acts of pages")


def fill_requests(of_features: Iterable[Request[Any]], switches: Iterable[Switch] = ()) -> None:
    """Make the requests of the base game and of features known, with the buttons of the switches."""
    choose = replace(settings.CHOOSE, buttons=(*settings.CHOOSE.buttons, *settings.switch_buttons(switches)))
    requests = (*_BEFORE_FEATURES, *of_features, *_AFTER_FEATURES)
    requests = tuple(choose if request is settings.CHOOSE else request for request in requests)
    REQUESTS.fill((request.type, request) for request in requests)
    buttons: dict[str, list[tuple[Button, type[i.PersonRequest]]]] = {}
    for request in sorted(requests, key=lambda request: not issubclass(request.type, i.TableIntent)):
        for button in request.buttons:
            buttons.setdefault(button.written.partition("=")[0], []).append((button, request.type))
    _BUTTONS.fill(buttons.items())
    _LINKS.fill((link.written.partition("_")[0], (link, each.type)) for each in requests for link in each.links)
    _ACTS.fill((act.word, (act, request.type)) for request in requests for act in request.acts)


def specification_of(request: i.PersonRequest) -> Request[Any]:
    """Return the specification of a request: its forms and its handler."""
    return REQUESTS[type(request)]


def write_button(request: i.PersonRequest) -> str:
    """Return the data of a button for this request.

    Raises:
        ValueError: no button can make it.
    """
    for button in specification_of(request).buttons:
        if (data := button.write(request)) is not None:
            return data
    raise ValueError(f"no button asks for {request}")


def act_of(request: i.PersonRequest) -> str:
    """Return the word of the act by which web pages make this request."""
    return specification_of(request).acts[0].word


def read_button(data: str, *, at_table: bool) -> i.PersonRequest | None:
    """Return the request in a button's untrusted data, or None if no button writes this.

    `at_table`: whether the button names a table.
    """
    for button, kind in _BUTTONS.get(data.partition("=")[0], ()):
        if at_table or not issubclass(kind, i.TableIntent):
            request: i.PersonRequest | None = button.read(data, kind)
            if request is not None:
                return request
    return None


def write_link(request: i.PersonRequest) -> str:
    """Return the start parameter of a link for this request.

    Raises:
        ValueError: no link can make it.
    """
    payloads = (link.write(request) for link in specification_of(request).links)
    return next(filter(None, payloads), None) or write_button(request)


def read_link(payload: str) -> i.PersonRequest | None:
    """Return the request in the untrusted start parameter of a link, or None if no link has it."""
    if payload.isalpha():
        return read_button(payload, at_table=False)
    form, kind = _LINKS.get(payload.partition("_")[0], (None, None))
    return None if form is None or kind is None else form.read(payload, kind)


def read_act(act: Mapping[str, Any]) -> i.PersonRequest | None:
    """Return the request of a web page's untrusted act, or None if it is malformed."""
    form, kind = _ACTS.get(str(act.get("act")), (None, None))
    return None if form is None or kind is None else form.read(act, kind)


def typed_request(word: str) -> i.PersonRequest:
    """Return the request of a word that was typed at a table, or of a call as `perudo_core` writes it."""
    request = read_button(f"bid={word}" if word[0].isdigit() else word, at_table=True)
    return i.UnknownChoice() if request is None else request
