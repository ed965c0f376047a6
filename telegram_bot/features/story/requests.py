"""Tell the story of a finished game, and show the reel of its evening.

The game is analysed before: once a game, for permitted readers, and without names.
"""

import asyncio
import logging
from dataclasses import dataclass, replace
from typing import Final

from pydantic import JsonValue, ValidationError

from telegram_bot.features.story.analysis import GameStory, tell_story
from telegram_bot.features.story.announcing import (
    REEL_SLOT,
    STORY_SLOT,
    is_too_long,
    send_to_all,
    story_key,
    story_notice,
)
from telegram_bot.features.story.notices import ReelNotice, StoryAnswer, StoryAnswerNotice, StoryNotice
from telegram_bot.features.story.reel import choose_reveals
from telegram_bot.ingress.computer_calls import load_rules
from telegram_bot.intents.forms import Act, Button
from telegram_bot.intents.intents import Intent
from telegram_bot.intents.request import Arguments, AtAnyStep, Command, HelpLines, Scope
from telegram_bot.notices import GameOverNotice, Toast
from telegram_bot.presentation.keys import Key, Keys
from telegram_bot.repositories.repositories import load_table
from telegram_bot.service.announcing.replies import answer
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.handlers.base import TableRequest
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.outbox_dedupe import is_sent
from telegram_bot.service.results.game_record import game_record
from telegram_bot.service.service import Service
from telegram_bot.service.table_lookup import find_named_table
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.side_process import SideProcess, SideProcessError
from telegram_bot.storage.key_value import kept
from telegram_bot.tables.events import RejectedError
from telegram_bot.tables.model import Status
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.languages import mark_in_context

log = logging.getLogger(__name__)


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
        elif reveals := choose_reveals(uow, context.row, kept(uow.session, story_key(table.id), GameStory)):
            _send(context, ReelNotice(table=table.id, reveals=reveals), REEL_SLOT)
        else:
            answered = StoryAnswer.NO_REEL
        return answer(uow, context.intent, context.player, StoryAnswerNotice(table=table.id, answer=answered))


def _send(context: TableContext, notice: StoryNotice | ReelNotice, slot: str) -> None:
    uow, table, outbox = context.uow, context.table, TableOutbox(context.uow, context.row, context.chat)
    if outbox.shared and not is_sent(uow.session, table.id, slot):
        send_to_all(outbox, table, notice, slot)
    else:
        say(uow, context.player, notice, at=context.intent, about=table.id)


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


class GameStories:
    """Looks up the story of a finished game, for `TellStory`."""

    name: Final = "game_story"
    intent_type: Final = TellStory
    seconds: Final = 28.0
    """Only people who ask for the same story again wait so long."""

    def __init__(self, service: Service, analyst: SideProcess[[str]] | None = None) -> None:
        self.service = service
        self.analyst = analyst or SideProcess(tell_story, seconds=25, prepare=load_rules)
        self._running: dict[int, asyncio.Task[GameStory | None]] = {}
        """The running analyses, by game."""

    async def look_up(self, intent: Intent) -> JsonValue:
        """Return the story, or None before the game's end, without permission, or if the story was told already."""
        table = intent.table
        if table is None or not await self.service.run(_is_due, intent, table):
            return None
        if table not in self._running:
            task = asyncio.create_task(self._story(table), name=f"story of table {table}")
            self._running[table] = task
            task.add_done_callback(lambda _: self._running.pop(table))
        story = await asyncio.shield(self._running[table])  # another reader may wait for the same analysis
        return None if story is None else story.model_dump(mode="json")

    def add_fact(self, intent: Intent, fact: JsonValue) -> Intent:
        """Return the intent with the story, if there is one."""
        try:
            story = None if fact is None else GameStory.model_validate(fact)
        except ValidationError:  # analysed by another version
            story = None
        return replace(intent, request=TellStory(story))

    async def _story(self, table: int) -> GameStory | None:
        """Return the stored story, or analyse the game and store its story."""
        found = await self.service.run(_kept_or_record, table)
        if not isinstance(found, str):
            return found
        try:
            story = GameStory.model_validate_json(await self.analyst.ask(found))
        except (SideProcessError, ValidationError) as error:
            log.warning("the story of a game is not told: %s", type(error).__name__, extra={"table": table})
            return None
        await self.service.key_values.put(story_key(table), story.model_dump_json())
        return story


def _is_due(uow: UnitOfWork, intent: Intent, number: int) -> bool:
    """Return True if there is a story to tell, and the step will permit this person to ask for it."""
    player = uow.find_player(intent.who.channel, intent.who.address)
    try:
        row = find_named_table(uow, intent, number, player)
    except RejectedError:
        return False
    return (
        row.status == Status.FINISHED
        and (uow.traits(intent.who.channel).paid or not is_sent(uow.session, number, STORY_SLOT))
        and not is_too_long(uow, number)
    )


def _kept_or_record(uow: UnitOfWork, number: int) -> GameStory | str | None:
    row = uow.table_by_id(number)
    if row is None:
        return None
    return kept(uow.session, story_key(number), GameStory) or game_record(uow, load_table(row)).document
