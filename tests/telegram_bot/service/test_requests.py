"""Every request has one specification, and each command one entry that is true; few of their keys are shown at once."""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields, is_dataclass, replace
from typing import Final

import pytest

from perudo_core import Rules
from perudo_core.agents import Level
from telegram_bot.channels.sms.text_parser import TextRequest, parse_message
from telegram_bot.channels.telegram import channel
from telegram_bot.channels.telegram.buttons import SeatPages
from telegram_bot.channels.telegram.keyboards import keyboard, seat_rows
from telegram_bot.intents import intents as i
from telegram_bot.intents.envelope import MessageRef
from telegram_bot.intents.forms import Act, Button
from telegram_bot.intents.request import Command, Request, Scope, Who, texted_command
from telegram_bot.notices import GameOverNotice, HelpNotice, LobbyNotice, Notice, RejectionNotice
from telegram_bot.notices.rendering import message_html
from telegram_bot.parsing.command_words import Asker, read_words
from telegram_bot.parsing.to_intent import parse_text
from telegram_bot.presentation.notice_keys import keys_of
from telegram_bot.service.commands import commands, find_command
from telegram_bot.service.handlers.base import PersonRequest, TableRequest
from telegram_bot.service.handlers.ending import Stop
from telegram_bot.service.handlers.lobby_requests import OpenMenu, Start
from telegram_bot.service.handlers.queries import SeeMore, UnparsedText
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.requests import REQUESTS, fill_requests, read_act
from telegram_bot.tables import computer_players
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.house_rules import CLASSIC, TWISTS, HouseRules
from telegram_bot.tables.views import LobbyView, lobby_view
from test_support.documents import ROOT
from tests.telegram_bot.conftest import EN, GroupHarness, at, lobby_table, rejection_of


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
    kinds = REQUESTS.items()
    data = Counter((issubclass(kind, TableRequest), each.written) for kind, forms in kinds for each in forms.buttons)
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


def test_a_malformed_act_asks_for_nothing_and_what_is_sent_beside_its_fields_is_ignored() -> None:
    assert read_act({"act": "stop", "confirmed": True, "is_admin": True, "id": "x"}) == Stop(confirmed=True)
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


ALL_AT_THE_END = [
    "🔁 Play again",
    "📖 Tell the story",
    "🎬 Best reveals",
    "📋 Share my result",
    "🔐 Check the dice",
    "🔔 Tell me about new games",
]


CLASSIC_HOUSE = HouseRules(
    key=CLASSIC, title="Classic", rules=Rules.preset("box_2009").with_options(calza=True, lost_dice="visible")
)


def labels(notice: Notice) -> list[str]:
    pages = SeatPages("https://perudo.example.org", "")
    rows = [*keyboard(notice, EN, bot="bot"), *seat_rows(notice, EN, pages, bot="bot", registered=True)]
    return [key["text"] for row in rows for key in row]


def lobbies() -> Iterator[LobbyView]:
    """Lobbies of one, two or all seats, of people or computer players, by two rulebooks, with or without each twist."""
    for rules in (CLASSIC_HOUSE.rules, Rules.preset("aces")):
        for twist in (None, *TWISTS):
            options = {} if twist is None else {"twist": twist}
            twisted = rules if twist is None else rules.with_options(**TWISTS[twist])
            for seated in (1, 2, twisted.max_seats or 10):
                table = lobby_table(seated, twisted).replace(options=options, secret="ab" * 32)
                yield lobby_view(table)
                alone = lobby_table(1, twisted).replace(options=options, secret="ab" * 32)
                if seated > 1:
                    filled = computer_players.add(alone, alone.host, seated - 1, Level.STRONG, moment=at())
                    yield lobby_view(filled.table)


def test_a_lobby_has_two_keys_in_its_group_and_its_host_at_most_42_in_all_private_menus() -> None:
    most = 0
    for view in lobbies():
        lobby = LobbyNotice(view=view, house_rules=(CLASSIC_HOUSE,))
        assert labels(lobby) == ["🙋 Join", "▶️ Start"]
        menus, keys = [""], []
        for menu in menus:
            shown = lobby.model_copy(update={"menu": menu or None, "to_host": True})
            keys += [label for label in labels(shown) if not label.endswith("Back")]
            opens = [key.request for row in keys_of(shown, EN) for key in row]
            found = [each.menu for each in opens if isinstance(each, OpenMenu) and each.menu]
            menus += [each for each in found if each not in menus]
        assert menus == ["", "rules", "players", "options", "books", "names"]
        most = max(most, len(keys))
    assert most <= 42


