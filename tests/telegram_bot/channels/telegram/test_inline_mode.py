"""The list over the text field, update by update: its contents, its costs, and the reading of a posted call."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import pytest
from sqlalchemy import event
from telegram import Bot

from perudo_core import Rules
from telegram_bot.channels.telegram import inline_mode
from telegram_bot.channels.telegram.inline_mode import InlineMode
from telegram_bot.channels.telegram.received import InlineQuery
from telegram_bot.intents import intents as i
from telegram_bot.presentation.inline_results import ranked_bids
from telegram_bot.service.handlers.lobby_requests import Start, StartPrivateChat
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable, RoundEnd
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.views import hand_view
from tests.telegram_bot.channels.telegram.scripted_bot_api import ScriptedBotApi
from tests.telegram_bot.conftest import GroupHarness, running_table

Json = dict[str, Any]
GROUP: Json = {"id": -1001, "type": "supergroup", "title": "Friends"}
ANA: Json = {"id": 101, "is_bot": False, "first_name": "Ana", "language_code": "en"}


@dataclass
class TextField:
    """Someone's text field, the bot behind it, and the answers that the bot gave."""

    telegram: ScriptedBotApi
    harness: GroupHarness
    inline: InlineMode

    async def answer(self, typed: str = "", name: str = "Ana", **more: Any) -> Json:
        who = self.harness.person(name)
        sender = {"id": who.address, "is_bot": False, "first_name": name, "language_code": who.language}
        query = {"id": "q", "from": sender, "chat_type": "supergroup", "query": typed, "offset": "", **more}
        await self.inline.answer(InlineQuery.model_validate(query))
        method, params = self.telegram.calls[-1]
        assert method == "answerInlineQuery"
        return params

    async def lines(self, typed: str = "", name: str = "Ana", **more: Any) -> list[str]:
        return [one["title"] for one in (await self.answer(typed, name, **more))["results"]]


@pytest.fixture
async def field(telegram: ScriptedBotApi, harness: GroupHarness, bot: Bot) -> AsyncIterator[TextField]:
    inline = InlineMode(bot, harness.service)
    yield TextField(telegram, harness, inline)
    await inline.close()


async def test_an_answer_takes_three_statements_and_is_for_one_person(field: TextField, database: Database) -> None:
    await field.harness.game("23456", "22345", "33333", calls="2x2 3x2")
    asked: list[str] = []
    event.listen(database.engine, "before_cursor_execute", lambda _c, _cur, sql, *_: asked.append(sql))
    answer = await field.answer(name="Cy")
    read = [sql for sql in asked if not sql.startswith("BEGIN")]
    assert len(read) == 3, "the person, their tables, and the chat, whose language and dice it has"
    assert all(sql.startswith("SELECT") and "FOR UPDATE" not in sql for sql in read)
    assert (answer["is_personal"], answer["cache_time"]) == (True, 0)
    ids = [one["id"] for one in answer["results"]]
    assert len(set(ids)) == len(ids) > 5
    assert max(len(name.encode()) for name in ids) <= 64


async def test_other_peoples_dice_change_no_byte_of_my_list(field: TextField) -> None:
    seen: list[list[str]] = []
    for others in (("11111", "66666"), ("25364", "33333")):
        harness = field.harness
        if not seen:
            await harness.game("23456", *others)
        else:
            await harness.set_dice("23456", *others)
        queries = ("", "4", "3x", "3x4", "five fours", "du", "zzz")
        answers = [await field.answer(typed) for typed in queries]
        answers.append(await field.answer(offset="50"))
        answers += [await field.answer(chat_type="sender"), await field.answer("2", name="Dee")]
        seen.append([json.dumps(answer) for answer in answers])
    assert seen[0] == seen[1]
    await field.harness.set_dice("11111", "25364", "33333")
    assert json.dumps(await field.answer()) != seen[0][0], "my own dice do change it"


