"""Draw the pictures of a game's story in docs/statistics.md again, as `make film` does; these need no browser.

The game of four computer players and its analysis follow from seeds, so both pictures show the same each time.
"""

import argparse
from pathlib import Path
from random import Random

from perudo_core import Action, Record, Rules, apply, new_game, observe, record_of, sample_roll
from perudo_core.agents import create_agent, new_memory, remember_all
from telegram_bot.channels.telegram.pictures import picture_of
from telegram_bot.service.notices import Envelope, StoryNotice
from telegram_bot.statistics.story import story_of
from telegram_bot.words.catalogue import catalogue
from test_support.world import ROOT

IMAGES = ROOT / "docs" / "images"
NAMES = ("Ana", "Bo", "Cy", "Gran")
LEVELS = ("regular", "strong", "novice", "expert")
SEED = 39


def played() -> Record:
    """The game."""
    rng, state, actions = Random(SEED), new_game(Rules(calza=True), NAMES, opener=0), list[Action]()
    agents, memory = [create_agent(level) for level in LEVELS], new_memory(state.rules, len(NAMES))
    while not state.is_terminal:
        turn = state.turn
        action = sample_roll(state, rng) if turn is None else agents[turn].choose(observe(state, turn), memory, rng)
        actions.append(action)
        state, events = apply(state, action)
        memory = remember_all(memory, events)
    return record_of(state.rules, NAMES, actions, opener=0)


def main() -> None:
    """Draw both, as the group would see them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=IMAGES)
    folder: Path = parser.parse_args().folder
    story = story_of(played())
    for theme, language in (("dark", "en"), ("light", "it")):
        notice = StoryNotice.model_validate({"table": 1, "story": story, "names": NAMES, "theme": theme})
        envelope = Envelope(channel="telegram", chat=-1, pictures=True, notice=notice)
        picture = picture_of(envelope, catalogue(language))
        assert picture is not None, "pictures are on"
        png = picture.draw()
        (folder / f"story-{theme}.png").write_bytes(png)
        print(f"story-{theme}.png: {len(png) / 1000:.0f} kB")  # noqa: T201


if __name__ == "__main__":
    main()
