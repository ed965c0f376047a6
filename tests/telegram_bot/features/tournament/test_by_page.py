"""Guests of the web seat play in a tournament of a group: they join on the page of the group's table."""

from dataclasses import replace
from pathlib import Path
from shutil import copyfile
from typing import cast

import pytest
from sqlalchemy import delete, update
from sqlmodel import col, select

from perudo_core import Bid, Rules
from telegram_bot.channels.sms import TRAITS as SMS_TRAITS
from telegram_bot.channels.telegram import TRAITS as TELEGRAM_TRAITS
from telegram_bot.channels.web import TRAITS as WEB_TRAITS
from telegram_bot.channels.web.hosts import tell_hosts
from telegram_bot.channels.web.streams import GRACE_SECONDS
from telegram_bot.features.tournament.notices import Phase
from telegram_bot.features.tournament.requests import JoinTournament, LeaveTournament, OpenTournament, StartTournament
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
from telegram_bot.tables.model import Status
from test_support.open_database import open_database
from test_support.web_world import Browser, WebWorld, from_group, init_data, keys_of
from tests.telegram_bot.conftest import game_of
from tests.telegram_bot.features.tournament.test_by_phone import next_call

PEOPLE = range(1, 7)


class PageNight(WebWorld):
    """Six people in a Telegram group, and two guests, whose pages show the group's table."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.guests: dict[str, Browser] = {}

    async def begin(self) -> None:
        """A table of the group lets the guests in, and is closed again; then the people open a tournament and join."""
        for number in PEOPLE:
            await self.telegram_asks(number, StartPrivateChat(greeted=False), private=True)
        await self.telegram_asks(1, OpenLobby())
        app = self.browser()
        await app.ask("app", init_data=init_data(1, self.now, "Person 1"), code=self.table().code)
        key, _ = await keys_of(app)
        for name in ("Gus", "Hal"):
            browser = self.guests[name] = self.browser(f"192.0.2.{len(self.guests) + 7}")
            await browser.ask("enter", code=self.table().code, key=key, name=name, language="en")
            await browser.events()
        await self.telegram_asks(1, Stop(confirmed=True), table=1)
        await self.telegram_asks(1, OpenTournament())
        for number in PEOPLE[1:]:
            await self.telegram_asks(number, JoinTournament(1))

    async def press(self, name: str, text: str) -> dict[str, object]:
        """A guest taps a button of the tournament's card."""
        card = await self.guests[name].card("panel")
        what = next(dict(act) for act in card["acts"] if act["text"].startswith(text))
        what.pop("text")
        return await self.guests[name].act(str(what.pop("act")), **what)

    def tournament(self) -> Tournament:
        with self.database.transaction() as session:
            return session.get_one(Tournament, 1)

    async def move(self, number: int) -> None:
        """The player on turn calls."""
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
            more = {"table": number, "step": table.step, "private": self.tournament().phase == Phase.TABLES}
            await self.telegram_asks(int(name.split()[1]), what, **more)

    async def play(self, until: Phase) -> None:
        while self.tournament().phase != until:
            for row in [row.id for row in self.rows(GameTable) if row.live]:
                if self.table(row).game is not None and game_of(self.table(row)).turn is not None:
                    await self.move(row)
            await self.see_dice()

    async def see_dice(self) -> None:
        """Each table sees the dice of the round, or of the game, that has ended."""
        self.now += LOOKS_AGAIN_SECONDS
        with self.database.transaction() as session:
            shown = update(OutboxEntry).where(
                col(OutboxEntry.awaited) == "reveal", col(OutboxEntry.lane).startswith("telegram:")
            )
            session.execute(shown.values(status=NoticeStatus.SENT))
            telegram = select(GameTable.id).join(Chat).where(Chat.channel == "telegram")
            unseen = (col(RoundEnd.seen_at).is_(None), col(RoundEnd.table_id).in_(telegram))
            session.execute(update(RoundEnd).where(*unseen).values(seen_at=self.now))
        for row in self.rows(GameTable):
            if row.due_at is not None and row.due_at <= self.now:
                self.delivery.wake((await self.service.handle(i.DeadlineReached(row.id))).lanes)
        await self.settle()


@pytest.fixture
def night(database: Database) -> PageNight:
    return PageNight(database)


