"""Tell the story of a finished game, and show the reel of its evening."""

from dataclasses import dataclass

from telegram_bot.features.story.analysis import GameStory
from telegram_bot.features.story.announcing import send_to_all
from telegram_bot.features.story.notices import ReelNotice, StoryAnswer, StoryAnswerNotice, StoryNotice
from telegram_bot.features.story.reel import choose_reveals
from telegram_bot.features.story.storage import REEL_SLOT, STORY_SLOT, is_too_long, story_notice
from telegram_bot.notices import GameOverNotice, Toast
from telegram_bot.presentation.keys import Key, Keys
from telegram_bot.service.announcing.replies import answer, say
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.forms import Act, Button
from telegram_bot.service.handlers.base import TableRequest
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.outbox_dedupe import is_sent
from telegram_bot.service.request import Arguments, AtAnyStep, Command, HelpLines, Scope
from telegram_bot.tables.model import Status
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.languages import mark_in_context


@dataclass(frozen=True, slots=True)
class TellStory(AtAnyStep, TableRequest):
    """Tell everyone the finished game's story."""

    only_asks = True
    takes_seconds = True
    allowed_while_suspended = True
    about_last_table = True
    buttons = (Button("story"),)
    acts = (Act("story"),)
    commands = (
        Command(
            name="story",
            scope=Scope.TEXT,
            arguments=Arguments.FORBIDDEN,
            is_guessed=False,
            words=mark_in_context(
                "typed", "the story, tell the story, tell us the story, how did it go, how did the game go"
            ),
            help=HelpLines(guide="how your last game went: the boldest bluff, the best call, everyone's luck"),
        ),
    )

    story: GameStory | None = None
    """The story from an enricher, or None if there is none."""

    def handle(self, context: TableContext) -> Toast | None:
        """Send the story, which an enricher has found, to the table's chat and to its players elsewhere.

        Each text costs money: without a chat only the asker gets it, and a person by text after the others.
        """
        table, uow, story = context.table, context.uow, self.story
        answered = StoryAnswer.TOLD
        if table.status is not Status.FINISHED:
            answered = StoryAnswer.LATER
        elif is_sent(uow.session, table.id, STORY_SLOT) and not uow.traits(context.intent.who.channel).paid:
            answered = StoryAnswer.ABOVE
        elif is_too_long(uow, table.id):
            answered = StoryAnswer.TOO_LONG
        elif story is None or len(story.seats) != len(table.seats):
            answered = StoryAnswer.UNKNOWN
        else:
            _send(context, story_notice(uow, context.row, table, story), STORY_SLOT)
            if context.intent.answered_by == "message":  # the story is the answer
                return None
        return answer(uow, context.intent, context.player, StoryAnswerNotice(table=table.id, answer=answered))


@dataclass(frozen=True, slots=True)
class ShowReel(AtAnyStep, TableRequest):
    """Show everyone the best reveals of the evening."""

    only_asks = True
    allowed_while_suspended = True
    about_last_table = True
    buttons = (Button("reel"),)
    acts = (Act("reel"),)

    def handle(self, context: TableContext) -> Toast | None:
        """Send the reel of the evening to the table's chat and to its players elsewhere."""
        table, uow, answered = context.table, context.uow, StoryAnswer.TOLD
        if table.status is not Status.FINISHED:
            answered = StoryAnswer.LATER
        elif is_sent(uow.session, table.id, REEL_SLOT):
            answered = StoryAnswer.REEL_ABOVE
        elif reveals := choose_reveals(uow, context.row):
            _send(context, ReelNotice(table=table.id, reveals=reveals), REEL_SLOT)
        else:
            answered = StoryAnswer.NO_REEL
        return answer(uow, context.intent, context.player, StoryAnswerNotice(table=table.id, answer=answered))


def _send(context: TableContext, notice: StoryNotice | ReelNotice, slot: str) -> None:
    uow, table, outbox = context.uow, context.table, TableOutbox(context.uow, context.row, context.chat)
    if outbox.shared and not is_sent(uow.session, table.id, slot):
        send_to_all(outbox, table, notice, slot)
    else:
        say(uow, context.intent, context.player, notice, table=table.id)


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
