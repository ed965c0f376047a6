"""Draw the README's reveal and the pictures of stories; these need no browser.

The game of four computer players and its analysis follow from seeds, so the stories show the same each time.
"""

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
from test_support.tournament_shares import played

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
    """Draw all of them, as the group would see them."""
    install(FEATURES)
    with Image.open(BytesIO(reveal_animation(revealed(), RevealLabels("Bid", "Counted")))) as animation:
        times = [min(frame.info["duration"], LAST_MS) for frame in ImageSequence.Iterator(animation)]
        animation.save(folder / "reveal.gif", save_all=True, loop=0, duration=times)
    print(f"reveal.gif: {(folder / 'reveal.gif').stat().st_size / 1000:.0f} kB")  # noqa: T201
    agents = [create_agent(level) for level in LEVELS]
    story = story_of(played(agents, new_game(Rules(calza=True), NAMES, opener=0), Random(SEED)).record())
    for theme, language in (("dark", "en"), ("light", "it")):
        notice = StoryNotice.model_validate({"table": 1, "story": story, "names": NAMES, "theme": theme})
        envelope = Envelope(channel="telegram", chat=-1, pictures=True, notice=notice)
        picture = picture_of(envelope, catalogue(language))
        assert picture is not None, "pictures are on"
        png = picture.draw()
        (folder / f"story-{theme}.png").write_bytes(png)
        print(f"story-{theme}.png: {len(png) / 1000:.0f} kB")  # noqa: T201
