"""Round zero: when it begins, how it goes on by itself, who ends it, and what it leaves untouched."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from telegram_bot.features.learning import teaching
from telegram_bot.features.learning.lesson import PAUSE_SECONDS, SECONDS, Stage
from telegram_bot.features.learning.teaching import COMES_FIRST
from telegram_bot.intents import intents as i
from telegram_bot.repositories.repositories import REMATCH_SECONDS
from telegram_bot.screens.tips import FIRST_GAMES
from telegram_bot.service.handlers.lobby_requests import Join, OpenLobby, Start
from telegram_bot.storage.models import Chat, GameAction, GameTable, KeyValue, TableSeat
from telegram_bot.tables import lobby_rules
from telegram_bot.tables.model import Moment, Status
from telegram_bot.tables.sealed_dice import commitment_of
from test_support import web_world
from test_support.web_world import Browser, Json, WebWorld, a_room, a_watched_room, keys_of

STAGES = [str(stage) for stage in Stage]


async def pass_time(world: WebWorld, seconds: float, table: int = 1) -> None:
    until = world.now + seconds
    while (due := world.table(table).timers.get(teaching.TIMER)) is not None and due <= until:
        world.now = max(world.now, due)
        await world.service.handle(i.DeadlineReached(table))
        await world.settle()
    world.now = until


async def stage_on(page: Browser) -> Any:
    """The stage that a page shows which is opened now, or None without one."""
    shown = {card["slot"]: card for card in await page.cards(anew=True)}
    running = shown["table"]["card"] == "lobby" and not shown["table"]["started"]
    return shown["round_zero"]["stage"] if running and "round_zero" in shown else None


def finish_games(world: WebWorld, count: int, player: int) -> None:
    """Let this player have finished so many games somewhere else."""
    with world.database.transaction() as session:
        session.add(chat := Chat(channel="web", address=-1000 - player))
        session.flush()
        end: dict[str, Any] = {"live": False, "status": Status.FINISHED, "state": {}, "created_at": 0, "updated_at": 0}
        for number in range(count):
            session.add(game := GameTable(code=f"OLD{player}{number}", chat_id=chat.id, **end))
            session.flush()
            session.add(TableSeat(table_id=game.id, player_id=player, live=False))


async def begun(world: WebWorld, *names: str) -> tuple[list[Browser], Browser]:
    guests, screen = await a_watched_room(world, *names)
    await guests[0].act("start")
    assert world.table().status is Status.LOBBY
    return guests, screen


async def shown_on(page: Browser) -> list[Json]:
    """The stages that a page has shown since its last look."""
    return [card for card in await page.cards() if card["card"] == "round_zero"]


async def test_a_television_and_a_newcomer_begin_it_for_less_than_a_minute(world: WebWorld) -> None:
    guests, screen = await a_watched_room(world, "Ana", "Bo")
    began = world.now
    started = await guests[0].act("start")
    assert (started["done"], started["text"]) == (True, COMES_FIRST.sentence)
    seconds = []
    for stage in STAGES:
        table = world.table()
        assert (table.status, table.game, table.step, table.deals) == (Status.LOBBY, None, 0, 0)
        assert world.rows(GameAction) == []
        assert [await stage_on(page) for page in (*guests, screen)] == [stage] * 3
        seconds.append(table.timers[teaching.TIMER] - world.now)
        await pass_time(world, seconds[-1])
    assert seconds == list(SECONDS.values())
    assert world.now - began < 60
    assert (await guests[0].card("round"))["round"] == 1
    table = world.table()
    assert (table.status, table.timers, table.running.since) == (Status.PLAYING, {}, world.now)
    assert (table.begun_game.dice_counts, table.begun_game.round, table.step) == ((5, 5), 1, 0)


async def test_without_a_television_the_game_begins_at_once(world: WebWorld) -> None:
    await (await a_room(world, "Ana", "Bo"))[0].act("start")
    assert world.table().status is Status.PLAYING


@pytest.mark.parametrize("games", [FIRST_GAMES - 1, FIRST_GAMES])
async def test_one_person_in_their_first_games_is_enough(world: WebWorld, games: int) -> None:
    guests, _ = await a_watched_room(world, "Ana", "Bo")
    ana, bo = (seat.player for seat in world.table().seats)
    finish_games(world, FIRST_GAMES, ana)
    finish_games(world, games, bo)
    await guests[0].act("start")
    assert (world.table().status is Status.LOBBY) is (games < FIRST_GAMES)


async def test_a_stage_ends_soon_after_the_last_answer_of_those_who_learn(world: WebWorld) -> None:
    guests, screen = await begun(world, "Ana", "Bo", "Cy")
    late = world.browser("192.0.2.70")
    await late.enter(key=(await keys_of(guests[0]))[0])
    await late.act("join")
    assert await stage_on(late) == "lift"
    await late.act("round_zero", stage="lift", answer=0)
    assert (await shown_on(screen))[-1]["answered"] == [], "Dee plays the game, and is not waited for"
    await pass_time(world, 3)
    await guests[1].act("known")
    for page in (guests[0], guests[2]):
        assert await stage_on(screen) == "lift"
        await page.act("round_zero", stage="lift", answer=0)
    for seconds, stage in ((PAUSE_SECONDS - 0.1, "lift"), (0.1, "count")):
        await pass_time(world, seconds)
        assert await stage_on(screen) == stage
    assert (await screen.card("round_zero"))["answered"] == [], "to the next question"
    await guests[0].act("known")
    assert len(world.table().seats) == 4


@pytest.mark.parametrize("act", ["known", "start"])
async def test_the_host_alone_ends_it_and_otherwise_all_must(world: WebWorld, act: str) -> None:
    guests, screen = await begun(world, "Ana", "Bo")
    await guests[1].act("known")
    assert await stage_on(screen) == "lift"
    assert (await guests[0].act(act))["text"] != COMES_FIRST.sentence
    assert (world.table().status, world.table().timers) == (Status.PLAYING, {})
    assert await stage_on(screen) is None


async def test_it_ends_without_the_host_once_all_other_players_know_the_game(world: WebWorld) -> None:
    guests, screen = await begun(world, "Ana", "Bo", "Cy")
    await guests[0].act("leave")
    await guests[2].act("known")
    assert await stage_on(screen) == "lift"
    await guests[1].act("known")
    assert world.table().status is Status.PLAYING


async def test_it_comes_once_in_an_evening(world: WebWorld) -> None:
    guests, _ = await begun(world, "Ana", "Bo")
    await guests[0].act("known")
    await guests[0].act("stop", confirmed=True)
    await guests[0].act("again", table=1)
    await guests[0].act("start", table=2)
    assert world.table(2).status is Status.PLAYING
    world.now += REMATCH_SECONDS + 1
    await guests[0].act("stop", table=2, confirmed=True)
    world.now += REMATCH_SECONDS + 1
    again, _ = await a_watched_room(world, "Ana", "Bo")
    await again[0].act("start", table=3)
    assert world.table(3).status is Status.LOBBY


async def test_after_a_restart_of_the_bot_it_goes_on(world: WebWorld) -> None:
    await begun(world, "Ana", "Bo")
    again = WebWorld(world.database)
    again.now = world.now + 300
    await again.service.outages.find_due(fresh=True)
    await again.service.handle(i.OutageEnded())
    await pass_time(again, 0)
    assert world.rows(GameTable)[0].due_at == again.now + SECONDS[Stage.COUNT]
    await pass_time(again, sum(SECONDS.values()))
    assert again.table().status is Status.PLAYING


async def test_too_few_players_at_its_end_are_in_the_lobby_again(world: WebWorld) -> None:
    guests, screen = await begun(world, "Ana", "Bo")
    await guests[1].act("leave")
    await pass_time(world, sum(SECONDS.values()))
    assert (world.table().status, world.table().timers) == (Status.LOBBY, {})
    assert [await stage_on(page) for page in (screen, guests[0])] == [None, None]


async def test_a_table_that_its_host_closes_stays_closed(world: WebWorld) -> None:
    guests, _ = await begun(world, "Ana", "Bo")
    await guests[0].act("stop")
    await pass_time(world, 60)
    assert (await guests[0].act("known"))["done"] is False
    assert world.table().status is Status.CLOSED


async def test_forged_and_late_answers_change_nothing(world: WebWorld) -> None:
    guests, screen = await begun(world, "Ana", "Bo")
    watcher = world.browser("192.0.2.70")
    await watcher.enter(key=(await keys_of(guests[0]))[0])
    await shown_on(screen)
    for page, act in ((watcher, "known"), (watcher, "round_zero"), (guests[1], "round_zero")):
        await page.act(act, stage="reveal", answer=1)
    assert await shown_on(screen) == []
    await guests[1].act("round_zero", stage="lift", answer=0)
    await guests[1].act("round_zero", stage="lift", answer=0)
    assert len(await shown_on(screen)) == 1
    await guests[0].act("known")
    await guests[1].act("round_zero", stage="lift", answer=0)
    assert await shown_on(screen) == []


@pytest.mark.parametrize("sealed", [True, False])
async def test_the_games_dice_and_seal_are_those_of_a_game_without_it(world: WebWorld, *, sealed: bool) -> None:
    world.service.config = replace(world.service.config, sealed_dice=sealed)
    guests, _ = await a_watched_room(world, "Ana", "Bo")
    await guests[0].act("seal")
    before, random = world.table(), Random()
    assert (before.secret is not None) is sealed
    random.setstate(world.service.rng.getstate())
    moment = Moment(world.now, world.service.config.timings, random)
    without = lobby_rules.start(before, before.host, moment=moment).table
    await guests[0].act("start")
    await pass_time(world, sum(SECONDS.values()))
    after = world.table()
    game, usual = after.begun_game, without.begun_game
    assert (game.dice, game.turn) == (usual.dice, usual.turn)
    assert (after.secret, commitment_of(after), after.stirs) == (before.secret, commitment_of(before), before.stirs)


def without_numbers(card: Json) -> Json:
    places = {player: place for place, player in enumerate(card["players"])}
    named = {name: [places[player] for player in card[name]] for name in ("players", "answered", "knowing")}
    return {**card, **named, "table": 0, "at": 0}


async def played_with(world: WebWorld, monkeypatch: pytest.MonkeyPatch, seed: int, table: int) -> list[list[Json]]:
    """The stages on the television, and on the second player's page, with these practice dice."""
    monkeypatch.setattr(teaching, "roll", Random(seed))
    guests, screen = await a_watched_room(world, "Ana", "Bo")
    shown: list[list[Json]] = [[], []]

    async def look() -> None:
        for page, cards in zip((screen, guests[1]), shown, strict=True):
            cards.extend(await page.cards())

    await look()
    await guests[0].act("start", table=table)
    await look()
    for stage, answer in (("lift", 0), ("count", 3), ("call", 1)):
        for page in guests:
            await page.act("round_zero", stage=stage, answer=answer)
            await look()
        await pass_time(world, PAUSE_SECONDS, table)
        await look()
    own = (await guests[0].card("practice_dice"))["dice"]
    dice = [[card["dice"] for card in cards if card["card"] == "practice_dice"] for cards in shown]
    stages = [[without_numbers(card) for card in cards if card["card"] == "round_zero"] for cards in shown]
    assert dice[0] == []
    assert all(cards[-1]["hands"][:2] == [own, *dice[1]] for cards in stages)
    return stages


