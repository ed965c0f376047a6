"""One round in each private way, and the pages of a lobby, frame by frame."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from playwright.async_api import FrameLocator, Locator, Page, expect
from playwright.async_api import TimeoutError as Impatience

from perudo_core.stirs import SIGNS
from test_support.chromium import AT_ONCE, PATIENCE_MS
from test_support.espeak_speaker import EspeakSpeaker
from test_support.film.camera import GROUP, HIDE_BEFORE, PRIVATE, SCALE, TELEPHONE, Camera
from test_support.game_driver import BID_LABEL, WHOSE_TURN, GameDriver
from test_support.person import Person
from test_support.shown_dice import ANIMAL
from test_support.tournament_night import TournamentNight
from test_support.world import Setting, World

BEAT_SECONDS: Final = 4
"""Between a call and its reveal: long enough for a picture of the call."""
HEARD_SECONDS: Final = 30
"""The first note of a game starts the recogniser."""
NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
FACES: Final = ("", "ones", "twos", "threes", "fours", "fives", "sixes")
PHONE: Final = "📱"
"""Follows the name of a player who texts."""
REVEALED: Final = "loses a die"
DOUBTS: Final = r"(?P<doubter>\w+) doubts (?P<bidder>\w+)'s"
LOSES: Final = r"(?P<loser>\w+) loses a die"
ON_TURN: Final = rf"👉 {ANIMAL}(?P<name>\w+)"
COUNTED: Final = "all dice as a picture, those that count lit, and the count"
MOST_LOOKS: Final = 3_000
PEOPLE: Final = ("Ana", "Bo", "Cy")
GUESS: Final = "Bluff"
BADLY: Final = ("Dudo", "Bid ", GUESS)
WELL: Final = ("Bid ", "Dudo")
"""The keys of a player, the first one first."""
FRIENDS: Final = ("Ana", "Bo", "Cy", "Dee", "Eve", "Fay", "Gus", "Hal")


@dataclass(slots=True)
class Scene:
    """A table, its players, and the camera."""

    world: World
    camera: Camera
    driver: GameDriver

    def __init__(self, world: World, camera: Camera) -> None:
        self.world = world
        self.camera = camera
        self.driver = GameDriver(world, world.group, list(world.people.values()))

    async def turn(self) -> Person:
        """Wait for the next turn and for all messages; return the player whose turn it is."""
        offer = await self.driver.turn()
        await self.world.settled()
        return offer.person

    async def whose_turn(self) -> str:
        await self.world.settled()
        message = self.driver.table_message()
        turn = WHOSE_TURN.search(message.text) if message is not None else None
        assert turn is not None
        return turn["name"].removesuffix(f" {PHONE}")

    async def bid(self, number: int = 0) -> None:
        """Let the player whose turn it is tap a bid, and wait until every message about it has been sent."""
        offer = await self.driver.turn()
        await self.driver.tap(offer, offer.bids[number])
        self.driver.steps.add(offer.step)
        await self.world.settled()

    async def dudo(self) -> None:
        """Let the player whose turn it is tap dudo, and take a picture of the group before the dice are shown."""
        await self.camera.no_toasts()
        offer = await self.driver.turn()
        assert offer.dudo is not None
        await self.driver.tap(offer, offer.dudo)
        self.driver.steps.add(offer.step)
        watcher = next(person for person in self.driver.people if person is not offer.person)
        await self.camera.open(watcher.name, GROUP)
        await self.take_call(watcher.name)

    async def take_call(self, watcher: str) -> None:
        call = await self.told(DOUBTS)
        await self.camera.take(f"""{watcher}, now: doubts
        {call["doubter"]} doubts {call["bidder"]}'s bid: the group reads it first
        Dudo! {call[0]} bid, cups up""")

    async def take_dice(self, watcher: str) -> None:
        loser = (await self.told(LOSES))["loser"]
        await self.camera.take(f"""{watcher}, group up to: {REVEALED}
        the dice: {loser} loses one
        {COUNTED}; {loser} loses a die""")

    async def told(self, pattern: str, person: Person | None = None) -> re.Match[str]:
        """Wait for the newest message that says this in the group, or in a private chat; return the match."""
        where = self.world.group if person is None else None
        message = await (person or self.driver.host).sees(pattern, where, since=self.driver.began)
        found = re.search(pattern, message.text)
        assert found is not None
        return found


Story: TypeAlias = Callable[[Scene], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Film:
    """A story and where it takes place."""

    name: str
    story: Story
    setting: Setting
    height: int


def film(name: str, story: Story, seed: int, height: int = 780, people: tuple[str, ...] = PEOPLE, **more: Any) -> Film:
    """Return a film; codes and dice follow from the seed."""
    setting = Setting(
        people=people,
        plan={"secrets": seed},
        variables={
            "PERUDO_TABLE__RULEBOOK": "classic",
            "PERUDO_TABLE__REVEAL_SECONDS": str(BEAT_SECONDS),
            "PERUDO_TABLE__CELEBRATE": "true",
            "PERUDO_COMPUTER_PLAYERS__THINK_LEAST_SECONDS": "0.5",
            "PERUDO_COMPUTER_PLAYERS__THINK_MOST_SECONDS": "1",
            "PERUDO_PICTURES__REVEALS": "true",
            "PERUDO_PICTURES__ANIMATIONS": "false",
        },
        **more,
    )
    return Film(name, story, setting, height)


async def tap(where: Page | FrameLocator | Locator, *names: str) -> None:
    for name in names:
        await where.get_by_role("button", name=name).click()


async def come_in(page: Page | FrameLocator, name: str) -> None:
    await page.get_by_label("Your name").fill(name)
    await tap(page, "Come in")


async def private_chat(scene: Scene) -> None:
    """Everybody has opened the bot: dice and buttons in private chats."""
    take, driver = scene.camera.take, scene.driver
    await driver.gather(private=True)
    await scene.world.settled()
    await take("""Ana, group: 3. 🐳 Cy
        the lobby: Ana may start
        the lobby with three players, the rules, Join and Start""")
    await driver.begin()
    opener = await scene.turn()
    await take(f"""{opener.name}, private: You open
        {opener.name} opens the round
        five dice as a picture, and buttons for bids""")
    await scene.bid(2)
    second = await scene.turn()
    await take(f"""{second.name}, private: Your turn
        {second.name} may raise, doubt, or say *calza*
        dice, {opener.name}'s bid, higher bids and a red button Dudo""")
    await scene.bid(1)
    await scene.dudo()
    await scene.turn()
    await scene.take_dice("Ana")
    await take(f"""{second.name}, private: round 2
        {second.name} has seen the call and the dice here too, then the next board
        Dudo, all dice as a picture, then {second.name}'s new dice""")


