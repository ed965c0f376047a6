"""The message that an inline result posts: which call it carries, and when it carries none."""

from __future__ import annotations

from typing import Any

import pytest
from telegram import Bot, User

from telegram_bot.channels.telegram import callback_data, updates
from telegram_bot.channels.telegram.callback_data import call_link, parse_result_id
from telegram_bot.service import intents as i

Json = dict[str, Any]
BOT_USER: Json = {"id": 424242, "is_bot": True, "first_name": "Perudo", "username": "perudo_bot"}
GROUP: Json = {"id": -1001, "type": "supergroup", "title": "Friends"}
ANA: Json = {"id": 101, "is_bot": False, "first_name": "Ana", "language_code": "en"}
LARGEST = 10**15 - 1
BOT = Bot("424242:none")
BOT._bot_user = User(**BOT_USER)


def read(bot: Bot, message: Json) -> i.Intent | None:
    return updates.read_update({"update_id": 9, "message": message}, bot)[0]


def posted(text: str, link: str | None, **more: Any) -> Json:
    entities = [] if link is None else [{"type": "text_link", "offset": 0, "length": 2, "url": link}]
    said = {"message_id": 5, "date": 1_700_000_000, "chat": GROUP, "from": ANA, "via_bot": BOT_USER, "text": text}
    return said | {"entities": entities} | more


CALLS = [("bid", "107x6", i.MakeBid(107, 6)), ("dudo", None, i.CallDudo()), ("calza", None, i.CallCalza())]


@pytest.mark.parametrize(("word", "value", "what"), CALLS)
def test_the_id_and_the_message_name_the_same_call(word: str, value: str | None, what: i.What) -> None:
    name = callback_data.game(LARGEST, 999_999_999, word, value)
    assert len(name.encode()) <= 64
    link = call_link("perudo_bot", name)
    assert len(link.partition("start=")[2]) <= 64
    named = parse_result_id(name)
    assert named is not None
    found = read(BOT, posted("🎲 whatever", link))
    assert found is not None
    intent = found
    assert (
        (intent.what, intent.table, intent.step)
        == (named.what, named.table, named.step)
        == (what, LARGEST, 999_999_999)
    )
    assert (intent.cause, intent.who.address, intent.where and intent.where.address) == ("9", 101, -1001)
    private = read(BOT, posted("🎲 whatever", link, chat={"id": 101, "type": "private", "first_name": "Ana"}))
    assert private is not None
    assert (private.what, private.table) == (i.PostedElsewhere(), None)


def test_what_names_no_call_plays_nothing() -> None:
    bid = call_link("perudo_bot", callback_data.game(1, 2, "bid", "3x4"))
    origin = {"type": "user", "sender_user": ANA, "date": 1_700_000_000}
    another = {"id": 7, "is_bot": True, "first_name": "Inline", "username": "inline"}
    anonymous = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}
    assert read(BOT, posted("🎲 3 × 4️⃣", bid)) is not None
    for message in (
        posted("3x4", None),
        posted("I am looking at my dice 👀", None),
        posted("🎲 x", "https://t.me/perudo_bot?start=g-1-2-dice"),
        posted("🎲 x", "https://t.me/perudo_bot?start=l-1-stop"),
        posted("🎲 x", "https://t.me/perudo_bot"),
        posted("🎲 3 × 4️⃣", bid, forward_origin=origin),
        posted("🎲 3 × 4️⃣", bid, via_bot=another),
        posted("🎲 3 × 4️⃣", bid, **{"from": anonymous, "sender_chat": GROUP}),
    ):
        assert read(BOT, message) is None
    typed = posted("🎲 3 × 4️⃣", bid)
    del typed["via_bot"]
    assert read(BOT, typed) is None, "only the bot's own results carry calls"
