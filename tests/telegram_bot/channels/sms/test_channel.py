"""Phones play: each text from and to a person, through webhook, inbox, service, outbox and gateway."""

import re
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from perudo_core import Bid, Rules
from telegram_bot.channels.sms import sender
from telegram_bot.service.announcing.table_outbox import GATHERED_SECONDS
from telegram_bot.storage.database import Database
from telegram_bot.storage.phone_models import TextSent, TextStatus
from test_support.sms_world import ANA, BO, CY, RecordingGateway, SmsWorld, a_game, a_lobby, code_in, on_turn

HINT = "This is Perudo, a dice game. Text JOIN and a friend's code, or NEW. HELP helps, STOP ends all texts."
DAY = 86400


async def test_where_anybody_may_say_calza_everybody_is_told_so(world: SmsWorld) -> None:
    rules = Rules.preset("box_2009").with_options(calza=True)
    world.service.config = replace(world.service.config, rules=rules)
    await a_game(world)
    await world.text(ANA, "1x3")
    assert "Your turn: text e.g. 2x3, DUDO or CALZA." in world.got(BO)[-1]
    assert "Exactly 1x3? Text CALZA." in (await world.text(CY, "DICE"))[-1]
    assert "CALZA" not in (await world.text(ANA, "STATUS"))[-1], "no one calls their own bid"
    [question] = await world.text(CY, "CALZA")
    assert question == (
        "R1 Calza says: exactly 1x3. If so you win a die back, if not you lose one. "
        "Calza? If you're sure, text CALZA again."
    )
    assert world.table().this_step.claims == (), "it is not Cy's turn, so a slip costs nothing"
    await world.text(CY, "CALZA")
    assert world.table().this_step.claims == (2,)
    await world.pass_time(3)
    assert world.got(ANA)[-1].startswith("R2 You said 1x3, Cy said calza: there were ")


async def test_what_plays_nothing_is_answered_with_the_reason_and_not_twice_in_a_row(world: SmsWorld) -> None:
    await a_game(world)
    asked, more, first, again, then = [(await world.text(BO, words))[-1] for words in ("?", "?", "dudo", "3x4", "3x4")]
    turn = "R1 It's Ana's turn. You'll get a text when it's yours."
    assert asked.startswith(turn)
    assert more.startswith("R1 3x4 = three fours among all dice.")
    assert first == then == turn
    assert again.startswith("R1 Ana opens. Until ")

    async def is_answered(number: str, words: str, why: str) -> None:
        before = world.table().game
        assert (await world.text(number, words))[-1].startswith(f"R1 {why}")
        assert world.table().game == before

    await is_answered(ANA, "dudo", "There's no bid yet. Make the first one.")
    await is_answered(ANA, "R7 3x4", "That was for an earlier turn")
    await is_answered(ANA, "AGAIN", "This game is still on. Ask again once it's over.")
    await is_answered(BO, "CLOSE", "Only the host can do that.")
    await world.text(ANA, "3x3")
    await is_answered(ANA, "dudo", "That bid is your own. It's Bo's turn. You'll get a text when it's yours.")
    await is_answered(BO, "dduo", "Did you mean DUDO? Send: DUDO")
    await is_answered(BO, "5 of them", "Did you mean 5x3? Send: 5x3")
    await is_answered(BO, "I'd rather pass", "No one can pass. The smallest bid now is 3x4.")
    await is_answered(BO, "same", "The same bid again doesn't count. The smallest bid now is 3x4.")


async def test_words_that_mean_nothing_are_answered_with_what_can_be_said_now(world: SmsWorld) -> None:
    await a_lobby(world)
    for number in (ANA, BO):
        how = "Text GO to start." if number == ANA else "Ana texts GO to start."
        assert how in (await world.text(number, "hm, mm"))[-1]
        then = "When all are in, text GO." if number == ANA else "Ana starts the game."
        assert then in (await world.text(number, "mm, hm"))[-1]
    await world.text(ANA, "go")
    world.got(BO)
    [answer] = await world.text(BO, "who are you")
    assert answer.startswith("R1 I didn't understand. Your dice: ")
    assert answer.endswith("Ana opens. ? explains.")
    [answer] = [text for text in await world.text(ANA, "no") if "understand" in text]
    assert "Your dice: 1 1 3 6 6. You open: text e.g. 4x6, which says 4 sixes among all dice." in answer
    await world.confirm(ANA, "close")
    world.got(BO)
    for words in ("and now?", "STATUS", "dudo"):
        assert (await world.text(BO, words))[0].startswith("Perudo by text. Text JOIN and a table's code")
    assert (await world.text(BO, "JOIN XYZ234"))[0].startswith("There's no such game.")