async def phone(scene: Scene) -> None:
    """Take the picture of docs/playing.md: a phone on its owner's turn, with a number at each part."""
    camera, driver = scene.camera, scene.driver
    await driver.seat()
    await scene.bid(2)
    second = await scene.turn()
    chat = await camera.open(second.name, PRIVATE)
    camera.begins = "dice in play"
    board = chat.get_by_role("article").last
    keys = [chat.get_by_role("button", name=re.compile(name)).last for name in (r"^4 ×", "Dudo!", r"Calza\?")]
    await expect(keys[0]).to_be_visible()
    await chat.get_by_role("article").evaluate_all(HIDE_BEFORE, camera.begins)
    await camera.number(board, [board.locator("img, canvas").first, "dice in play", " 3 ×", "minutes", *keys])
    await camera.take(f"""{second.name}, private: Your turn
        the phone on your turn
        the parts of the screen on your turn, with the numbers 1 to 7""")


async def invited(scene: Scene) -> None:
    """Film two ways to an open table: the button in the group, and the link."""
    camera, ana, group = scene.camera, scene.world["Ana"], scene.world.group
    await ana.say("/perudo", group)
    await ana.sees_button("Join", group)
    await camera.take("""Bo, group: who's in
        **in Telegram**: tap *Join*
        an invitation: Perudo, who's in, with a button Join""")
    ((code,),) = scene.world.rows("SELECT code FROM game_table")
    door = await camera.television(f"{scene.world.pages}/t/{code}", TELEPHONE, SCALE)
    await door.get_by_label("Your name").fill("Zoe")
    await camera.take(
        """Zoe, television: Your name
        **by a link**: choose a name and an animal
        A phone's browser: a field for the name, twenty animals, Come in""",
        television=door,
    )


