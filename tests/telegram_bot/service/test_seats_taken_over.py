"""A late friend takes the seat of a player who is away, and its owner takes it back: what each of them sees."""

import json

from telegram_bot.intents.envelope import Envelope
from telegram_bot.intents.intents import MemberLeft
from telegram_bot.notices import Confirmation, HandNotice, SeatHandoverNotice
from telegram_bot.operations.forget import PersonDeletion
from telegram_bot.repositories.repositories import load_table
from telegram_bot.service.handlers.ending import Leave, Stop
from telegram_bot.service.handlers.game_requests import CallDudo, ReturnToSeat
from telegram_bot.service.handlers.lobby_requests import Join, OpenLobby, PlayAgain, Start, StartPrivateChat
from telegram_bot.service.handlers.queries import SeeDice
from telegram_bot.service.results.game_record import game_record
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable, RoundEnd
from telegram_bot.storage.statistics_models import PlayerStatistics, SeatResult
from telegram_bot.tables.events import Handover, RejectionReason
from telegram_bot.tables.model import Status, Timings
from tests.telegram_bot.conftest import GroupHarness, confirmation_of, rejection_of

BO = 1
"""The seat of the player who is away."""


async def bo_is_away(harness: GroupHarness, *hands: str) -> None:
    """Ana, Bo and Cy play, Cy opens, Bo is away, and Dee has come late."""
    for name in ("Ana", "Bo", "Cy", "Dee"):
        await harness.say(name, StartPrivateChat(), where=None)
    await harness.game(*(hands or ("33456", "22344", "55566")), opener=2, sent=True)
    harness.store(harness.table().with_seat(BO, away=True, misses=1))


async def next_round(harness: GroupHarness, *, sent: bool = True) -> None:
    """Cy bids, Ana doubts, and Cy loses a die."""
    await harness.call("9x5")
    await harness.call("dudo")
    if sent:
        harness.mark_all_sent()


async def dee_plays_for_bo(harness: GroupHarness) -> None:
    bo = harness.table().seats[BO].player
    assert confirmation_of((await harness.tap("Dee", Join(player=bo))).toast) is Confirmation.TAKES_OVER


async def dee_has_bos_seat(harness: GroupHarness) -> None:
    await bo_is_away(harness)
    await dee_plays_for_bo(harness)
    await next_round(harness)
    assert names(harness) == ["Ana", "Dee", "Cy"]


def names(harness: GroupHarness) -> list[str]:
    return [seat.name for seat in harness.table().seats]


def told(harness: GroupHarness, address: int = -1001) -> list[tuple[str, str, str]]:
    found = [each.notice for each in harness.envelopes() if each.chat == address]
    return [(each.what, each.name, each.sitting) for each in found if isinstance(each, SeatHandoverNotice)]


def hands_for(harness: GroupHarness, name: str) -> list[tuple[int, ...]]:
    """The dice on the boards that are sent to a person's private chat now."""
    now = [Envelope.model_validate(row.notice) for row in harness.waiting() if row.not_before <= harness.now]
    found = [each.notice for each in now if each.chat == harness.person(name).address]
    return [each.view.dice for each in found if isinstance(each, HandNotice)]


def dice_of(harness: GroupHarness, seat: int) -> tuple[int, ...]:
    game = harness.table().begun_game
    return game.dice[seat]


async def test_the_group_offers_a_latecomer_the_seats_of_players_who_are_away(harness: GroupHarness) -> None:
    await bo_is_away(harness)
    bo = harness.table().seats[BO].player
    for ask in (OpenLobby(), Join()):
        await harness.say("Dee", ask)
        assert [notice.seats for notice in harness.notices("next_game_offer")] == [((bo, "Bo"),)]
        harness.mark_all_sent()
    assert names(harness) == ["Ana", "Bo", "Cy"]


async def test_a_latecomer_plays_with_the_dice_of_the_next_round_and_the_group_reads_it(harness: GroupHarness) -> None:
    await bo_is_away(harness)
    await dee_plays_for_bo(harness)
    assert told(harness) == [(Handover.TAKEN, "Dee", "Bo")]
    harness.mark_all_sent()
    assert rejection_of((await harness.tap("Dee", SeeDice())).toast) is RejectionReason.NOT_SEATED
    await harness.call("9x5")
    assert hands_for(harness, "Dee") == []
    await harness.call("dudo")
    assert hands_for(harness, "Dee") == [dice_of(harness, BO)]
    assert hands_for(harness, "Bo") == []
    (end,) = harness.rows(RoundEnd)
    assert [seat["name"] for seat in end.view["seats"]] == ["Ana", "Bo", "Cy"]


