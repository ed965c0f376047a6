"""The buttons for the story and the reel below the end of a game, in chats and on pages; the reel's own button."""

from telegram_bot.features.story.notices import ReelNotice
from telegram_bot.features.story.requests import ShowReel, TellStory
from telegram_bot.notices import GameOverNotice
from telegram_bot.presentation.keys import Key, Keys
from telegram_bot.words.catalogue import Catalogue


def game_over_keys(_: GameOverNotice, w: Catalogue) -> Keys:
    """Below the end of a game in chats."""
    return [[Key(w.say("Tell the story"), TellStory(), sign="📖"), Key(w.say("Best reveals"), ShowReel(), sign="🎬")]]


def game_over_acts(_: GameOverNotice, w: Catalogue) -> list[Key]:
    """Below the end of a game on pages."""
    return [Key(w.say("The story of the game"), TellStory()), Key(w.say("Best reveals"), ShowReel())]


def reel_keys(notice: ReelNotice, w: Catalogue) -> Keys:
    """Below a reel: a link stays below a message that is forwarded, and brings the bot to another group."""
    if not notice.bot:
        return []
    return [[Key(w.say("Play here"), sign="🎲", url=f"https://t.me/{notice.bot}?startgroup=play")]]
