"""The process that speaks: it begins when needed, is killed when late, and never stops the bot from going on."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from telegram_bot.voice.opus import note_seconds
from telegram_bot.voice.speaker import VoiceError
from telegram_bot.voice.speaking import MOST_WAITING, SpeakingProcess


@pytest.fixture
async def speaking() -> AsyncIterator[SpeakingProcess]:
    process = SpeakingProcess()
    yield process
    await process.close()


def children() -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process().children(recursive=True)
        if child.is_running()
        and child.status() != psutil.STATUS_ZOMBIE
        and any("voice.speaking_program" in word or "lazy_voice" in word for word in child.cmdline())
    ]


async def test_texts_are_said_by_one_process_that_knows_no_secret(
    speaking: SpeakingProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERUDO_TOKEN", "1234:secret")
    first, second = await asyncio.gather(speaking.say("Five fours.", "en"), speaking.say("Cinque quattro.", "it"))
    assert note_seconds(first) > 0.5
    assert first != second
    (child,) = children()
    assert "PERUDO_TOKEN" not in child.environ()
    assert child.nice() > psutil.Process().nice()
    await speaking.close()
    assert not children()


async def test_a_voice_that_is_not_there_leaves_it_to_espeak() -> None:
    speaking = SpeakingProcess({"en": "/no/such/kokoro"})
    try:
        assert note_seconds(await speaking.say("Five fours.", "en")) > 0.5
        with pytest.raises(VoiceError, match="nothing to say"):
            await speaking.say(" ", "en")
        with pytest.raises(VoiceError, match="no voice for tlh"):
            await speaking.say("nuqneH", "tlh")
    finally:
        await speaking.close()


async def test_after_a_crash_the_next_text_is_said(speaking: SpeakingProcess) -> None:
    await speaking.say("Five fours.", "en")
    (child,) = children()
    child.kill()
    child.wait()
    with suppress(VoiceError):  # unless the loop has seen the death already
        await speaking.say("Five fours.", "en")
    assert await speaking.say("Five fours.", "en")


async def test_an_idle_process_ends(speaking: SpeakingProcess) -> None:
    speaking._idle_seconds = 0.05
    await speaking.say("Five fours.", "en")
    (child,) = children()
    await asyncio.to_thread(child.wait, 5)
    assert await speaking.say("Six fours.", "en")


async def test_a_late_voice_is_killed_and_too_many_texts_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lazy_voice.py").write_text("import time\ntime.sleep(60)\n")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
    speaking = SpeakingProcess(seconds=0.3, program="lazy_voice")
    try:
        waiting = [asyncio.create_task(speaking.say("Five fours.", "en")) for _ in range(MOST_WAITING)]
        await asyncio.sleep(0)
        with pytest.raises(VoiceError, match="too much"):
            await speaking.say("Five fours.", "en")
        for task in waiting[1:]:
            task.cancel()
        with pytest.raises(VoiceError, match="in time"):
            await waiting[0]
        assert not children()
    finally:
        await speaking.close()