async def ephemeral(scene: Scene) -> None:
    """Film a bot that is an admin and that no player has opened: dice and buttons in the group, for one player each."""
    take, driver = scene.camera.take, scene.driver
    await driver.seat(private=False)
    opener = await scene.turn()
    await take(f"""{opener.name}, group: You open
        {opener.name}'s dice and bids, which only {opener.name} sees
        a message marked Only you see this, with dice and bids""")
    waiting = next(person.name for person in driver.people if person is not opener)
    await take(f"""{waiting}, group: Your dice
        {waiting} sees other dice, and waits for {opener.name}
        {waiting}'s own dice, no bids""")
    await scene.bid(2)
    second = await scene.turn()
    await take(f"""{second.name}, group: Your turn
        {second.name}'s turn
        dice, {opener.name}'s bid, higher bids, Dudo, Calza""")
    await scene.bid(1)
    await scene.dudo()
    await scene.turn()
    await scene.take_dice(second.name)
    await take(f"""{second.name}, group: Round 2
        the next round
        round 2, and {second.name}'s new dice""")


async def alert(scene: Scene) -> None:
    """Film a bot that is no admin and that no player has opened: one keyboard for all, and dice in an alert."""
    camera, driver = scene.camera, scene.driver
    await driver.seat(private=False)
    opener = await scene.turn()
    await camera.take(f"""{opener.name}, group: My dice
        {opener.name} opens with the buttons that all see
        the table, bids, My dice, Open the bot""")
    chat = await camera.open(opener.name, GROUP)
    await chat.get_by_role("button", name="My dice").last.click()
    await camera.take(f"""{opener.name}, now: Your dice
        *My dice*: an alert for {opener.name} alone
        an alert with Your dice, It's your turn""")
    await camera.page.get_by_role("dialog").get_by_role("button", name="OK").click()
    await scene.bid(2)
    await scene.bid(1)
    doubter = await scene.turn()
    chat = await camera.open(doubter.name, GROUP)
    await chat.get_by_role("button", name="Dudo!").last.click()
    await camera.take(f"""{doubter.name}, now: once more
        {doubter.name} taps *Dudo*, which asks before it counts
        Dudo? If you're sure, tap it once more""")
    await scene.dudo()
    await scene.turn()
    await scene.take_dice(doubter.name)


async def inline_mode(scene: Scene) -> None:
    """Film the list over the text field: a player's dice and bids, and the player's choice as their own message."""
    camera, driver, group = scene.camera, scene.driver, scene.world.group
    take = camera.take
    for person in driver.people:
        await person.say("/settings", group)
        await person.tap("In the text field", group)
    await driver.seat(private=False)
    opener = await scene.whose_turn()
    await take(f"""{opener}, group: My turn
        {opener} taps *My turn*
        the table with My turn and My dice""")
    chat = await camera.open(opener, GROUP)
    await chat.get_by_role("button", name="My turn").last.click()
    await take(f"""{opener}, group: Your dice
        {opener}'s dice, and bids, the likeliest first
        a list over the text field with Your dice, then bids""")
    await (await _offered(camera, opener, "three fiv")).click()
    second = await scene.whose_turn()
    four_fives = await _offered(camera, second, "four fi")
    await take(f"""{second}, group: 4 fives
        {second} types *four fi*
        the list with {second}'s dice, and one bid, four fives""")
    await four_fives.click()
    await take(f"""{second}, group: {second}: 4
        a bid is the player's own message
        two bids as messages by {opener} and {second} via the bot""")
    third = await scene.whose_turn()
    dudo = await _offered(camera, third, "dudo")
    await camera.no_toasts()
    await dudo.click()
    call = await scene.told(DOUBTS)
    await camera.take(f"""{third}, now: doubts
        so is *Dudo!*: {call["doubter"]} doubts {call["bidder"]}'s bid
        {third}'s message Dudo!, and the bot's call""")
    await camera.page.wait_for_timeout(BEAT_SECONDS * 1000)
    await scene.take_dice(third)


async def _offered(camera: Camera, name: str, words: str) -> Locator:
    """Return the offers of the list over the text field after these words, besides the player's dice."""
    field = camera.page.get_by_role("textbox", name=f"{name}'s message to {GROUP}")
    await field.fill(f"@perudo_sandbox_bot {words}")
    options = (await camera.open(name, GROUP)).get_by_role("option")
    await expect(options).to_have_count(2)
    return options.nth(1)


