"""Every request has one specification with strict defaults; few of their keys are on the screen at once."""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass

import pytest

from perudo_core import Rules
from perudo_core.agents import Level
from telegram_bot.channels.telegram import channel
from telegram_bot.channels.telegram.buttons import SeatPages
from telegram_bot.channels.telegram.keyboards import keyboard, seat_rows
from telegram_bot.intents.envelope import MessageRef
from telegram_bot.intents.forms import Act, Button
from telegram_bot.intents.request import Request
from telegram_bot.notices import GameOverNotice, HelpNotice, LobbyNotice, Notice
from telegram_bot.notices.rendering import message_html
from telegram_bot.presentation.notice_keys import keys_of
from telegram_bot.service.handlers.base import PersonRequest, TableRequest
from telegram_bot.service.handlers.ending import Stop
from telegram_bot.service.handlers.lobby_requests import OpenMenu, Start
from telegram_bot.service.handlers.queries import SeeMore
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.requests import REQUESTS, fill_requests, read_act
from telegram_bot.tables import computer_players
from telegram_bot.tables.house_rules import CLASSIC, TWISTS, HouseRules
from telegram_bot.tables.views import LobbyView, lobby_view
from telegram_bot.words.catalogue import catalogue
from tests.telegram_bot.conftest import GroupHarness, at, lobby_table
from tests.telegram_bot.statistics.conftest import PlayGame, harness, play_game  # noqa: F401


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
    w, pages = catalogue("en"), SeatPages("https://perudo.example.org", "")
    rows = [*keyboard(notice, w, bot="bot"), *seat_rows(notice, w, pages, bot="bot", registered=True)]
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


def test_a_lobby_has_two_keys_in_its_group_and_its_host_at_most_thirty_in_all_private_menus() -> None:
    most = 0
    for view in lobbies():
        lobby = LobbyNotice(view=view, house_rules=(CLASSIC_HOUSE,))
        assert labels(lobby) == ["🙋 Join", "▶️ Start"]
        menus, keys = [""], []
        for menu in menus:
            shown = lobby.model_copy(update={"menu": menu or None, "to_host": True})
            keys += [label for label in labels(shown) if not label.endswith("Back")]
            opens = [key.request for row in keys_of(shown, catalogue("en")) for key in row]
            menus += [
                each.menu for each in opens if isinstance(each, OpenMenu) and each.menu and each.menu not in menus
            ]
        assert menus == ["", "rules", "players", "options"]
        most = max(most, len(keys))
    assert most <= 30


def test_telegram_lists_seven_commands_in_a_group_and_help_names_the_others() -> None:
    listed = {each.command for each in channel.menu("group_menu", catalogue("en"))}
    assert listed == {"perudo", "rules", "tournament", "daily", "league", "settings", "help"}
    helped = message_html(HelpNotice(private=False), catalogue("en")) or ""
    for key_does_it in ("bid", "dice", "status", "stop", "leave", "wake", "stats"):
        assert f"/{key_does_it}" in helped


async def test_a_result_has_two_keys_in_a_group_and_one_in_private_and_more_shows_all(
    harness: GroupHarness,  # noqa: F811
    play_game: PlayGame,  # noqa: F811
) -> None:
    game = await play_game("Ana", "Bo", seed=1)
    ends = [each for each in harness.notices("game_over") if isinstance(each, GameOverNotice)]
    assert sorted((each.in_group, labels(each)) for each in ends) == [
        (False, ["🔁 Play again"]),
        (False, ["🔁 Play again"]),
        (True, ["🔁 Play again", "More"]),
    ]
    harness.mark_all_sent()
    await harness.tap("Bo", SeeMore(), table=game, tapped=MessageRef(5))
    (unfolded,) = harness.envelopes()
    assert unfolded.target == MessageRef(5)
    assert sorted(labels(unfolded.notice)) == sorted(ALL_AT_THE_END)
