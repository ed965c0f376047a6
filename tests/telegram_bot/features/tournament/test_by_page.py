"""Guests of the web seat play in a tournament of a group: they join on the page of the group's table."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, update
from sqlmodel import col, select

from perudo_core import Bid, Dudo, Rules, legal_calls
from telegram_bot.channels.sms import TRAITS as SMS_TRAITS
from telegram_bot.channels.telegram import TRAITS as TELEGRAM_TRAITS
from telegram_bot.channels.web import TRAITS as WEB_TRAITS
from telegram_bot.channels.web.hosts import tell_hosts
from telegram_bot.channels.web.streams import GRACE_SECONDS
from telegram_bot.features.tournament.notices import Phase
from telegram_bot.features.tournament.requests import LeaveTournament, OpenTournament, StartTournament
from telegram_bot.features.tournament.tables import Entrant, Tournament
from telegram_bot.intents import intents as i
from telegram_bot.intents.channel_traits import NO_CHAT, ChannelDirectory
from telegram_bot.operations.forget import PersonDeletion
from telegram_bot.repositories.repositories import REMATCH_SECONDS
from telegram_bot.service.handlers.ending import Stop
from telegram_bot.service.handlers.game_requests import CallDudo, MakeBid
from telegram_bot.service.handlers.lobby_requests import OpenLobby, StartPrivateChat
from telegram_bot.service.handlers.pages import AnswerVisitor
from telegram_bot.service.round_ends import LOOKS_AGAIN_SECONDS
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Chat, GameTable, NoticeStatus, OutboxEntry, Player, RoundEnd
from telegram_bot.storage.web_models import WebCard
from telegram_bot.tables.model import Status, Table
from test_support.open_database import copy_migrated_database, open_database
from test_support.web_world import FRIENDS, Browser, Json, WebWorld, from_group, init_data, keys_of
from tests.telegram_bot.conftest import game_of
from tests.telegram_bot.features.tournament.test_tournament import list_people


class PageNight(WebWorld):
    """Six people in a Telegram group, and two guests, whose pages show the group's table."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.guests: dict[str, Browser] = {}

    async def begin(self) -> None:
        """A table of the group lets the guests in, and is closed again; then the people are on a list."""
        await self.telegram_asks(1, OpenLobby())
        app, _ = await self.page_of(1, self.code)
        key, _ = await keys_of(app)
        for name in ("Gus", "Hal"):
            browser = self.guests[name] = self.browser(f"192.0.2.{len(self.guests) + 7}")
            await browser.enter(name, key=key)
            await browser.events()
        await self.telegram_asks(1, Stop(confirmed=True), table=1)
        await self.telegram_asks(1, OpenTournament())
        list_people(self.database, *(i.Person("telegram", number, f"Person {number}") for number in range(1, 7)))

    async def start(self) -> None:
        """Gus joins, and the tables are drawn: one of four people, and then one of three."""
        assert (await self.press("Gus", "Join"))["done"]
        await self.telegram_asks(1, StartTournament(1))

    async def page_of(self, number: int, code: str | None = None, **tapped: str) -> tuple[Browser, Json]:
        """The page of a person of the group; `tapped`: what Telegram tells of the button."""
        page = self.browser("192.0.2.60" if number == 2 else "127.0.0.1")
        named = {} if code is None else {"code": code}
        return page, await page.ask("app", init_data=init_data(number, self.now, f"Person {number}", **tapped), **named)

    async def visitor(self, name: str, number: int, **proof: str) -> tuple[Browser, Json]:
        browser = self.browser(f"192.0.2.{number}")
        asked = {"code": self.tournament().code, "name": name, "language": "en"} | proof
        return browser, await browser.ask("enter", **asked)

    def running(self) -> list[int]:
        return [row.id for row in self.rows(GameTable) if row.live]

    async def press(self, name: str, text: str) -> dict[str, object]:
        card = await self.guests[name].card("panel")
        what = next(dict(act) for act in card["acts"] if act["text"].startswith(text))
        what.pop("text")
        return await self.guests[name].act(str(what.pop("act")), **what)

    def tournament(self) -> Any:
        return self.rows(Tournament)[0]

    async def move(self, number: int) -> None:
        table = self.table(number)
        call = next_call(table)
        name = table.seats[call.seat].name
        if name in self.guests:
            bid = {"quantity": call.quantity, "face": call.face} if isinstance(call, Bid) else {}
            act = "bid" if bid else "dudo"
            answer = await self.guests[name].act(act, table=number, step=table.step, **bid)
            assert answer["done"], answer
        else:
            what = MakeBid(call.quantity, call.face) if isinstance(call, Bid) else CallDudo()
            where = None if self.tournament().phase == Phase.TABLES else FRIENDS
            await self.telegram_asks(int(name.split()[1]), what, where, table=number, step=table.step)

    async def play(self, until: Phase) -> None:
        while self.tournament().phase != until:
            for row in self.running():
                if self.table(row).game is not None and game_of(self.table(row)).turn is not None:
                    await self.move(row)
            await self.see_dice()

    async def see_dice(self) -> None:
        """Each table sees the dice of the round, or of the game, that has ended."""
        self.now += LOOKS_AGAIN_SECONDS
        with self.database.transaction() as session:
            due = (col(OutboxEntry.awaited) == "reveal", col(OutboxEntry.lane).startswith("telegram:"))
            session.execute(update(OutboxEntry).where(*due).values(status=NoticeStatus.SENT))
            telegram = select(GameTable.id).join(Chat).where(Chat.channel == "telegram")
            unseen = (col(RoundEnd.seen_at).is_(None), col(RoundEnd.table_id).in_(telegram))
            session.execute(update(RoundEnd).where(*unseen).values(seen_at=self.now))
        for row in self.rows(GameTable):
            if row.due_at is not None and row.due_at <= self.now:
                self.delivery.wake((await self.service.handle(i.DeadlineReached(row.id))).lanes)
        await self.settle()


