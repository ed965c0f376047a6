"""The file of an evening: who won, the finished rounds, in one page that needs nothing else; no running one's dice."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from babel.dates import format_date
from playwright.async_api import Browser

from telegram_bot.operations.evening_file import evening_page, write_evening
from telegram_bot.storage.models import RoundEnd
from telegram_bot.tables.result_views import RevealView
from tests.telegram_bot.conftest import START, GroupHarness
from tests.telegram_bot.statistics.conftest import PlayGame, play_game

__all__ = ["play_game"]


def the_page(harness: GroupHarness, since: float = START) -> str | None:
    with harness.database.transaction() as session:
        return evening_page(harness.service.unit_of_work(session, ""), datetime.fromtimestamp(since, UTC))


def words_of(page: str | None) -> str:
    return re.sub(r"data:image/png;base64,[^\"]*", "", page or "")


async def test_it_has_winner_highlight_and_each_round(
    harness: GroupHarness, play_game: PlayGame, tmp_path: Path
) -> None:
    await play_game("Ana", "Bo")
    harness.mark_all_sent()
    page = the_page(harness) or ""
    ends = [RevealView.model_validate(end.view) for end in harness.rows(RoundEnd)]
    front, _, rounds = page.partition("<details>")
    assert rounds.count("<figure>") == len(ends)
    assert rounds.count("data:image/png") == sum(view.bid is not None for view in ends)
    assert format_date(datetime.fromtimestamp(START, UTC), "full", locale="en_GB") in front, "when it began"
    assert re.search(r"🏆 Wins tonight: \S+ (Ana|Bo) 1<", words_of(front))
    assert "data:image/png" in front, "the highlight"
    assert "Again?" not in front
    assert not re.search(r"(src|href)=.?(http|/)|@import|url\(", words_of(page)), "it needs no other file"
    assert the_page(harness, harness.now + 1) is None, "an earlier evening is not in it"

    url = harness.database.engine.url.render_as_string(hide_password=False)
    first, second = (write_evening(url, harness.service.config, START, tmp_path) for _ in range(2))
    assert first is not None
    assert second is not None
    assert second.stem == f"{first.stem}-2", "a second file of a day does not replace the first"
    assert first.read_text() == second.read_text() == page
    assert write_evening(url, harness.service.config, harness.now + 1, tmp_path) is None


async def test_a_round_that_is_not_finished_or_that_the_room_has_not_seen_is_not_in_it(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", sent=True)
    assert the_page(harness) is None
    await harness.call("3x2")
    await harness.call("dudo")
    assert the_page(harness) is None, "the dice are not shown yet"
    harness.mark_all_sent()
    await harness.set_dice("44444", "5555")
    await harness.call("1x4")
    page = words_of(the_page(harness))
    assert page.count("<figure>") == 1
    assert "<details open>" in page
    assert "4️⃣ 4️⃣" not in page
    assert "4 4" not in page


@pytest.mark.asyncio(loop_scope="session")
async def test_a_name_neither_adds_to_the_page_nor_makes_it_wider_than_a_phone(
    harness: GroupHarness, play_game: PlayGame, browser: Browser
) -> None:
    await play_game("Ana", "Bo")
    harness.mark_all_sent()
    for end in harness.rows(RoundEnd):
        seats = [seat | {"name": '"><script>' + "W" * 22} for seat in end.view["seats"]]
        harness.update_row(RoundEnd, (end.table_id, end.deal), view=end.view | {"seats": seats})
    page = the_page(harness) or ""
    assert "W" * 22 in page
    assert "<script>" not in page
    phone = await browser.new_page(viewport={"width": 320, "height": 568})
    await phone.set_content(page)
    assert await phone.evaluate("document.scrollingElement.scrollWidth") == 320
