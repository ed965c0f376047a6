"""Real speech through the whole road: a phone's note, Telegram's server, the decoder, the recogniser, a played bid."""

from test_support.espeak_speaker import EspeakSpeaker
from test_support.game_driver import GameDriver
from test_support.world import World


async def test_a_bid_is_said_in_private_and_everybody_reads_who_said_it(world: World) -> None:
    people = world.some("Ana", "Bo", "Cy")
    game = await GameDriver(world, world.group, people).seat()
    person = (await game.turn()).person
    said = EspeakSpeaker().say("three fours", "en")
    since = world.mark()
    await person.speak(said)
    asked = await person.sees("Did you say this", since=since)
    labels = [button.text for button in asked.flat]
    assert labels[-1] == "✖️ Not that"
    assert 2 <= len(labels) <= 4
    assert game.actions() == [], "nothing is played before a tap"

    assert await person.tap("3 × 4️⃣", on=asked) == "You bid 3 × 4️⃣."
    other = next(one for one in people if one is not person)
    await other.sees(f"🎙 {person.name} said 3 × 4", world.group)
    await person.sees("🎙 You said 3 × 4", since=since)
    (bid,) = game.actions()
    assert (bid["quantity"], bid["face"]) == (3, 4)

    # In the group a note counts in reply to the bot; a stranger's, and noise, are left alone.
    offer = await game.turn()
    await world.settled()
    table = game.table_message()
    assert table is not None
    before = world.mark()
    await world["Dee"].speak(said, world.group, reply_to=table)
    await offer.person.speak(EspeakSpeaker().say("liar", "en"), world.group, reply_to=table)
    question = await offer.person.sees(f"{offer.person.name}, did you say this", world.group, since=before)
    bystander = next(one for one in people if one is not offer.person)
    assert "somebody else" in (await bystander.call(question, next(question.flat).data or "")).text
    assert await offer.person.tap("Dudo!", world.group, on=question) == "Dudo! Cups up!"
    await bystander.sees(f"🎙 {offer.person.name} said Dudo!", world.group)
    await world.settled()
    assert not world["Dee"].newest("Dee, what", world.group)
