"""Voice notes on a Bot API server: received notes, uploads, which happen once, and failures."""

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest
from telegram import Bot

from perudo_core import Rules
from telegram_bot.channels.telegram import voice_messages
from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.features.aloud import SpokenNotice
from telegram_bot.intents.envelope import Envelope
from telegram_bot.notices import HandNotice, RevealNotice
from telegram_bot.observability.metrics import REGISTRY
from telegram_bot.side_process import FunctionFailedError
from telegram_bot.tables.views import hand_view
from telegram_bot.voice.speaking import note_seconds
from telegram_sandbox import RunningSandbox
from telegram_sandbox.faults import Fault
from telegram_sandbox.model import StoredMessage
from test_support.voice_notes import espeak_note
from tests.telegram_bot.channels.telegram.scripted_bot_api import make_bot
from tests.telegram_bot.conftest import running_table, the_end

TABLE = running_table("22234", "13355", rules=Rules.preset("box_2009"), calls="3x4")


class Aloud:
    """espeak-ng in this process, which records its texts, and waits or fails on demand."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str]] = []
        self.may_speak = asyncio.Event()
        self.may_speak.set()
        self.broken = False
        self.closed = False

    def voice_of(self, language: str) -> str:
        return language

    async def say(self, text: str, language: str) -> bytes:
        self.said.append((text, language))
        await self.may_speak.wait()
        if self.broken:
            raise FunctionFailedError("no voice today")
        return espeak_note(text, language)

    async def close(self) -> None:
        self.closed = True


@pytest.fixture
def aloud() -> Aloud:
    return Aloud()


@pytest.fixture
async def sender(sandbox: RunningSandbox, aloud: Aloud) -> AsyncIterator[TelegramSender]:
    await sandbox.user("Ana").send("/start")
    await sandbox.user("Bo").send("/start")
    async with make_bot(sandbox.url, sandbox.token) as bot:
        sender = TelegramSender(bot, speaking=aloud)
        yield sender
        await sender.close()
        assert aloud.closed


REVEAL = SpokenNotice(told=RevealNotice(view=the_end(TABLE)[0]))
HAND = SpokenNotice(told=HandNotice(view=hand_view(TABLE, 1), player=2, title="Friends", deal=1))


async def send(sender: TelegramSender, chat: int, notice: SpokenNotice, **more: Any) -> None:
    result = await sender.send(Envelope(channel="telegram", chat=chat, notice=notice, silent=True, **more), None)
    assert result.message is None


async def spoken(sender: TelegramSender) -> None:
    await asyncio.gather(*sender.voice._tasks)


async def say(sender: TelegramSender, chat: int, notice: SpokenNotice, **more: Any) -> None:
    """Send a notice, and wait until it was read aloud."""
    await send(sender, chat, notice, **more)
    await spoken(sender)


def notes(sandbox: RunningSandbox, chat: int) -> list[StoredMessage]:
    messages = sandbox.world.messages.values()
    return [one for one in messages if one.chat_id == chat and one.media is not None and one.media.kind == "voice"]


def count(result: str) -> float:
    return REGISTRY.get_sample_value("perudo_spoken_total", {"result": result}) or 0.0


async def test_a_note_arrives_silent_and_timed(sandbox: RunningSandbox, sender: TelegramSender, aloud: Aloud) -> None:
    await say(sender, sandbox.people["Ana"], HAND, language="it")
    (note,) = notes(sandbox, sandbox.people["Ana"])
    assert note.media is not None
    assert note.media.duration == round(note_seconds(note.media.file.content)) > 2
    assert note.media.file.content.startswith(b"OggS")
    ((text, language),) = aloud.said
    assert language == "it"
    assert text.endswith("I tuoi dadi: 2 cinque, 2 tre e un uno.")
    (call,) = [call for call in sandbox.world.calls.listing() if call["method"] == "sendVoice"]
    assert call["params"]["disable_notification"] in (True, "true")


async def test_a_text_is_said_once_for_all_chats(sandbox: RunningSandbox, sender: TelegramSender, aloud: Aloud) -> None:
    await say(sender, sandbox.group_id, HAND)
    assert not aloud.said, "no group hears dice"
    chats = [sandbox.group_id, sandbox.people["Ana"], sandbox.people["Bo"]]
    for chat in chats:
        await say(sender, chat, REVEAL)
    assert len(aloud.said) == 1
    assert len(sandbox.world.files) == 1
    (first, *others) = [notes(sandbox, chat)[0].media for chat in chats]
    assert others == [first, first]
    wrong = "Bad Request: wrong file identifier/HTTP URL specified"
    sandbox.world.faults.add(Fault("refuse", "sendVoice", code=400, description=wrong), 1)
    await say(sender, chats[1], REVEAL)
    assert len(notes(sandbox, chats[1])) == 2, "Telegram has forgotten the file"
    assert len(aloud.said) == 1, "the sound was still there"
    await say(sender, chats[0], REVEAL, language="nl")
    assert len(aloud.said) == 2


async def test_a_slow_voice_delays_no_message(sandbox: RunningSandbox, sender: TelegramSender, aloud: Aloud) -> None:
    aloud.may_speak.clear()
    ana = sandbox.people["Ana"]
    for chat in (sandbox.group_id, ana):
        await send(sender, chat, REVEAL)
    await send(sender, ana, HAND)
    aloud.may_speak.set()
    await spoken(sender)
    assert len(notes(sandbox, ana)) == 2
    assert [text.startswith("Dudo!") for text, _ in aloud.said] == [True, False]


async def test_what_is_not_ready_in_time_is_not_sent(
    sandbox: RunningSandbox, sender: TelegramSender, aloud: Aloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(voice_messages, "PATIENCE_SECONDS", 0.1)
    late = count("late")
    aloud.may_speak.clear()
    await say(sender, sandbox.people["Ana"], HAND)
    assert count("late") == late + 1
    assert not notes(sandbox, sandbox.people["Ana"])


async def test_a_broken_voice_is_told_in_the_log_without_the_text(
    sandbox: RunningSandbox, sender: TelegramSender, aloud: Aloud, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    aloud.broken, failed = True, count("failed")
    await say(sender, sandbox.people["Ana"], HAND)
    assert count("failed") == failed + 1
    assert "no voice today" in caplog.text
    assert "fives" not in caplog.text
    aloud.broken = False
    await say(sender, sandbox.people["Ana"], HAND)
    assert notes(sandbox, sandbox.people["Ana"]), "the next one is tried again"


@pytest.mark.parametrize("where", ["group", "Ana"])
async def test_whoever_takes_no_voice_notes_is_left_in_peace(
    sandbox: RunningSandbox, sender: TelegramSender, aloud: Aloud, where: str
) -> None:
    chat = sandbox.group_id if where == "group" else sandbox.people[where]
    words = "not enough rights to send voice notes to the chat" if where == "group" else "VOICE_MESSAGES_FORBIDDEN"
    sandbox.world.faults.add(Fault("refuse", "sendVoice", code=400, description=f"Bad Request: {words}"), 1)
    for _ in range(2):
        await say(sender, chat, REVEAL)
    assert len(aloud.said) == 1, "not even said for someone who refuses it"
    assert not notes(sandbox, chat)
    await say(sender, sandbox.people["Bo"], REVEAL)
    assert notes(sandbox, sandbox.people["Bo"])


async def test_without_a_voice_nothing_is_said(sandbox: RunningSandbox, bot: Bot) -> None:
    silent = TelegramSender(bot)
    await send(silent, sandbox.people["Ana"], HAND)
    await silent.close()
    assert not notes(sandbox, sandbox.people["Ana"])


async def test_speech_ends_with_the_bot(sandbox: RunningSandbox, sender: TelegramSender, aloud: Aloud) -> None:
    aloud.may_speak.clear()
    await send(sender, sandbox.people["Ana"], HAND)
    await asyncio.sleep(0)
    await sender.close()
    assert not sender.voice._tasks
