"""Telegram's refusals, and its silences, over real HTTP: what each means for a notice."""

from __future__ import annotations

import socket

import pytest

from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.delivery.sender import (
    ChatLostError,
    ChatMovedError,
    DeliveryError,
    InvalidError,
    NotSentError,
    RefusalScope,
    RefusedError,
    SlowDownError,
    TargetGoneError,
    UnknownFateError,
)
from telegram_bot.service.notices import (
    MessageRef,
    OutdatedNotice,
    RecordNotice,
    SendMode,
)
from tests.telegram_bot.channels.telegram.scripted_bot_api import (
    HANG_UP,
    SILENCE,
    TOKEN,
    ScriptedBotApi,
    make_bot,
)
from tests.telegram_bot.channels.telegram.sender_examples import (
    ANA,
    GROUP,
    HAND,
    PAUSED,
    ROUND,
    TURN,
    to,
    trouble,
)

OLD_FORM = pytest.mark.filterwarnings("ignore:.*retry_after:telegram.warnings.PTBDeprecationWarning")
"""The library announces another type for a pause; the sender reads both."""


# Telegram's refusals


@pytest.mark.parametrize(
    ("code", "words", "kinds"),
    [
        (403, "Forbidden: bot was blocked by the user", (RefusedError, ChatLostError)),
        (403, "Forbidden: bot can't initiate conversation with a user", (RefusedError, ChatLostError)),
        (403, "Forbidden: user is deactivated", (RefusedError, ChatLostError)),
        (403, "Forbidden: bot was kicked from the supergroup chat", (RefusedError, ChatLostError)),
        (400, "Bad Request: chat not found", (RefusedError, ChatLostError)),
        (400, "Bad Request: user not found", (RefusedError, InvalidError)),
        (400, "Bad Request: message is too long", (InvalidError, InvalidError)),
        (400, "Bad Request: BUTTON_DATA_INVALID", (InvalidError, InvalidError)),
        (400, "Bad Request: TOPIC_CLOSED", (InvalidError, ChatLostError)),
        (400, "Bad Request: message thread not found", (InvalidError, ChatLostError)),
        (400, "Bad Request: not enough rights to send text messages to the chat", (InvalidError, ChatLostError)),
        (400, "Bad Request: have no rights to send a message", (InvalidError, ChatLostError)),
        (400, "Bad Request: CHAT_WRITE_FORBIDDEN", (InvalidError, ChatLostError)),
        (400, "Bad Request: CHAT_SEND_PLAIN_FORBIDDEN", (InvalidError, ChatLostError)),
        (400, "Bad Request: CHAT_RESTRICTED", (InvalidError, ChatLostError)),
        (400, "Bad Request: group chat was deactivated", (InvalidError, ChatLostError)),
        (409, "Conflict: terminated by other getUpdates request", (InvalidError, InvalidError)),
        (500, "Internal Server Error", (NotSentError, NotSentError)),
        (502, "Bad Gateway", (NotSentError, NotSentError)),
    ],
)
async def test_a_refused_message(
    telegram: ScriptedBotApi, sender: TelegramSender, code: int, words: str, kinds: tuple[type[DeliveryError], ...]
) -> None:
    for chat, kind in zip((ANA, GROUP), kinds, strict=True):
        telegram.refuse(code, words)
        assert type(await trouble(sender, to(chat, HAND))) is kind


@pytest.mark.parametrize(
    "words",
    [
        "Bad Request: message to edit not found",
        "Bad Request: message can't be edited",
        "Bad Request: MESSAGE_ID_INVALID",
        "Bad Request: message identifier is not specified",
    ],
)
async def test_a_message_to_edit_that_is_gone(telegram: ScriptedBotApi, sender: TelegramSender, words: str) -> None:
    for envelope, target in (
        (to(GROUP, ROUND, mode=SendMode.EDIT), MessageRef(33)),
        (to(GROUP, OutdatedNotice(), mode=SendMode.TARGET), MessageRef(33)),
        (to(ANA, TURN, mode=SendMode.TARGET), MessageRef(33)),
        (to(GROUP, HAND, receiver=ANA), MessageRef(12, ANA)),
    ):
        telegram.refuse(400, words)
        assert type(await trouble(sender, envelope, target)) is TargetGoneError


