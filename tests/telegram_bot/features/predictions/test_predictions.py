"""Spectators predict the next call: in secret, for one step, announced at the end of the game."""

from pathlib import Path
from shutil import copyfile

import pytest

from telegram_bot.channels.telegram.callback_data import data_of, parse_callback
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.features.predictions.calls import PredictedCall
from telegram_bot.features.predictions.notices import (
    PredictionAnswer,
    PredictionAnswerNotice,
    Prophet,
    ProphetsNotice,
)
from telegram_bot.features.predictions.requests import PredictCall
from telegram_bot.features.predictions.tables import CallPrediction
from telegram_bot.operations.forget import PersonDeletion
from telegram_bot.operations.pruning import DAY_SECONDS, Pruning
from telegram_bot.service import intents as i
from telegram_bot.service.handlers.ending import Leave
from telegram_bot.service.handlers.lobby import ChangeOption, PlayAgain, Start
from telegram_bot.service.notices import ConfirmationNotice, GameOverNotice, Notice
from telegram_bot.service.service import HandleResult
from telegram_bot.storage.models import OutboxEntry, Player
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.model import Status, Timings
from telegram_bot.words.catalogue import catalogue
from telegram_bot.words.chat.render import message_html
from tests.telegram_bot.conftest import NAMES, GroupHarness, open_database, rejection_of

RAISE, DUDO, CALZA = PredictedCall


def predicted_by_buttons(notice: Notice) -> list[PredictedCall]:
    rows = keyboard(notice, catalogue("en"), bot="bot")
    taps = (parse_callback(button.get("callback_data")) for row in rows for button in row)
    return [tap.request.call for tap in taps if tap is not None and isinstance(tap.request, PredictCall)]


async def predict(
    harness: GroupHarness, name: str, call: PredictedCall, *, step: int | None = None, table: int = 1
) -> HandleResult:
    now = harness.table(table).step if step is None else step
    return await harness.tap(name, PredictCall(call), step=now, table=table)


def answer_in(result: HandleResult) -> PredictionAnswer:
    assert isinstance(result.toast, PredictionAnswerNotice)
    return result.toast.answer


def prophets_in(over: Notice) -> tuple[Prophet, ...]:
    assert isinstance(over, GameOverNotice)
    return next((part.prophets for part in over.parts if isinstance(part, ProphetsNotice)), ())


def allow(harness: GroupHarness, since: str = "start") -> None:
    """Give a running game another choice of its lobby."""
    harness.store(harness.table().replace(options={"predictions": since}))


async def open_game(harness: GroupHarness, *hands: str, calls: str = "1x2") -> None:
    await harness.game(*(hands or ("22", "33")))
    allow(harness)
    for call in calls.split():
        await harness.call(call)


async def test_a_prediction_that_is_tapped_counts_at_the_step_of_its_button(harness: GroupHarness) -> None:
    await open_game(harness)
    data = data_of(PredictCall(DUDO), 1, harness.table().step)
    for is_late in (False, True):
        tap = parse_callback(data)
        assert tap is not None
        answered = await harness.tap("Dee", tap.request, step=tap.step)
        if is_late:
            assert answer_in(answered) is PredictionAnswer.LATE
        else:
            assert answer_in(answered) is PredictionAnswer.STORED
        await harness.call("1x3")


async def test_a_prediction_is_told_to_nobody_else_and_another_tap_changes_it(harness: GroupHarness) -> None:
    await open_game(harness)
    harness.mark_all_sent()
    before = harness.table()
    sent = len(harness.rows(OutboxEntry))
    for call in (RAISE, DUDO):
        result = await predict(harness, "Dee", call)
        assert result.toast == PredictionAnswerNotice(answer=PredictionAnswer.STORED, call=call)
        assert not result.lanes
    assert [(row.step, row.call) for row in harness.rows(CallPrediction)] == [(1, DUDO)]
    assert (harness.table(), len(harness.rows(OutboxEntry))) == (before, sent)