def next_call(table: Table) -> Bid | Dudo:
    """The lowest bid of the player on turn; they doubt the third bid of a round."""
    game = game_of(table)
    assert game.turn is not None
    low = legal_calls(game, game.turn)[0]
    return Dudo(game.turn) if len(game.bids) == 2 or not isinstance(low, Bid) else low


@pytest.fixture
def night(database: Database) -> PageNight:
    return PageNight(database)


async def sees_their_table(page: Browser, name: str) -> bool:
    """Whether the page shows the drawn table by itself, with the person's dice."""
    state = await page.state()
    seats = [seat["name"] for seat in (await page.card("round"))["seats"]]
    return (state["state"], "🏆 Friends " in state["title"], name in seats) == ("in", True, True) and bool(
        (await page.card("hand"))["dice"]
    )


async def test_guests_play_on_their_pages_from_the_list_to_the_winners_name(night: PageNight) -> None:
    await night.begin()
    gus, hal = night.guests.values()
    for text in ("Join", "Leave"):
        assert (await night.press("Gus", text))["done"]
    assert "no tournament with this code" in str((await gus.act("enter", code="AAAAAA"))["text"])
    assert "Gus" not in " ".join((await gus.card("panel"))["lines"])
    for name in night.guests:
        assert (await night.press(name, "Join"))["text"] == "You're in! Your table opens here by itself."
    card = await hal.card("panel")
    assert any("8/40" in line and "Gus" in line for line in card["lines"])
    assert not any("private" in line for line in card["lines"]), "a guest has no private chat"
    with night.database.transaction() as session:
        session.get_one(Tournament, 1).rules = Rules(starting_dice=1, palifico=False).to_dict()
    await night.telegram_asks(1, StartTournament(1))
    assert [await sees_their_table(page, name) for name, page in night.guests.items()] == [True, True]

    table = (await gus.card("round"))["table"]
    while night.table(table).status is Status.PLAYING:
        await night.move(table)
    await night.see_dice()
    over, told = await gus.card("over"), await gus.card("stage")
    assert (over["table"], over["going_on"]) == (table, True), "it is not played again"
    assert told["game"] == table
    player = {each.name: each.id for each in night.rows(Player)}
    entrant = next(each for each in night.rows(Entrant) if each.player_id == player["Gus"])
    said = "You're out of the tournament" if entrant.out else "You're in the grand final! It comes by itself"
    assert said in told["text"]
    assert (await gus.act("watch"))["done"]
    watched = await gus.card("round")
    assert watched["table"] != table
    assert "Gus" not in {seat["name"] for seat in watched["seats"]}
    await night.move(watched["table"])
    step = night.table(watched["table"]).step
    assert (await gus.act("guess", table=watched["table"], step=step, guess="more"))["done"], "as any ghost"

    await night.play(Phase.FINAL)
    assert [(await page.state())["title"] for page in (gus, hal)] == ["Friends"] * 2, "everyone sees the final"
    await night.play(Phase.OVER)
    for page in (gus, hal):
        cards = await page.cards(anew=True)
        kinds = [card["card"] for card in cards]
        assert kinds.index("reveal") < kinds.index("panel"), "the last dice come before the winner's name"
        news = [card["text"] for card in cards if card["card"] == "note"]
        assert sum("Your place" in text or "You win the tournament" in text for text in news) == 1, news

    assert "Hal" in str((await gus.card("over"))["finale"]["places"])
    await PersonDeletion(night.service).forget(player["Hal"])
    room = [row.notice for row in night.rows(WebCard) if row.address < 0]
    assert "Hal" not in str(room), "no forgotten person is named"
    assert "Somebody" in str((await gus.card("over"))["finale"]["places"])


