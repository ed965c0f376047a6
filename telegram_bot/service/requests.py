"""List every request once, and find the one of a button, a web page's act or a command."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, fields, replace
from typing import Any, Final, NamedTuple

from telegram_bot.intents.forms import Act, Button
from telegram_bot.intents.request import Command, Request, slash_command
from telegram_bot.registry import Registry
from telegram_bot.screens.switches import Switch
from telegram_bot.service.handlers import (
    ending,
    game_requests,
    lobby_requests,
    pages,
    phone_requests,
    queries,
    reroll,
    settings,
)
from telegram_bot.service.handlers.base import TableRequest
from telegram_bot.words.command_lines import COMMAND_LINES, CommandLine

_BEFORE_FEATURES: Final[tuple[type[Request], ...]] = (
    lobby_requests.OpenLobby,
    lobby_requests.StartPrivateChat,
    lobby_requests.Join,
    phone_requests.OpenPrivateLobby,
    queries.SeeDice,
    game_requests.MakeBid,
    game_requests.CallDudo,
    game_requests.CallCalza,
    reroll.ShowDice,
    queries.SeeStatus,
    queries.SeeRules,
)
_AFTER_FEATURES: Final[tuple[type[Request], ...]] = (
    settings.SeeSettings,
    ending.Leave,
    ending.Stop,
    queries.SeeHelp,
    phone_requests.RequestPhoneLink,
    phone_requests.LinkPhone,
    phone_requests.UnlinkPhone,
    lobby_requests.Start,
    lobby_requests.ChangeOption,
    lobby_requests.AskOption,
    lobby_requests.KickNamed,
    lobby_requests.AddComputers,
    lobby_requests.PlayAgain,
    game_requests.ReturnToSeat,
    settings.Choose,
    lobby_requests.RequestNextGame,
    lobby_requests.LeaveNextGames,
    lobby_requests.Kick,
    lobby_requests.OpenMenu,
    lobby_requests.ChangeComputer,
    ending.PlayOn,
    pages.AnswerKnock,
    pages.AnswerVisitor,
    pages.TextSeatLink,
    pages.EndPages,
    game_requests.SayCalls,
    game_requests.ConfirmCall,
    game_requests.AnswerNote,
    game_requests.FailedNote,
    game_requests.OtherRecording,
    phone_requests.ChooseTable,
    queries.IdentifyAdmin,
    queries.PostedElsewhere,
    queries.BidHere,
    queries.SeeBids,
    queries.SeeMore,
    queries.UnparsedText,
    queries.UnknownChoice,
)


class RequestForms(NamedTuple):
    """The buttons of a request, with those of the switches, and its commands, each with its request."""

    buttons: tuple[Button, ...]
    commands: tuple[Command, ...]


REQUESTS: Final = Registry[type[Request], RequestForms]("the requests")
"""Every request, in the order of the commands on the help page."""
_BUTTONS: Final = Registry[str, list[tuple[Button, type[Request]]]]("the buttons")
"""The buttons by the first word of their data; those of a table first."""
_LINKS: Final = Registry[str, tuple[Button, type[Request]]]("the links")
"""The links to the bot by the first word of their start parameter."""
_ACTS: Final = Registry[str, tuple[Act, type[Request]]]("the acts of pages")


def fill_requests(of_features: Iterable[type[Request]], switches: Iterable[Switch] = ()) -> None:
    """Make the requests of the base game and of features known, with the buttons of the switches.

    Raises:
        TypeError: a form names a field that its request does not have.
    """
    requests = (*_BEFORE_FEATURES, *of_features, *_AFTER_FEATURES)
    choices = (*settings.Choose.buttons, *settings.switch_buttons(switches))
    for each in requests:
        _check_fields(each)
    buttons_of = {each: each.buttons for each in requests} | {settings.Choose: choices}
    forms = {each: RequestForms(buttons_of[each], tuple(_commands(each))) for each in requests}
    REQUESTS.fill((each, forms[each]) for each in requests)
    COMMAND_LINES.fill(
        (each.name, CommandLine(slash_command(each), each.help.help_page, each.in_phone_help))
        for form in forms.values()
        for each in form.commands
        if each.help.help_page is not None or each.in_phone_help
    )
    buttons: dict[str, list[tuple[Button, type[Request]]]] = {}
    for each in sorted(requests, key=lambda each: not issubclass(each, TableRequest)):
        for button in forms[each].buttons:
            buttons.setdefault(button.written.partition("=")[0], []).append((button, each))
    _BUTTONS.fill(buttons.items())
    _LINKS.fill((link.written.partition("_")[0], (link, each)) for each in requests for link in each.links)
    _ACTS.fill((act.word, (act, each)) for each in requests for act in each.acts)


def _commands(kind: type[Request]) -> Iterator[Command]:
    """Yield the commands of a request; without words each asks for the request with its defaults, if it has them."""
    needs_words = any(each.default is each.default_factory is MISSING for each in fields(kind))
    request = None if needs_words else kind()
    for command in kind.commands:
        yield replace(command, request=request)


def _check_fields(kind: type[Request]) -> None:
    names = {each.name for each in fields(kind)}
    forms: tuple[Act | Button, ...] = kind.buttons + kind.links + kind.acts
    for form in forms:
        if unknown := {*form.carries, *form.fixed} - names:
            raise TypeError(f"{kind.__name__} has no {', '.join(sorted(unknown))}")


def write_button(request: Request) -> str:
    """Return the data of a button for this request.

    Raises:
        ValueError: no button can make it.
    """
    for button in REQUESTS[type(request)].buttons:
        if (data := button.write(request)) is not None:
            return data
    raise ValueError(f"no button asks for {request}")


def act_of(request: Request) -> dict[str, Any]:
    """Return the act by which web pages make this request: its word and its fields."""
    act = request.acts[0]
    return {"act": act.word} | {name: getattr(request, name) for name in act.carries}


def read_button(data: str, *, at_table: bool) -> Request | None:
    """Return the request in a button's untrusted data, or None if no button writes this.

    `at_table`: whether the button names a table.
    """
    for button, kind in _BUTTONS.get(data.partition("=")[0], ()):
        if at_table or not issubclass(kind, TableRequest):
            request: Request | None = button.read(data, kind)
            if request is not None:
                return request
    return None


def write_link(request: Request) -> str:
    """Return the start parameter of a link for this request.

    Raises:
        ValueError: no link can make it.
    """
    payloads = (link.write(request) for link in request.links)
    return next(filter(None, payloads), None) or write_button(request)


def read_link(payload: str) -> Request | None:
    """Return the request in the untrusted start parameter of a link, or None if no link has it."""
    if payload.isalpha():
        return read_button(payload, at_table=False)
    found = _LINKS.get(payload.partition("_")[0])
    return None if found is None else found[0].read(payload, found[1])


def read_act(act: Mapping[str, Any]) -> Request | None:
    """Return the request of a web page's untrusted act, or None if it is malformed."""
    found = _ACTS.get(str(act.get("act")))
    return None if found is None else found[0].read(act, found[1])


def typed_request(word: str) -> Request:
    """Return the request of a word that was typed at a table, or of a call as `perudo_core` writes it."""
    request = read_button(f"bid={word}" if word[0].isdigit() else word, at_table=True)
    return queries.UnknownChoice() if request is None else request