async def test_guests_play_on_their_pages_from_the_list_to_the_winners_name(night: PageNight) -> None:
    await night.begin()
    gus, hal = night.guests.values()
    for text in ("Join", "Leave"):
        assert (await night.press("Gus", text))["done"]
    answer = await gus.act("enter", code="AAAAAA")
    assert "no tournament with this code" in str(answer["text"])
    assert "Gus" not in " ".join((await gus.card("panel"))["lines"])
    for name in night.guests:
        assert (await night.press(name, "Join"))["text"] == "You're in! Your table opens here by itself."
    card = await hal.card("panel")
    assert any("8/40" in line and "Gus" in line for line in card["lines"])
    assert not any("private" in line for line in card["lines"]), "a guest has no private chat"
    with night.database.transaction() as session:
        session.get_one(Tournament, 1).rules = Rules(starting_dice=1, palifico=False).to_dict()
    await night.telegram_asks(1, StartTournament(1))
    for name, browser in night.guests.items():
        state = (await browser.client.get("/seat/me")).json()
        assert "🏆 Friends " in state["title"], "the page shows the drawn table by itself"
        assert name in [seat["name"] for seat in (await browser.card("round"))["seats"]]
        assert (await browser.card("hand"))["dice"]

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
    for browser in night.guests.values():
        assert (await browser.client.get("/seat/me")).json()["title"] == "Friends", "everyone sees the final"
    await night.play(Phase.OVER)
    for browser in night.guests.values():
        cards = await browser.cards(anew=True)
        kinds = [card["card"] for card in cards]
        assert kinds.index("reveal") < kinds.index("panel"), "the last dice come before the winner's name"
        news = [card["text"] for card in cards if card["card"] == "note"]
        assert sum("Your place" in text or "You win the tournament" in text for text in news) == 1, news

    assert "Hal" in str((await gus.card("over"))["finale"]["places"])
    await PersonDeletion(night.service).forget(player["Hal"])
    with night.database.transaction() as session:
        room = session.exec(select(WebCard.notice).where(WebCard.address < 0)).all()
    assert "Hal" not in str(room), "no forgotten person is named"
    assert "Somebody" in str((await gus.card("over"))["finale"]["places"])


async def shown(night: PageNight) -> dict[str, object]:
    """The large table in the cards of the group's room, which Hal's page reads as a television does."""
    card: dict[str, object] = (await night.guests["Hal"].card("televised"))["shown"]
    return card


async def begin_two_tables(night: PageNight) -> tuple[int, int]:
    """Seven people play at two tables; return the shown one, and the other one."""
    await night.begin()
    assert (await night.press("Gus", "Join"))["done"]
    await night.telegram_asks(1, StartTournament(1))
    large, small = [row.id for row in night.rows(GameTable) if row.live]
    assert len(night.table(small).seats) == 3
    return small, large


async def test_the_television_shows_the_table_with_the_fewest_dice_until_its_round_ends(night: PageNight) -> None:
    small, large = await begin_two_tables(night)
    tables = (await night.guests["Hal"].card("panel"))["tables"]
    listed = {seat["name"]: seat["face"] for table in tables for seat in table["seats"]}
    seats = [seat for table in (small, large) for seat in night.table(table).seats]
    assert listed == {seat.name: None if seat.face is None else seat.face.sign for seat in seats}
    assert None not in listed.values()
    app = night.browser()
    state = await app.ask("app", init_data=init_data(1, night.now, "Person 1"))
    assert (state["state"], "🏆 Friends " in state["title"]) == ("in", True), "a page that is opened now"
    await app.events()
    assert "Person 1" in [seat["name"] for seat in (await app.card("round"))["seats"]]
    assert (await app.card("hand"))["dice"]
    assert ((await night.guests["Hal"].card("televised"))["title"], (await shown(night))["table"]) == ("Table 2", small)
    await night.move(small)
    assert len(cast("list[object]", (await shown(night))["bids"])) == 1
    while sum(game_of(night.table(large)).dice_counts) >= sum(game_of(night.table(small)).dice_counts):
        await night.move(large)
    assert (await shown(night))["table"] == small, "its round has not ended"
    kinds = [card["card"] for card in await night.guests["Hal"].cards(anew=True)]
    assert "televised_end" not in kinds, "the other table's dice are not shown"
    bids, round_number = 1, game_of(night.table(small)).round
    while game_of(night.table(small)).round == round_number:
        assert len(cast("list[object]", (await shown(night))["bids"])) == bids
        await night.move(small)
        bids += 1
    await night.see_dice()
    reveal = (await night.guests["Hal"].card("televised_end"))["shown"]
    assert (reveal["table"], len(reveal["bids"])) == (small, 2)
    assert [len(hand) for hand in reveal["dice"]] == [5, 5, 5]
    assert (await shown(night))["table"] == large


async def test_what_the_television_shows_before_a_reveal_depends_on_no_die(migrated_file: Path, tmp_path: Path) -> None:
    told = []
    for face in (2, 5):
        file = Path(copyfile(migrated_file, tmp_path / f"{face}.sqlite"))
        database = open_database(f"sqlite:///{file}")
        night = PageNight(database)
        tables = await begin_two_tables(night)
        with database.transaction() as session:
            for number in tables:
                row = session.get_one(GameTable, number)
                game = row.state["game"]
                row.state = row.state | {"game": game | {"dice": [[face] * len(hand) for hand in game["dice"]]}}
                row.version += 1
        events = []
        for number in (*tables, *tables):
            await night.move(number)
            events += await night.guests["Hal"].events()
        database.close()
        told.append(events)
    assert any("televised" in event for event in told[0])
    assert told[0] == told[1]