async def shown(night: PageNight) -> Json:
    """The large table in the cards of the group's room, which Hal's page reads as a television does."""
    card: Json = (await night.guests["Hal"].card("televised"))["shown"]
    return card


async def test_the_television_shows_the_table_with_the_fewest_dice_until_its_round_ends(night: PageNight) -> None:
    await night.begin()
    await night.start()
    large, small = night.running()
    tables = (await night.guests["Hal"].card("panel"))["tables"]
    listed = {seat["name"]: seat["face"] for table in tables for seat in table["seats"]}
    seats = [seat for table in (small, large) for seat in night.table(table).seats]
    assert listed == {seat.name: seat.face and seat.face.sign for seat in seats}
    assert None not in listed.values()
    app, _ = await night.page_of(1)
    await app.events()
    assert await sees_their_table(app, "Person 1"), "a page that is opened now"
    assert ((await night.guests["Hal"].card("televised"))["title"], (await shown(night))["table"]) == ("Table 2", small)
    await night.move(small)
    assert len((await shown(night))["bids"]) == 1
    while sum(game_of(night.table(large)).dice_counts) >= sum(game_of(night.table(small)).dice_counts):
        await night.move(large)
    assert (await shown(night))["table"] == small, "its round has not ended"
    kinds = [card["card"] for card in await night.guests["Hal"].cards(anew=True)]
    assert "televised_end" not in kinds, "the other table's dice are not shown"
    bids, round_number = 1, game_of(night.table(small)).round
    while game_of(night.table(small)).round == round_number:
        assert len((await shown(night))["bids"]) == bids
        await night.move(small)
        bids += 1
    await night.see_dice()
    reveal = (await night.guests["Hal"].card("televised_end"))["shown"]
    assert (reveal["table"], len(reveal["bids"])) == (small, 2)
    assert [len(hand) for hand in reveal["dice"]] == [5, 5, 5]
    assert (await shown(night))["table"] == large


