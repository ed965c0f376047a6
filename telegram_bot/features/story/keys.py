"""The buttons for the story and the reel below the end of a game, in chats and on pages; the reel's own button."""

from telegram_bot.channels.telegram.buttons import Rows, button
from telegram_bot.channels.telegram.callback_data import data_of
from telegram_bot.features.story.notices import ReelNotice
from telegram_bot.features.story.requests import ShowReel, TellStory
from telegram_bot.service.notices import GameOverNotice
from telegram_bot.words.catalogue import Catalogue


def game_over_keys(notice: GameOverNotice, w: Catalogue, _: str) -> Rows:
    """Below the end of a game in chats."""
    table = notice.view.table
    return [
        [
            button("📖 " + w.say("Tell the story"), data_of(TellStory(), table)),
            button("🎬 " + w.say("Best reveals"), data_of(ShowReel(), table)),
        ]
    ]


def game_over_acts(_: GameOverNotice, w: Catalogue) -> dict[str, str]:
    """Below the end of a game on pages."""
    return {"story": w.say("The story of the game"), "reel": w.say("Best reveals")}


def reel_keys(notice: ReelNotice, w: Catalogue) -> Rows:
    """Below a reel: a link stays below a message that is forwarded, and brings the bot to another group."""
    if not notice.bot:
        return []
    return [[{"text": "🎲 " + w.say("Play here"), "url": f"https://t.me/{notice.bot}?startgroup=play"}]]