async def test_dice_stand_in_no_id_and_no_message_of_a_result(field: TextField) -> None:
    await field.harness.game("23456", "22345")
    (look, *calls) = (await field.answer())["results"]
    content = look["input_message_content"]
    assert (look["id"], content["message_text"]) == ("look:1:0", "I'm looking at my dice 👀")
    bids = {one["id"]: one["input_message_content"]["message_text"] for one in calls}
    assert bids["g:1:0:bid=3x4"] == '<a href="https://t.me/perudo_bot?start=g-1-0-bid_3x4">🎲</a> 3 × 4️⃣'


TYPED_AND_FOUND: tuple[tuple[str, list[str]], ...] = (
    ("3x4", ["3 × 4️⃣"]),
    ("three fours", ["3 × 4️⃣"]),
    ("tre quattro", ["3 × 4️⃣"]),
    ("3 4", ["3 × 4️⃣"]),
    ("3 fou", ["3 × 4️⃣"]),
    ("three fou", ["3 × 4️⃣"]),
    ("tre quat", ["3 × 4️⃣"]),
    ("twenty f", []),
    ("dudo", ["🗣 Dudo!"]),
    ("leugenaar", ["🗣 Dudo!"]),
    ("calz", ["🎯 Calza!"]),
    ("calza", ["🎯 Calza!"]),
    ("2x3", []),
    ("how is your mother", []),
)


async def test_what_is_typed_chooses_among_the_calls(field: TextField) -> None:
    rules = Rules.preset("box_2009").with_options(calza=True)
    field.harness.service.config = replace(field.harness.service.config, rules=rules)
    await field.harness.game("23456", "22345", "23456", opener=0, calls="2x4")
    found = {typed: await field.lines(typed, "Bo") for typed, _ in TYPED_AND_FOUND}
    assert {lines[0] for lines in found.values()} == {"🎲 Your dice: 2️⃣ 2️⃣ 3️⃣ 4️⃣ 5️⃣"}
    assert {typed: lines[1:] for typed, lines in found.items()} == dict(TYPED_AND_FOUND)


async def test_a_number_alone_is_a_quantity_or_a_face(field: TextField) -> None:
    await field.harness.game("23456", "22345")
    found = (await field.lines("4"))[1:]
    assert {title for title in found if not title.startswith("4 ×")} == {
        f"{n} × 4️⃣" for n in (*range(1, 4), *range(5, 11))
    }
    assert sum(title.startswith("4 ×") for title in found) >= 5
    assert {title[:3] for title in (await field.lines("3x"))[1:]} == {"3 ×"}
    assert await field.lines("four") == await field.lines("4")


async def test_long_lists_come_in_pages(field: TextField) -> None:
    await field.harness.game(*["23456"] * 6)
    pages, offset = [], ""
    for number in count(1):
        answer = await field.answer(offset=offset)
        assert len(answer["results"]) <= 50
        pages += [one["id"] for one in answer["results"]]
        offset = str(answer.get("next_offset", ""))
        if not offset or number > 9:
            break
    legal = hand_view(field.harness.table(), 0).table.raises
    assert len(pages) == len(set(pages)) == 1 + len(legal) > 100
    assert (await field.answer(offset="forged"))["results"][0]["id"] == pages[0]


async def test_of_several_games_the_one_that_waits_for_me_is_shown_or_all_that_do(field: TextField) -> None:
    harness = field.harness
    await harness.game("23456", "22345")
    harness.group = i.Place("telegram", -1002, 0, "Family <3")
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", Start(), table=2)
    await harness.set_dice("66666", "55555", opener=1, table=2)
    ids = [one["id"] for one in (await field.answer())["results"]]
    assert {name.split(":")[1] for name in ids} == {"1"}, "Bo is on turn in the family's game"
    await harness.set_dice("66666", "55555", opener=0, table=2)
    both = (await field.answer("3x6"))["results"]
    assert [one["description"] for one in both] == [
        "Friends · It's your turn.", "3 sixes · Friends", "Family <3 · It's your turn.", "3 sixes · Family <3",
    ]  # fmt: skip
    family = (await field.answer("fam"))["results"]
    assert {one["id"].split(":")[1] for one in family} == {"2"}


