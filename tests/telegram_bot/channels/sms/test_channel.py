"""Phones play: each text from and to a person, through webhook, inbox, service, outbox and gateway."""

import re
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from perudo_core import Bid, Rules
from telegram_bot.channels.sms import sender
from telegram_bot.storage.database import Database
from telegram_bot.storage.phone_models import TextSent, TextStatus
from telegram_bot.tables.model import Status
from test_support.in_process_world import NOON
from test_support.sms_world import ANA, BO, CY, OURS, RecordingGateway, SmsWorld, a_game, a_lobby, code_in, on_turn

HINT = "This is Perudo, a dice game. Text JOIN and a friend's code, or NEW. HELP helps, STOP ends all texts."
DAY = 86400


# Playing


async def test_a_table_of_phones_from_the_first_text_to_a_winner(world: SmsWorld) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    assert await world.text(BO, f"JOIN {code} Bo") == [
        "You're in, at Ana's table! Your dice come by text. ? explains the game, LEAVE leaves, STOP ends all texts."
    ]
    assert world.got(ANA) == [
        f"Table {code}. Ana, Bo. Friends text JOIN {code} to {OURS}. Text GO to start. Clock: 6 hours."
    ]
    await world.text(ANA, "GO")
    for _ in range(300):
        if world.table().status is not Status.PLAYING:
            break
        number = await on_turn(world)
        game = world.table().begun_game
        bid = game.current_bid
        await world.text(
            number, "1x2" if bid is None else "dudo" if bid.quantity > 2 else f"{bid.quantity + 1} {bid.face}"
        )
    assert world.table().status is Status.FINISHED
    for number in (ANA, BO):
        last = world.every_text(number)[-1]
        assert "wins the game!" in last or "You win the game!" in last
        assert last.startswith("R")
    for number in (ANA, BO):
        world.got(number)
    for _ in range(2):
        assert await world.text(BO, "AGAIN") == ["You play again too. Ana starts the game."]
    assert code_in(world.got(ANA)) == code, "the host stays host, and friends text the evening's code"


async def test_default_is_about_three_texts_a_round_and_player(world: SmsWorld) -> None:
    await a_game(world)
    for word in ("1x3", "2x3", "3x3", "dudo"):
        await world.text(await on_turn(world), word)
    texts = [len(world.got(number)) for number in (ANA, BO, CY)]
    assert max(texts) <= 3


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


async def test_who_may_not_act_yet_reads_who_may_and_the_same_not_twice_in_a_row(world: SmsWorld) -> None:
    await a_game(world)
    asked, more, first, again, then = [(await world.text(BO, words))[-1] for words in ("?", "?", "dudo", "3x4", "3x4")]
    turn = "R1 It's Ana's turn. You'll get a text when it's yours."
    assert asked.startswith(turn)
    assert more.startswith("R1 3x4 = three fours among all dice.")
    assert first == then == turn
    assert again.startswith("R1 Ana opens. Until ")


async def test_what_plays_nothing_is_answered_with_the_reason(world: SmsWorld) -> None:
    await a_game(world)

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


async def test_what_took_long_is_answered_and_not_played(world: SmsWorld) -> None:
    await a_game(world)
    before = world.table().game
    [answer] = await world.text(ANA, "3x4", sent=NOON - 60)
    assert answer.startswith("R1 That was for an earlier turn")
    world.now += 3 * DAY
    [answer] = await world.text(ANA, "3x4", sent=NOON)
    assert answer.startswith("R1 Your text took very long to arrive, so nothing happened.")
    assert world.table().game == before


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
    for words in ("1x3", "2x3"):
        await world.text(await on_turn(world), words)
    await world.text(CY, "dudo")
    for number in (ANA, BO, CY):
        world.got(number)
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


async def test_a_reminder_names_a_bid_that_counts(world: SmsWorld) -> None:
    await a_game(world)
    await world.text(await on_turn(world), "5x4")
    playing = await on_turn(world)
    world.got(playing)
    await world.pass_time(5.9 * 3600)
    (reminder,) = world.got(playing)
    example = re.search(r"text e\.g\. (\d+x\d), or DUDO\.$", reminder)
    assert example is not None, reminder
    assert (await world.text(playing, example[1]))[-1].startswith(f"R1 {example[1]} counts.")


async def test_each_answer_to_a_question_mark_says_more(world: SmsWorld) -> None:
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


async def test_a_refused_bid_says_why_and_what_helps_and_nothing_twice(world: SmsWorld) -> None:
    await a_game(world)
    await world.text(ANA, "3x3")
    answers = [(await world.text(BO, "1x2"))[-1] for _ in range(3)]
    assert answers[0] == "R1 That doesn't beat 3x3. The smallest raise is 3x4."
    assert answers[1].startswith("R1 4x3 says:")
    assert answers[2].endswith("Answer 1, 2, or 3.")
    assert (await world.text(BO, "3x3"))[-1].startswith("R1 4x3 says:"), "the same reason goes on"


async def test_the_host_sends_somebody_out_who_was_not_asked(world: SmsWorld) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    await world.text(BO, f"JOIN {code} José-Marie")
    await world.text(CY, f"JOIN {code} Jo")
    assert (await world.text(ANA, "KICK Zoe"))[-1].startswith("Who's that? Text KICK and their place")
    assert await world.text(BO, "KICK Ana") == ["Ana is the host, chooses the rules and starts the game."]
    assert world.got(BO) == []
    await world.text(ANA, "kick jose")
    assert world.got(BO) == ["The host took you off the table."]
    assert [seat.name for seat in world.table().seats] == ["Ana", "Jo"]
    await world.confirm(ANA, "KICK 2")
    assert [seat.name for seat in world.table().seats] == ["Ana"]