async def test_back_is_answered_whether_the_seat_was_away_or_not(world: SmsWorld) -> None:
    await a_game(world)
    assert (await world.text(ANA, "BACK"))[0].startswith("R1 Your dice: ")
    await world.pass_time(6 * 3600 + 60)
    assert "Text BACK to play on." in world.got(ANA)[-1]
    assert [text[:14] for text in await world.text(ANA, "I am here")] == ["R1 Your dice: "]
    assert not world.table().seats[0].away


async def test_whatever_a_player_is_texted_during_a_game_begins_with_the_round(world: SmsWorld) -> None:
    await a_game(world)
    for words in ("1x3", "2x3", "dudo"):
        await world.text(await on_turn(world), words)
    assert max(len(world.got(number)) for number in (ANA, BO, CY)) <= 3, "a round's texts for a player"
    said = (
        "3x4", "2x9", "dudo", "dduo", "what?", "R1 3x4", "?", "STATUS", "RULES", "JOIN", "LEAVE", "QUIET 22-8",
        "LANGUAGE english", "CLOCK 1H", "BOOK azteca", "AGAIN", "NEW", "LINK 234567",
    )  # fmt: skip
    playing = await on_turn(world)
    waiting = next(number for number in (ANA, BO, CY) if number != playing)
    for words in said:
        answers = await world.text(waiting, words)
        assert answers, words
        assert all(answer.startswith("R2 ") for answer in answers), (words, answers)
    await world.pass_time(5.9 * 3600)
    assert [text[:25] for text in world.got(playing)] == ["R2 Your time runs out at "]


async def test_each_answer_to_a_question_mark_or_a_refused_bid_says_more(world: SmsWorld) -> None:
    await a_game(world)
    await world.text(ANA, "1x3")
    [first, again, offers, once_more] = [(await world.text(BO, words))[-1] for words in ("?", "how", "?", "what now")]
    assert first.startswith(
        "R1 Ana says: at least 1 three under all cups. Ones count too. You think so? Text 2x3. If not, DUDO."
    )
    assert again.startswith("R1 2x3 says: 2 threes or more among all dice. DUDO says: fewer than 1 three.")
    assert offers == "R1 1: 2x3, 2: 3x3, 3: DUDO. Answer 1, 2, or 3."
    assert once_more == again
    await world.text(BO, "2")
    assert world.table().begun_game.current_bid == Bid(1, 3, 3)
    answers = [(await world.text(CY, "1x2"))[-1] for _ in range(3)]
    assert answers[0] == "R1 That doesn't beat 3x3. The smallest raise is 3x4."
    assert answers[1].startswith("R1 4x3 says:")
    assert answers[2].endswith("Answer 1, 2, or 3.")
    assert (await world.text(CY, "3x3"))[-1].startswith("R1 4x3 says:"), "the same reason goes on"


async def test_the_host_sends_somebody_out_by_name_or_by_their_place_when_the_host_was_asked(world: SmsWorld) -> None:
    code = await a_lobby(world)
    await world.text(CY, f"JOIN {code} José-Marie")
    for _ in range(2):  # the gateway reports the text again
        question = (await world.text(ANA, "KICK 2"))[-1]
        assert re.fullmatch(r"Take Bo off the table\? If so, text KICK \d{4}\.", question)
    await world.text(BO, "LEAVE")
    answer = re.search(r"KICK \d{4}", question)
    assert answer is not None
    await world.text(ANA, answer[0])
    assert await world.text(ANA, "KICK 1") != [], "the host's own place"
    assert await world.text(CY, "KICK Ana") == ["Ana is the host, chooses the rules and starts the game."]
    assert (await world.text(ANA, "KICK Zoe"))[-1].startswith("Who's that? Text KICK and their place")
    assert [seat.name for seat in world.table().seats] == ["Ana", "José-Marie"]
    await world.text(ANA, "kick jose")
    assert world.got(CY)[-1] == "The host took you off the table."
    assert [seat.name for seat in world.table().seats] == ["Ana"]


