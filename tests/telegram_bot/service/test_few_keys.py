"""The number of keys that are on the screen at once."""

from telegram_bot.channels.telegram import channel
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.notices import GameOverNotice, HelpNotice, Notice
from telegram_bot.notices.rendering import message_html
from telegram_bot.service.envelope import MessageRef
from telegram_bot.service.handlers.queries import SeeMore
from telegram_bot.words.catalogue import catalogue
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.statistics.conftest import PlayGame, harness, play_game  # noqa: F401

ALL_AT_THE_END = [
    "🔁 Play again",
    "📖 Tell the story",
    "🎬 Best reveals",
    "📋 Share my result",
    "🔐 Check the dice",
    "🔔 Tell me about new games",
]


def labels(notice: Notice) -> list[str]:
    return [key["text"] for row in keyboard(notice, catalogue("en"), bot="bot") for key in row]


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
