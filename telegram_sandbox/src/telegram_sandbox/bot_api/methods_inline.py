"""The Bot API methods that answer inline queries, and questions in chats where the bot is not."""

import secrets
from collections.abc import Sequence
from re import fullmatch

from telegram_sandbox import inline_mode
from telegram_sandbox.bot_api.keyboards import inline_keyboard
from telegram_sandbox.bot_api.message_text import caption_of, text_of
from telegram_sandbox.bot_api.methods_media import RESULTS, media_of
from telegram_sandbox.bot_api.reading import as_json
from telegram_sandbox.bot_api.registry import answers
from telegram_sandbox.bot_api.requests import (
    AnswerGuestQuery,
    AnswerInlineQuery,
    InlineQueryResult,
    InputTextMessageContent,
)
from telegram_sandbox.errors import ApiError, bad_request, query_too_old
from telegram_sandbox.model import InlineAnswer, InlineResult, Json, Media, StoredMessage
from telegram_sandbox.text.entities import FormattedText
from telegram_sandbox.world import World

MOST_RESULTS = 50
TYPES = frozenset({*RESULTS, "article", "contact", "game", "location", "venue"})
LONGEST_ID_BYTES = 64
LONGEST_OFFSET_BYTES = 64
LONGEST_START_PARAMETER = 64
USUAL_CACHE_SECONDS = 300
LONGEST_CACHE_SECONDS = 24 * 3600


@answers(AnswerInlineQuery)
def answer_inline_query(world: World, request: AnswerInlineQuery) -> bool:
    """Show results to the person who typed the query, once and in time; the flood limits do not count it."""
    button = _button(request)
    if len(request.results) > MOST_RESULTS:
        raise bad_request("too many inline query results specified")
    results = tuple(_result(world, one) for one in request.results)
    _check_ids(results)
    next_offset = request.next_offset or ""
    if len(next_offset.encode()) > LONGEST_OFFSET_BYTES:
        raise bad_request("NEXT_OFFSET_INVALID")
    query = world.inline_queries.get(request.inline_query_id)
    if query is None or query.answer or world.clock.now() - query.date > world.settings.inline_answer_seconds:
        raise query_too_old()
    seconds = USUAL_CACHE_SECONDS if request.cache_time is None else request.cache_time
    kept = min(max(seconds, 0), LONGEST_CACHE_SECONDS)
    answer = InlineAnswer(results, next_offset, button, kept, is_personal=bool(request.is_personal))
    inline_mode.answer(world, query, answer)
    return True


@answers(AnswerGuestQuery)
def answer_guest_query(world: World, request: AnswerGuestQuery) -> Json:
    """Post a result in a chat where the bot is not, once, for the person who has asked it there."""
    result = _result(world, request.result)
    if result.failure:
        raise bad_request(result.failure)
    asked = world.guest_queries.pop(request.guest_query_id, None)
    if asked is None:
        raise query_too_old()
    name = secrets.token_urlsafe(20)
    posted = StoredMessage(
        chat_id=asked.chat_id,
        message_id=world.next_message_id(world.chats[asked.chat_id]),
        sender_id=world.settings.bot_id,
        date=world.clock.unix(),
        text=result.text or None,
        entities=result.entities,
        media=result.media,
        reply_to=asked.message_id,
        reply_markup=result.reply_markup,
        link_preview_options=result.link_preview_options,
        guest_of=asked.sender_id,
        inline_message_id=name,
    )
    world.add_message(posted)
    return {"inline_message_id": name}


def _button(request: AnswerInlineQuery) -> Json | None:
    """Return the button above the results; the two fields that it had before Bot API 6.7 mean the same."""
    if request.button is None:
        if not request.switch_pm_text:
            return None
        button: Json = {"text": request.switch_pm_text, "start_parameter": request.switch_pm_parameter or ""}
    else:
        button = as_json(request.button)
    if "web_app" in button:
        raise bad_request("Web Apps are not in this sandbox")
    if "start_parameter" not in button:
        raise bad_request(
            "can't parse inline query results button: InlineQueryResultsButton must have exactly one optional field"
        )
    if not button["start_parameter"]:
        raise bad_request("can't use empty start_parameter")
    if len(button["start_parameter"]) > LONGEST_START_PARAMETER:
        raise bad_request("too long start_parameter specified")
    if not fullmatch(r"[A-Za-z0-9_-]+", button["start_parameter"]):
        raise bad_request("unallowed characters in start_parameter are used")
    return button


def _result(world: World, result: InlineQueryResult) -> InlineResult:
    content, file = result.input_message_content, None
    if result.type not in TYPES:
        told = f'type "{result.type}" is unsupported for the inline query result'
        raise bad_request(f"can't parse inline query result: {told}")
    if result.type == "article" and content is None:
        raise bad_request("can't parse inline query result")
    if isinstance(content, InputTextMessageContent):
        words = _words(world, content)
    elif content is None and result.type in RESULTS:
        words = caption_of(world, result.caption, result.parse_mode, result.caption_entities)
        file = _file(world, result)
    else:
        raise bad_request("inline results in this sandbox post a text or a file")
    if not result.title and result.type == "article":
        raise bad_request("ARTICLE_TITLE_EMPTY")
    return InlineResult(
        id=result.id,
        title=result.title or result.id,
        description=result.description or "",
        text=words.text,
        entities=words.entities,
        reply_markup=inline_keyboard(result.reply_markup),
        link_preview_options=as_json(getattr(content, "link_preview_options", None)) or None,
        media=None if isinstance(file, ApiError) else file,
        failure=file.description if isinstance(file, ApiError) else "",
    )


def _file(world: World, result: InlineQueryResult) -> Media | ApiError:
    """Return the file of a result, which the bot names by its file_id or its address, or why it cannot be had."""
    kind, name = RESULTS[result.type]
    file = getattr(result, f"{name}_file_id", None) or getattr(result, f"{name}_url", None)
    if file is None:
        raise bad_request("can't parse inline query result")
    return file if isinstance(file, ApiError) else media_of(world, kind, file, result)


def _words(world: World, content: InputTextMessageContent) -> FormattedText:
    text, mode, entities = content.message_text, content.parse_mode, content.entities
    try:
        return text_of(world, text, mode, entities, too_long="MESSAGE_TOO_LONG")
    except ApiError as error:
        reason = error.description.removeprefix("Bad Request: ")
        if reason.isupper():
            raise
        raise bad_request(f"can't parse inline query result: {reason[0].upper()}{reason[1:]}") from error


def _check_ids(results: Sequence[InlineResult]) -> None:
    if not all(1 <= len(result.id.encode()) <= LONGEST_ID_BYTES for result in results):
        raise bad_request("RESULT_ID_INVALID")
    if len({result.id for result in results}) < len(results):
        raise bad_request("RESULT_ID_DUPLICATE")
