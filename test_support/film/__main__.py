"""Make the pictures of docs/film.md and the README again: `.ci/run film`.

Codes and dice follow from seeds, so the same games are played each time; only the hours in the messages change.
Each story also writes who is on turn, who doubts and who loses a die; `test_support.generated_docs` prints it.
"""

import argparse
import asyncio
import tempfile
from pathlib import Path

from test_support.chromium import running_chromium
from test_support.film.camera import Camera
from test_support.film.captions import IMAGES, keep, kept
from test_support.film.drawn import draw
from test_support.film.stories import FILMS, Scene
from test_support.world import opened


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="only stories whose names contain this")
    parser.add_argument("--folder", type=Path, default=IMAGES)
    chosen = parser.parse_args()
    if not chosen.only:
        draw(chosen.folder)
    async with running_chromium() as browser:
        for film in FILMS:
            if chosen.only not in film.name:
                continue
            with tempfile.TemporaryDirectory() as folder:
                async with opened(Path(folder), film.setting) as world:
                    camera = await Camera.before(world, browser, chosen.folder, film.name, film.height)
                    await film.story(Scene(world, camera))
                    await camera.page.close()
            keep(chosen.folder, kept(chosen.folder) | {film.name: camera.taken})
            size = sum((chosen.folder / picture.file).stat().st_size for picture in camera.taken)
            print(f"{film.name}: {len(camera.taken)} pictures, {size / 1000:.0f} kB", flush=True)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main())
