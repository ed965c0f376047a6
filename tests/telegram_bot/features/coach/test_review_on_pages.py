"""The review of a round on web pages."""

import json

from telegram_bot.features.coach.notices import JudgedDecision
from telegram_bot.intents.intents import ComputationDone, DeadlineReached
from telegram_bot.storage.database import Database
from telegram_bot.tables.result_views import ANIMATION_SECONDS
from test_support.web_world import WebWorld, a_room


async def test_a_guest_reads_on_the_page_how_they_have_decided(database: Database) -> None:
    world = WebWorld(database)
    ana, cy = await a_room(world, "Ana", "Cy")
    await ana.act("option", option="hints")
    await ana.act("start")
    assert "coach" in [act["act"] for act in (await ana.card("round"))["acts"]]
    for act, bid in (("bid", {"quantity": 1, "face": 2}), ("dudo", {})):
        card = await ana.card("round")
        assert (await (ana, cy)[card["turn"]].act(act, table=1, step=card["step"], **bid))["done"]
    judged = [JudgedDecision(seat=seat, call="9x3", lost=14, better="dudo").model_dump() for seat in (0, 1)]
    found = json.dumps(judged).encode()
    (review,) = (await world.service.handle(DeadlineReached(1))).computations
    await world.service.handle(ComputationDone(lambda uow: review.hand_in(uow, found)))
    world.now += ANIMATION_SECONDS
    await world.settle()
    for guest in (ana, cy):
        assert (await guest.card("review"))["lines"]