async def test_no_one_sees_dice_of_the_seat_that_are_not_theirs_before_the_reveal(database: Database) -> None:
    harness = GroupHarness(database, timings=Timings(reveal_seconds=2))
    await bo_is_away(harness)
    await dee_plays_for_bo(harness)
    harness.mark_all_sent()
    await next_round(harness, sent=False)
    assert hands_for(harness, "Dee") == hands_for(harness, "Bo") == []
    assert rejection_of((await harness.tap("Dee", SeeDice())).toast) is RejectionReason.REVEALING
    harness.now += 3
    harness.mark_all_sent()
    # Bo takes the seat back: Bo's old board does not show Dee's dice, although the round has been called.
    assert confirmation_of((await harness.tap("Bo", ReturnToSeat())).toast) is Confirmation.TOOK_BACK
    assert told(harness) == [(Handover.TAKEN_BACK, "Bo", "Dee")]
    harness.mark_all_sent()
    dees = dice_of(harness, BO)
    await next_round(harness, sent=False)
    assert names(harness) == ["Ana", "Bo", "Cy"]
    assert hands_for(harness, "Bo") == []
    harness.now += 3
    harness.mark_all_sent()
    await harness.tap("Bo", SeeDice())
    assert dees not in hands_for(harness, "Bo")
    assert rejection_of((await harness.tap("Dee", SeeDice())).toast) is RejectionReason.NOT_SEATED


async def test_a_stand_in_reads_the_end_of_their_last_round_and_who_has_the_seat(harness: GroupHarness) -> None:
    await bo_is_away(harness)
    await dee_plays_for_bo(harness)
    assert told(harness, harness.person("Bo").address) == [(Handover.TAKEN, "Dee", "Bo")]
    await next_round(harness)
    await harness.say("Bo", Join())
    assert told(harness) == [(Handover.TAKEN_BACK, "Bo", "Dee")]
    harness.mark_all_sent()
    await next_round(harness, sent=False)
    assert names(harness) == ["Ana", "Bo", "Cy"]
    harness.show_dice()
    address = harness.person("Dee").address
    assert ("reveal", address) in harness.waiting_kinds()
    assert told(harness, address) == [(Handover.RETURNED, "Bo", "Dee")]
    harness.mark_all_sent()
    await next_round(harness)
    assert address not in {each.chat for each in harness.envelopes()}


async def test_a_seat_of_two_players_counts_in_the_statistics_of_neither(harness: GroupHarness) -> None:
    await harness.start_game("Ana", "Bo", "Cy")
    turn = harness.table().begun_game.turn or 0
    lent = (turn + 2) % 3
    owner = harness.table().seats[lent].name
    harness.store(harness.table().with_seat(lent, away=True, misses=1))
    await harness.tap("Dee", Join(player=harness.table().seats[lent].player))
    await next_round(harness)
    others = {"Ana", "Bo", "Cy"} - {owner}
    assert set(names(harness)) == others | {"Dee"}
    await harness.play_out()
    assert [row.player_id is None for row in sorted(harness.rows(SeatResult), key=lambda row: row.seat)] == [
        seat == lent for seat in range(3)
    ]
    counted = {row.player_id for row in harness.rows(PlayerStatistics)}
    assert counted == {harness.player(name).id for name in others}
    with harness.database.transaction() as session:
        record = game_record(harness.service.unit_of_work(session, "test"), harness.table())
    assert not record.failed
    assert json.loads(record.document)["record"]["seats"] == names(harness)


async def test_friends_play_again_with_the_latecomer_and_the_owner_joins_them(harness: GroupHarness) -> None:
    await dee_has_bos_seat(harness)
    await harness.set_dice("2", "3", "4")
    await harness.play_out(sent=True)
    harness.mark_all_sent()
    await harness.tap("Ana", PlayAgain())
    assert {seat.name for seat in harness.table(2).seats} == {"Ana", "Dee", "Cy"}
    await harness.tap("Bo", Join(), table=2)
    await harness.tap("Ana", Start(), table=2)
    assert not any(seat.owner or seat.changed_hands for seat in harness.table(2).seats)


