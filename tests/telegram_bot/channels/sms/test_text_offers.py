"""Offers: a text's possible meanings. The bot offers only what is possible now, and yes does it."""

from test_support.sms_world import ANA, BO, SmsWorld, a_game, on_turn


def standing(world: SmsWorld) -> str:
    return str(world.table().begun_game.current_bid)


async def test_a_call_that_the_rules_refuse_is_not_offered(world: SmsWorld) -> None:
    await a_game(world)
    await world.text(ANA, "1x3")
    world.got(BO)
    [answer] = await world.text(BO, "I have two 5s")
    assert answer == "R1 Raise the number or the face of 1x3, not both. The smallest raise is 1x4."
    [answer] = await world.text(ANA, "I have two 3s")
    assert "Did you mean" not in answer
    assert "It's Bo's turn." in answer


async def test_yes_plays_what_was_offered(world: SmsWorld) -> None:
    await a_game(world)
    await world.text(ANA, "1x3")
    for quantity, yes in enumerate(("yes", "Ok!", "si", "oui", "ja"), start=2):
        number = await on_turn(world)
        assert (await world.text(number, f"I have {quantity} 3s"))[-1].endswith(
            f"Did you mean {quantity}x3? Send: {quantity}x3"
        )
        assert standing(world) == f"{quantity - 1}x3"
        await world.text(number, yes)
        assert standing(world) == f"{quantity}x3"


async def test_yes_to_nothing_or_to_an_offer_of_an_earlier_turn_plays_nothing(world: SmsWorld) -> None:
    await a_game(world)
    await world.text(ANA, "yes")
    assert standing(world) == "None"
    await world.text(ANA, "I have two 3s")
    await world.text(ANA, "1x3")
    for number in (ANA, BO):
        await world.text(number, "yes")
    assert standing(world) == "1x3"
