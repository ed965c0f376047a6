"""Reactions and effects: what Telegram is asked for, and that nobody minds when it refuses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from telegram_bot.channels.telegram.sender import CONFETTI, REACTIONS, TelegramSender
from telegram_bot.delivery.sender import SendResult, SlowDownError
from telegram_bot.service.notices import Celebration, Envelope, MessageRef, PausedNotice, ReactionNotice
from telegram_sandbox.reactions_and_effects import EFFECTS, is_reaction
from tests.telegram_bot.channels.telegram.scripted_bot_api import ScriptedBotApi, make_bot

GROUP, ANA = -1001, 101
REVEAL = MessageRef(50)
CALZA = Envelope(channel="telegram", chat=GROUP, notice=ReactionNotice(celebration=Celebration.EXACT_CALZA))
FESTIVE = Envelope(channel="telegram", chat=ANA, notice=PausedNotice(table=1), festive=True)


@asynccontextmanager
async def sender_to(telegram: ScriptedBotApi) -> AsyncIterator[TelegramSender]:
    server = await asyncio.start_server(telegram.serve, "127.0.0.1", 0)
    async with make_bot(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}") as bot:
        yield TelegramSender(bot)
        telegram.closing.set()
    server.close()
    await server.wait_closed()


def test_telegram_has_these_reactions_and_this_effect() -> None:
    assert REACTIONS.keys() == set(Celebration)
    assert all(map(is_reaction, REACTIONS.values()))
    assert CONFETTI in EFFECTS


async def test_the_bot_reacts_to_the_reveal() -> None:
    telegram = ScriptedBotApi()
    async with sender_to(telegram) as sender:
        assert await sender.send(CALZA, REVEAL) == SendResult(None)
    reaction = [{"type": "emoji", "emoji": REACTIONS[Celebration.EXACT_CALZA]}]
    assert telegram.calls == [("setMessageReaction", {"chat_id": GROUP, "message_id": 50, "reaction": reaction})]


@pytest.mark.parametrize("code", [400, 403, 500])
async def test_a_refused_reaction_is_nobodys_problem(code: int) -> None:
    telegram = ScriptedBotApi()
    telegram.refuse(code, "Bad Request: REACTION_INVALID")
    async with sender_to(telegram) as sender:
        assert await sender.send(CALZA, REVEAL) == SendResult(None)
    assert len(telegram.calls) == 1


@pytest.mark.filterwarnings("ignore:.*retry_after:telegram.warnings.PTBDeprecationWarning")
async def test_a_pause_that_telegram_asks_for_is_kept() -> None:
    telegram = ScriptedBotApi()
    telegram.refuse(429, "Too Many Requests: retry after 3", retry_after=3)
    async with sender_to(telegram) as sender:
        with pytest.raises(SlowDownError):
            await sender.send(CALZA, REVEAL)


async def test_a_message_whose_effect_is_refused_is_sent_without() -> None:
    telegram = ScriptedBotApi()
    telegram.refuse(400, "Bad Request: EFFECT_ID_INVALID")
    async with sender_to(telegram) as sender:
        assert (await sender.send(FESTIVE, None)).message == 77
    assert [params.get("message_effect_id") for _, params in telegram.calls] == [int(CONFETTI), None]


async def test_in_a_group_no_effect_is_asked_for() -> None:
    telegram = ScriptedBotApi()
    async with sender_to(telegram) as sender:
        await sender.send(FESTIVE.model_copy(update={"chat": GROUP}), None)
    ((_, params),) = telegram.calls
    assert "message_effect_id" not in params
