from collections.abc import Callable, Iterator

from perudo_core import Rules
from telegram_bot.features.tournament import CheckTournamentDice, CloseList, LetIn, RemoveEntrant, SeeEntrants
from telegram_bot.features.tournament import notices as n
from telegram_bot.features.tournament import requests as r
from telegram_bot.features.tournament.draw import MOST
from telegram_bot.notices import Notice
from telegram_bot.statistics.bluff_card import BluffCard, Feat
from telegram_bot.tables.computer_players import NAMES
from telegram_bot.tables.house_rules import HouseRules
from telegram_bot.tables.views import table_view
from tests.telegram_bot.conftest import running_table, the_end

WISHES = (
    r.OpenTournament(),
    r.JoinTournament(1),
    r.TakeFreeSeat(1, 2, 7),
    r.LeaveTournament(1),
    r.ChangeTournamentRules(1),
    r.FillTournament(1),
    r.StartTournament(1),
    r.SeeAllKeys(1),
    CheckTournamentDice(1),
    SeeEntrants(1),
    SeeEntrants(1, -1001234567890),
    LetIn(1, -1001234567890, 7),
    LetIn(1, -1001234567890),
    RemoveEntrant(1, -1001234567890, 7),
    CloseList(1, -1001234567890),
    CloseList(1, -1001234567890, confirmed=True),
)
OUR_NAMES = {
    "tournament": {*NAMES},
    "tournament_seals": {"ABC"},
    "tournament_dice": {"ABC", "DEF", "python", "m", "perudo", "core", "verify", "tournament", "jsonl"},
}


def notices(name: Callable[[int], str]) -> Iterator[Notice]:
    """The group's message in each phase, from an empty list to the most people; each answer and result."""
    rules = Rules.preset("box_2009")
    house = HouseRules(key="ours", title=name(0), rules=Rules.preset("aces"))
    for joined in (0, 1, 6, 7, MOST):
        names = tuple(name(number % 6) for number in range(joined))
        yield n.TournamentNotice(
            tournament=1,
            phase=n.Phase.OPEN,
            rules=house.rules if joined > 1 else rules,
            house_rules=(house,),
            names=names,
            computers=joined > 1,
            host=name(0),
            asking=joined,
            code="234567",
            numbers=("+44 7700 900123",),
        )
    people = tuple((number, name(number % 6)) for number in range(1, MOST + 21))
    for asking in (0, 1, 10):
        yield n.EntrantsNotice(
            tournament=1,
            group=-1001234567890,
            title=name(0),
            asking=people[:asking],
            people=people[20:],
            removed=people[10 : 10 + asking],
            is_open=asking > 0,
        )
    yield n.EntrantsNotice(tournament=1, group=-1001234567890, title=name(0), is_open=True, closing=True)
    seats = tuple(n.SeatLine(name=name(seat), dice=5 - seat, goes_on=seat < 3) for seat in range(6))
    tables = tuple(n.TableLine(number=number, seats=seats, over=number > 4) for number in range(1, 8))
    for late in (None, (), (name(0),), (name(0), name(1))):
        yield n.TournamentNotice(tournament=1, phase=n.Phase.TABLES, rules=rules, stage=1, tables=tables, late=late)
    for phase in (n.Phase.FINAL_WAITS, n.Phase.FINAL, n.Phase.OVER, n.Phase.CLOSED):
        names = tuple(name(number % 6) for number in range(6))
        yield n.TournamentNotice(tournament=1, phase=phase, rules=rules, names=names, stage=3, finalists=seats)
    for bluff in (None, BluffCard(feat=Feat.BLUFF, seat=1, total=25, chance=3, quantity=9, face=4)):
        stages = (tables, tables[:2], tables[:1])
        places = tuple(n.SeatLine(name=name(place % 6), place=place, slept=place == 2) for place in range(1, MOST + 1))
        for kind in (n.BracketNotice, n.FinaleNotice):
            yield kind(
                tournament=1,
                title=name(1),
                winner=name(0),
                people=MOST,
                stages=stages,
                places=places,
                bluffer=name(1),
                bluff=bluff,
            )
    seals = tuple(n.TableSeal(number=number, code="ABC234", commitment="0f" * 32) for number in range(1, 8))
    yield n.SealsNotice(stage=1, seals=seals)
    for failed in ((), ("ABC234", "DEF567")):
        yield n.DiceFileNotice(document="{}\n", name="perudo-tournament-ABC234.jsonl", games=7, failed=failed)
    table = running_table("112", "34", calls="2x3")
    table = table.with_seat(0, name=name(0)).with_seat(1, name=name(1))
    yield n.TelevisedRoundNotice(number=2, view=table_view(table))
    yield n.TelevisedRevealNotice(number=2, view=the_end(table)[0])
    yield n.HurryNotice(seconds=30, title=name(0))
    yield from (n.StageResultNotice(goes_on=goes_on, stage=2, title=name(0)) for goes_on in (True, False))
    yield n.StageResultNotice(goes_on=True, final_next=True, stage=1, title=name(0))
    yield n.StageResultNotice(goes_on=False, played=False, stage=1, title=name(0))
    free = tuple(n.FreeSeat(table=2, player=seat + 1, name=name(seat)) for seat in range(2))
    yield n.FreeSeatsNotice(tournament=1, title=name(0), seats=free)
    for place in (1, 2, 4, 10, 20):
        for slept in (False, True):
            yield n.PlaceNotice(place=place, people=20, finalist=place < 7, slept=slept, title=name(0))
    yield from (n.TournamentAnswerNotice(answer=answer, number=6, name=name(0)) for answer in n.TournamentAnswer)
