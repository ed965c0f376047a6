"""People without dice guess every call: in secret, judged with the dice, and a ghost that is right may haunt a seat."""

from itertools import product
from pathlib import Path
from typing import Final

import pytest

from perudo_core import Rules
from telegram_bot.channels.telegram.callback_data import parse_callback
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.features.predictions.ghosts import GuessCall, Prediction
from telegram_bot.features.predictions.notices import Ghost, GhostsNotice, Guess, GuessAnswer, GuessAnswerNotice
from telegram_bot.intents import intents as i
from telegram_bot.intents.envelope import Envelope
from telegram_bot.notices import Notice, RevealNotice
from telegram_bot.operations.forget import PersonDeletion
from telegram_bot.operations.pruning import DAY_SECONDS, Pruning
from telegram_bot.presentation.cards import card_of
from telegram_bot.service.handlers.ending import Leave
from telegram_bot.service.handlers.lobby_requests import Join, StartPrivateChat
from telegram_bot.service.handlers.reroll import ShowDice
from telegram_bot.service.service import HandleResult
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import OutboxEntry, Player, RoundEnd
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.faces import Face
from telegram_bot.tables.model import Timings
from test_support.open_database import copy_migrated_database, open_database
from test_support.web_world import Browser, Json, WebWorld, a_room, a_screen, keys_of
from tests.telegram_bot.channels.web.test_secrets import redeal
from tests.telegram_bot.conftest import EN, NAMES, GroupHarness, rejection_of
from tests.telegram_bot.words.notice_examples import words

BLUFF, EXACT, MORE = Guess
ALL = [BLUFF, EXACT, MORE]


def asked_by_buttons(notice: Notice) -> list[Guess]:
    rows = keyboard(notice, EN, bot="bot")
    taps = (parse_callback(button.get("callback_data")) for row in rows for button in row)
    return [tap.request.guess for tap in taps if tap is not None and isinstance(tap.request, GuessCall)]


async def guess(harness: GroupHarness, name: str, what: Guess, *, step: int | None = None) -> HandleResult:
    now = harness.table().step if step is None else step
    return await harness.tap(name, GuessCall(what), step=now)


def answer_in(result: HandleResult) -> GuessAnswer:
    assert isinstance(result.toast, GuessAnswerNotice)
    return result.toast.answer


def ghosts_in(reveal: RevealNotice) -> GhostsNotice:
    return next(part for part in reveal.parts if isinstance(part, GhostsNotice))


def allow(harness: GroupHarness, since: str = "start") -> None:
    """Give a running game another choice of its lobby."""
    harness.store(harness.table().replace(options={"predictions": since}))


async def open_game(harness: GroupHarness, *hands: str, calls: str = "1x2") -> None:
    await harness.game(*(hands or ("22", "33")))
    allow(harness)
    for call in calls.split():
        await harness.call(call)


async def ended(harness: GroupHarness, guesses: dict[str, Guess], *, bid: str = "1x5") -> RevealNotice:
    """A round with these guesses and a dudo; return what the group reads of its end."""
    harness.mark_all_sent()
    harness.pass_time(5)
    await harness.call(bid)
    for name, what in guesses.items():
        assert answer_in(await guess(harness, name, what)) is GuessAnswer.STORED
    await harness.call("dudo")
    reveal: RevealNotice = next(each for each in harness.notices("reveal") if each.seat is None)
    return reveal


async def test_a_guess_counts_in_the_round_of_its_button_though_a_player_raises(harness: GroupHarness) -> None:
    await open_game(harness, "22", "33", "44")
    step = harness.table().step
    for call, counts in (("1x3", True), ("dudo", True), ("1x2", False), ("", False)):
        answered = await guess(harness, "Dee", MORE, step=step)
        if counts:
            assert answer_in(answered) is GuessAnswer.STORED
        else:
            assert rejection_of(answered.toast) is RejectionReason.STALE
        if call:
            await harness.call(call)
            harness.mark_all_sent()
            harness.pass_time(5)


