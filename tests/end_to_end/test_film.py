"""The documents' pictures can be taken again. `.ci/run film` takes all of them."""

from pathlib import Path

import pytest
from PIL import Image
from playwright.async_api import Browser

from test_support.documents import ROOT
from test_support.film.scene import Scene, setting_of
from test_support.film.stories import FILMS
from test_support.world import World, opened

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_gran_does_not_miss_a_turn_at_the_readmes_table(browser: Browser, tmp_path: Path) -> None:
    film = next(film for film in FILMS if film.name == "one-table")
    async with opened(tmp_path, World, **setting_of(film)) as world:
        scene = await Scene.of(film, world, browser, tmp_path)
        await scene.act(film)
        texts = await scene.phone("Gran").inner_text()
        await scene.page_of_phones.close()
    assert "doubted" in texts
    assert "missed" not in texts
    for file in film.files:
        with Image.open(tmp_path / file) as again, Image.open(ROOT / "docs/images" / file) as old:
            assert again.size == old.size