async def test_no_page_shows_dice_of_others_before_the_count(world: WebWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = [await played_with(world, monkeypatch, seed, table) for table, seed in ((1, 1), (2, 2))]
    for first, second in zip(one, other, strict=True):
        assert [card["stage"] for card in first] == [stage for stage in STAGES[:3] for _ in range(3)] + ["reveal"]
        assert first[:-1] == second[:-1]
        assert first[-1]["hands"] != second[-1]["hands"]
        assert all(card["hands"] == [] and card["calls"] == [] and card["count"] == 0 for card in first[:-1])


async def a_group(world: WebWorld, *, page: bool) -> Browser:
    """The table of a Telegram group on a television; Person 12 plays on a page, if `page`."""
    await world.telegram_asks(11, OpenLobby())
    await world.telegram_asks(12, Join(), table=1)
    host, player = world.browser("192.0.2.11"), world.browser("192.0.2.12")
    await host.ask("app", init_data=web_world.init_data(11, world.now, "Ana", **web_world.from_group(world.code)))
    await (await web_world.a_screen(world, host)).cards()
    if page:
        await player.ask("app", init_data=web_world.init_data(12, world.now, "Bo", **web_world.from_group(world.code)))
        await player.cards()
    await world.telegram_asks(11, Start(), table=1)
    return player


async def test_in_a_group_of_telegram_it_is_on_the_television_and_on_open_pages_alone(world: WebWorld) -> None:
    player = await a_group(world, page=True)
    assert world.table().status is Status.LOBBY
    assert len((await player.card("practice_dice"))["dice"]) == 5
    await pass_time(world, sum(SECONDS.values()))
    assert world.table().status is Status.PLAYING
    assert not {"round_zero", "practice_dice"} & {envelope.notice.kind for envelope in world.telegram.sent}
    assert "started" in world.telegram.to(web_world.GROUP)


async def test_a_group_without_an_open_page_begins_at_once(world: WebWorld) -> None:
    await a_group(world, page=False)
    assert world.table().status is Status.PLAYING


async def test_the_evening_of_a_deleted_place_is_forgotten(world: WebWorld) -> None:
    await begun(world, "Ana", "Bo")
    with world.database.transaction() as session:
        session.add(KeyValue(key="round_zero:99", value="{}"))
        session.flush()
        teaching.prune(session, world.now)
    kept = [row.key for row in world.rows(KeyValue) if row.key.startswith("round_zero:")]
    assert kept == [f"round_zero:{world.rows(GameTable)[0].chat_id}"]