def test_telegram_lists_seven_commands_in_a_group_and_help_names_the_others() -> None:
    listed = {each.command for each in channel.menu("group_menu", EN)}
    assert listed == {"perudo", "rules", "tournament", "daily", "league", "settings", "help"}
    helped = message_html(HelpNotice(private=False), EN) or ""
    for key_does_it in ("bid", "dice", "status", "stop", "leave", "wake", "stats"):
        assert f"/{key_does_it}" in helped


async def test_a_result_has_two_keys_in_a_group_and_one_in_private_and_more_shows_all(harness: GroupHarness) -> None:
    harness.service.config = replace(harness.service.config, rules=Rules(starting_dice=2, palifico=False))
    await harness.start_game("Ana", "Bo")
    await harness.play_out()
    ends = [each for each in harness.notices("game_over") if isinstance(each, GameOverNotice)]
    assert sorted((each.in_group, labels(each)) for each in ends) == [
        (False, ["🔁 Play again"]),
        (False, ["🔁 Play again"]),
        (True, ["🔁 Play again", "More"]),
    ]
    harness.mark_all_sent()
    await harness.tap("Bo", SeeMore(), tapped=MessageRef(5))
    (unfolded,) = harness.envelopes()
    assert unfolded.target == MessageRef(5)
    assert sorted(labels(unfolded.notice)) == sorted(ALL_AT_THE_END)


REFUSED_WITH: Final = {
    Who.PLAYER: {RejectionReason.NOT_SEATED, RejectionReason.JOIN_FIRST},
    Who.HOST: {RejectionReason.NOT_HOST, RejectionReason.NOT_ALLOWED},
    Who.HOST_OR_ADMIN: {RejectionReason.NOT_ALLOWED},
}


def label(command: Command) -> str:
    return f"{command.name}-{command.scope.name}"


def test_no_word_is_two_commands_in_one_place() -> None:
    for scope in Scope.EVERYWHERE:
        words = [command.name for command in commands() if scope in command.scope]
        if scope in Scope.CHATS:
            words += [alias for command in commands() if scope in command.scope for alias in command.aliases]
        assert [word for word, times in Counter(words).items() if times > 1] == []


def test_a_command_is_found_where_it_is_understood_and_nowhere_else() -> None:
    for command in commands():
        for scope in Scope.EVERYWHERE:
            found = find_command(command.name, scope)
            assert (found is command) == (scope in command.scope)
    assert find_command("newgame", Scope.GROUP) is find_command("perudo", Scope.GROUP)
    assert find_command("newgame", Scope.TEXT) is None


def test_a_word_that_is_understood_in_talk_is_understood_by_text_as_well() -> None:
    """The grammars list the words of the commands by text."""
    assert all(Scope.TEXT in command.scope for command in commands() if Scope.TALK in command.scope)


@pytest.mark.parametrize("command", commands(), ids=label)
def test_every_command_is_understood_with_its_example_behind_it(command: Command) -> None:
    assert intents_of(command)
    assert not any(isinstance(intent, UnparsedText) for intent in intents_of(command))


def intents_of(command: Command) -> list[i.AnyRequest]:
    """The intents of a command in each place, with its example after it."""
    asked: list[i.AnyRequest] = []
    if command.scope & Scope.CHATS:
        what = command.request or read_words(command, command.example, Asker("en", "Europe/Rome", ()))
        assert not isinstance(what, tuple)
        asked.append(parse_text(what.text, "en") or what if isinstance(what, i.TypedText) else what)
    if Scope.TEXT in command.scope:
        read = parse_message(texted_command(command), "en", "Europe/Rome")
        assert isinstance(read, TextRequest)
        asked.append(read.request)
    return asked


async def test_a_command_refuses_whom_it_does_not_serve(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    for command in commands():
        for what in intents_of(command) if command.who in REFUSED_WITH else ():
            toast = (await harness.tap("Cy" if command.who is Who.PLAYER else "Bo", what)).toast
            assert rejection_of(toast) in REFUSED_WITH[command.who], command.name
            harness.pass_time(60)


@pytest.mark.parametrize("command", [each for each in commands() if each.who is Who.ANYBODY], ids=label)
async def test_a_command_for_anybody_refuses_nobody(command: Command, harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    for what in intents_of(command):
        toast = (await harness.tap("Cy", what)).toast
        assert not isinstance(toast, RejectionNotice) or toast.reason not in set().union(*REFUSED_WITH.values())


def test_every_command_is_explained_somewhere() -> None:
    """On a page of the bot, in the table of texts, or in the players' document."""
    document = (ROOT / "docs/playing.md").read_text(encoding="utf-8")
    unexplained = {command.name for command in commands() if not set(astuple(command.help)) - {None}}
    assert {name for name in unexplained if f"`/{name}" not in document} == {"start"}, "Telegram's own button"