async def test_a_place_in_the_list_means_the_player_who_had_it_when_the_host_was_asked(world: SmsWorld) -> None:
    code = await a_lobby(world)
    await world.text(CY, f"JOIN {code} Cy")
    for _ in range(2):  # the gateway reports the text again
        question = (await world.text(ANA, "KICK 2"))[-1]
        assert re.fullmatch(r"Take Bo off the table\? If so, text KICK \d{4}\.", question)
    await world.text(BO, "LEAVE")
    answer = re.search(r"KICK \d{4}", question)
    assert answer is not None
    await world.text(ANA, answer[0])
    assert [seat.name for seat in world.table().seats] == ["Ana", "Cy"]
    assert await world.text(ANA, "KICK 1") != [], "the host's own place"
    assert await world.text(CY, "KICK 2") == ["Ana is the host, chooses the rules and starts the game."]
    assert [seat.name for seat in world.table().seats] == ["Ana", "Cy"]


# Deliveries


async def test_two_gateways_may_use_the_same_names_and_a_phone_is_answered_where_it_texted_last(
    database: Database,
) -> None:
    one, two = RecordingGateway("one"), RecordingGateway("two", number="+393400000002")
    world = SmsWorld(database, one, two)
    await world.text(ANA, "hello", gateway="one", message="1")
    world.now += DAY
    assert await world.text(ANA, "hello", gateway="two", message="1") == [HINT]
    assert (len(one.sent), len(two.sent)) == (1, 1)


async def test_a_text_that_no_database_takes_is_taken_all_the_same(world: SmsWorld) -> None:
    assert await world.text(ANA, "JOIN\x00 \ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"))
    await world.text(ANA, "x" * 5000)
    await world.text(ANA, "")


async def test_a_database_that_does_not_work_is_told_so_that_it_comes_again(world: SmsWorld) -> None:
    world.database.close()
    answer = await world.post("/sms/air", f"m {ANA} - hello".encode())
    assert answer.status_code == 503
    assert ANA not in answer.text


# Links


async def test_a_phone_speaks_for_a_person_of_another_channel(world: SmsWorld) -> None:
    assert await world.confirm(ANA, f"LINK {await world.link_code()}") == ["Linked: this phone plays for Dee."]
    await world.text(BO, "NEW Bo")
    await world.text(ANA, f"JOIN {world.table().code}")
    assert [seat.name for seat in world.table().seats] == ["Bo", "Dee"]
    await world.text(BO, "GO")
    assert await world.text(ANA, "STOP")
    back = await world.confirm(ANA, "START")
    assert back[0].startswith("Perudo: welcome back.")
    assert [text[:14] for text in back[1:]] == ["R1 Your dice: "]
    assert await world.confirm(ANA, "UNLINK") == ["This phone doesn't play for Dee any more."]


async def test_a_text_arrives_although_the_database_was_busy(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = SmsWorld(database)
    busy = [OperationalError("BEGIN IMMEDIATE", {}, Exception("database is locked"))]
    take = world.sender.budget.take

    async def taken(*arguments: Any) -> Any:
        if busy:
            raise busy.pop()
        return await take(*arguments)

    monkeypatch.setattr(world.sender.budget, "take", taken)
    await world.text(ANA, "HELLO")
    world.now += 5
    await world.settle()
    assert busy == []
    assert world.got(ANA) == [HINT]


async def test_a_text_to_the_bot_comes_again_while_the_database_is_busy(
    database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def busy(*_: object) -> None:
        raise OperationalError("BEGIN IMMEDIATE", {}, Exception("database is locked"))

    world = SmsWorld(database)
    with monkeypatch.context() as away:
        away.setattr(database, "run", busy)
        answer = await world.post("/sms/air", f"m1 {ANA} - HELLO".encode())
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    logged = [(record.levelname, record.getMessage()) for record in caplog.records if "air" in record.getMessage()]
    assert logged == [("WARNING", "gateway air: a delivery could not be kept: database is locked")]
    assert await world.text(ANA, "HELLO", message="m1", sent=None) == [HINT]


async def test_a_text_counts_as_sent_although_the_database_was_busy_then(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its gateway's report finds it."""
    monkeypatch.setattr(sender, "NOTED_AGAIN_SECONDS", (0, 0))
    world = SmsWorld(database)
    busy = [OperationalError("BEGIN IMMEDIATE", {}, Exception("database is locked"))] * 2
    (air,) = world.air.values()
    send, run = air.send, database.run

    async def sent(number: str, text: str, *, seconds: int) -> str:
        monkeypatch.setattr(database, "run", runs)
        return await send(number, text, seconds=seconds)

    async def runs(work: Any) -> Any:
        if busy:
            raise busy.pop()
        return await run(work)

    monkeypatch.setattr(air, "send", sent)
    assert await world.text(ANA, "HELLO") == [HINT]
    assert busy == []
    assert (await world.post("/sms/air/receipt", b"air-1 delivered")).status_code == 200
    assert [(row.message, row.status) for row in world.rows(TextSent)] == [("air-1", TextStatus.DELIVERED)]
