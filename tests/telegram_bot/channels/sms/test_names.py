"""The names of people with phones, and the people who choose them."""

import re

from telegram_bot.service.announcing.table_outbox import GATHERED_SECONDS
from test_support.sms_world import ANA, BO, SmsWorld, a_game, code_in


def names(world: SmsWorld) -> list[str]:
    return [seat.name for seat in world.table().seats]


async def test_who_comes_without_a_name_is_asked_for_it_once_and_the_table_is_called_after_its_host(
    world: SmsWorld,
) -> None:
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
