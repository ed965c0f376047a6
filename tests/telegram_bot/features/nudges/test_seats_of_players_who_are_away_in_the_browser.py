"""The keys of a page for players who are away. Drawn from cards alone; there is no bot."""

import json
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect

from telegram_bot.features.nudges import page_words as nudges_words
from telegram_bot.words.page import page_words
from tests.end_to_end.test_web_seat_in_the_browser import PHONES, without_findings
from tests.telegram_bot.channels.web.stored_pages import HELLO, ORIGIN, ROOM, Site, answers, serve
from tests.telegram_bot.channels.web.test_seat_in_the_browser import SMALL, a_game
from tests.telegram_bot.channels.web.test_television_as_host import the_round as shown
from tests.telegram_bot.conftest import EN

pytestmark = pytest.mark.asyncio(loop_scope="session")

DEE = 9
"""A person who watches."""
BO = 2
LONG = "Wolfeschlegelsteinhausenbergerdorff"
"""A name without a space, longer than a small phone is wide."""
GAME = a_game(6, calls="2x3").with_seat(1, name="Bo", away=True).with_seat(2, name=LONG, away=True)


async def a_phone(site: Site, player: int) -> Page:
    """The page of a person in the room of a game in which two players are away."""
    phone = await site.page(SMALL)
    me = {"state": "in", "kind": "guest", "code": "TABLE2", "player": player, "name": "Dee", "tables": []}
    answers(phone, "me", me)
    answers(phone, "words", {**page_words(EN), **nudges_words(EN)})
    answers(phone, "room", ROOM)
    serve(phone, ("hello", HELLO | {"player": player}), ("card", shown(GAME)))
    await phone.goto(f"{ORIGIN}/t/TABLE2#KEY")
    return phone


async def all_are_within_reach(phone: Page) -> None:
    """Fail if a key of players who are away cannot be pressed on a phone of any size."""
    for width, height in PHONES:
        await phone.set_viewport_size({"width": width, "height": height})
        for key in await phone.locator(".sleepers button").all():
            await key.click(trial=True)
            box = await key.bounding_box()
            assert box is not None
            assert box["x"] >= 0, (width, await key.inner_text())
            assert box["x"] + box["width"] <= width, (width, await key.inner_text())


async def when_taken(phone: Page, seats: list[dict[str, Any]], player: int) -> list[dict[str, Any]]:
    """Dee's act takes the seat of a player; return the acts."""
    acts: list[dict[str, Any]] = []

    async def act(route: Route) -> None:
        acts.append(json.loads(route.request.post_data or ""))
        show(phone, [seat | {"taken_by": DEE * (seat["player"] == player)} for seat in seats])
        await route.fulfill(body=json.dumps({"done": True, "text": ""}), content_type="application/json")

    await phone.route(f"{ORIGIN}/seat/act", act)
    return acts


def show(phone: Page, seats: list[dict[str, Any]]) -> None:
    serve(phone, ("hello", HELLO | {"player": DEE}), ("card", shown(GAME) | {"seats": seats}))


async def test_a_friend_who_watches_presses_play_on_for_bo_and_is_offered_no_other_seat_then(site: Site) -> None:
    phone = await a_phone(site, DEE)
    acts = await when_taken(phone, shown(GAME)["seats"], BO)
    keys = phone.get_by_role("button", name="Play on for")
    await expect(keys).to_have_text(["Play on for Bo", "Play on for Wolfeschlegelsteinhausenbergerd…"])
    await all_are_within_reach(phone)
    await without_findings(phone)
    await keys.first.click()
    await expect(keys).to_have_count(0)
    assert [(each["act"], each["player"]) for each in acts] == [("play_for", BO)]


async def test_the_hosts_keys_for_two_players_who_are_away_fit_every_phone(site: Site) -> None:
    phone = await a_phone(site, 1)
    await phone.locator(".sleepers > summary").click()
    await expect(phone.locator(".sleepers button")).to_have_count(6)
    await all_are_within_reach(phone)


async def test_a_player_whose_seat_another_has_takes_it_back_with_a_key_and_is_offered_no_other(site: Site) -> None:
    phone = await a_phone(site, DEE)
    lent = [seat | {"owner": DEE * (seat["player"] == 1)} for seat in shown(GAME)["seats"]]
    acts = await when_taken(phone, lent, 1)
    show(phone, lent)
    keys = phone.locator(".sleepers button")
    await expect(keys).to_have_text(["I'm back"])
    await all_are_within_reach(phone)
    await keys.click()
    await expect(keys).to_have_count(0)
    assert [each["act"] for each in acts] == ["back"]