async def test_yes_plays_what_was_offered_in_this_turn_and_only_legal_calls_are(world: SmsWorld) -> None:
    await a_game(world)
    await world.text(ANA, "yes")
    assert world.table().begun_game.current_bid is None
    await world.text(ANA, "I have two 3s")
    await world.text(ANA, "1x3")
    for number in (ANA, BO):
        await world.text(number, "yes")
    assert str(world.table().begun_game.current_bid) == "1x3", "it was offered in an earlier turn, or to nobody"
    [answer] = await world.text(BO, "I have two 5s")
    assert answer == "R1 Raise the number or the face of 1x3, not both. The smallest raise is 1x4."
    [answer] = await world.text(ANA, "I have two 3s")
    assert "Did you mean" not in answer
    assert "It's Bo's turn." in answer
    for quantity, yes in enumerate(("yes", "Ok!", "si", "oui", "ja"), start=2):
        number = await on_turn(world)
        assert (await world.text(number, f"I have {quantity} 3s"))[-1].endswith(
            f"Did you mean {quantity}x3? Send: {quantity}x3"
        )
        assert str(world.table().begun_game.current_bid) == f"{quantity - 1}x3"
        await world.text(number, yes)
        assert str(world.table().begun_game.current_bid) == f"{quantity}x3"


async def test_a_phone_is_answered_by_the_gateway_that_it_texted_last(database: Database) -> None:
    one, two = RecordingGateway("one"), RecordingGateway("two", number="+393400000002")
    world = SmsWorld(database, one, two)
    await world.text(ANA, "hello", gateway="one", message="1")
    world.now += DAY
    assert await world.text(ANA, "hello", gateway="two", message="1") == [HINT]
    assert (len(one.sent), len(two.sent)) == (1, 1)


