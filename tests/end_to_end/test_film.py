"""The documents' pictures can be taken again."""

from pathlib import Path

import pytest
from PIL import Image
from playwright.async_api import Browser

from test_support.film.camera import Camera
from test_support.film.stories import FILMS, Scene
from test_support.world import ROOT, opened

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_story_is_played_again_as_the_page_tells_it(browser: Browser, tmp_path: Path) -> None:
    film = next(film for film in FILMS if film.name == "alert")
    async with opened(tmp_path, film.setting) as world:
        camera = await Camera.before(world, browser, tmp_path, film.name, film.height)
        await film.story(Scene(world, camera))
        await camera.page.close()
        told = "\n".join(message.text for message in world["Ana"].history())
    assert "Cy opens." in told
    assert "Bo doubts Ana's" in told
    kept = [file.relative_to(ROOT / "docs/images") for file in sorted((ROOT / "docs/images/film").glob("alert-*"))]
    assert [file.relative_to(tmp_path) for file in camera.taken] == kept
    for file in camera.taken:
        with Image.open(file) as picture, Image.open(ROOT / "docs/images" / file.relative_to(tmp_path)) as old:
            assert picture.size == old.size