async def test_players_with_dice_old_buttons_and_other_places_predict_nothing(harness: GroupHarness) -> None:
    await open_game(harness, "22", "33", "4")
    assert answer_in(await predict(harness, "Bo", DUDO)) is PredictionAnswer.PLAYING
    assert answer_in(await predict(harness, "Dee", DUDO, step=0)) is PredictionAnswer.LATE
    for where in (None, i.Place("telegram", -7007, 0, "Others")):
        told = await harness.tap("Dee", PredictCall(DUDO), step=1, where=where)
        assert rejection_of(told.toast) is RejectionReason.NO_TABLE
    await harness.call("2x2")
    assert answer_in(await predict(harness, "Dee", DUDO, step=1)) is PredictionAnswer.LATE
    await harness.call("dudo")
    assert harness.table().in_play(2) is False
    harness.mark_all_sent()
    assert rejection_of((await predict(harness, "Dee", DUDO)).toast) is RejectionReason.UNKNOWN_OPTION, "no bid stands"
    harness.pass_time(5)
    await harness.call("1x2")
    assert answer_in(await predict(harness, "Cy", DUDO)) is PredictionAnswer.STORED, "Cy is out"
    assert [row.player_id for row in harness.rows(CallPrediction)] == [harness.player("Cy").id]


async def test_the_buttons_stand_under_the_tables_message_once_somebody_is_out_or_from_the_start(
    harness: GroupHarness,
) -> None:
    await harness.game("22", "33", "4", calls="1x2")
    assert predicted_by_buttons(harness.notices("table")[-1]) == []
    allow(harness)
    await harness.call("2x2")
    assert predicted_by_buttons(harness.notices("table")[-1]) == [RAISE, DUDO]
    allow(harness, "once_out")
    await harness.call("dudo")
    harness.pass_time(5)
    assert predicted_by_buttons(harness.notices("table")[-1]) == [], "an opening bid is no riddle"
    await harness.call("1x2")
    assert predicted_by_buttons(harness.notices("table")[-1]) == [RAISE, DUDO]
    for hand in harness.notices("hand"):
        assert predicted_by_buttons(hand) == [], "players have dice, not predictions"
    allow(harness, "off")
    await harness.call("2x2")
    assert predicted_by_buttons(harness.notices("table")[-1]) == []
    harness.mark_all_sent()
    assert rejection_of((await predict(harness, "Cy", DUDO)).toast) is RejectionReason.UNKNOWN_OPTION


