"""Somebody holds the page's microphone and speaks: the browser hears real sound, and the round is won by voice."""

import io
import re
import wave
from pathlib import Path

import av
from playwright.async_api import expect

from test_support.chromium import microphone, running_chromium
from test_support.espeak_speaker import EspeakSpeaker
from test_support.game_driver import GameDriver
from test_support.world import Setting
from tests.end_to_end.conftest import OpenWorld

BO_OPENS_WITH_A_THREE = [[1, 2], 2, 3]
"""Ana has a two."""
PATIENCE_MS = 30_000


def as_wave(note: bytes, path: Path) -> Path:
    """A voice note as the WAV file of a microphone."""
    with wave.open(str(path), "wb") as file, av.open(io.BytesIO(note), "r") as sound:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(48_000)
        resampler = av.AudioResampler(format="s16", layout="mono", rate=48_000)
        for frame in sound.decode(audio=0):
            for piece in resampler.resample(frame):
                file.writeframes(bytes(piece.planes[0])[: piece.samples * 2])
    return path


async def test_a_round_is_won_by_speaking_into_the_page(open_world: OpenWorld, tmp_path: Path) -> None:
    speech = as_wave(EspeakSpeaker(variant="m3", rate=130).say("dudo", "en"), tmp_path / "dudo.wav")
    plan = {
        "clock": {"seconds": 0},
        "rules": {"starting_dice": 1, "palifico": False},
        "dice": BO_OPENS_WITH_A_THREE,
    }
    async with (
        open_world(Setting(people=("Ana", "Bo"), plan=plan)) as world,
        running_chromium(*microphone(speech)) as browser,
    ):
        ana, bo = world.some("Ana", "Bo")
        await ana.start()
        await ana.say("/settings")
        await ana.tap("🔊 Read to me aloud")
        driver = await GameDriver(world, world.group, [ana, bo]).seat()
        await driver.turn()
        await bo.say("2x6")
        await ana.sees("Your turn")

        page = await browser.new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
        await page.goto(world.sandbox.url)
        phone = page.get_by_role("region", name="Ana's phone")
        await phone.get_by_role("tab", name="Perudo bot").click()
        chat = phone.get_by_role("tabpanel").filter(visible=True)
        await chat.get_by_role("button", name="Record a voice note").click()
        await expect(chat.get_by_role("timer")).to_have_text("Recording 0:02")
        await chat.get_by_role("button", name="Stop and send the voice note").click()
        await chat.get_by_role("button", name="Dudo!", exact=True).click(timeout=PATIENCE_MS)
        await expect(chat.get_by_text(re.compile("Ana wins!"))).to_be_visible(timeout=PATIENCE_MS)

        told = chat.get_by_role("article", name="Message from Perudo").filter(has=page.locator(".waveform"))
        await expect(told.last).to_be_visible(timeout=PATIENCE_MS)
        # The end is read aloud after the reveal: `last` would become that note between the tap and the look.
        newest = told.nth(await told.count() - 1)
        await newest.get_by_role("button", name="Play voice note").click()
        await expect(newest.get_by_role("button", name="Pause voice note")).to_be_visible(timeout=PATIENCE_MS)
        assert driver.actions()[-1]["type"] == "dudo"