async def texts(scene: Scene) -> None:
    """Gran has no smartphone: her seat is a telephone number."""
    camera, driver = scene.camera, scene.driver
    take = camera.take
    await driver.gather(private=True)
    await scene.world.settled()
    await take("""Ana, group: Or text
        the code in the lobby
        the lobby says Or text JOIN and a code to a number""")
    await _seat_gran(scene)
    await driver.begin()
    await _raise_until(scene, "Gran")
    await take("""Gran, texts: Your turn
        Gran has joined, and it is her turn
        her dice, the standing bid, what to text""")
    quantity, face = (int(digits) for digits in (await _suggested(scene)).split("x"))
    words = f"{NUMBERS[quantity]} {FACES[face]}"
    await _text(scene, words)
    await take(f"""Ana, group: Gran: {quantity}
        she texts *{words}*: the group sees it
        Gran's bid, {words}""")
    await scene.dudo()
    loser = (await scene.told(LOSES))["loser"]
    await scene.driver.host.sees("Round 2", scene.world.group)
    await scene.world.settled()
    await take(f"""Gran, texts: doubted
        Gran reads the end of the round
        how many there were, {loser} loses a die, the next dice""")
    await scene.take_dice("Ana")


async def _suggested(scene: Scene) -> str:
    await expect(scene.camera.phone("Gran").get_by_text("e.g.").last).to_be_visible()
    examples: list[str] = re.findall(r"e\.g\.\s(\d+x\d)", await scene.camera.phone("Gran").inner_text())
    return examples[-1]


async def _seat_gran(scene: Scene) -> None:
    lobby = await scene.driver.host.sees("Or text", scene.world.group)
    code = re.search(r"JOIN (\w+)", lobby.text)
    assert code is not None
    await _text(scene, f"JOIN {code[1]} Gran")
    await scene.driver.host.sees("Gran", scene.world.group)


async def _text(scene: Scene, words: str) -> None:
    field = scene.camera.page.get_by_role("textbox", name="Text message from Gran")
    await field.fill(words)
    await field.press("Enter")
    await expect(scene.camera.phone("Gran").get_by_text(words, exact=True).last).to_be_visible()
    await scene.world.settled()


async def voice(scene: Scene) -> None:
    """Film a round that is said: a voice note, the call that was heard, and the end of the round read aloud."""
    camera, driver = scene.camera, scene.driver
    take = camera.take
    await asyncio.gather(*(person.start() for person in driver.people))
    for person in driver.people:
        await person.say("/settings")
        await person.tap("Read to me aloud")
    await driver.seat(private=False)
    speaker = await scene.turn()
    await take(f"""{speaker.name}, private: You open
        {speaker.name}'s dice are read to {speaker.name} alone
        dice, bids, and a voice note of the bot""")
    await _say(scene, speaker, "three fours", notes=1)
    await take(f"""{speaker.name}, private: Did you say this
        {speaker.name} says *three fours*: one tap, and it counts
        the player's own voice note, Did you say this, a button with three fours, Not that""")
    await speaker.tap("3 × 4️⃣")
    await scene.world.settled()
    await take(f"""{speaker.name}, group: 🎙 .* said 3
        the group reads the bid and its player
        a microphone, {speaker.name} said three fours""")
    await scene.bid(1)
    doubter = await scene.turn()
    await _say(scene, doubter, "liar", notes=2)
    await take(f"""{doubter.name}, private: Did you say this
        {doubter.name} says *liar*: dudo is always asked about
        the player's voice note, Did you say this, a button Dudo""")
    await camera.no_toasts()
    await doubter.tap("Dudo!", on=await doubter.sees("Did you say this"))
    await camera.open(doubter.name, GROUP)
    await scene.take_call(doubter.name)
    await scene.turn()
    loser = (await scene.told(LOSES))["loser"]
    await take(f"""{doubter.name}, private: round 2
        the end of the round is read aloud, and written
        {loser} loses a die, the next dice, and voice notes of the bot""")


async def _say(scene: Scene, person: Person, words: str, *, notes: int) -> None:
    chat = await scene.camera.open(person.name, PRIVATE)
    await expect(chat.locator(".waveform")).to_have_count(notes)
    since = scene.world.mark()
    await person.speak(await asyncio.to_thread(EspeakSpeaker().say, words, "en"))
    await person.sees("Did you say this", since=since, within=HEARD_SECONDS)


