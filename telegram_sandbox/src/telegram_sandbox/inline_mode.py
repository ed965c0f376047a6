"""Inline mode: people's queries after the bot's name, the results on their screens, and their choices."""

import random
import secrets

from telegram_sandbox import telegram_json
from telegram_sandbox.errors import ControlError
from telegram_sandbox.membership import check_inside
from telegram_sandbox.model import Chat, InlineAnswer, InlineQuery, Json, Person, StoredMessage
from telegram_sandbox.text.entities import FormattedText
from telegram_sandbox.user_actions import MessageDraft, send_message
from telegram_sandbox.world import World

LONGEST_QUERY = 256
REMEMBERED_QUERIES = 10_000


def ask(world: World, person: Person, chat: Chat, text: str, offset: str = "") -> InlineQuery:
    """Type an inline query in a chat; a cached answer is shown immediately, and the bot gets no update.

    Raises:
        ControlError: when the bot has no inline mode, or this person cannot write there.
    """
    if not world.inline_mode:
        raise ControlError("the bot has no inline mode; /setinline in BotFather turns it on")
    check_inside(chat, person)
    query = InlineQuery(
        id=str(secrets.randbelow(9 * 10**17) + 10**17),
        user_id=person.id,
        chat_id=chat.id,
        text=text[:LONGEST_QUERY],
        offset=offset,
        date=world.clock.now(),
    )
    world.inline_queries[query.id] = query
    if len(world.inline_queries) > REMEMBERED_QUERIES:
        world.inline_queries.pop(next(iter(world.inline_queries)))
    query.answer = world.inline_cache.find(query, world.clock.now())
    if query.answer is None:
        body: Json = {
            "id": query.id,
            "from": telegram_json.user(person),
            # The private chat with the bot is `sender`: a chat with the one who asks, seen by the bot.
            "chat_type": "sender" if chat.type == "private" else chat.type,
            "query": query.text,
            "offset": query.offset,
        }
        world.tell_bot("inline_query", body)
    return query


def answer(world: World, query: InlineQuery, answered: InlineAnswer) -> None:
    """Show the bot's results to the person who asked, and keep them for as long as the bot allows."""
    query.answer = answered
    world.inline_cache.keep(query, answered, world.clock.now())
    world.show_inline_answer(query)


def choose(
    world: World,
    person: Person,
    chat: Chat,
    query_id: str,
    result_id: str,
    *,
    reply_to: StoredMessage | None = None,
    thread_id: int | None = None,
) -> StoredMessage:
    """Post a result as the person's own message via the bot, and report it to the bot at the rate that it asked for.

    Raises:
        ControlError: when this person sees no such result, its file cannot be had, or they cannot write there.
    """
    query = world.inline_queries.get(query_id)
    if query is None or query.user_id != person.id or query.answer is None:
        raise ControlError(f"{person.name} sees no results of such a query")
    result = next((one for one in query.answer.results if one.id == result_id), None)
    if result is None:
        raise ControlError("no such result")
    if result.failure:
        raise ControlError(f"the file of {result.title!r} cannot be posted: {result.failure}")
    draft = MessageDraft(
        reply_to=reply_to,
        thread_id=thread_id,
        formatted=FormattedText(result.text, result.entities),
        reply_markup=result.reply_markup,
        link_preview_options=result.link_preview_options,
        media=result.media,
        via_bot=True,
    )
    message = send_message(world, person, chat, draft)
    if random.random() < world.inline_feedback:  # noqa: S311 - no secret
        body: Json = {"result_id": result.id, "from": telegram_json.user(person), "query": query.text}
        if message.inline_message_id:
            body["inline_message_id"] = message.inline_message_id
        world.tell_bot("chosen_inline_result", body)
    return message