async def test_the_host_chooses_it_in_the_lobby_and_play_again_keeps_it(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    refused = await harness.tap("Bo", ChangeOption("predictions", "off"))
    assert rejection_of(refused.toast) is RejectionReason.NOT_HOST
    chosen = await harness.tap("Ana", ChangeOption("predictions", "start"))
    assert isinstance(chosen.toast, ConfirmationNotice)
    await harness.tap("Ana", Start())
    await harness.tap("Ana", Leave(confirmed=True))
    harness.mark_all_sent()
    await harness.tap("Ana", PlayAgain())
    assert harness.table(2).options == {"predictions": "start"}


async def whole_game(harness: GroupHarness) -> None:
    """Ana and Bo play; Cy always expects a raise, Dee a dudo, Eve looks in twice, a restart between all calls."""
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", ChangeOption("predictions", "start"))
    await harness.tap("Ana", Start())
    for turn in range(200):
        if harness.table().status is Status.FINISHED:
            return
        harness.now += 3
        harness.mark_all_sent()
        game = harness.table().game
        assert game is not None
        if game.current_bid is not None:
            await predict(harness, "Cy", RAISE)
            await predict(harness, "Dee", DUDO)
            if turn < 3:
                await predict(harness, "Eve", DUDO)
        restarted = GroupHarness(harness.database)
        restarted._causes, restarted.now = 1000 + 10 * turn, harness.now
        bids = 0 if game.current_bid is None else len(game.bids)
        await restarted.call("dudo" if bids == 3 else f"{bids + 1}x2")


async def test_the_end_names_the_prophets(harness: GroupHarness) -> None:
    await whole_game(harness)
    (over,) = [each for each in harness.notices("game_over") if each.seat is None]
    assert isinstance(over, GameOverNotice)
    dudos = len({row.step for row in harness.rows(CallPrediction)}) // 3
    assert dudos >= 3
    assert prophets_in(over) == (
        Prophet(name="Cy", right=2 * dudos, made=3 * dudos),
        Prophet(name="Dee", right=dudos, made=3 * dudos),
    ), "Eve predicted too little"
    assert f"🔮 Prophets: Cy {2 * dudos} of {3 * dudos} · Dee {dudos} of {3 * dudos}" in (
        message_html(over, catalogue("en")) or ""
    )


async def test_who_hides_is_no_prophet_and_who_is_forgotten_leaves_no_prediction(harness: GroupHarness) -> None:
    await open_game(harness)
    await predict(harness, "Dee", DUDO)
    await predict(harness, "Cy", RAISE)
    harness.update_row(Player, harness.player("Cy").id, hidden=True)
    dee = harness.player("Dee").id
    deletion = PersonDeletion(harness.service)
    assert "  1 prediction(s) of calls in games that they watched" in (await deletion.traces(dee)).lines
    await deletion.forget(dee)
    assert [row.player_id for row in harness.rows(CallPrediction)] == [harness.player("Cy").id]
    for _ in range(3):
        await harness.call("2x2" if harness.table().step == 1 else f"{harness.table().step + 1}x2")
        await predict(harness, "Cy", RAISE)
    await harness.tap("Ana", Leave(confirmed=True))
    (over,) = [each for each in harness.notices("game_over") if each.seat is None]
    assert prophets_in(over) == ()


async def test_predictions_of_a_call_that_never_came_do_not_count(harness: GroupHarness) -> None:
    await open_game(harness, "22222", "33333")
    for bid in ("2x2", "3x2", "4x2"):
        await predict(harness, "Dee", RAISE)
        await harness.call(bid)
    await predict(harness, "Dee", RAISE)
    await harness.tap("Ana", Leave(confirmed=True))
    (over,) = [each for each in harness.notices("game_over") if each.seat is None]
    assert prophets_in(over) == (Prophet(name="Dee", right=3, made=3),)
    harness.now += 40 * DAY_SECONDS
    await Pruning(harness.database, lambda: harness.now, keep_games_days=30).run()
    assert harness.rows(CallPrediction) == [], "a deleted game takes its predictions along"


async def test_no_answer_to_a_guess_depends_on_dice_that_the_group_has_not_seen(
    migrated_file: Path, tmp_path: Path
) -> None:
    """The doubted bid fails and the game is over, or it holds and the game goes on. A button's step may be forged."""

    async def told(*hands: str) -> list[str]:
        file = copyfile(migrated_file, tmp_path / f"{'-'.join(hands)}.db")
        database = open_database(f"sqlite:///{file}")
        harness = GroupHarness(database, timings=Timings(reveal_seconds=2))
        await open_game(harness, *hands, "", calls="1x5")
        harness.mark_all_sent()
        await harness.call("dudo")
        at = harness.table().step
        answers = []
        for seconds in (0, 2, 600):
            harness.now += seconds
            for name in NAMES[:4]:
                for step in (None, *range(at + 2)):
                    for table in (1, None):
                        tap = await harness.tap(name, PredictCall(DUDO), step=step, table=table)
                        answers.append("" if tap.toast is None else tap.toast.model_dump_json())
        database.close()
        return answers

    assert await told("2", "33") == await told("2", "35")


@pytest.mark.parametrize("hands", [("22", "33"), ("66", "55")])
async def test_answers_and_buttons_tell_nothing_of_the_dice(harness: GroupHarness, hands: tuple[str, str]) -> None:
    await open_game(harness, *hands)
    told = (await predict(harness, "Dee", CALZA)).toast
    assert rejection_of(told) is RejectionReason.UNKNOWN_OPTION, "calza is off, whatever the dice"
    toast = (await predict(harness, "Dee", DUDO)).toast
    assert toast == PredictionAnswerNotice(answer=PredictionAnswer.STORED, call=DUDO)
