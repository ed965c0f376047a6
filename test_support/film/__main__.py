"""Make the pictures of docs/film.md and the README again: `.ci/run film`.

Codes and dice follow from seeds, so the same games are played each time; only the hours in the messages change.
"""

import argparse
import asyncio
import tempfile
from pathlib import Path

from test_support.chromium import running_chromium
from test_support.documents import ROOT
from test_support.film.drawn import draw
from test_support.film.scene import Scene, setting_of
from test_support.film.stories import FILMS
from test_support.world import opened


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
                    async with opened(Path(folder), setting_of(film)) as world:
                        scene = await Scene.of(film, world, browser, chosen.folder)
                        await scene.play(film)
                        await scene.page_of_phones.close()
                size = sum((chosen.folder / frame.file).stat().st_size for frame in film.frames)
                print(f"{film.name}: {len(film.frames)} pictures, {size / 1000:.0f} kB", flush=True)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main())