async def test_a_late_friend_of_a_group_has_the_keys_in_the_round_in_which_they_came(harness: GroupHarness) -> None:
    await harness.game("22", "33", calls="1x2", sent=True)
    await harness.say("Dee", Join())
    assert asked_by_buttons(harness.notices("table")[-1]) == ALL


async def test_a_guess_counts_though_a_player_rolls_again_meanwhile(database: Database) -> None:
    harness = GroupHarness(database, rules=Rules(reroll_after_bid=True))
    await open_game(harness, "24", "33")
    step = harness.table().step
    await harness.tap("Ana", ShowDice())
    assert harness.table().step > step
    assert answer_in(await harness.tap("Dee", GuessCall(MORE), step=step)) is GuessAnswer.STORED
    assert rejection_of((await harness.tap("Dee", GuessCall(MORE), step=step - 1)).toast) is RejectionReason.STALE


async def test_a_guess_is_told_to_nobody_else_and_another_tap_changes_it(harness: GroupHarness) -> None:
    await open_game(harness)
    harness.mark_all_sent()
    before, sent = harness.table(), len(harness.rows(OutboxEntry))
    for what in (MORE, BLUFF):
        result = await guess(harness, "Dee", what)
        assert result.toast == GuessAnswerNotice(answer=GuessAnswer.STORED, guess=what)
        assert not result.lanes
    assert [(row.deal, row.guess) for row in harness.rows(Prediction)] == [(1, BLUFF)]
    assert (harness.table(), len(harness.rows(OutboxEntry))) == (before, sent)


async def test_players_with_dice_old_buttons_and_other_places_guess_nothing(harness: GroupHarness) -> None:
    await open_game(harness, "22", "33", "4")
    assert answer_in(await guess(harness, "Bo", BLUFF)) is GuessAnswer.PLAYING
    for step in (0, 2):
        assert rejection_of((await guess(harness, "Dee", BLUFF, step=step)).toast) is RejectionReason.STALE
    for where in (None, i.Place("telegram", -7007, 0, "Others")):
        told = await harness.tap("Dee", GuessCall(BLUFF), step=1, where=where)
        assert rejection_of(told.toast) is RejectionReason.NO_TABLE
    await harness.call("2x2")
    await harness.call("dudo")
    assert harness.table().in_play(2) is False
    harness.mark_all_sent()
    harness.pass_time(5)
    assert rejection_of((await guess(harness, "Dee", BLUFF)).toast) is RejectionReason.STALE, "there is no bid"
    await harness.call("1x2")
    assert answer_in(await guess(harness, "Cy", BLUFF)) is GuessAnswer.STORED, "Cy is out"
    assert [row.player_id for row in harness.rows(Prediction)] == [harness.player("Cy").id]


async def test_the_buttons_are_below_the_table_once_somebody_is_out_or_earlier(harness: GroupHarness) -> None:
    def on_pages() -> list[str]:
        card = card_of(harness.notices("table")[-1], -1, 1, EN)
        return [act["guess"] for act in card["acts"] if act["act"] == "guess"]

    await harness.game("22", "33", "4", calls="1x2")
    assert asked_by_buttons(harness.notices("table")[-1]) == []
    assert on_pages() == ALL, "pages show them to readers without dice, once there is a bid"
    allow(harness)
    await harness.call("2x2")
    assert asked_by_buttons(harness.notices("table")[-1]) == ALL
    allow(harness, "once_out")
    await harness.call("dudo")
    harness.pass_time(5)
    assert asked_by_buttons(harness.notices("table")[-1]) == [], "there is no bid"
    await harness.call("1x2")
    assert asked_by_buttons(harness.notices("table")[-1]) == ALL
    for hand in harness.notices("hand"):
        assert asked_by_buttons(hand) == [], "players have dice"
    allow(harness, "off")
    await harness.call("2x2")
    assert asked_by_buttons(harness.notices("table")[-1]) == []
    assert on_pages() == []
    harness.mark_all_sent()
    assert rejection_of((await guess(harness, "Cy", BLUFF)).toast) is RejectionReason.UNKNOWN_OPTION


