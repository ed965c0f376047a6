"""Make the pictures of docs/film.md and the README again: `.ci/run film`.

Codes and dice follow from seeds, so the same games are played each time, also that of the stories; only the hours in
the messages change.
"""

import argparse
import asyncio
import tempfile
from io import BytesIO
from pathlib import Path
from random import Random

from PIL import Image, ImageSequence

from perudo_core import Rules, new_game
from perudo_core.agents import create_agent
from telegram_bot.channels.telegram.pictures import picture_of
from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.features.story.analysis import story_of
from telegram_bot.features.story.notices import StoryNotice
from telegram_bot.intents.envelope import Envelope
from telegram_bot.pictures.reveal import RevealLabels, reveal_animation
from telegram_bot.tables.result_views import DiceChange, RevealView
from telegram_bot.tables.views import BidView, SeatView
from telegram_bot.words.catalogue import catalogue
from test_support.chromium import running_chromium
from test_support.documents import ROOT
from test_support.film.scene import Scene, setting_of
from test_support.film.stories import FILMS
from test_support.tournament_shares import played
from test_support.world import World, opened

NAMES = ("Ana", "Bo", "Cy", "Gran")
LEVELS = ("regular", "strong", "novice", "expert")
SEED = 39
LAST_MS = 4000
"""How long the README shows the last frame before the animation starts again."""


def revealed() -> RevealView:
    dice = ((1, 2, 5, 5, 6), (3, 3, 5), (1, 2, 4, 5))
    return RevealView(
        table=1,
        round=4,
        seats=tuple(SeatView(player=0, name=name, dice=len(held)) for name, held in zip(NAMES, dice, strict=False)),
        bids=(),
        call="dudo",
        caller=0,
        dice=dice,
        bid=BidView(seat=2, quantity=6, face=5),
        count=6,
        ones_wild=True,
        changes=(DiceChange(seat=0, dice=-1),),
        out=(),
        next_opener=0,
        next_palifico=False,
        timed_out=False,
    )


def draw(folder: Path) -> None:
    """Draw the README's reveal and the pictures of stories, as the group would see them; these need no browser."""
    install(FEATURES)
    with Image.open(BytesIO(reveal_animation(revealed(), RevealLabels("Bid", "Counted")))) as animation:
        times = [min(frame.info["duration"], LAST_MS) for frame in ImageSequence.Iterator(animation)]
        animation.save(folder / "reveal.gif", save_all=True, loop=0, duration=times)
    agents = [create_agent(level) for level in LEVELS]
    story = story_of(played(agents, new_game(Rules(calza=True), NAMES, opener=0), Random(SEED)).record())
    for theme, language in (("dark", "en"), ("light", "it")):
        notice = StoryNotice.model_validate({"table": 1, "story": story, "names": NAMES, "theme": theme})
        envelope = Envelope(channel="telegram", chat=-1, pictures=True, notice=notice)
        picture = picture_of(envelope, catalogue(language))
        assert picture is not None, "pictures are on"
        (folder / f"story-{theme}.png").write_bytes(picture.draw())


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="only stories whose names contain this")
    parser.add_argument("--folder", type=Path, default=ROOT / "docs/images")
    chosen = parser.parse_args()
    if not chosen.only:
        draw(chosen.folder)
    async with running_chromium() as browser:
        for film in FILMS:
            if chosen.only in film.name:
                with tempfile.TemporaryDirectory() as folder:
                    async with opened(Path(folder), World, **setting_of(film)) as world:
                        scene = await Scene.of(film, world, browser, chosen.folder)
                        await scene.act(film)
                        await scene.page_of_phones.close()
                size = sum((chosen.folder / file).stat().st_size for file in film.files)
                print(f"{film.name}: {len(film.files)} pictures, {size / 1000:.0f} kB", flush=True)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main())