async def web_seat(scene: Scene) -> None:
    """Ana opens her seat over the chat, Cy comes as a guest by the table's code, and the television shows both."""
    camera, driver = scene.camera, scene.driver
    seat, guest, screen = "Ana's phone", "Play as a guest", "Television"
    await driver.gather(private=True)
    await scene.world.settled()
    await camera.take("""Ana, private: this is your table
        *Open the table* in the host's private chat
        the lobby with a button Open the table""")
    await (
        camera.phone("Ana")
        .get_by_role("button", name="Open the table")
        .or_(camera.phone("Ana").get_by_role("link", name="Open the table"))
        .click()
    )
    await camera.open_page(guest)
    code = await camera.frame(seat).get_by_label("The table's code").text_content()
    await camera.frame(guest).get_by_label("The table's code").fill(code or "")
    await come_in(camera.frame(guest), "Cy")
    await camera.take(f"""{seat}, page: would like to come in
        Ana's seat: Cy has typed the table's code
        Ana's seat: Cy would like to come in, Let in, Not now""")
    await tap(camera.frame(seat), "Let in")
    await expect(camera.frame(guest).get_by_text("At the table: 2 of 6")).to_be_visible()
    await camera.open_page(screen)
    await camera.take(f"""{screen}, page: Scan to join
        the television, with the code to scan
        A television: the players at the table, a QR code, Scan to join""")
    await tap(camera.frame(seat), "Start")
    await camera.frame(seat).locator("body").evaluate(AT_ONCE)
    for page in (seat, guest):
        await tap(camera.frame(page), "Lift the cup")
    for word in ("Bid ", "Bid ", "Dudo"):
        caller = await _caller(camera, seat, guest)
        if word == "Dudo":
            name, other = ("Ana", "Cy") if caller == seat else ("Cy", "Ana")
            await camera.take(f"""{caller}, page: Your turn
        {name}'s turn: the cup is lifted
        {name}'s seat: {other}'s bid, {name}'s five dice, the next bid, Dudo, Calza""")
            await camera.take(f"""{screen}, page: {name}('s turn|'S TURN)|{name.upper()}'S TURN
        the television during {name}'s turn: no dice, all bids
        A television: an oval table, {name}'s turn, the bid in large signs""")
        await tap(camera.frame(caller), word)
        await expect(camera.frame(caller).get_by_role("heading", name="Your turn")).to_have_count(0)
    loser = (await scene.told(LOSES))["loser"]
    await camera.take(f"""{screen}, page: The bid .
        the end of the round on the television: {loser} loses a die
        A television: the bid, the count, {loser} loses a die""")


async def party(scene: Scene) -> None:
    """Film an evening without a messenger: the television's letters, a phone's table, the game, the finale."""
    camera = scene.camera
    phone, screen = "Play as a guest", "Television"
    host, television = camera.frame(phone), camera.frame(screen)
    await camera.open_page(screen)
    await camera.take(f"""{screen}, page: types these letters
        the television's letters
        A television: four letters and a QR code""")
    await camera.open_page(phone)
    await host.get_by_label("Your name").fill("Mum")
    await camera.take(f"""{phone}, page: Open a table
        Mum opens a table, and types them
        Mum's phone: her name, Open a table, or a code""")
    await tap(host, "Open a table")
    await _type_letters(camera, screen, phone)
    await camera.take(f"""{screen}, page: Scan to join
        the lobby on the television: how to play, the code to scan
        A television: Mum sits at the table, how to play in four steps, a QR code""")
    await host.locator("summary", has_text="Classic").click()
    await host.get_by_role("radio", name="Short").check()
    code = await host.get_by_label("The table's code").text_content()
    dad = await camera.television(f"{scene.world.pages}/t/{code}")
    await come_in(dad, "Dad")
    await tap(host, "Let in")
    await host.locator("summary", has_text="Computer players").click()
    await tap(host, "Add one")
    await expect(television.get_by_text("At the table: 3 of 6")).to_be_visible(timeout=PATIENCE_MS)
    await tap(host, "Start")
    await tap(dad, "We know it")
    await _round_zero(camera, phone, screen)
    both: Mapping[Page | FrameLocator, Sequence[str]] = {host: BADLY, dad: WELL}
    await _play({dad: WELL}, until=host.get_by_role("heading", name="Your turn"))
    await tap(host, "Lift the cup")
    await camera.take(f"""{screen}, page: Mum('s turn| opens)|MUM('S TURN| OPENS)
        for the whole room: Mum's turn
        A television: Mum's turn, in large letters, and the cups of three players""")
    await _play(both, until=television.get_by_text(REVEALED).filter(visible=True))
    await tap(host, "No way!")
    await camera.take(f"""{screen}, page: No way!
        the end of a round: Mum shouts
        A television: all dice, those that count lit, who loses a die, and No way! at Mum's seat""")
    await _play(both, until=television.locator(".ghosts p").filter(visible=True))
    await camera.take(f"""{screen}, page: ghost
        Mum is out: as a ghost she guesses every call
        A television: the dice of a round, Mum's ghost over the felt, and whether it knew""")
    await _play(both, until=television.locator(".beat"))
    await camera.take(f"""{screen}, page: Best liar|Best nose|Unluckiest|The turning point
        after the game, a ceremony
        A television: a title in large letters, a player's face, and what the player did""")
    await expect(television.locator(".chart")).to_be_visible(timeout=PATIENCE_MS)
    await camera.take(f"""{screen}, page: Play again
        the finale
        A television: a trophy, the winner, the places, the story of the game, a QR code for the next one""")