async def test_a_player_who_is_out_reads_bids_in_one_private_message(harness: GroupHarness) -> None:
    for name in ("Ana", "Bo", "Cy", "Dee"):
        await harness.say(name, StartPrivateChat(), where=None)
    await harness.game("22", "33", "4", "55", "66")
    for call in ("1x2", "2x2", "dudo"):
        assert questions(harness) == []
        await harness.call(call)
    assert not harness.table().in_play(2)
    for _ in range(2):
        harness.mark_all_sent()
        harness.pass_time(5)
        await harness.tap("Dee", Leave(confirmed=True))
    assert not harness.table().in_play(3)
    await harness.set_dice("22", "33", "", "", "66")
    for call in ("1x2", "2x2", "2x3"):
        await harness.call(call)
    (asked,) = questions(harness)
    assert asked.chat == harness.player("Cy").address
    assert (asked.silent, asked.key, asked.edit_only) == (True, (), False), "the newest bid, in the last one's message"
    assert "Is the bid a bluff, exact, or are there more?" in words(asked.notice)
    assert "2 × 3️⃣" in words(asked.notice)
    assert asked_by_buttons(asked.notice) == ALL
    tap = parse_callback(keyboard(asked.notice, EN, bot="bot")[0][1].get("callback_data"))
    assert tap is not None
    assert answer_in(await harness.tap("Cy", tap.request, step=tap.step, where=None)) is GuessAnswer.STORED
    *_, marked = questions(harness)
    assert [key["text"] for row in keyboard(marked.notice, EN, bot="bot") for key in row] == KEYS_WITH_EXACT
    harness.mark_all_sent()
    await harness.call("dudo")
    (judged,) = questions(harness)
    assert (judged.edit_only, judged.silent) == (True, True)
    verdict = "Exact: you knew! One right guess! Two more in a row, and you haunt a player."
    assert verdict in words(judged.notice)
    assert asked_by_buttons(judged.notice) == []
    harness.mark_all_sent()
    harness.pass_time(5)
    await harness.call("1x2")
    (next_question,) = questions(harness)
    assert verdict in words(next_question.notice), "the next question follows soon, and edits the same message"
    assert asked_by_buttons(next_question.notice) == ALL


KEYS_WITH_EXACT: Final = ["👻 Bluff", "✅ Exact", "👻 More"]


def questions(harness: GroupHarness) -> list[Envelope]:
    return [each for each in harness.envelopes() if each.notice.kind == "ask_ghost"]


@pytest.mark.parametrize(("fives", "knew"), [("2", BLUFF), ("5", EXACT), ("55", MORE)])
async def test_the_end_of_the_round_says_how_many_ghosts_knew(harness: GroupHarness, fives: str, knew: Guess) -> None:
    await open_game(harness, "22", "33" + fives, calls="")
    assert "👻 The ghost knew!" in words(await ended(harness, {"Dee": knew}))
    await harness.set_dice("22", "33" + fives)
    guesses = dict(zip(("Cy", "Dee", "Eve"), ALL, strict=True))
    three = await ended(harness, guesses)
    assert "👻 1 of 3 ghosts knew." in words(three)
    assert [(ghost.name, ghost.right) for ghost in ghosts_in(three).ghosts if ghost.right] == [
        (name, True) for name, what in guesses.items() if what is knew
    ]
    card = card_of(three, -1, 1, EN)["ghosts"]
    assert (card["lines"], len(card["faces"])) == (["👻 1 of 3 ghosts knew."], 3)
    assert {"name", "face"} <= card["faces"][0].keys()


async def test_a_round_without_a_call_or_a_guess_has_no_ghosts(harness: GroupHarness) -> None:
    await open_game(harness, "22", "33", "44")
    assert await ended(harness, {}, bid="1x3") == (harness.notices("reveal")[0].model_copy(update={"parts": ()}))
    harness.mark_all_sent()
    harness.pass_time(5)
    await harness.call("1x2")
    await guess(harness, "Dee", BLUFF)
    await harness.tap("Bo", Leave(confirmed=True))
    assert [row.knew for row in harness.rows(Prediction)] == [None]
    assert [end.reveal_parts for end in harness.rows(RoundEnd)] == [[], []]


