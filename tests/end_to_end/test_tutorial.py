"""A newcomer learns the game in the private chat, with buttons alone, and goes on to a practice game."""

from test_support.world import World


async def test_from_the_first_button_to_a_practice_game(world: World) -> None:
    newcomer = world["Ana"]
    await newcomer.start()
    await newcomer.tap("Learn in two minutes")
    lesson = await newcomer.sees("Learn Perudo · 1/6")
    await newcomer.tap("4", on=lesson)
    await newcomer.sees("Not quite")
    for answer, seen in (
        ("3", "2/6"),
        ("3 × 4️⃣", "3/6"),
        ("Dudo!", "4/6"),
        ("Wayra", "5/6"),
        ("3 × ⭐", "6/6"),
        ("2 × 5️⃣", "Now you can play Perudo!"),
    ):
        step = await newcomer.sees_button(answer)
        await newcomer.tap(answer, on=step)
        shown = await newcomer.sees(seen)
        assert shown.number == lesson.number, "one message from beginning to end"
    await newcomer.tap("Play a practice game")
    await newcomer.sees("computer players")
    await world.settled()
