"""The names of people with phones, and the people who choose them."""

import re
from dataclasses import replace

from telegram_bot.service.announcing.table_outbox import GATHERED_SECONDS
from test_support.sms_world import ANA, BO, CY, SmsWorld, a_game, code_in, on_turn


def names(world: SmsWorld) -> list[str]:
    return [seat.name for seat in world.table().seats]


async def test_who_joins_without_a_name_is_asked_for_it_once(world: SmsWorld) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    [answer] = await world.text(BO, f"JOIN {code}")
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
    assert "Reply with your name" not in (await world.text(BO, f"JOIN {code}"))[-1]
    assert names(world) == ["Ana", "Gran"]


async def test_what_stands_for_a_name_in_our_own_texts_is_none(world: SmsWorld) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    assert "Reply with your name" in (await world.text(BO, f"JOIN {code} {BO}"))[-1], "nor is a phone number"
    for words in ("NAME your name", "NAME and your name", "NOME il tuo nome", "naam je naam", "tu nombre"):
        await world.text(BO, words)
        assert names(world) == ["Ana", "Friend 2"], words


async def test_a_host_without_a_name_is_asked_with_the_code_and_the_table_is_called_after_them(world: SmsWorld) -> None:
    [lobby] = await world.text(ANA, "NEW")
    assert "Text NAME and your name." in lobby
    await world.text(ANA, "NAME Ana")
    assert "Text NAME" not in (await world.text(ANA, "STATUS"))[-1]
    assert "You're in, at Ana's table!" in (await world.text(BO, f"JOIN {code_in([lobby])} Bo"))[-1]


async def test_a_name_told_in_the_middle_of_a_game_is_read_by_the_others(world: SmsWorld) -> None:
    await a_game(world)
    await world.confirm(ANA, "NAME Gran")
    await world.text(ANA, "1x3")
    assert "Gran says 1x3." in world.got(BO)[-1]
    assert "R1 You said 1x3." in (await world.text(ANA, "STATUS"))[-1]


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


async def test_who_forges_a_sender_renames_nobody(world: SmsWorld) -> None:
    """The question reaches the phone itself; its code is the answer."""
    await a_game(world)
    for _ in range(2):
        question = (await world.text(BO, "NAME Loser"))[-1]
        assert re.fullmatch(r"R1 Shall I call you Loser from now on\? If so, text NAME \d{4}\.", question)
    for guess in ("NAME 0000", "NAME Loser", "mi chiamo Loser"):
        await world.text(BO, guess)
    assert names(world) == ["Ana", "Bo", "Cy"]
    await world.confirm(BO, "NAME Bob")
    assert names(world) == ["Ana", "Bob", "Cy"]


async def test_a_second_person_on_one_phone_is_told_what_a_shared_phone_can_do(world: SmsWorld) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    await world.text(BO, f"JOIN {code} Gran")
    [answer] = await world.text(BO, f"JOIN {code} Kim")
    assert answer == (
        "This phone plays for Gran already, one seat a phone. "
        "Share it (text NAME Gran & Kim), or join with another phone."
    )
    assert names(world) == ["Ana", "Gran"]
    assert await world.text(BO, f"JOIN {code} gran") == ["You're in already. To leave, send LEAVE."]
    await world.confirm(BO, "NAME Gran & Kim")
    assert names(world) == ["Ana", "Gran & Kim"]


async def test_a_name_behind_a_second_join_is_taken_from_whom_none_was_known_of(world: SmsWorld) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    await world.text(BO, f"JOIN {code}")
    assert "Nice to meet you, Kim!" in (await world.text(BO, f"JOIN {code} Kim"))[-1]
    assert names(world) == ["Ana", "Kim"]


# Whose bid it was


async def test_whoever_is_out_and_whoever_wins_reads_of_themselves_and_they_play_again(world: SmsWorld) -> None:
    rules = world.service.config.rules.with_options(starting_dice=2)
    world.service.config = replace(world.service.config, rules=rules)
    code = await a_game(world)
    for _ in range(400):
        if world.table().status != "playing":
            break
        game = world.table().begun_game
        await world.text(await on_turn(world), "1x2" if game.current_bid is None else "dudo")
    texts = [text for number in (ANA, BO, CY) for text in world.every_text(number)]
    assert sum("You win the game!" in text for text in texts) == 1
    assert sum("wins the game!" in text for text in texts) == 2
    assert sum("You're out. " in text and "Place 3 of 3. I'll text you who wins." in text for text in texts) == 1
    for number, name in ((ANA, "Ana"), (BO, "Bo"), (CY, "Cy")):
        assert not any(f"{name} said" in text or f"{name} doubted" in text for text in world.every_text(number))
    world.got(ANA)
    for _ in range(2):
        assert (await world.text(BO, "AGAIN"))[-1] == "You play again too. Ana starts the game."
    assert code_in(world.got(ANA)) == code, "the host stays host, and friends text the evening's code"