async def test_after_three_right_guesses_a_ghost_haunts_a_seat_until_it_is_wrong(harness: GroupHarness) -> None:
    await open_game(harness, "2222", "3333", "44", calls="")
    haunted = []
    for number, what in enumerate((BLUFF, BLUFF, BLUFF, BLUFF, MORE, BLUFF)):
        await harness.set_dice("2222", "3333", "44", opener=number % 2)
        reveal = await ended(harness, {"Dee": what})
        (ghost,) = ghosts_in(reveal).ghosts
        haunted.append((ghost.haunts, ghost.haunted))
        assert ("👻 Three right in a row: Dee haunts Ana!" in words(reveal)) is (number == 2), "it is said once"
    assert haunted == [(None, ""), (None, ""), (0, "Ana"), (0, ""), (None, ""), (None, "")]


async def test_a_ghost_leaves_a_player_who_is_out(harness: GroupHarness) -> None:
    await open_game(harness, "22", "33", "44", calls="")
    for hands in (("22", "33", "44"),) * 3:
        await harness.set_dice(*hands)
        reveal = await ended(harness, {"Dee": BLUFF})
    assert ghosts_in(reveal).ghosts[0].haunts == 0
    await harness.set_dice("2", "33", "44")
    reveal = await ended(harness, {"Eve": BLUFF})
    assert reveal.view.out == (0,)
    assert [(ghost.name, ghost.right, ghost.haunts) for ghost in ghosts_in(reveal).ghosts] == [
        ("Eve", True, None),
        ("Dee", None, None),
    ]
    await harness.set_dice("", "33", "44", opener=1)
    (dee, _) = ghosts_in(await ended(harness, {"Dee": BLUFF})).ghosts
    assert (dee.haunts, dee.haunted) == (1, "Bo")


async def test_the_end_names_the_prophets_after_restarts(harness: GroupHarness) -> None:
    await open_game(harness, "22", "33", calls="")
    for number in range(3):
        restarted = GroupHarness(harness.database)
        restarted._causes, restarted.now = 1000 + 100 * number, harness.now
        await restarted.set_dice("22" if number < 2 else "2", "33")
        await ended(restarted, {"Cy": BLUFF, "Dee": BLUFF if number else MORE} | ({"Eve": BLUFF} if number else {}))
        harness.now = restarted.now
    restarted.show_dice()
    (over,) = [each for each in restarted.notices("game_over") if each.seat is None]
    assert "👻 Prophets: Cy 3 of 3 · Dee 2 of 3\n" in words(over) + "\n", "Eve guessed too little"


async def test_a_hidden_ghost_is_no_prophet_and_a_forgotten_one_has_no_name(harness: GroupHarness) -> None:
    await open_game(harness, "222", "333", calls="")
    for _ in range(3):
        await harness.set_dice("222", "333")
        reveal = await ended(harness, {"Cy": BLUFF, "Dee": MORE})
        harness.update_row(Player, harness.player("Cy").id, hidden=True)
    assert [ghost.name for ghost in ghosts_in(reveal).ghosts] == ["Dee"]
    assert ghosts_in(reveal).guessed == 2
    dee, deletion = harness.player("Dee").id, PersonDeletion(harness.service)
    assert "  3 guess(es) about calls in games that they watched" in (await deletion.traces(dee)).lines
    await deletion.forget(dee)
    assert {row.player_id for row in harness.rows(Prediction)} == {harness.player("Cy").id}
    assert "Dee" not in str([end.reveal_parts for end in harness.rows(RoundEnd)])
    harness.mark_all_sent()
    await harness.tap("Ana", Leave(confirmed=True))
    assert [each for over in harness.notices("game_over") for each in over.parts if each.kind == "prophets"] == []
    harness.now += 40 * DAY_SECONDS
    await Pruning(harness.database, lambda: harness.now, keep_games_days=30).run()
    assert harness.rows(Prediction) == [], "a deleted game takes its guesses along"


