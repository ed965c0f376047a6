"""The documents' pictures can be taken again, and show what their captions say. `.ci/run film` takes all of them."""

from pathlib import Path

import pytest
from PIL import Image
from playwright.async_api import Browser

from test_support.film.camera import Camera
from test_support.film.captions import IMAGES, kept
from test_support.film.stories import FILMS, Scene
from test_support.world import opened

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_gran_does_not_miss_a_turn_at_the_readmes_table(browser: Browser, tmp_path: Path) -> None:
    film = next(film for film in FILMS if film.name == "one-table")
    async with opened(tmp_path, film.setting) as world:
        camera = await Camera.before(world, browser, tmp_path, film.name, film.height)
        await film.story(Scene(world, camera))
        texts = await camera.phone("Gran").inner_text()
        await camera.page.close()
    assert "doubted" in texts
    assert "missed" not in texts
    assert camera.taken == kept()["one-table"]
    for picture in camera.taken:
        with Image.open(tmp_path / picture.file) as again, Image.open(IMAGES / picture.file) as old:
            assert again.size == old.size
