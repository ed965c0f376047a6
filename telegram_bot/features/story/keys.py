"""The button for the story below the end of a game, in chats and on pages."""

from telegram_bot.channels.telegram.buttons import Rows, button
from telegram_bot.channels.telegram.callback_data import data_of
from telegram_bot.features.story.requests import TellStory
from telegram_bot.service.notices import GameOverNotice
from telegram_bot.words.catalogue import Catalogue


def game_over_keys(notice: GameOverNotice, w: Catalogue, _: str) -> Rows:
    """Below the end of a game in chats."""
    return [[button("📖 " + w.say("Tell the story"), data_of(TellStory(), notice.view.table))]]


def game_over_acts(_: GameOverNotice, w: Catalogue) -> dict[str, str]:
    """Below the end of a game on pages."""
    return {"story": w.say("The story of the game")}