async def test_no_answer_to_a_guess_depends_on_unseen_dice(tmp_path: Path) -> None:
    """The doubted bid fails and the game is over, or it holds and the game goes on. A button's step may be forged."""

    async def told(*hands: str) -> list[str]:
        database = open_database(f"sqlite:///{copy_migrated_database(tmp_path / f'{hands[1]}.db')}")
        harness = GroupHarness(database, timings=Timings(reveal_seconds=2))
        await open_game(harness, *hands, "", calls="1x5")
        answers = []
        for call in ("", "dudo"):
            if call:
                harness.mark_all_sent()
                await harness.call(call)
            at = harness.table().step
            for seconds in (0, 2, 600) if call else (0,):
                harness.now += seconds
                for name, step, table in product(NAMES[:4], (None, *range(at + 2)), (1, None)):
                    tap = await harness.tap(name, GuessCall(BLUFF), step=step, table=table)
                    answers.append("" if tap.toast is None else tap.toast.model_dump_json())
        shown = [notice for envelope in harness.envelopes() if (notice := envelope.notice).kind in ("call", "hand")]
        answers += [notice.model_dump_json() for notice in shown if notice.kind == "call"]
        answers += [str(row.guess) for row in harness.rows(Prediction)]
        database.close()
        return answers

    one, other = await told("2", "33"), await told("2", "35")
    assert one == other
    assert one[-2:] == [BLUFF, BLUFF], "Cy is out, and Dee only watches"


@pytest.mark.parametrize("animations", [False, True])
async def test_nothing_shows_who_knew_before_dice_or_animation_end(database: Database, *, animations: bool) -> None:
    harness = GroupHarness(database, timings=Timings(reveal_seconds=2), animations=animations)
    await open_game(harness, "22", "33", calls="1x5")
    await guess(harness, "Dee", BLUFF)
    harness.mark_all_sent()
    await harness.call("dudo")
    dice_at = harness.rows(RoundEnd)[0].dice_at
    assert dice_at > harness.now
    shown_at = [row.not_before for row in harness.waiting() if "ghosts" in str(row.notice)]
    assert animations or all(at >= dice_at for at in shown_at)
    harness.pass_time(3)
    kinds = ("reveal", "opened_reveal") if animations else ("reveal",)
    told = {kind: [words(each) for each in harness.notices(kind) if each.seat is None] for kind in kinds}
    assert [len(each) for each in told.values()] == [1] * len(kinds)
    for kind, (said,) in told.items():
        assert "👻 The ghost knew!" in said
        hidden = said.partition("<tg-spoiler>")[2].partition("</tg-spoiler>")[0]
        assert ("👻 The ghost knew!" in hidden) is (animations and kind == "reveal")


def test_many_who_begin_to_haunt_at_once_do_not_fill_the_message() -> None:
    ghosts = tuple(
        Ghost(player=at, name=name, face=Face.CAT, right=True, haunts=0, haunted="Ana") for at, name in enumerate(NAMES)
    )
    assert words(GhostsNotice(knew=10, guessed=10, ghosts=ghosts)).count("haunts Ana") == 3


async def a_late_guest(world: WebWorld, host: Browser, name: str, number: int) -> Browser:
    guest = world.browser(f"192.0.2.{number}")
    await guest.enter(name, key=(await keys_of(host))[0])
    assert (await guest.act("join"))["reason"] == "late"
    return guest


async def doubt(players: list[Browser], screen: Browser) -> None:
    card = await screen.card("round")
    assert (await players[card["turn"]].act("dudo", table=1, step=card["step"]))["done"]


