"""Every request has one specification; its defaults are strict, because they guard secrets."""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass

import pytest

from telegram_bot.intents.forms import Act, Button
from telegram_bot.intents.request import Request
from telegram_bot.service.handlers.base import PersonRequest, TableRequest
from telegram_bot.service.handlers.ending import Stop
from telegram_bot.service.handlers.lobby_requests import Start
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.requests import REQUESTS, fill_requests, read_act


def types_below(base: type) -> Iterator[type]:
    """The types of requests, without those that only others extend.

    `slots=True` leaves behind a second class of the same name, which no module holds.
    """
    each: type
    for each in base.__subclasses__():
        yield from types_below(each)
        is_held = getattr(sys.modules[each.__module__], each.__name__, None) is each
        if is_dataclass(each) and is_held and not any(types_below(each)):
            yield each


def test_every_request_is_specified_once_for_the_place_where_it_is_asked() -> None:
    assert {kind for kind in types_below(Request) if kind is not PeekAtTheNextRound} == REQUESTS.keys()
    assert [kind for kind in REQUESTS if issubclass(kind, TableRequest) == issubclass(kind, PersonRequest)] == []


def test_no_two_requests_share_an_act_or_the_data_of_a_button() -> None:
    acts = Counter(act.word for kind in REQUESTS for act in kind.acts)
    data = Counter(
        (issubclass(kind, TableRequest), button.written) for kind, forms in REQUESTS.items() for button in forms.buttons
    )
    assert [each for each, times in (acts + data).items() if times > 1] == []


def test_a_form_names_fields_of_its_request_only() -> None:
    class StartAtButton(Start):
        buttons = (Button("start={seat}"),)

    class StartByAct(Start):
        acts = (Act("start", "seat"),)

    for kind in (StartAtButton, StartByAct):
        with pytest.raises(TypeError, match=f"{kind.__name__} has no seat"):
            fill_requests((kind,))


def test_neither_a_button_nor_a_page_carries_what_the_bot_looks_up() -> None:
    looked_up = {"is_admin", "ephemeral_allowed", "advice", "story", "greeted", "sure", "guesses"}
    carried = {
        (kind.__name__, name)
        for kind in REQUESTS
        for forms in (kind.buttons, kind.acts)
        for form in forms
        for name in (*form.carries, *form.fixed)
        if name in looked_up
    }
    assert carried == set()
    assert looked_up <= {field.name for kind in REQUESTS for field in fields(kind)}


def test_a_malformed_act_asks_for_nothing() -> None:
    for malformed in (
        {},
        {"act": "shoot"},
        {"act": ["bid"]},
        {"act": "bid"},
        {"act": "bid", "quantity": "5", "face": 4},
        {"act": "bid", "quantity": True, "face": 4},
        {"act": "bid", "quantity": 5, "face": 7},
        {"act": "kick", "player": 10**15},
        {"act": "computers", "level": "perfect"},
        {"act": "leave", "confirmed": "yes"},
    ):
        assert read_act(malformed) is None, malformed


def test_what_a_page_sends_beside_the_fields_of_its_act_is_ignored() -> None:
    assert read_act({"act": "stop", "confirmed": True, "is_admin": True, "id": "x"}) == Stop(confirmed=True)


@dataclass(frozen=True, slots=True)
class PeekAtTheNextRound(TableRequest):
    """A request whose specification sets no option."""

    def handle(self, context: TableContext) -> None:
        """Tell nothing."""


def test_a_request_of_which_nothing_is_said_is_strict() -> None:
    peek = PeekAtTheNextRound()
    assert peek.tells_of_reveal
    assert peek.bound_to_step
    assert not peek.allowed_while_suspended
