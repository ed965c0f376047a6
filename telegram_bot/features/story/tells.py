"""Note how long a bid on a page took and how often its player lifted the cup, and find a tell at the end of a game.

The note names no person, and no message shows it before the game is over. It is deleted with its game.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from sqlmodel import col, select

from perudo_core import Bid, PerudoError
from telegram_bot.features.story.notices import StoryNotice
from telegram_bot.features.story.significance import Measure, Measured, Tell, clearest_tell
from telegram_bot.repositories.repositories import load_table
from telegram_bot.screens.routes import room_address, room_of
from telegram_bot.screens.switches import Switch
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.results.bluff_cards import shown_seats
from telegram_bot.service.results.evenings import finished_games
from telegram_bot.service.results.game_results import played_game
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.statistics.game_facts import facts_of
from telegram_bot.storage.key_value import kept
from telegram_bot.storage.models import GameTable, KeyValue, Player, TableSeat
from telegram_bot.storage.web_models import WebCard
from telegram_bot.tables.model import FrozenModel, Status, Table
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.languages import mark
from telegram_bot.words.switch_words import SwitchWords

BIDS_KEYS: Final = "tells:"
_WORDS: Final = SwitchWords(
    label=mark("Don't say what gives me away"),
    on=mark("I tell no one how long you think or how often you look at your dice."),
    off=mark("After a game I may tell the room that you think longer, or look at your dice more often, when you lie."),
)


def _take_back(uow: UnitOfWork, player: Player) -> None:
    """Tell the last game's story on pages without the tell of a player who has just objected."""
    seats = select(GameTable).join(TableSeat, col(TableSeat.table_id) == col(GameTable.id))
    last = seats.where(TableSeat.player_id == player.id).order_by(col(GameTable.id).desc()).limit(1)
    row = uow.session.exec(last.where(GameTable.status == Status.FINISHED)).first()
    if row is None or not NO_TELLS.is_on(player):
        return
    chat = uow.chat_of(row)
    card = uow.session.get(WebCard, (room_address(chat, uow.channels), row.id, StoryNotice.card_slot))
    story = None if card is None else StoryNotice.model_validate(card.notice)
    if story is not None and story.tell is not None and load_table(row).seats[story.tell.seat].player == player.id:
        untold = story.model_copy(update={"tell": None})
        outbox, at = TableOutbox(uow, row, chat), room_of(chat, uow.channels)
        say(uow, chat, untold, about=outbox, at=at, slot=StoryNotice.card_slot)


NO_TELLS: Final = Switch(
    "no_tells",
    sign="👀",
    person=_WORDS,
    is_offered=lambda _, config: config.channels.pages is not None,
    turned=_take_back,
)


class NotedBid(FrozenModel):
    """A bid on a page."""

    deal: int
    number: int
    """Its number among the bids of the round, from 0 on."""
    seconds: float
    lifts: int
    """How often the cup had been lifted in the round."""


class NotedBids(FrozenModel):
    """The bids of a game on pages, in order."""

    bids: tuple[NotedBid, ...] = ()


def page_words(w: Catalogue) -> dict[str, str]:
    """Return the sentences in the menu of pages."""
    return {"no_tells": w.say(_WORDS.label), "no_tells_on": w.say(_WORDS.on), "no_tells_off": w.say(_WORDS.off)}


def note_bid(uow: UnitOfWork, committed: CommittedStep) -> None:
    """Note a person's bid on a page, unless they are hidden or want no tells."""
    before, table = committed.before, committed.step.table
    bid = next((action for action in committed.step.actions if isinstance(action, Bid)), None)
    if uow.lifts is None or bid is None or before is None or table.game is None:
        return
    player = uow.player_by_id(before.seats[bid.seat].player)
    if player.hidden or NO_TELLS.is_on(player):
        return
    seconds = uow.now - (before.running.since or before.turn_since)
    noted = NotedBid(
        deal=table.deals, number=len(table.game.bids) - 1, seconds=round(max(0, seconds), 1), lifts=uow.lifts
    )
    key = f"{BIDS_KEYS}{table.id}"
    bids = (kept(uow.session, key, NotedBids) or NotedBids()).bids
    uow.session.merge(KeyValue(key=key, value=NotedBids(bids=(*bids, noted)).model_dump_json()))


def find_tell(uow: UnitOfWork, row: GameTable, table: Table) -> Tell | None:
    """Return the clearest tell of the evening, of a person at this table who is shown and has not opted out."""
    people = uow.players_by_id(table.people)
    seats = {
        player: at for at in shown_seats(uow, table) if not NO_TELLS.is_on(people[player := table.seats[at].player])
    }
    samples = defaultdict[tuple[int, Measure], list[Measured]](list)
    for game in finished_games(uow, row):
        noted = kept(uow.session, f"{BIDS_KEYS}{game.id}", NotedBids)
        for player, measure, bid in [] if noted is None else _measured(uow, game, noted):
            if player in seats:
                samples[seats[player], measure].append(bid)
    return clearest_tell(samples)


def _measured(uow: UnitOfWork, game: Table, noted: NotedBids) -> Iterator[tuple[int, Measure, Measured]]:
    """Yield the noted bids of a game in rounds whose dice were shown, with their player.

    An opener's time has no meaning: they may have looked at the end of the round before.
    """
    found = {(bid.deal, bid.number): bid for bid in noted.bids}
    try:
        facts = facts_of(game.rules, len(game.seats), played_game(uow.session, game)[0])
    except PerudoError:  # the stored actions cannot be replayed
        return
    for at in shown_seats(uow, game):
        player, last = game.seats[at].player, (0, 0)
        for deal, number, is_bluff in facts[at].shown_bids:
            bid, (last_deal, lifts) = found.get((deal, number)), last
            if bid is None:
                continue
            is_first = deal != last_deal
            last = deal, bid.lifts
            place = "opening" if number == 0 else "first" if is_first else "later"
            lifted = max(0, bid.lifts - (0 if is_first else lifts))
            yield player, Measure.LIFTS, Measured(place, lifted, is_bluff)
            if number:
                yield player, Measure.SECONDS, Measured(place, bid.seconds, is_bluff)