async def a_game(world: WebWorld) -> tuple[list[Browser], Browser, Browser]:
    """Two players, one of whom has bid; a guest who came late, and a television."""
    players = await a_room(world, "Ana", "Cy")
    screen = await a_screen(world, players[0])
    await players[0].act("start")
    redeal(world, {0: (2, 2, 3, 4, 5), 1: (3, 3, 4, 5, 6)})
    late = await a_late_guest(world, players[0], "Dee", 9)
    card = await screen.card("round")
    assert (await late.act("guess", table=1, step=card["step"], guess="more"))["reason"] == "stale", "there is no bid"
    await players[card["turn"]].act("bid", table=1, step=card["step"], quantity=3, face=5)
    return players, late, screen


async def test_a_late_guest_guesses_as_the_round_says_and_reads_the_answer_with_the_dice(world: WebWorld) -> None:
    players, late, screen = await a_game(world)
    card = await late.card("round")
    bads: list[Json] = [{}, {"guess": "raise"}, {"guess": 1}, {"guess": ["bluff"]}]
    for bad in bads:
        assert (await late.refused("act", id="x", act="guess", table=1, step=1, **bad))[0] == 400, "it is forged"
    acts = [act for act in card["acts"] if act["act"] == "guess"]
    assert [(act["guess"], act["text"]) for act in acts] == [("bluff", "Bluff"), ("exact", "Exact"), ("more", "More")]
    for act in acts:
        told = await late.act("guess", table=1, step=card["step"], guess=act["guess"])
        assert (told["done"], told["text"].startswith(f"👻 Your guess: {act['text']}.")) == (True, True)
    assert (await late.act("guess", table=1, step=card["step"], guess="bluff"))["done"]
    refused = await players[0].act("guess", table=1, step=card["step"], guess="bluff")
    assert refused["text"] == "👻 Only ghosts guess: people who are out or watch. You have dice: play!"
    await doubt(players, screen)
    for page in (*players, late, screen):
        ghosts = (await page.card("reveal"))["ghosts"]
        assert ghosts["lines"] == ["👻 The ghost knew!"]
        assert [(face["name"], face["right"], face["haunts"]) for face in ghosts["faces"]] == [("Dee", True, None)]
    answer = await late.act("guess", table=1, step=card["step"], guess="more")
    assert (answer["done"], answer["reason"]) == (False, "stale")
    await PersonDeletion(world.service).forget(world.rows(Prediction)[0].player_id)
    (face,) = (await screen.card("reveal"))["ghosts"]["faces"]
    assert face["name"] == "Somebody", "a forgotten ghost has no name"


async def test_streams_are_the_same_whatever_is_guessed_until_the_dice(tmp_path: Path) -> None:
    async def told(number: int, *guesses: str) -> list[list[str]]:
        database = open_database(f"sqlite:///{copy_migrated_database(tmp_path / f'{number}.db')}")
        players, late, screen = await a_game(WebWorld(database, reveal_seconds=2))
        step = (await screen.card("round"))["step"]
        for each in guesses:
            answer = await late.act("guess", table=1, step=step, guess=each)
            assert answer["done"], answer
        streams = [await page.events() for page in (late, screen)]
        await doubt(players, screen)
        streams += [await page.events() for page in (late, screen)]
        database.close()
        return streams

    first = await told(0, "exact")
    assert first == await told(1, "bluff") == await told(2, "more", "exact", "bluff")
    assert "ghosts" not in str(first)


async def test_a_television_shows_who_has_guessed_in_this_round(world: WebWorld) -> None:
    players, late, screen = await a_game(world)
    assert (await late.act("guess", table=1, step=1, guess="bluff"))["done"]
    (dee,) = (await screen.card("guessers"))["guessed"]
    assert (dee["name"], dee.keys()) == ("Dee", {"player", "name", "face"})
    with world.database.transaction() as session:
        session.get_one(Player, dee["player"]).hidden = True
    eve = await a_late_guest(world, players[0], "Eve", 10)
    assert (await eve.act("guess", table=1, step=1, guess="more"))["done"]
    card = await screen.card("guessers")
    assert (card["round"], [each["name"] for each in card["guessed"]]) == (1, ["Eve"])
