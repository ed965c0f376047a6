"""Voice notes from a browser: every recording arrives as Opus in OGG, as from Telegram's apps."""

import io
import re
import sys
from pathlib import Path

import av
import numpy as np
import pytest
from playwright.async_api import Page, expect

from telegram_sandbox import SandboxSettings, running_sandbox
from test_support.chromium import running_chromium
from tests.telegram_sandbox.browsing import PAGE, group
from tests.telegram_sandbox.conftest import Play

RATE = 48_000
Patch = pytest.MonkeyPatch


def recording(container: str, codec: str, seconds: float) -> bytes:
    tone = np.sin(2 * np.pi * 440 * np.arange(int(seconds * RATE)) / RATE)
    pcm, file = (9000 * tone).astype("<i2").tobytes(), io.BytesIO()
    with av.open(file, "w", format=container) as made:
        stream = made.add_stream(codec, rate=RATE, layout="mono")
        assert isinstance(stream, av.AudioStream)
        frame = av.AudioFrame(format="s16", layout="mono", samples=len(pcm) // 2)
        frame.sample_rate = RATE
        frame.planes[0].update(pcm)
        size = stream.codec_context.frame_size
        resampler = av.AudioResampler(format=stream.format, layout="mono", rate=RATE, frame_size=size)
        for each in (*resampler.resample(frame), *resampler.resample(None)):
            made.mux(stream.encode(each))
        made.mux(stream.encode(None))
    return file.getvalue()


def packets(content: bytes) -> list[bytes]:
    with av.open(io.BytesIO(content), "r") as file:
        return [bytes(packet) for packet in file.demux(audio=0) if packet.size]


async def upload(play: Play, content: bytes, name: str, expected: int = 200) -> dict[str, object]:
    await play.start("Ana")
    data = {"from": str(play.id("Ana")), "chat_id": str(play.id("Ana")), "kind": "voice", "duration": "9"}
    answer = await play.client.post("/sandbox/media", data=data, files={"file": (name, content)})
    assert answer.status_code == expected, answer.text
    said: dict[str, object] = answer.json()
    return said


async def test_what_chromium_records_is_packed_anew_and_what_safari_records_is_encoded(play: Play) -> None:
    webm = recording("webm", "libopus", 2.4)
    await upload(play, webm, "voice.webm")
    note = (await play.heard())["voice"]
    content = await play.file(note["file_id"])
    assert content.startswith(b"OggS")
    assert packets(content) == packets(webm)
    assert (note["duration"], note["mime_type"], note["file_size"]) == (2, "audio/ogg", len(content))
    await upload(play, recording("mp4", "aac", 1.2), "voice.m4a")
    note = (await play.heard())["voice"]
    content = await play.file(note["file_id"])
    with av.open(io.BytesIO(content), "r") as file:
        assert [stream.codec_context.name for stream in file.streams] == ["opus"]
        assert file.duration is not None
        assert file.duration / 1e6 == pytest.approx(1.2, abs=0.1)
    assert note["duration"] == 1


async def test_damaged_recordings_are_refused_and_all_without_av(play: Play, monkeypatch: Patch) -> None:
    webm = recording("webm", "libopus", 0.5)
    for damaged in (webm[:40], webm[:4] + b"\0" * 200):
        assert "recording" in str(await upload(play, damaged, "voice.webm", 400))
    monkeypatch.setitem(sys.modules, "av", None)
    assert "telegram-sandbox[voice]" in str(await upload(play, webm, "voice.webm", 400))


@pytest.mark.asyncio(loop_scope="session")
async def test_a_browser_that_records_no_ogg_says_before_what_is_missing(page: Page, monkeypatch: Patch) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    await page.reload()
    bo = group(page, "Bo")
    await bo.get_by_role("button", name="Record a voice note").click()
    await expect(page.get_by_text("To record with this browser, one library is missing.")).to_be_visible()
    await expect(bo.get_by_role("timer")).to_be_hidden()


async def test_the_microphone_button_records_a_note_that_shows_its_waveform(tmp_path: Path) -> None:
    speech = tmp_path / "speech.wav"
    speech.write_bytes(recording("wav", "pcm_s16le", 20.0))
    async with (
        running_sandbox(SandboxSettings(port=0, flood_limits=False, page=PAGE)) as sandbox,
        running_chromium(speech) as browser,
    ):
        page = await browser.new_page(reduced_motion="reduce")
        await page.goto(sandbox.url)
        bo = group(page, "Bo")
        await bo.get_by_role("button", name="Record a voice note").click()
        await expect(bo.get_by_role("timer")).to_have_text("Recording 0:00")
        await page.keyboard.press("Escape")
        await expect(bo.get_by_role("timer")).to_be_hidden()
        assert not sandbox.world.messages, "what was cancelled is not sent"

        await bo.get_by_role("button", name="Record a voice note").click()
        await expect(bo.get_by_role("timer")).to_have_text(re.compile("Recording 0:0[1-9]"))
        await bo.get_by_role("button", name="Stop and send the voice note").click()
        note = group(page, "Ana").get_by_role("article", name="Message from Bo")
        await expect(note.locator(".waveform-whole")).to_be_visible()
        (message,) = sandbox.world.messages.values()
        assert message.media is not None
        assert message.media.file.content.startswith(b"OggS")
        assert 1 <= (message.media.duration or 0) <= 20, "a busy machine presses the button late"
        with av.open(io.BytesIO(message.media.file.content), "r") as file:
            assert file.streams.audio[0].codec_context.name == "opus"
            loudest = max(float(np.abs(frame.to_ndarray()).max()) for frame in file.decode(audio=0))
        assert loudest > 0.05, "the tone was heard"
        bars = str(await note.locator(".waveform-whole").get_attribute("d"))
        assert bars.count("M") == 50
        assert len(set(bars.split("v")[1:])) > 1, "silence would be a flat line"

        await note.get_by_role("button", name="Play voice note").click()
        await expect(note.get_by_role("button", name="Pause voice note")).to_be_visible()
        await expect(note.get_by_role("button", name="Play voice note")).to_be_visible()
        place = note.get_by_role("slider", name="Place in the voice note")
        await place.press("End")
        await expect(place).not_to_have_attribute("aria-valuetext", re.compile("^0:00"))
