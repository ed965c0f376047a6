"""Phones play: everything a person texts and is texted, through webhook, inbox, service, outbox and gateway."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perudo_core import Rules
from telegram_bot import metrics
from telegram_bot.channels.sms.budget import Caps
from telegram_bot.delivery.channel import NotSentError, SlowDownError, UnknownFateError
from telegram_bot.service import intents as i
from telegram_bot.storage.database import Database
from telegram_bot.storage.phone_rows import Fate, Phone, TextSent
from telegram_bot.storage.rows import Inbox, Outbox, Player
from telegram_bot.tables.model import Status
from telegram_bot.words.catalogue import LANGUAGES
from tests.telegram_bot.channels.sms.world import ANA, BO, CY, NOON, OURS, Air, World, code_in
from tests.telegram_bot.conftest import ONLY_SQLITE

HINT = "This is Perudo, a dice game. Text JOIN and a friend's code, or NEW. HELP helps, STOP ends all texts."
DAY = 86400
HEARD = ("taken", "refused", "not_allowed")


@pytest.fixture
def world(database: Database) -> World:
    return World(database)


async def a_game(world: World) -> str:
    """Ana opens a table, Bo and Cy join, the game begins; Ana opens."""
    code = code_in(await world.text(ANA, "NEW Ana"))
    await world.text(BO, f"JOIN {code} Bo")
    await world.text(CY, f"join {code.lower()} Cy")
    await world.text(ANA, "GO")
    for number in (ANA, BO, CY):
        world.got(number)
    return code


async def on_turn(world: World) -> str:
    game = world.table().game
    assert game is not None
    assert game.turn is not None
    return (ANA, BO, CY)[game.turn]


# Playing


async def test_a_table_of_phones_from_the_first_text_to_a_winner(world: World) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    assert await world.text(BO, f"JOIN {code} Bo") == [
        "You are in at Ana! Your dice come by text. ? helps, LEAVE leaves, STOP ends all texts."
    ]
    assert world.got(ANA) == [
        f"Table {code}. Ana, Bo. Friends text JOIN {code} to {OURS}. The host texts GO to start. Clock: 6 hours."
    ]
    await world.text(ANA, "GO")
    for _ in range(300):
        if world.table().status is not Status.PLAYING:
            break
        number = await on_turn(world)
        game = world.table().game
        assert game is not None
        bid = game.current_bid
        await world.text(
            number, "1x2" if bid is None else "dudo" if bid.quantity > 2 else f"{bid.quantity + 1} {bid.face}"
        )
    assert world.table().status is Status.FINISHED
    for number in (ANA, BO):
        last = world.every_text(number)[-1]
        assert "wins the game!" in last
        assert last.startswith("R")
    assert code_in(await world.text(BO, "AGAIN")) != code


@ONLY_SQLITE
async def test_default_is_about_three_texts_a_round_and_player(world: World) -> None:
    await a_game(world)
    for word in ("1x3", "2x3", "3x3", "dudo"):
        await world.text(await on_turn(world), word)
    texts = [len(world.got(number)) for number in (ANA, BO, CY)]
    assert max(texts) <= 3


@ONLY_SQLITE
async def test_a_verbose_phone_hears_every_bid(world: World) -> None:
    await a_game(world)
    assert await world.text(CY, "VERBOSE ON") == ["R1 You will get every bid by text."]
    await world.text(ANA, "1x3")
    assert world.got(CY) == ["R1 Ana says 1x3. Bo is on turn. Until 19:00."]


@ONLY_SQLITE
async def test_where_anybody_may_say_calza_everybody_is_told_so(world: World) -> None:
    rules = Rules.preset("box_2009").with_options(calza=True)
    world.service.house = replace(world.service.house, rules=rules)
    await a_game(world)
    await world.text(CY, "VERBOSE ON")
    await world.text(ANA, "1x3")
    assert "Your turn: text e.g. 2x3, DUDO or CALZA." in world.got(BO)[-1]
    assert "Exactly 1x3? Text CALZA." in world.got(CY)[-1]
    assert "Exactly 1x3? Text CALZA." in (await world.text(CY, "DICE"))[-1]
    assert "CALZA" not in (await world.text(ANA, "STATUS"))[-1], "nobody calls their own bid"
    await world.text(CY, "CALZA")
    assert world.table().claims == (2,)
    await world.pass_time(3)
    assert world.got(ANA)[-1].startswith("R2 Ana said 1x3, Cy said calza: there were ")


@ONLY_SQLITE
@pytest.mark.parametrize("words", ["five fours", "5x4", "5 4", "cinque quattro", "R1 5x4", "54"])
async def test_a_bid_in_anybodys_words(world: World, words: str) -> None:
    await a_game(world)
    await world.text(ANA, words)
    game = world.table().game
    assert game is not None
    assert (game.current_bid.quantity, game.current_bid.face) == (5, 4) if game.current_bid else False


@ONLY_SQLITE
async def test_a_bid_counts_only_from_the_player_on_turn(world: World) -> None:
    await a_game(world)
    before = world.table()
    assert await world.text(BO, "3x4") == ["R1 It is Ana's turn. You get a text when it is yours."]
    assert world.table() == before


@ONLY_SQLITE
async def test_who_doubts_out_of_turn_is_told_whose_turn_it_is(world: World) -> None:
    await a_game(world)
    assert await world.text(BO, "dudo") == ["R1 It is Ana's turn. You get a text when it is yours."]
    assert await world.text(ANA, "dudo") == ["R1 There is no bid yet. Make the first one."]
    await world.text(ANA, "1x3")
    assert await world.text(ANA, "dudo") == [
        "R1 That bid is your own. It is Bo's turn. You get a text when it is yours."
    ]


@ONLY_SQLITE
async def test_a_bid_for_another_round_is_answered_and_not_played(world: World) -> None:
    await a_game(world)
    before = world.table().game
    [answer] = await world.text(ANA, "R7 3x4")
    assert answer.startswith("R1 That was meant for an earlier turn")
    assert world.table().game == before


@ONLY_SQLITE
async def test_what_took_long_is_answered_and_not_played(world: World) -> None:
    await a_game(world)
    before = world.table().game
    [answer] = await world.text(ANA, "3x4", sent=NOON - 60)
    assert answer.startswith("R1 That was meant for an earlier turn")
    world.now += 3 * DAY
    [answer] = await world.text(ANA, "3x4", sent=NOON)
    assert answer.startswith("R1 Your text took very long to arrive, so nothing happened.")
    assert world.table().game == before


@ONLY_SQLITE
async def test_a_slip_of_the_finger_never_acts(world: World) -> None:
    await a_game(world)
    await world.text(ANA, "3x4")
    world.got(BO)
    before = world.table().game
    assert await world.text(BO, "dduo") == ["R1 Did you mean DUDO? Text DUDO"]
    assert world.table().game == before


@ONLY_SQLITE
async def test_words_that_mean_nothing_are_answered_with_what_can_be_said_now(world: World) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    await world.text(BO, f"JOIN {code} Bo")
    world.got(ANA)
    for number in (ANA, BO):
        for words in ("what now?", "START"):
            assert "The host texts GO to start." in (await world.text(number, words))[-1]
    await world.text(ANA, "go")
    world.got(BO)
    [answer] = await world.text(BO, "who are you")
    assert answer.startswith("R1 I did not understand. Your dice: ")
    assert answer.endswith("Ana opens. ? helps.")
    [answer] = [text for text in await world.text(ANA, "no") if "understand" in text]
    assert "You open: text e.g. 1x2." in answer
    await world.text(ANA, "close")
    world.got(BO)
    for words in ("and now?", "STATUS", "dudo"):
        assert (await world.text(BO, words))[0].startswith("Perudo by text. Text JOIN and a table's code")
    assert (await world.text(BO, "JOIN XYZ234"))[0].startswith("There is no such game.")


@ONLY_SQLITE
async def test_back_is_answered_whether_the_seat_was_away_or_not(world: World) -> None:
    await a_game(world)
    assert (await world.text(ANA, "BACK"))[0].startswith("R1 Your dice: ")
    await world.pass_time(6 * 3600 + 60)
    assert "Text BACK to play on." in world.got(ANA)[-1]
    assert [text[:14] for text in await world.text(ANA, "I am here")] == ["R1 Your dice: "]
    assert not world.table().seats[0].away


@ONLY_SQLITE
async def test_leaving_a_game_takes_the_word_twice(world: World) -> None:
    await a_game(world)
    [question] = await world.text(BO, "LEAVE")
    assert "text LEAVE again" in question
    assert world.table().in_play(1)
    await world.text(BO, "YES")
    assert world.table().in_play(1)
    await world.text(BO, "leave")  # the question stood only until the next text
    assert world.table().in_play(1)
    await world.text(BO, "leave")
    assert not world.table().in_play(1)


@ONLY_SQLITE
async def test_the_host_chooses_book_and_clock(world: World) -> None:
    await world.text(ANA, "NEW Ana")
    assert "Clock: 1 hour." in (await world.text(ANA, "CLOCK 1H"))[-1]
    await world.text(ANA, "BOOK azteca")
    assert world.table().rules.preset == "azteca"
    assert world.table().clock.seconds == 3600
    assert (await world.text(ANA, "CLOCK 7M"))[-1].startswith("Text CLOCK and the time for a turn")
    assert (await world.text(ANA, "BOOK nonsense"))[-1].startswith("Text BOOK and one of: box_2009")


@ONLY_SQLITE
async def test_whatever_a_player_is_texted_during_a_game_begins_with_the_round(world: World) -> None:
    await a_game(world)
    for words in ("1x3", "2x3"):
        await world.text(await on_turn(world), words)
    await world.text(CY, "dudo")
    for number in (ANA, BO, CY):
        world.got(number)
    said = ["3x4", "2x9", "0x4", "dudo", "calza", "dduo", "what?", "R1 3x4", "?", "DICE", "STATUS", "RULES", "JOIN"]
    said += ["LEAVE", "QUIET 22-8", "VERBOSE OFF", "LANGUAGE english", "CLOCK 1H", "BOOK azteca", "AGAIN", "GO", "NEW"]
    said += ["LINK 234567"]
    playing = await on_turn(world)
    waiting = next(number for number in (ANA, BO, CY) if number != playing)
    for words in said:
        answers = await world.text(waiting, words)
        assert answers, words
        assert all(answer.startswith("R2 ") for answer in answers), (words, answers)
    await world.pass_time(5.9 * 3600)
    assert [text[:32] for text in world.got(playing)] == ["R2 Your turn is running out: unt"]


@ONLY_SQLITE
async def test_the_host_sends_somebody_out_who_was_not_asked(world: World) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    await world.text(BO, f"JOIN {code} José-Marie")
    await world.text(CY, f"JOIN {code} Jo")
    assert (await world.text(ANA, "KICK Zoe"))[-1].startswith("Who is that? Text KICK and their place")
    assert await world.text(BO, "KICK Ana") == ["Only the host can do that."]
    assert world.got(BO) == []
    await world.text(ANA, "kick jose")
    assert world.got(BO) == ["The host gave your seat away."]
    assert [seat.name for seat in world.table().seats] == ["Ana", "Jo"]
    await world.text(ANA, "KICK 2")
    assert [seat.name for seat in world.table().seats] == ["Ana"]


# Deliveries


async def test_a_delivery_that_comes_again_acts_once(world: World) -> None:
    await a_game(world)
    await world.text(ANA, "3x4", message="once")
    after = world.table()
    for _ in range(3):
        await world.text(ANA, "3x4", message="once")
    assert world.table() == after
    assert len([row for row in world.rows(Inbox) if row.cause == "air:once"]) == 1


async def test_two_gateways_may_use_the_same_names(database: Database) -> None:
    world = World(database, Air("one"), Air("two", number="+393400000002"))
    await world.text(ANA, "hello", gateway="one", message="1")
    world.now += DAY
    assert await world.text(ANA, "hello", gateway="two", message="1") == [HINT]


async def test_answers_go_out_where_a_phone_texted_last(database: Database) -> None:
    one, two = Air("one"), Air("two", number="+393400000002")
    world = World(database, one, two)
    await world.text(ANA, "NEW", gateway="one")
    await world.text(ANA, "?", gateway="two")
    assert len(one.sent) == 1
    assert len(two.sent) == 1


@ONLY_SQLITE
@pytest.mark.parametrize(
    ("body", "status"),
    [(b"malformed", 400), (b"x" * 70_000, 413)],
)
async def test_malformed_and_oversize_requests_are_refused(world: World, body: bytes, status: int) -> None:
    assert (await world.post("/sms/air", body)).status_code == status
    assert world.rows(Inbox) == []


async def test_a_text_that_no_database_takes_is_taken_all_the_same(world: World) -> None:
    assert await world.text(ANA, "JOIN\x00 \ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"))
    await world.text(ANA, "x" * 5000)
    await world.text(ANA, "")


async def test_a_database_that_does_not_work_is_told_so_that_it_comes_again(world: World) -> None:
    world.database.close()
    answer = await world.post("/sms/air", f"m {ANA} - hello".encode())
    assert answer.status_code == 503
    assert ANA not in answer.text


# Consent and carriers' words


async def test_nobody_is_texted_who_did_not_ask(world: World) -> None:
    assert await world.text(ANA, "who is this?") == [HINT]
    assert await world.text(ANA, "hello?") == []
    world.now += DAY
    assert await world.text(ANA, "5x4") == [HINT]
    assert world.rows(Player) == []


@ONLY_SQLITE
async def test_a_stranger_who_all_but_said_it_is_told_how_a_few_times(world: World) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    assert await world.text(BO, "JOIN") == ["Which one? Text JOIN and the code, like JOIN ABC234."]
    assert await world.text(BO, f"jion {code} Gran") == [f"Did you mean JOIN {code}? Text JOIN {code}"]
    assert world.phone(BO).agreed_at is None
    texts = [text for _ in range(10) for text in await world.text(BO, f"jion {code}")]
    assert texts == [f"Did you mean JOIN {code}? Text JOIN {code}"] * 3 + [HINT]
    assert (await world.text(BO, f"JOIN {code} Gran"))[0].startswith("You are in at Ana!")


@ONLY_SQLITE
async def test_a_stranger_is_answered_in_the_language_of_their_country(world: World) -> None:
    world.service.house = replace(world.service.house, languages=LANGUAGES)
    [hint] = await world.text(CY, "bonjour")
    assert "STOP" in hint
    assert hint != HINT


@ONLY_SQLITE
async def test_a_friend_is_spoken_to_in_the_tables_language_until_they_say_otherwise(world: World) -> None:
    world.service.house = replace(world.service.house, languages=LANGUAGES)
    [lobby] = await world.text(ANA, "nuovo Nonna")
    assert lobby.startswith("Tavolo "), "nuovo is Italian, whatever the number"
    code = code_in([lobby])
    assert (await world.text(BO, f"JOIN {code} Bo"))[0].startswith("Ci sei, a Nonna!")
    assert (await world.text(CY, f"meedoen {code} Cy"))[0].startswith("Je doet mee")
    await world.text(BO, "LANGUAGE english")
    assert (await world.text(BO, f"JOIN {code}"))[0] == "You are in already."


@ONLY_SQLITE
async def test_help_is_answered_for_anybody(world: World) -> None:
    assert (await world.text(ANA, "HELP"))[0].startswith("Perudo, a dice game among friends.")


@pytest.mark.parametrize("word", ["STOP", "Please stop texting me"])
async def test_stop_ends_all_texts_until_start(world: World, word: str) -> None:
    await a_game(world)
    assert await world.text(BO, word) == ["Perudo: you will get no more texts. Text START to come back."]
    assert world.phone(BO).opted_out_at == world.now
    for words in (word, "DICE", "JOIN ABC234", "HELP", "?", "3x4"):
        assert await world.text(BO, words) == []
    await world.text(ANA, "1x3")
    await world.pass_time(3500)
    assert world.got(BO) == []
    back = await world.text(BO, "START")
    assert back[0] == "Perudo: welcome back. Text ? for help, STOP to stop."
    assert any(text.startswith("R1 Your dice:") for text in back[1:])


async def test_where_the_carrier_answers_we_do_not_and_still_know(database: Database) -> None:
    world = World(database, Air(answers=True))
    await world.text(ANA, "NEW")
    for word in ("HELP", "START", "STOP", "STOP"):
        assert await world.text(ANA, word) == []
    assert world.phone(ANA).opted_out_at is not None
    await world.text(ANA, "UNSTOP")
    assert world.phone(ANA).opted_out_at is None


@ONLY_SQLITE
async def test_yes_is_no_game_word(world: World) -> None:
    await a_game(world)
    before = world.table().game
    await world.text(ANA, "YES")
    assert world.table().game == before


async def test_a_gateway_may_know_first_that_somebody_said_stop(world: World) -> None:
    await a_game(world)
    await world.post("/sms/air/receipt", b"air-1 failed")
    sent = next(row for row in world.rows(TextSent) if row.message == "air-1")
    phone = next(row for row in world.rows(Phone) if row.id == sent.phone_id)
    assert phone.opted_out_at is not None


# Nights


@ONLY_SQLITE
async def test_a_new_phone_is_not_texted_at_night_unless_it_is_up(world: World) -> None:
    await a_game(world)
    world.now += 12.5 * 3600  # half past midnight in London; the clock waits for those who sleep
    await world.text(ANA, "3x4")
    assert world.got(BO) == []
    await world.pass_time(8 * 3600)
    assert [text[:25] for text in world.got(BO)] == ["R1 Your dice: 1 1 4 5 6. "]
    world.now += 15 * 3600
    [text] = await world.text(BO, "DICE")
    assert "Ana says 3x4." in text
    await world.text(BO, "4x4")
    assert world.got(ANA) == []
    await world.text(CY, "5x4")
    await world.text(ANA, "dudo")
    assert world.got(BO) != [], "who texted a moment ago is up"


async def a_night_that_cy_sleeps_through(world: World) -> None:
    await a_game(world)
    world.now += 11 * 3600  # eleven in London, midnight in Paris
    for words in ("15x6", "dudo"):
        await world.text(await on_turn(world), words)
    assert world.got(CY) == []


@ONLY_SQLITE
async def test_who_slept_is_told_how_the_round_ended_with_their_turn(world: World) -> None:
    await a_night_that_cy_sleeps_through(world)
    for words in ("1x3", "2x3"):
        await world.text(await on_turn(world), words)
    assert await on_turn(world) == CY
    await world.pass_time(9 * 3600)
    [text] = world.got(CY)
    assert text.startswith("R2 Ana said 15x6, Bo doubted: there were ")
    assert "Ana loses a die. Your dice: " in text
    assert "Bo says 2x3. Your turn: text e.g. 3x3" in text


@ONLY_SQLITE
async def test_who_slept_through_several_rounds_is_told_how_each_ended(world: World) -> None:
    await a_night_that_cy_sleeps_through(world)
    for words in ("14x6", "dudo", "13x6", "dudo", "1x3", "2x3"):
        await world.text(await on_turn(world), words)
    await world.pass_time(9 * 3600)
    texts = world.got(CY)
    assert [text[:18] for text in texts] == ["R1 Ana said 15x6, ", "R2 Ana said 14x6, ", "R4 Ana said 13x6, "]
    assert all("Ana loses a die." in text for text in texts)
    assert not any("Thanks" in text or "Your dice" in text for text in texts[:2])
    assert "Your turn: text e.g. 3x3" in texts[2]


# Limits


async def test_a_phone_gets_no_more_than_its_texts_a_day(database: Database) -> None:
    world = World(database, caps=Caps(per_phone=3))
    await world.text(ANA, "NEW")
    texts = [text for _ in range(6) for text in await world.text(ANA, "?")]
    assert len(texts) == 3
    assert texts[-1].startswith("Those were all texts for today.")
    world.now += DAY
    assert len(await world.text(ANA, "?")) == 1


async def test_a_table_sends_no_more_than_its_texts_a_day(database: Database) -> None:
    world = World(database, caps=Caps(per_table=4))
    await a_game(world)
    for _ in range(5):
        await world.text(await on_turn(world), "1x2" if world.table().game.current_bid is None else "dudo")  # type: ignore[union-attr]
    assert len([row for row in world.rows(TextSent) if row.table_id == 1]) <= 4 + 3


async def test_the_days_money_is_not_overspent(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    world = World(database, Air(cost=80_000), caps=Caps(spend=250_000))
    for _ in range(8):
        await world.text(ANA, "NEW")
    assert len(world.every_text(ANA)) == 3
    assert caplog.text.count("the day's limit for texts is reached") == 1
    world.now += DAY
    assert len(await world.text(ANA, "?")) == 1


@ONLY_SQLITE
async def test_who_texts_without_end_is_not_listened_to(database: Database) -> None:
    world = World(database, an_hour=10)
    await world.text(ANA, "NEW")
    texts = [text for _ in range(20) for text in await world.text(ANA, "?")]
    assert len(texts) == 9
    assert len(await world.text(ANA, "STOP")) == 1
    world.now += 3600
    await world.text(ANA, "START")
    assert len(await world.text(ANA, "?")) == 1


@ONLY_SQLITE
@pytest.mark.parametrize("number", ["+79161234567", "+18765550123", "+39899123456", "VODAFONE", "12345"])
async def test_other_countries_and_dear_numbers_are_never_texted(world: World, number: str) -> None:
    assert await world.text(number, "JOIN ABC234") == []
    assert world.rows(Phone) == []


# Gateways in trouble


async def test_what_could_not_be_sent_is_not_charged_and_goes_later(database: Database) -> None:
    world = World(database, Air(cost=80_000), caps=Caps(spend=100_000))
    air = world.air["air"]
    for trouble in (NotSentError("status 503"), SlowDownError(1)):
        air.refuse = trouble
        assert await world.text(ANA, "hello") == []
    air.refuse = None
    world.now += 60
    await world.settle()
    assert world.got(ANA) == [HINT]


@ONLY_SQLITE
async def test_texts_are_counted_by_gateway_and_by_what_became_of_them(database: Database) -> None:
    def counted(name: str, **labels: str) -> float:
        return metrics.REGISTRY.get_sample_value(name, labels) or 0.0

    world = World(database, Air("counted"), caps=Caps(per_phone=3))
    await world.text(ANA, "NEW", gateway="counted")
    world.air["counted"].refuse = UnknownFateError("ReadTimeout")
    await world.text(ANA, "?", gateway="counted")
    world.air["counted"].refuse = None
    before = counted("perudo_texts_capped_total", cap="phone")
    for _ in range(3):
        await world.text(ANA, "?", gateway="counted")
    await world.post("/sms/counted/receipt", b"counted-1 delivered")
    await world.post("/sms/counted", b"malformed")
    await world.text("+79161234567", "hello", gateway="counted")
    sent = len(world.every_text(ANA))
    assert counted("perudo_texts_total", gateway="counted", result="sent") == sent
    assert counted("perudo_texts_total", gateway="counted", result="unknown_fate") == 1
    assert counted("perudo_texts_capped_total", cap="phone") == before + 2
    assert counted("perudo_text_receipts_total", gateway="counted", fate="delivered") == 1
    heard = {result: counted("perudo_texts_heard_total", gateway="counted", result=result) for result in HEARD}
    assert heard == {"taken": 5, "refused": 1, "not_allowed": 1}


async def test_what_may_have_been_sent_is_charged_and_not_sent_again(database: Database) -> None:
    world = World(database, Air(cost=80_000), caps=Caps(spend=100_000))
    world.air["air"].refuse = UnknownFateError("ReadTimeout")
    await world.text(ANA, "hello")
    world.air["air"].refuse = None
    world.now += 60
    await world.settle()
    assert world.got(ANA) == []
    assert await world.text(BO, "hello") == []


async def test_receipts_come_in_any_order(world: World) -> None:
    await world.text(ANA, "NEW")
    for fate in ("delivered", "sent"):
        await world.post("/sms/air/receipt", f"air-1 {fate}".encode())
    await world.post("/sms/air/receipt", b"unknown delivered")
    [row] = world.rows(TextSent)
    assert row.fate == Fate.DELIVERED


@ONLY_SQLITE
async def test_a_turns_text_lives_as_long_as_the_turn(world: World) -> None:
    await a_game(world)
    await world.text(ANA, "CLOCK 1H")
    air = world.air["air"]
    first = next(seconds for number, text, seconds in reversed(air.sent) if number == ANA and "You open" in text)
    assert first == 6 * 3600


# Secrets


async def test_the_number_stands_nowhere_but_encrypted(
    world: World, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], database_url: str
) -> None:
    caplog.set_level("DEBUG")
    await a_game(world)
    world.air["air"].refuse = NotSentError("status 503")
    await world.text(ANA, "3x4")
    world.air["air"].refuse = None
    await world.text(BO, "STOP")
    await world.text("+79161234567", "hello")
    await world.post("/sms/air", b"malformed +447400123401")
    secrets = [number[3:] for number in (ANA, BO, CY)] + ["9161234567"]
    for number in (ANA, BO, CY):
        told = " ".join(world.every_text(number))
        assert not any(secret in told for secret in secrets)
    for kind in (Inbox, Outbox, Player, Phone, TextSent):
        for row in world.rows(kind):
            assert not any(secret in repr(row.model_dump()) for secret in secrets)
    captured = capfd.readouterr()
    for secret in secrets:
        assert secret not in caplog.text + captured.out + captured.err
    if database_url.startswith("sqlite:///"):
        from pathlib import Path  # noqa: PLC0415

        file = Path(database_url.removeprefix("sqlite:///"))
        for each in file.parent.glob(f"{file.name}*"):
            raw = each.read_bytes()
            assert not any(secret.encode() in raw for secret in secrets)


async def test_keys_can_be_changed(database: Database) -> None:
    old, new = "o" * 40, "n" * 40
    before = World(database, keys=[old])
    await before.text(ANA, "NEW Ana")
    during = World(database, keys=[new, old])
    assert await during.phones.seal_anew() == 1
    after = World(database, keys=[new])
    assert after.phone(ANA).id == before.rows(Phone)[0].id
    await after.text(ANA, "?", message="later")
    assert len(after.rows(Phone)) == 1
    assert len(after.every_text(ANA)) == 1


async def test_strangers_are_forgotten(world: World) -> None:
    await world.text(ANA, "NEW")
    await world.text(BO, "hello")
    await world.text(CY, "STOP")
    world.now += 8 * DAY
    await world.phones.forget()
    assert {world.phones.number_of(phone) for phone in world.rows(Phone)} == {ANA, CY}


# Links


async def test_a_phone_speaks_for_a_person_of_another_channel(world: World) -> None:
    owner = i.Person("telegram", 77, "Dee", language="en")
    await world.service.handle(i.Intent("telegram", "1", owner, i.AskForLink()))
    code = next(row.notice["notice"]["code"] for row in world.rows(Outbox) if row.notice and row.lane == "telegram:77")
    assert await world.text(ANA, f"LINK {code}") == ["Linked: this phone plays for Dee."]
    await world.text(BO, "NEW Bo")
    await world.text(ANA, f"JOIN {code_in(world.every_text(BO))}")
    assert [seat.name for seat in world.table().seats] == ["Bo", "Dee"]
    await world.text(BO, "GO")
    assert await world.text(ANA, "STOP")
    back = await world.text(ANA, "START")
    assert back[0].startswith("Perudo: welcome back.")
    assert [text[:14] for text in back[1:]] == ["R1 Your dice: "]
    assert await world.text(ANA, "UNLINK") == ["The phone is not linked any more."]
