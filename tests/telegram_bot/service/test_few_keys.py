"""The number of keys that are on the screen at once."""

from collections.abc import Iterator

from perudo_core import Rules
from perudo_core.agents import Level
from telegram_bot.channels.telegram import channel
from telegram_bot.channels.telegram.buttons import SeatPages
from telegram_bot.channels.telegram.keyboards import keyboard, seat_rows
from telegram_bot.intents.envelope import MessageRef
from telegram_bot.notices import GameOverNotice, HelpNotice, LobbyNotice, Notice
from telegram_bot.notices.rendering import message_html
from telegram_bot.presentation.notice_keys import keys_of
from telegram_bot.service.handlers.lobby_requests import OpenMenu
from telegram_bot.service.handlers.queries import SeeMore
from telegram_bot.tables import computer_players
from telegram_bot.tables.house_rules import CLASSIC, TWISTS, HouseRules
from telegram_bot.tables.views import LobbyView, lobby_view
from telegram_bot.words.catalogue import catalogue
from tests.telegram_bot.conftest import GroupHarness, at, lobby_table
from tests.telegram_bot.statistics.conftest import PlayGame, harness, play_game  # noqa: F401

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
    """Lobbies of one to ten, by two rulebooks, of people or computer players, with each twist of a ghost or without."""
    for rules in (CLASSIC_HOUSE.rules, Rules.preset("aces")):
        for twist in (None, *TWISTS):
            options = {} if twist is None else {"twist": twist}
            twisted = rules if twist is None else rules.with_options(**TWISTS[twist])
            for seated in range(1, 1 + (twisted.max_seats or 10)):
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
