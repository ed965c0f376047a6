"""The reel on web pages: its card, and its animation for readers of the room alone."""

from io import BytesIO

from PIL import Image

from telegram_bot.channels.web.card_store import put_card
from telegram_bot.features.story.moment_pictures import SIZE
from telegram_bot.features.story.notices import ReelNotice
from telegram_bot.features.story.reel import ReelReveal
from telegram_bot.statistics.bluff_card import BluffCard, Feat
from telegram_bot.storage.models import Chat
from test_support.web_world import WebWorld, a_room, keys_of
from tests.telegram_bot.features.story.examples import a_reveal

CARD = BluffCard(feat=Feat.BLUFF, seat=0, total=30, chance=3, quantity=9, face=1)


async def test_the_readers_of_a_room_and_nobody_else_get_its_animation(world: WebWorld) -> None:
    ana, cy = await a_room(world, "Ana", "Cy")
    (room,) = world.rows(Chat)
    with world.database.transaction() as session:
        reel = ReelNotice(table=1, reveals=(ReelReveal(card=CARD, view=a_reveal(["Ana", "Cy"])),))
        assert put_card(session, room.address, "reel", reel, world.now) is not None
    for reader in (ana, cy):
        card = await reader.card("reel")
        assert card["lines"] == ["Ana bid 9 ones with none of them, and got away with it."]
        answer = await reader.client.get("/seat/picture", params={"slot": "reel"})
        assert (answer.status_code, answer.headers["content-type"]) == (200, "image/gif")
        assert Image.open(BytesIO(answer.content)).size == SIZE
    assert (await ana.client.get("/seat/picture", params={"slot": "table"})).status_code == 404
    assert (await world.browser("192.0.2.9").client.get("/seat/picture", params={"slot": "reel"})).status_code == 401


async def test_who_came_late_may_ask_for_the_story_and_the_reel(world: WebWorld) -> None:
    ana, _ = await a_room(world, "Ana", "Cy")
    await ana.act("start")
    key, _ = await keys_of(ana)
    dee = world.browser("192.0.2.9")
    await dee.ask("enter", code=world.table().code, key=key, name="Dee", language="en")
    for act in ("story", "reel"):
        assert (await dee.act(act, table=1))["kind"] == "story_answer"
    assert (await dee.act("story", table=2))["reason"] == "no_table"