async def test_a_host_who_is_away_stays_host_while_another_player_has_the_seat(harness: GroupHarness) -> None:
    await bo_is_away(harness)
    harness.store(harness.table().replace(host=harness.table().seats[BO].player))
    await dee_plays_for_bo(harness)
    await next_round(harness)
    assert rejection_of((await harness.tap("Dee", Stop())).toast) is RejectionReason.NOT_ALLOWED
    await harness.tap("Bo", Stop(confirmed=True))
    assert harness.table().status is Status.CLOSED


async def test_a_latecomer_who_has_become_host_hands_this_on_by_leaving(harness: GroupHarness) -> None:
    await dee_has_bos_seat(harness)
    await harness.tap("Ana", Leave(confirmed=True))
    assert harness.table().host == harness.table().seats[BO].player, "Dee"
    harness.mark_all_sent()
    await harness.tap("Dee", Leave())
    cy = harness.table().seats[2].player
    assert harness.table().host == cy
    await harness.tap("Cy", Stop(confirmed=True))
    assert harness.table().status is Status.CLOSED


async def test_a_host_who_leaves_the_seat_to_a_latecomer_is_followed_by_the_latecomer(harness: GroupHarness) -> None:
    await dee_has_bos_seat(harness)
    owner = harness.table().seats[BO].owner
    assert owner is not None
    harness.store(harness.table().replace(host=owner.player))
    await harness.tap("Bo", Leave(confirmed=True))
    assert harness.table().host == harness.table().seats[BO].player, "Dee"


async def test_a_latecomer_who_leaves_the_group_does_not_get_the_seat(harness: GroupHarness) -> None:
    await bo_is_away(harness)
    await dee_plays_for_bo(harness)
    await harness.say("Dee", MemberLeft())
    await next_round(harness)
    assert names(harness) == ["Ana", "Bo", "Cy"]


async def test_a_phone_takes_the_seat_by_its_code_and_the_owner_has_it_back_by_text(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Cy")
    await harness.text("Bo", Join(harness.table().code))
    await harness.tap("Ana", Start())
    await harness.set_dice("33456", "55566", "22344", opener=0)
    harness.store(harness.table().with_seat(2, away=True, misses=1))
    harness.mark_all_sent()
    await harness.text("Dee", Join(harness.table().code, "Dee"))
    assert [each.notice.kind for each in harness.envelopes() if each.chat == 504] == ["confirmation"]
    assert told(harness, 502) == [(Handover.TAKEN, "Dee", "Bo")]
    await harness.call("9x5")
    await harness.call("dudo")
    (hand,) = [each.notice for each in harness.envelopes() if each.chat == 504 and isinstance(each.notice, HandNotice)]
    assert (hand.view.dice, hand.previous) == (dice_of(harness, 2), None)
    harness.mark_all_sent()
    await harness.text("Bo", CallDudo())
    assert [each.reason for each in harness.notices("rejection")] == [RejectionReason.SEAT_LENT]
    harness.mark_all_sent()
    await harness.text("Bo", ReturnToSeat())
    assert told(harness, 504) == [(Handover.TAKEN_BACK, "Bo", "Dee")]
    await harness.text("Bo", Leave(), sender_proof=False)
    assert harness.table().seats[2].next is not None, "an unproven sender is asked first"
    await harness.text("Bo", Leave(confirmed=True))
    assert harness.table().seats[2].next is None
    assert harness.table().seats[2].owner is None


async def test_an_owner_of_a_lent_seat_can_be_forgotten_while_the_game_runs(harness: GroupHarness) -> None:
    await dee_has_bos_seat(harness)
    harness.store(harness.table().replace(host=harness.player("Bo").id))
    bo, deletion = harness.player("Bo").id, PersonDeletion(harness.service)
    await deletion.leave(bo)
    await deletion.forget(bo)
    stored = json.dumps(harness.rows(GameTable)[0].state)
    assert '"Bo"' not in stored.replace(json.dumps(harness.table().model_dump(mode="json")["game"]), "")
    assert load_table(harness.rows(GameTable)[0]).host != bo
    await harness.set_dice("2", "3", "4")
    await harness.play_out()
    assert harness.table().status is Status.FINISHED