async def _round_zero(camera: Camera, phone: str, screen: str) -> None:
    """Play round zero until its bid, which needs no luck for the same picture, and begin the game."""
    zero = camera.frame(phone).locator(".zero")
    for key in ("Lift the cup", "2"):
        await zero.get_by_role("button", name=key, exact=True).click(timeout=PATIENCE_MS)
    await expect(zero.get_by_role("button", name="Dudo!")).to_be_visible(timeout=PATIENCE_MS)
    await camera.take(f"""{screen}, page: Dudo|dudo
        a practice round first, until Mum taps *We know it*
        A television: a practice round, the bid of the bot's friend, What do you do?, and three cups""")
    await tap(zero, "We know it")


async def _play(phones: Mapping[Page | FrameLocator, Sequence[str]], *, until: Locator) -> None:
    """Tap on each phone the first of its keys that is there, until something is shown."""
    for _ in range(MOST_LOOKS):
        if await until.count():
            return
        for phone, names in phones.items():
            for name in names:
                key = phone.get_by_role("button", name=name, pressed=None if name != GUESS else False)
                if await key.count():
                    with suppress(Impatience):  # the key went when the game moved on
                        await key.first.click(timeout=2_000)
                    break
        await asyncio.sleep(0.1)
    raise AssertionError("it is never shown")


async def _type_letters(camera: Camera, screen: str, host: str) -> None:
    """Let the host type the television's letters: it goes over to the table."""
    letters = await camera.frame(screen).get_by_label("The letters on the television").text_content()
    await tap(camera.frame(host), "Television")
    dialog = camera.frame(host).get_by_role("dialog", name="Television")
    await dialog.get_by_label("The letters on the television").fill(letters or "")
    await expect(camera.frame(screen).get_by_text("Scan to join")).to_be_visible(timeout=PATIENCE_MS)


async def _caller(camera: Camera, *titles: str) -> str:
    while True:
        for title in titles:
            if await camera.frame(title).get_by_role("heading", name="Your turn").count():
                return title
        await camera.page.wait_for_timeout(100)


async def lobby(scene: Scene) -> None:
    take, driver = scene.camera.take, scene.driver
    host = driver.host
    await driver.gather(private=True)
    await scene.world.settled()
    await take("""Ana, group: 3. 🐳 Cy
        the lobby's two buttons
        the lobby with Join, Start""")
    await take("""Ana, private: this is your table
        the same lobby, in the host's private chat
        the players, with buttons for rules and players""")
    await host.tap("Players")
    await take("""Ana, private: who else should play
        *Players*
        four levels of computer players, Fill the table, and a button to remove each player""")
    await host.tap("Back")
    await host.tap("Rules")
    await take("""Ana, private: how shall we play
        *Rules*: five tables and the twists
        the twists, a sentence for each, and buttons: Classic, Short, Slow, two rulebooks, the twists, Each rule""")
    await host.tap("Each rule")
    await take("""Ana, private: to change one
        *Each rule*: what differs is bold
        every option with its value, and how to change one""")
    await driver.people[1].say("/settings")
    await take("""Bo, private: How would you like
        `/settings`, in the private chat
        ways to see one's dice, switches, and folders for dice and language""")


