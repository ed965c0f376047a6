"""Read a person's view of the tables where they sit. It changes no row."""

from dataclasses import dataclass

from telegram_bot.intents.intents import Person
from telegram_bot.repositories.repositories import load_table
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, DiceStyle, GameTable, Player
from telegram_bot.tables.model import Status
from telegram_bot.tables.views import HandView, hand_view
from telegram_bot.words.languages import nearest_language


@dataclass(frozen=True, slots=True)
class OwnTable:
    """One table where the person sits; language and dice style are those of the table's chat."""

    title: str
    language: str
    dice_style: DiceStyle
    hand: HandView | None
    """The person's view, or None before the game, and until the group has seen the last round's dice."""
    unrevealed: bool = False
    """Whether the group will see the dice of the last round soon."""


@dataclass(frozen=True, slots=True)
class OwnTables:
    """The tables where a person sits, oldest first; language and dice style are the person's."""

    language: str
    dice_style: DiceStyle
    tables: tuple[OwnTable, ...] = ()


def own_tables(uow: UnitOfWork, person: Person) -> OwnTables:
    """Return a person's views of their tables. A person without a game gets no row."""
    player = uow.find_player(person.channel, person.address)
    if player is None:
        language = nearest_language(person.language, uow.config.languages) or uow.config.language
        return OwnTables(language, DiceStyle.KEYCAPS)
    tables = tuple(_own_table(uow, player, row, uow.chat_of(row)) for row in uow.live_tables_of(player))
    return OwnTables(uow.language_for(player), uow.dice_style_for(player), tables)


def _own_table(uow: UnitOfWork, player: Player, row: GameTable, chat: Chat) -> OwnTable:
    table = load_table(row)
    seat = table.seat_of(player.id)
    unrevealed = uow.unrevealed(row) is not None
    plays = table.status is Status.PLAYING and seat is not None and table.in_play(seat) and not unrevealed
    return OwnTable(
        title=chat.title,
        language=uow.language_of(chat),
        dice_style=uow.dice_style_for(chat),
        hand=hand_view(table, seat) if plays and seat is not None else None,
        unrevealed=unrevealed,
    )