async def test_what_the_television_shows_before_a_reveal_depends_on_no_die(tmp_path: Path) -> None:
    told = []
    for face in (2, 5):
        database = open_database(f"sqlite:///{copy_migrated_database(tmp_path / f'{face}.sqlite')}")
        night = PageNight(database)
        await night.begin()
        await night.start()
        with database.transaction() as session:
            for number in night.running():
                row = session.get_one(GameTable, number)
                game = row.state["game"]
                row.state = row.state | {"game": game | {"dice": [[face] * len(hand) for hand in game["dice"]]}}
                row.version += 1
        events = []
        for number in night.running() * 2:
            await night.move(number)
            events += await night.guests["Hal"].events()
        database.close()
        told.append(events)
    assert any("televised" in event for event in told[0])
    assert told[0] == told[1]


async def test_the_page_that_brought_the_table_to_the_television_follows_the_draw(night: PageNight) -> None:
    await night.begin()
    await night.telegram_asks(1, OpenLobby())
    app, _ = await night.page_of(1, night.rows(GameTable)[-1].code)
    await app.room("pair", code=(await night.browser("192.0.2.50").ask("pair"))["pairing"]["code"])
    await app.events()
    before = night.telegram.to(1)
    await night.start()
    assert await sees_their_table(app, "Person 1")
    assert night.telegram.to(1) == before, "the page shows the dice already"
    night.now += GRACE_SECONDS
    await night.channel.streams.sweep()
    await night.settle()
    assert night.telegram.to(1)[-1] == "hand", "a closed page leaves the dice to the private chat"


async def test_without_a_web_seat_no_table_of_a_stage_waits_for_the_pages_of_a_room(night: PageNight) -> None:
    await night.begin()
    channels = ChannelDirectory((TELEGRAM_TRAITS, SMS_TRAITS, WEB_TRAITS), pages=False)
    night.service.config = replace(night.service.config, channels=channels)
    await night.start()
    chats = {row.id: row.channel for row in night.rows(Chat)}
    assert {chats[row.chat_id] for row in night.rows(GameTable) if row.live} == {NO_CHAT.name}


async def a_list(night: PageNight) -> tuple[Browser, Browser, str]:
    """A list in a group without any table: the host's Mini App, a television that shows letters, and these letters."""
    await night.telegram_asks(1, StartPrivateChat(greeted=False), where=None)
    await night.telegram_asks(1, OpenTournament())
    code = night.tournament().code
    app, state = await night.page_of(1, f"{code}_tv", **from_group(f"{code}_tv"))
    assert (state["state"], state["list"]) == ("in", code)
    await app.events()
    screen = night.browser("192.0.2.50")
    return app, screen, (await screen.ask("pair"))["pairing"]["code"]


async def asking(page: Browser) -> list[str]:
    return [each["name"] for each in (await page.room())["asking"]]


async def test_a_group_has_its_television_before_a_table_and_scanning_it_joins_the_list(night: PageNight) -> None:
    app, screen, letters = await a_list(night)
    panel = await app.card("panel")
    assert any("1/40" in line for line in panel["lines"]), "the first page offers to join"
    assert [act["act"] for act in panel["acts"]] == ["enter", "withdraw"]
    room = await app.room("pair", code=letters)
    assert (room["host"], room["asks_first"], room["rules"]) == (True, True, None)
    assert "panel" in [card["card"] for card in await screen.cards(anew=True)]
    code = night.tournament().code
    shown = (await screen.room())["list"]
    assert (shown["code"], shown["link"]) == (code, f"https://perudo.test/t/{code}"), "a group's host is asked"
    gus, entered = await night.visitor("Gus", 70)
    assert entered["state"] == "asked"
    await night.service.run(tell_hosts)
    assert await asking(screen) == ["Gus"]
    await app.room("admit", player=0)
    state = await gus.state()
    assert (state["state"], state["list"]) == ("in", code)
    assert (await gus.act("enter", code=code))["done"]
    assert any("2/40" in line for line in (await screen.card("panel"))["lines"])
    await app.room("ask_nobody")
    await night.telegram_asks(1, OpenLobby())
    shown = await screen.room()
    assert (shown["list"]["code"], night.code in shown["link"]) == (code, True), "a lobby and the list"
    hal, entered = await night.visitor("Hal", 71, key=shown["list"]["link"].partition("#")[2])
    assert (entered["state"], entered["list"]) == ("in", code)
    assert (await hal.act("enter", code=code))["done"]
    assert [seat.name for seat in night.table().seats] == ["Person 1"], "the list is joined, not the lobby"


