"""Bids and wishes in words, and the menus that tell which ones there are."""

from test_support.world import World


async def test_everybody_is_spoken_to_in_their_language_and_understood_in_any(world: World) -> None:
    ana, bo = people = world.some("Ana", "Bo")
    group = world.group
    for person, language in ((ana, "it"), (bo, "nl")):
        await world.act("PATCH", f"/people/{person.id}", language_code=language)
        await person.start()
    await ana.sees("Ciao Ana!")
    await bo.sees("Hoi Bo!")
    await ana.say("/perudo", group)
    await bo.sees("chi gioca", group)
    assert await bo.tap("Entra", group) == "Je doet mee! Je stenen komen privé bij je."
    assert await ana.tap("Inizia", group) == "Si gioca!"
    await ana.sees("· mano 1")
    await bo.sees("· ronde 1")

    table = await ana.sees("apre la mano", group)
    first, second = people if "👉 Ana" in table.text else (bo, ana)
    await first.say("dos cuatros")
    await second.sees(f"2 × 4️⃣ quattro, dice {first.name}", group)
    await bo.say("/settings", group)
    await bo.sees("In questo gruppo parlo italiano", group)
    assert await bo.tap("Français", group) == "Nu spreek ik français in deze groep."
    await second.sees(f"2 × 4️⃣ quatre, dit {first.name}", group)
    await second.say("menteur !")
    await first.sees(f"Dudo.!.* {second.name} ne croit pas {first.name}", group)

    await bo.say("/settings")
    await bo.sees("Met jou spreek ik Nederlands")
    assert await bo.tap("Español") == "Ahora contigo hablo español."
    await bo.sees("· ronda ")
    await world.settled()
