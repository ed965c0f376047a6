"""Inline mode: the list over the text field of a player, answered immediately, and the result chosen from it.

Neither an inline query nor the report of a chosen result is stored: a query is typed letter by letter, and a lost one
does no harm. The move counts when the chosen result's message arrives, which is stored like every message and names its
chat. A report also arrives for results in chats without the bot.
"""

import asyncio
import logging
import time
from collections.abc import Coroutine, Sequence
from typing import Any, Final

from telegram import (
    Bot,
    InlineQueryResultArticle,
    InputTextMessageContent,
    LinkPreviewOptions,
)
from telegram.constants import ParseMode
from telegram.error import TelegramError

from telegram_bot.channels.telegram import NAME, callback_data
from telegram_bot.channels.telegram.received import ChosenInlineResult, InlineQuery, Message, Update
from telegram_bot.channels.telegram.updates import person
from telegram_bot.intents import intents as i
from telegram_bot.presentation.inline_results import SIGNS, InlineResult, inline_results
from telegram_bot.service.handlers.game_requests import CallCalza, CallDudo, MakeBid
from telegram_bot.service.handlers.queries import PostedElsewhere
from telegram_bot.service.own_tables import own_tables
from telegram_bot.service.service import Service

log = logging.getLogger(__name__)

PAGE: Final = 50
"""The maximum number of results in one answer."""
QUERIES_PER_SECOND: Final = 4.0
QUERIES_AT_ONCE: Final = 40
"""The number of one person's queries that are answered; further ones are ignored silently."""
MOST_PEOPLE: Final = 10_000
"""The maximum number of people whose queries a worker counts."""
MOST_TASKS: Final = 200
POSTED_SECONDS: Final = 5.0
"""How long to wait for a chosen result's message after the report."""
_NO_GROUPS: Final = ("sender", "private", "channel")
"""The kinds of chats in which a call would not count."""


class InlineMode:
    """Answers inline queries, and handles reports of chosen results."""

    def __init__(self, bot: Bot, service: Service) -> None:
        self.bot = bot
        self.service = service
        self._tasks: set[asyncio.Task[None]] = set()
        self._arrivals: dict[int, float] = {}
        self._posted: set[tuple[int, str]] = set()
        """Calls whose messages this worker has received, as (person, name of the call)."""

    def takes(self, update: dict[str, Any]) -> bool:
        """Return True if the update belongs to inline mode. It is then handled in the background, and not stored."""
        try:
            read = Update.read(update)
            if read.chosen_inline_result is None and read.inline_query is None:
                if read.message is not None:
                    self._note_posted(read.message)
                return False
            if len(self._tasks) < MOST_TASKS:
                self._begin(read)
        except Exception as error:  # noqa: BLE001 - the inbox stores the update, or sets it aside
            log.warning("inline mode could not read an update: %s", type(error).__name__)
            return False
        return True

    def _begin(self, read: Update) -> None:
        if read.chosen_inline_result is not None:
            self._in_background(self._report(read.chosen_inline_result, str(read.update_id)))
        elif read.inline_query is not None and self._may_ask(read.inline_query.from_user.id):
            self._in_background(self.answer(read.inline_query))

    async def answer(self, query: InlineQuery) -> None:
        """Answer one inline query, from one read of the database."""
        who = person(query.from_user)
        own = await self.service.run(own_tables, who)
        in_group = query.chat_type not in _NO_GROUPS  # unofficial clients omit it
        offset = query.offset
        begin = int(offset) if offset.isascii() and offset.isdigit() else 0
        results = inline_results(own, query.query, in_group=in_group)
        try:
            await self.bot.answer_inline_query(
                query.id,
                self.articles(results[begin : begin + PAGE]),
                cache_time=0,
                is_personal=True,
                next_offset=str(begin + PAGE) if begin + PAGE < len(results) else "",
            )
        except TelegramError as error:
            log.info("an inline query was not answered: %s", type(error).__name__)

    async def close(self) -> None:
        """Stop the running tasks; losing them does no harm."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def articles(self, results: Sequence[InlineResult]) -> list[InlineQueryResultArticle]:
        """Return the results in the Bot API's form."""
        return [self._article(number, result) for number, result in enumerate(results)]

    def _article(self, number: int, result: InlineResult) -> InlineQueryResultArticle:
        if result.call is None:
            name, text = f"look:{result.table}:{number}", result.posts
        else:
            request = MakeBid(*result.bid) if result.bid else CallDudo() if result.call == "dudo" else CallCalza()
            name = callback_data.data_of(request, result.table, result.step)
            link = callback_data.call_link(self.bot.username, name)
            text = f'<a href="{link}">{SIGNS[result.call]}</a> {result.posts}'
        posted = InputTextMessageContent(
            text, ParseMode.HTML, link_preview_options=LinkPreviewOptions(is_disabled=True)
        )
        return InlineQueryResultArticle(name, result.title, posted, description=result.description)

    async def _report(self, chosen: ChosenInlineResult, cause: str) -> None:
        """Tell the person if their chosen call has not arrived after a while, because it was posted elsewhere."""
        named = callback_data.parse_result_id(chosen.result_id)
        if named is None or named.table is None or named.step is None:
            return
        await asyncio.sleep(POSTED_SECONDS)
        if (chosen.from_user.id, chosen.result_id) in self._posted:
            return
        request = PostedElsewhere(named.table, named.step)
        await self.service.handle(i.Intent(NAME, cause, person(chosen.from_user), request))

    def _note_posted(self, message: Message) -> None:
        """Remember the call in a message: its player gets an answer in the message's chat."""
        if message.via_bot is None or message.via_bot.id != self.bot.id or message.from_user is None:
            return
        if len(self._posted) >= MOST_PEOPLE:
            self._posted.clear()
        names = (callback_data.name_in_link(entity.url) for entity in message.entities if entity.url is not None)
        self._posted.update((message.from_user.id, name) for name in names)

    def _may_ask(self, person: int) -> bool:
        """Count a query; False if the person has exceeded the limit."""
        now = time.monotonic()
        if len(self._arrivals) >= MOST_PEOPLE:
            self._arrivals = {who: at for who, at in self._arrivals.items() if at > now}
        arrival = max(self._arrivals.get(person, now), now)
        if arrival > now + (QUERIES_AT_ONCE - 1) / QUERIES_PER_SECOND:
            return False
        self._arrivals[person] = arrival + 1 / QUERIES_PER_SECOND
        return True

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            # Only the error's kind: its text may quote a person's words.
            log.warning("inline mode failed: %s", type(task.exception()).__name__)