async def test_the_page_that_brought_the_table_to_the_television_follows_the_draw(night: PageNight) -> None:
    await night.begin()
    await night.telegram_asks(1, OpenLobby())
    code = night.rows(GameTable)[-1].code
    app = night.browser()
    await app.ask("app", init_data=init_data(1, night.now, "Person 1"), code=code)
    await app.ask("room", do="pair", code=(await night.browser("192.0.2.50").ask("pair"))["pairing"]["code"])
    await app.events()
    assert (await night.press("Gus", "Join"))["done"]
    before = night.telegram.to(1)
    await night.telegram_asks(1, StartTournament(1))
    state = (await app.client.get("/seat/me", headers={"Authorization": f"Bearer {app.token}"})).json()
    assert (state["state"], "🏆 Friends " in state["title"]) == ("in", True), state
    assert "Person 1" in [seat["name"] for seat in (await app.card("round"))["seats"]]
    assert (await app.card("hand"))["dice"]
    assert night.telegram.to(1) == before, "the page shows the dice already"
    night.now += GRACE_SECONDS
    await night.channel.streams.sweep()
    await night.settle()
    assert night.telegram.to(1)[-1] == "hand", "a closed page leaves the dice to the private chat"


async def test_without_a_web_seat_no_table_of_a_stage_waits_for_the_pages_of_a_room(night: PageNight) -> None:
    await night.begin()
    assert (await night.press("Gus", "Join"))["done"]
    channels = ChannelDirectory((TELEGRAM_TRAITS, SMS_TRAITS, WEB_TRAITS), pages=False)
    night.service.config = replace(night.service.config, channels=channels)
    await night.telegram_asks(1, StartTournament(1))
    with night.database.transaction() as session:
        rooms = {session.get_one(Chat, row.chat_id).channel for row in night.rows(GameTable) if row.live}
    assert rooms == {NO_CHAT.name}


async def a_list(night: PageNight) -> tuple[Browser, Browser, str]:
    """A list in a group without any table: the host's Mini App, a television that shows letters, and these letters."""
    await night.telegram_asks(1, StartPrivateChat(greeted=False), private=True)
    await night.telegram_asks(1, OpenTournament())
    app, screen = night.browser(), night.browser("192.0.2.50")
    code = str(night.tournament().code)
    data = init_data(1, night.now, "Person 1", **from_group(f"{code}_tv"))
    state = await app.ask("app", init_data=data, code=f"{code}_tv")
    assert (state["state"], state["list"]) == ("in", code)
    await app.events()
    return app, screen, (await screen.ask("pair"))["pairing"]["code"]


async def test_a_group_has_its_television_before_a_table_and_scanning_it_joins_the_list(night: PageNight) -> None:
    app, screen, letters = await a_list(night)
    panel = await app.card("panel")
    assert any("1/40" in line for line in panel["lines"]), "the first page offers to join"
    assert [act["act"] for act in panel["acts"]] == ["enter", "withdraw"]
    room = await app.ask("room", do="pair", code=letters)
    assert (room["host"], room["asks_first"], room["rules"]) == (True, True, None)
    assert "panel" in [card["card"] for card in await screen.cards(anew=True)]
    code = night.tournament().code
    shown = (await screen.ask("room", do="show"))["list"]
    assert (shown["code"], shown["link"]) == (code, f"https://perudo.test/t/{code}"), "a group's host is asked"
    gus = night.browser("192.0.2.70")
    assert (await gus.ask("enter", code=code, name="Gus", language="en"))["state"] == "asked"
    await night.service.run(tell_hosts)
    assert [each["name"] for each in (await screen.ask("room", do="show"))["asking"]] == ["Gus"]
    await app.ask("room", do="admit", player=0)
    state = (await gus.client.get("/seat/me")).json()
    assert (state["state"], state["list"]) == ("in", code)
    assert (await gus.act("enter", code=code))["done"]
    assert any("2/40" in line for line in (await screen.card("panel"))["lines"])
    await app.ask("room", do="ask_nobody")
    await night.telegram_asks(1, OpenLobby())
    shown = await screen.ask("room", do="show")
    assert (shown["list"]["code"], night.table().code in shown["link"]) == (code, True), "a lobby and the list"
    hal = night.browser("192.0.2.71")
    entered = await hal.ask("enter", code=code, key=shown["list"]["link"].partition("#")[2], name="Hal", language="en")
    assert (entered["state"], entered["list"]) == ("in", code)
    assert (await hal.act("enter", code=code))["done"]
    assert [seat.name for seat in night.table().seats] == ["Person 1"], "the list is joined, not the lobby"