@pytest.mark.parametrize("has_page", [False, True])
async def test_the_host_of_a_list_lets_visitors_in_from_the_private_chat(night: PageNight, *, has_page: bool) -> None:
    await night.telegram_asks(1, StartPrivateChat(greeted=False), where=None)
    await night.telegram_asks(1, OpenTournament())
    if has_page:
        await night.page_of(1, night.tournament().code, **from_group(night.tournament().code))
    gus, _ = await night.visitor("Gus", 70)
    night.delivery.wake(await night.service.run(tell_hosts))
    await night.settle()
    assert night.telegram.to(1)[-1] == "guest"
    hal, _ = await night.visitor("Hal", 71)
    for number, state in ((2, "asked"), (1, "in")):
        await night.telegram_asks(number, AnswerVisitor(night.tournament().chat_id, 0, admit=True), where=None)
        assert (await gus.state())["state"] == state, "only the host answers"
    assert (await hal.state())["state"] == "asked", "the host was not told of them yet"
    await night.telegram_asks(1, LeaveTournament(1))
    asked = {"code": night.tournament().code, "name": "Zoe", "language": "en"}
    assert await night.browser("192.0.2.72").error("enter", **asked) == "no_table", "it has ended"


async def test_only_the_host_of_the_list_brings_it_to_a_television_on_the_list_or_not(night: PageNight) -> None:
    app, screen, letters = await a_list(night)
    list_people(night.database, i.Person("telegram", 2, "Person 2"))
    code = night.tournament().code
    other, _ = await night.page_of(2, code, **from_group(code))
    assert await other.refused("room", do="pair", code=letters) == (403, "not_host")
    gus, _ = await night.visitor("Gus", 70)
    player = (await app.room())["asking"][0]["player"]
    assert (await other.refused("room", do="admit", player=player))[0] in (403, 404)
    assert (await gus.state())["state"] == "asked"
    for odd in ("x", 2**70):
        assert await app.error("room", do="admit", player=odd) == "bad_request"
    for do, number in (("refuse", "1"), ("show", "2"), ("refuse", "1")):
        await app.room(do, id=number, player=player)
    assert await app.error("room", do="admit", player=player) == "no_guest"
    assert (await gus.state())["state"] == "nowhere"
    assert (await screen.ask("pair"))["state"] == "nowhere"
    await app.room("pair", code=letters)
    with night.database.transaction() as session:
        session.exec(delete(Entrant))
    third = (await night.browser("192.0.2.51").ask("pair"))["pairing"]["code"]
    for page in (other, screen):
        assert await page.error("room", do="pair", code=third) == "not_host"
    await app.room("pair", code=third)


async def test_the_host_of_a_table_that_is_over_has_no_rights_beside_another_persons_list(night: PageNight) -> None:
    await night.telegram_asks(2, OpenLobby())
    old, _ = await night.page_of(2, night.code)
    await night.telegram_asks(2, Stop(confirmed=True), table=1)
    app, _, letters = await a_list(night)
    assert (await old.room())["host"] is False
    assert await old.error("room", do="pair", code=letters) == "not_host"
    before = night.telegram.to(2)
    gus, _ = await night.visitor("Gus", 70)
    assert night.telegram.to(2) == before
    assert await asking(app) == ["Gus"]
    await app.room("admit", player=0)
    assert (await gus.state())["state"] == "in"


async def test_a_list_begins_an_evening_whose_keys_are_new(night: PageNight) -> None:
    await night.telegram_asks(1, OpenLobby())
    app, _ = await night.page_of(1, night.code)
    old, _ = await keys_of(app)
    await night.telegram_asks(1, Stop(confirmed=True), table=1)
    night.now += REMATCH_SECONDS + 1
    await a_list(night)
    _, entered = await night.visitor("Eve", 77, key=old)
    assert entered["state"] == "asked"