async def practice(scene: Scene) -> None:
    """One person and two computer players, in the private chat: from the first word to the first reveal."""
    take, ana = scene.camera.take, scene.driver.host
    await ana.start()
    await take("""Ana, private: Practise alone
        the first word
        the bot greets Ana: Learn in two minutes, Practise alone""")
    since = scene.world.mark()
    await ana.tap("Practise alone")
    board = await ana.sees("Your turn|You open", since=since)
    await take("""Ana, private: Your turn|You open
        one tap later, it is Ana's turn
        Ana's dice, two computer players, bids""")
    await ana.tap("What would you do?", on=board)
    await take("""Ana, private: I would say
        *What would you do?*
        the coach names one call, why, its risk, and a button that says it""")
    while (dudo := board.button("🗣 Dudo")) is None:
        since = scene.world.mark()
        bid = next(button for button in board.flat if BID_LABEL.fullmatch(button.text))
        await ana.call(board, bid.data or "")
        board = await ana.sees("Your turn|You open", since=since)
    since = scene.world.mark()
    await ana.call(board, dudo.data or "")
    revealed = await ana.sees(REVEALED, since=since)
    loser = re.search(LOSES, revealed.text)
    assert loser is not None
    await take(f"""Ana, private up to: {REVEALED}
        Ana doubts: {loser["loser"]} loses a die
        all dice as a picture, those that count lit""")
    await ana.sees("round 2", since=since)
    await take("""Ana, private: round 2
        the next round
        Ana's next dice""")


async def ending(scene: Scene) -> None:
    """How a game ends: the last dice, the winner, the story of the game, the dice checked, and the reel."""
    take, driver = scene.camera.take, scene.driver
    await driver.gather(private=True)
    for key in ("Rules", "Short", "Each rule", "Shake the dice"):
        await driver.host.tap(key)
    await driver.host.tap(SIGNS[0], scene.world.group)
    await driver.begin()
    driver.peek = 0  # an alert with dice covers the page
    await driver.play()
    await scene.world.settled()
    winner = (await scene.told(r"(?P<name>\w+) wins!"))["name"]
    await take(f"""Ana, group up to: wins!
        {winner} wins; the dice are checked
        the winner, the places, achievements, Dice checked, Play again""")
    await driver.host.tap("More", scene.world.group)
    await driver.host.tap("Tell the story", scene.world.group)
    await take("""Ana, group: 📖
        *Tell the story*
        a chart, the boldest bluff, where it was decided, luck and skill""")
    await driver.host.tap("Check the dice", scene.world.group)
    await take("""Ana, group: 🔐
        *Check the dice*
        the file of the game, what was shaken in, how to verify it""")
    await driver.host.tap("Best reveals", scene.world.group)
    reel = await driver.host.sees("The best reveals", scene.world.group, since=driver.began)
    assert reel.photo is not None
    scene.camera.keep(
        scene.world.sandbox.world.files[reel.photo.rpartition("/")[2]].content,
        f"film/{scene.camera.story}-reel.gif",
        caption="*Best reveals*: an animation to forward",
        contents="Three reveals, one after the other: bids, cups that lift, the count, and who did what",
    )