@pytest.mark.parametrize(
    ("code", "words", "concerns"),
    [
        (400, "Bad Request: not enough rights", RefusalScope.CHAT),
        (400, "Bad Request: CHAT_ADMIN_REQUIRED", RefusalScope.CHAT),
        (403, "Forbidden: bot is not an administrator", RefusalScope.CHAT),
        (400, "Bad Request: query is too old and response timeout expired or query ID is invalid", RefusalScope.TAP),
        (400, "Bad Request: QUERY_ID_INVALID", RefusalScope.TAP),
        (400, "Bad Request: USER_NOT_PARTICIPANT", RefusalScope.PERSON),
        (400, "Bad Request: receiver not found", RefusalScope.PERSON),
        (403, "Forbidden: bot was blocked by the user", RefusalScope.PERSON),
        (400, "Bad Request: something nobody has heard of yet", RefusalScope.PERSON),
        (400, "Bad Request: not enough rights to send ephemeral messages", RefusalScope.CHAT),
        (400, "Bad Request: not enough rights to send text messages to the chat", RefusalScope.CHAT),
        (400, "Bad Request: TOPIC_CLOSED", RefusalScope.CHAT),
        (400, "Bad Request: chat not found", RefusalScope.CHAT),
        (403, "Forbidden: bot was kicked from the supergroup chat", RefusalScope.CHAT),
        (403, "Forbidden: bot is not a member of the supergroup chat", RefusalScope.CHAT),
    ],
)
async def test_a_whisper_that_is_refused(
    telegram: ScriptedBotApi, sender: TelegramSender, code: int, words: str, concerns: RefusalScope
) -> None:
    """Only what speaks of the bot or the chat is held against everybody there, and nothing means a lost group."""
    telegram.refuse(code, words)
    refused = await trouble(sender, to(GROUP, HAND, receiver=ANA, reply_handle="q"))
    assert isinstance(refused, RefusedError)
    assert refused.scope is concerns


@pytest.mark.parametrize(
    ("words", "topic_alone"),
    [
        ("Bad Request: TOPIC_CLOSED", True),
        ("Bad Request: TOPIC_DELETED", True),
        ("Bad Request: message thread not found", True),
        ("Bad Request: CHAT_WRITE_FORBIDDEN", False),
    ],
)
async def test_a_closed_topic_closes_no_other(
    telegram: ScriptedBotApi, sender: TelegramSender, words: str, topic_alone: bool
) -> None:
    telegram.refuse(400, words)
    lost = await trouble(sender, to(GROUP, PAUSED, topic=7))
    assert isinstance(lost, ChatLostError)
    assert lost.topic_alone is topic_alone


async def test_a_group_closed_to_files_can_still_be_written_to(
    telegram: ScriptedBotApi, sender: TelegramSender
) -> None:
    telegram.refuse(400, "Bad Request: not enough rights to send documents to the chat")
    assert type(await trouble(sender, to(GROUP, RecordNotice(document="{}", name="x.json")))) is InvalidError


async def test_a_group_that_moved(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    words = "Bad Request: group chat was upgraded to a supergroup chat"
    telegram.refuse(400, words, migrate_to_chat_id=-1009999999999)
    moved = await trouble(sender, to(-55, PAUSED))
    assert isinstance(moved, ChatMovedError)
    assert moved.address == -1009999999999


@OLD_FORM
async def test_too_many_messages(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    telegram.refuse(429, "Too Many Requests: retry after 17", retry_after=17)
    slow = await trouble(sender, to(GROUP, PAUSED))
    assert isinstance(slow, SlowDownError)
    assert slow.seconds == 17


async def test_a_gateway_that_answers_in_its_own_words(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    telegram.answers.append((502, "<html><body>Bad Gateway</body></html>"))
    assert isinstance(await trouble(sender, to(GROUP, PAUSED)), NotSentError | InvalidError)


async def test_half_an_answer_means_that_nobody_knows(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    telegram.answers.append((200, '{"ok":true,"result":{"message_id":7'))
    assert isinstance(await trouble(sender, to(GROUP, PAUSED)), UnknownFateError)


# Silence


async def test_nobody_there_means_not_sent(telegram: ScriptedBotApi) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        async with make_bot(f"http://127.0.0.1:{telegram.port}") as bot:
            bot._base_url = f"http://127.0.0.1:{taken.getsockname()[1]}/bot{TOKEN}"
            assert isinstance(await trouble(TelegramSender(bot), to(GROUP, PAUSED)), NotSentError)


async def test_no_answer_in_time_means_that_nobody_knows(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    telegram.answers.append(SILENCE)
    assert isinstance(await trouble(sender, to(GROUP, PAUSED)), UnknownFateError)
    assert len(telegram.calls) == 1, "it may well have been taken"


async def test_a_connection_that_breaks_in_the_middle_means_that_nobody_knows(
    telegram: ScriptedBotApi, sender: TelegramSender
) -> None:
    telegram.answers.append(HANG_UP)
    assert isinstance(await trouble(sender, to(GROUP, PAUSED)), UnknownFateError)
    assert len(telegram.calls) == 1