async def test_a_text_to_the_bot_comes_again_while_the_database_is_busy(
    database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def busy(*_: object) -> None:
        raise OperationalError("BEGIN IMMEDIATE", {}, Exception("database is locked"))

    world = SmsWorld(database)
    with monkeypatch.context() as away:
        away.setattr(database, "run", busy)
        answer = await world.client.post("/sms/air", content=f"m1 {ANA} - HELLO".encode())
    assert (answer.status_code, answer.headers["Retry-After"], ANA in answer.text) == (503, "5", False)
    logged = [(record.levelname, record.getMessage()) for record in caplog.records if "air" in record.getMessage()]
    assert logged == [("WARNING", "gateway air: a delivery could not be kept: database is locked")]
    assert await world.text(ANA, "HELLO", message="m1", sent=None) == [HINT]


async def test_a_text_counts_though_the_database_was_busy(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its gateway's report finds it."""
    monkeypatch.setattr(sender, "NOTED_AGAIN_SECONDS", (0, 0))
    world = SmsWorld(database)
    busy = [OperationalError("BEGIN IMMEDIATE", {}, Exception("database is locked"))] * 3
    (air,) = world.air.values()
    take, send, run = world.sender.budget.take, air.send, database.run

    async def taken(*arguments: Any) -> Any:
        if len(busy) == 3:
            raise busy.pop()
        return await take(*arguments)

    async def sent(number: str, text: str, *, seconds: int) -> str:
        monkeypatch.setattr(database, "run", runs)
        return await send(number, text, seconds=seconds)

    async def runs(work: Any) -> Any:
        if busy:
            raise busy.pop()
        return await run(work)

    monkeypatch.setattr(world.sender.budget, "take", taken)
    monkeypatch.setattr(air, "send", sent)
    assert await world.text(ANA, "HELLO") == []
    assert len(busy) == 2
    world.now += 5
    await world.settle()
    assert world.got(ANA) == [HINT]
    assert busy == []
    assert (await world.client.post("/sms/air/receipt", content=b"air-1 delivered")).status_code == 200
    assert [(row.message, row.status) for row in world.rows(TextSent)] == [("air-1", TextStatus.DELIVERED)]


def names(world: SmsWorld) -> list[str]:
    return [seat.name for seat in world.table().seats]


async def test_who_comes_without_a_name_is_asked_for_it_once_and_a_table_has_its_hosts(world: SmsWorld) -> None:
    [lobby] = await world.text(ANA, "NEW")
    assert "Text NAME and your name." in lobby
    await world.text(ANA, "NAME Ana")
    assert "Text NAME" not in (await world.text(ANA, "STATUS"))[-1]
    [answer] = await world.text(BO, f"JOIN {code_in([lobby])}")
    assert answer == (
        "You're in, at Ana's table! Reply with your name, e.g. Rita. ? explains the game, LEAVE leaves, "
        "STOP ends all texts."
    )
    assert names(world) == ["Ana", "Friend 2"]
    world.got(ANA)
    assert await world.text(BO, "Gran!") == ["Nice to meet you, Gran! That's your name at the table now."]
    assert names(world) == ["Ana", "Gran"]
    await world.pass_time(GATHERED_SECONDS)
    assert "Ana, Gran." in world.got(ANA)[-1]
    await world.confirm(BO, "LEAVE")
    assert "Reply with your name" not in (await world.text(BO, f"JOIN {code_in([lobby])}"))[-1]
    assert names(world) == ["Ana", "Gran"]


async def test_what_stands_for_a_name_in_our_own_texts_is_none(world: SmsWorld) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    assert "Reply with your name" in (await world.text(BO, f"JOIN {code} {BO}"))[-1], "nor is a phone number"
    for words in ("NAME your name", "NAME and your name", "NOME il tuo nome", "naam je naam", "tu nombre"):
        await world.text(BO, words)
        assert names(world) == ["Ana", "Friend 2"], words


async def test_neither_what_is_no_name_nor_a_refused_join_or_new_renames_somebody(world: SmsWorld) -> None:
    await a_game(world)
    for name in ("5x4", "R1 5x4", "Bo says 2 threes", "\u3164"):
        answer = await world.text(BO, f"NAME {name}")
        assert answer == ["R1 Text NAME and what the others should call you, like NAME Gran."], name
    assert (await world.text(ANA, "NEW Zoe"))[-1].startswith("R1 This phone plays for Ana already")
    await world.text(ANA, "JOIN XYZ234 Zoe")
    assert names(world) == ["Ana", "Bo", "Cy"]
    dee = "+447400123404"
    code = world.table().code
    assert await world.text(dee, f"JOIN {code} Dee") == [
        "That game has started already. Text JOIN and its code again for the next one."
    ]
    await world.text(dee, "NEW")
    assert world.table(2).seats[0].name == "Friend 4", "the refused text gave no name"


async def test_who_forges_a_sender_renames_nobody_and_a_new_name_is_read_by_the_others(world: SmsWorld) -> None:
    """The question reaches the phone itself; its code is the answer."""
    await a_game(world)
    for _ in range(2):
        question = (await world.text(ANA, "NAME Loser"))[-1]
        assert re.fullmatch(r"R1 Shall I call you Loser from now on\? If so, text NAME \d{4}\.", question)
    for guess in ("NAME 0000", "NAME Loser", "mi chiamo Loser"):
        await world.text(ANA, guess)
    assert names(world) == ["Ana", "Bo", "Cy"]
    await world.confirm(ANA, "NAME Gran")
    assert names(world) == ["Gran", "Bo", "Cy"]
    await world.text(ANA, "1x3")
    assert "Gran says 1x3." in world.got(BO)[-1]
    assert "R1 You said 1x3." in (await world.text(ANA, "STATUS"))[-1]


async def test_a_second_person_on_one_phone_is_told_what_a_shared_phone_can_do(world: SmsWorld) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    await world.text(BO, f"JOIN {code}")
    assert "Nice to meet you, Gran!" in (await world.text(BO, f"JOIN {code} Gran"))[-1], "no name was known"
    [answer] = await world.text(BO, f"JOIN {code} Kim")
    assert answer == (
        "This phone plays for Gran already, one seat a phone. "
        "Share it (text NAME Gran & Kim), or join with another phone."
    )
    assert names(world) == ["Ana", "Gran"]
    assert await world.text(BO, f"JOIN {code} gran") == ["You're in already. To leave, send LEAVE."]
    await world.confirm(BO, "NAME Gran & Kim")
    assert names(world) == ["Ana", "Gran & Kim"]