async def test_the_host_of_a_list_lets_visitors_in_from_the_private_chat_without_a_page(night: PageNight) -> None:
    await night.telegram_asks(1, StartPrivateChat(greeted=False), private=True)
    await night.telegram_asks(1, OpenTournament())
    gus, hal = night.browser("192.0.2.70"), night.browser("192.0.2.71")
    code = night.tournament().code
    await gus.ask("enter", code=code, name="Gus", language="en")
    night.delivery.wake(await night.service.run(tell_hosts))
    await night.settle()
    assert night.telegram.to(1)[-1] == "guest"
    await hal.ask("enter", code=code, name="Hal", language="en")
    await night.telegram_asks(2, AnswerVisitor(night.tournament().chat_id, 0, admit=True), private=True)
    assert (await gus.client.get("/seat/me")).json()["state"] == "asked", "only the host answers"
    await night.telegram_asks(1, AnswerVisitor(night.tournament().chat_id, 0, admit=True), private=True)
    assert (await gus.client.get("/seat/me")).json()["state"] == "in"
    assert (await hal.client.get("/seat/me")).json()["state"] == "asked", "the host was not told of them yet"
    await night.telegram_asks(1, LeaveTournament(1))
    zoe = night.browser("192.0.2.72")
    assert (await zoe.post("enter", code=code, name="Zoe", language="en")).json()["error"] == "no_table", "it has ended"


async def test_only_the_host_of_the_list_brings_it_to_a_television_on_the_list_or_not(night: PageNight) -> None:
    app, screen, letters = await a_list(night)
    await night.telegram_asks(2, StartPrivateChat(greeted=False), private=True)
    await night.telegram_asks(2, JoinTournament(1))
    other = night.browser("192.0.2.60")
    code = str(night.tournament().code)
    await other.ask("app", init_data=init_data(2, night.now, "Person 2", **from_group(code)), code=code)
    refused = await other.post("room", do="pair", code=letters)
    assert (refused.status_code, refused.json()["error"]) == (403, "not_host")
    gus = night.browser("192.0.2.70")
    await gus.ask("enter", code=code, name="Gus", language="en")
    player = (await app.ask("room", do="show"))["asking"][0]["player"]
    assert (await other.post("room", do="admit", player=player)).status_code in (403, 404)
    assert (await gus.client.get("/seat/me")).json()["state"] == "asked"
    for odd in ("x", 2**70):
        assert (await app.post("room", do="admit", player=odd)).json()["error"] == "bad_request"
    await app.ask("room", do="refuse", player=player)
    assert (await gus.client.get("/seat/me")).json()["state"] == "nowhere"
    assert (await screen.ask("pair"))["state"] == "nowhere"
    await app.ask("room", do="pair", code=letters)
    with night.database.transaction() as session:
        session.exec(delete(Entrant))
    third = (await night.browser("192.0.2.51").ask("pair"))["pairing"]["code"]
    for page in (other, screen):
        assert (await page.post("room", do="pair", code=third)).json()["error"] == "not_host"
    await app.ask("room", do="pair", code=third)


async def test_the_host_of_a_table_that_is_over_has_no_rights_beside_another_persons_list(night: PageNight) -> None:
    await night.telegram_asks(2, OpenLobby())
    old = night.browser("192.0.2.60")
    await old.ask("app", init_data=init_data(2, night.now, "Person 2"), code=night.table().code)
    await night.telegram_asks(2, Stop(confirmed=True), table=1)
    app, _, letters = await a_list(night)
    assert (await old.ask("room", do="show"))["host"] is False
    assert (await old.post("room", do="pair", code=letters)).json()["error"] == "not_host"
    before = night.telegram.to(2)
    gus = night.browser("192.0.2.70")
    await gus.ask("enter", code=night.tournament().code, name="Gus", language="en")
    assert night.telegram.to(2) == before
    assert [each["name"] for each in (await app.ask("room", do="show"))["asking"]] == ["Gus"]
    await app.ask("room", do="admit", player=0)
    assert (await gus.client.get("/seat/me")).json()["state"] == "in"


async def test_a_list_begins_an_evening_whose_keys_are_new(night: PageNight) -> None:
    app = night.browser()
    await night.telegram_asks(1, OpenLobby())
    await app.ask("app", init_data=init_data(1, night.now, "Person 1"), code=night.table().code)
    old, _ = await keys_of(app)
    await night.telegram_asks(1, Stop(confirmed=True), table=1)
    night.now += REMATCH_SECONDS + 1
    await a_list(night)
    eve = night.browser("192.0.2.77")
    entered = await eve.ask("enter", code=night.tournament().code, key=old, name="Eve", language="en")
    assert entered["state"] == "asked"
