"""The review of a round on web pages."""

from telegram_bot.service.intents import RoundReviewed
from telegram_bot.storage.database import Database
from telegram_bot.tables.judgement import JudgedDecision
from telegram_bot.tables.result_views import ANIMATION_SECONDS
from test_support.web_world import WebWorld, a_room


async def test_a_guest_reads_on_the_page_how_they_have_decided(database: Database) -> None:
    world = WebWorld(database)
    ana, cy = await a_room(world, "Ana", "Cy")
    await ana.act("option", option="hints")
    await ana.act("start")
    assert [act["act"] for act in (await ana.card("round"))["acts"]] == ["coach"]
    for act, bid in (("bid", {"quantity": 1, "face": 2}), ("dudo", {})):
        card = await ana.card("round")
        assert (await (ana, cy)[card["turn"]].act(act, table=1, step=card["step"], **bid))["done"]
    judged = tuple(JudgedDecision(seat=seat, call="9x3", lost=14, better="dudo") for seat in (0, 1))
    await world.service.handle(RoundReviewed(1, 1, None, judged))
    world.now += ANIMATION_SECONDS
    await world.settle()
    for guest in (ana, cy):
        assert (await guest.card("review"))["lines"]