async def test_before_the_last_rounds_dice_are_shown_nobody_sees_the_next_ones(field: TextField) -> None:
    await field.harness.game("23456", "22345")
    with field.harness.database.transaction() as session:
        row = session.get_one(GameTable, 1)
        row.state = {**row.state, "deals": 2}
        now = field.harness.now
        session.add(RoundEnd(table_id=1, deal=1, at=now, cups_at=now, dice_at=now + 2, seen_at=now, view={}))
    (moment,) = (await field.answer())["results"]
    assert moment["description"] == "One moment: the dice are about to be shown."
    field.harness.now += 3
    assert (await field.lines())[0].startswith("🎲 Your dice: ")


async def test_who_plays_nowhere_is_told_how_to_begin(field: TextField) -> None:
    (nobody,) = (await field.answer(name="Eve"))["results"]
    assert nobody["description"] == "There's no game here. Send /perudo in your group to open one."
    await field.harness.lobby("Ana", "Bo")
    (waiting,) = (await field.answer())["results"]
    assert waiting["description"] == "The game hasn't started yet. The host starts it when everyone is in."
    for one in (nobody, waiting):
        assert one["input_message_content"]["message_text"].startswith("🎲 Who plays Perudo with me?")


def test_the_surest_bids_come_first() -> None:
    hand = hand_view(running_table("44412", "33333", "22222"), 0)
    bids = ranked_bids(hand)
    assert bids[0] == (4, 4), "three fours and a wild one, the strongest first"
    assert bids.index((3, 4)) < bids.index((5, 4))
    assert set(bids) == set(hand.table.raises)
    assert bids.index((14, 4)) < bids.index((15, 4)), "at most fourteen fours can lie there"


async def test_who_asks_without_end_is_ignored_and_nobody_else_is(field: TextField) -> None:
    def ask(person: int) -> None:
        query = {"id": "q", "from": ANA | {"id": person}, "query": "x", "offset": ""}
        assert field.inline.takes({"update_id": 1, "inline_query": query})

    for _ in range(inline_mode.QUERIES_AT_ONCE + 30):
        ask(101)
    ask(102)
    await asyncio.gather(*field.inline._tasks)
    assert len(field.telegram.calls) == inline_mode.QUERIES_AT_ONCE + 1


async def test_who_chooses_a_call_that_does_not_arrive_is_told_so(
    field: TextField, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inline_mode, "POSTED_SECONDS", 0)
    await field.harness.say("Ana", StartPrivateChat(), where=None)
    await field.harness.game("23456", "22345", sent=True)
    chosen = {"result_id": "g:1:0:bid=3x4", "from": ANA, "query": ""}
    assert field.inline.takes({"update_id": 99, "chosen_inline_result": chosen})
    await asyncio.gather(*field.inline._tasks)
    assert [notice.reason for notice in field.harness.notices("rejection")] == [RejectionReason.ELSEWHERE]


async def test_a_late_answer_is_no_error(field: TextField, caplog: pytest.LogCaptureFixture) -> None:
    field.telegram.refuse(400, "Bad Request: query is too old and response timeout expired or query ID is invalid")
    await field.answer("secret words")
    assert not [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")]
    assert "secret" not in caplog.text


async def test_a_message_of_which_inline_mode_cannot_take_note_is_for_others(
    field: TextField, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(InlineMode, "_note_posted", lambda _self, message: {}[message.text])
    said = {"message_id": 5, "date": 1, "chat": GROUP, "from": ANA, "text": "a secret word"}
    assert not field.inline.takes({"update_id": 1, "message": said})
    assert "could not read an update: KeyError" in caplog.text
    assert "secret" not in caplog.text
