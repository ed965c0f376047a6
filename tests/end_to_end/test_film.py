"""The documents' pictures can be taken again, and show what their captions say."""

from pathlib import Path

import pytest
from PIL import Image
from playwright.async_api import Browser

from test_support.film.camera import Camera
from test_support.film.captions import IMAGES, kept
from test_support.film.stories import FILMS, Scene
from test_support.world import opened

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_story_is_played_again_as_the_page_tells_it(browser: Browser, tmp_path: Path) -> None:
    film = next(film for film in FILMS if film.name == "alert")
    async with opened(tmp_path, film.setting) as world:
        camera = await Camera.before(world, browser, tmp_path, film.name, film.height)
        await film.story(Scene(world, camera))
        await camera.page.close()
        told = "\n".join(message.text for message in world["Ana"].history())
    assert camera.taken == kept()["alert"]
    opens, _, _, doubts, _ = (picture.caption for picture in camera.taken)
    assert f"{opens.partition(' ')[0]} opens." in told
    assert doubts.partition(" bid")[0] in told
    for picture in camera.taken:
        with Image.open(tmp_path / picture.file) as again, Image.open(IMAGES / picture.file) as old:
            assert again.size == old.size


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