async def tournament(scene: Scene) -> None:
    """Eight friends at two tables: the list, both tables in chat and on television, a private chat, the places."""
    world, take = scene.world, scene.camera.take
    night, ana = TournamentNight(world, *FRIENDS), world["Ana"]
    await asyncio.gather(*(person.start() for person in night.people))
    television = await _television(scene)
    await ana.say("/tournament", world.group)
    await ana.sees("Several tables at once", world.group)
    for person in night.people[1:]:
        await person.tap("Join", world.group)
    await world.settled()
    scene.camera.begins = "/tournament"
    await take("""Ana, group: 8/40
        the list in the group
        the list of eight people, the rules, Join, Leave, Start""")
    await ana.tap("Start", world.group)
    await ana.sees("stage 1", world.group)
    await night.play("stage 1", moves=25)
    await world.settled()
    board = await ana.sees(ON_TURN)
    on_turn = re.search(ON_TURN, board.text)
    assert on_turn is not None
    scene.camera.begins = ""
    await take(f"""Ana, private: round
        Ana's table, in her private chat: {on_turn["name"]}'s turn
        the end of a round as a picture, then Ana's dice and the bids of the next one""")
    scene.camera.begins = "/tournament"
    await take("""Ana, group: (Ana|Bo|Cy|Dee|Eve|Fay|Gus|Hal) [1-4]
        all tables, in one message
        two tables, and how many dice each player has""")
    body = television.locator("body")
    await expect(body).to_contain_text(re.compile("'s turn| opens", re.IGNORECASE))
    large = re.search(r"(?i)(?P<name>\w+)(?:'s turn| opens)", await body.inner_text())
    assert large is not None
    name = large["name"].capitalize()
    await scene.camera.take(
        f"""Television, television: stage 1
        the television: {name}'s turn at the large table
        A television: one table large, the other one small, how many dice each player has""",
        television=television,
    )
    await night.play("stage 1")
    await night.play("grand final")
    won = await ana.sees(r"\w+ wins the tournament", world.group)
    winner = won.text.partition(" wins the tournament")[0].split()[-1]
    await world.settled()
    await take(f"""Ana, group up to: wins the tournament
        after the final: one picture of all stages and places, to forward
        both stages with everyone's place, {winner} won, and the best bluff""")


async def _television(scene: Scene) -> Page:
    """Open the group's room on a television: a table that is closed again has let somebody knock."""
    world, ana = scene.world, scene.world["Ana"]
    await ana.say("/perudo", world.group)
    await ana.sees_button("Join", world.group)
    ((code,),) = world.rows("SELECT code FROM game_table")
    door = await scene.camera.television(f"{world.pages}/t/{code}")
    await come_in(door, "Oma")
    await expect(door.get_by_text("I've asked the host")).to_be_visible()
    await ana.say("/stop", world.group)
    ((key,),) = world.rows("SELECT screen_key FROM web_room")
    await door.goto(f"{world.pages}/tv/{code}#{key}")
    return door


async def one_table(scene: Scene) -> None:
    """Take the README's picture: Gran has ended a round, and Ana is on turn in the next one."""
    camera, driver, group = scene.camera, scene.driver, scene.world.group
    await driver.gather(private=True)
    await _seat_gran(scene)
    await driver.begin()
    await _raise_until(scene, "Gran")
    await _text(scene, "dudo")
    loser = (await scene.told(LOSES))["loser"]
    await driver.host.sees("Round 2", group)
    await _raise_until(scene, "Ana")
    for name, chat in (("Ana", PRIVATE), ("Bo", GROUP)):
        await camera.open(name, chat)
    await camera.take_all(
        caption=f"Gran has doubted, {loser} has lost a die, and it is Ana's turn",
        contents="One table: Ana's private chat with her dice and bids, the group on Bo's phone, and the texts of "
        f"Gran, who doubted: {loser} lost a die",
    )


async def _raise_until(scene: Scene, name: str) -> None:
    """Let the players raise, at least once, until this one is on turn."""
    first = True
    while first or await scene.whose_turn() != name:
        first = False
        if await scene.whose_turn() == "Gran":
            since = scene.world.mark()
            await _text(scene, await _suggested(scene))
            await scene.driver.host.sees("👉", scene.world.group, since=since)
            await scene.world.settled()
        else:
            await scene.bid()


FILMS: Final = (
    film("private", private_chat, seed=12),
    film("phone", phone, seed=12),
    film("invited", invited, seed=6, people=("Ana", "Bo"), with_pages=True),
    film("ephemeral", ephemeral, seed=38, bot_is_admin=True),
    film("alert", alert, seed=7),
    film("inline", inline_mode, seed=10),
    film("texts", texts, seed=8, people=("Ana", "Bo"), with_phone=True),
    film("voice", voice, seed=12),
    film("web-seat", web_seat, seed=4, people=("Ana",), with_pages=True),
    film("party", party, seed=4, people=("Ana",), with_pages=True),
    film("one-table", one_table, seed=19, people=("Ana", "Bo"), with_phone=True, height=1000),
    film("lobby", lobby, seed=6, height=1000),
    film("tournament", tournament, seed=5, people=FRIENDS, with_pages=True, height=900),
    film("practice", practice, seed=5, people=("Ana",)),
    film("end", ending, seed=9, people=("Ana", "Bo")),
)
