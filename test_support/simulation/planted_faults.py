"""Faults that evenings of the heart must find: each was in the bot once, or makes one check fail.

    python -m test_support.simulation.planted_faults [WORDS]

plays evenings of the heart with each fault whose name has these words, and prints in which evening it is found.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from test_support.open_database import copy_migrated_database
from test_support.simulation.heart_evenings import PART, SECRET, SHARE, Played, evenings
from test_support.simulation.planting import Mutant


@dataclass(frozen=True)
class PlantedFault(Mutant):
    """A fault that evenings find."""

    kind: str
    """The kind of evenings that find it."""
    evening: int
    """The evening with which a test begins to look for it."""
    found_by: str
    """The check that finds it."""
    reason: str = ""
    """Why no evening of the share finds it."""


PLANTED: Final = (
    PlantedFault(
        "The dice are given up in place of the call that a dead worker was sending",
        "telegram_bot.delivery.outbox",
        "_settle_left_try",
        'row.notice.get("content") == wanted.content',
        "True",
        "deaths",
        27,
        "nothing_waits",
    ),
    PlantedFault(
        "After the clock was set back, the end of a round stays in the future",
        "telegram_bot.service.outages",
        "_move_times",
        "for table in SQLModel.metadata.sorted_tables:",
        "for table in [each for each in SQLModel.metadata.sorted_tables if each.name != 'round_end']:",
        "faults",
        7,
        "left_games_end",
    ),
    PlantedFault(
        "After the clock was set back, typed words come too early for their turn",
        "telegram_bot.tables.turn_clock",
        "_set_back",
        "for name, each in part}",
        "if name != 'turn_since' else each for name, each in part}",
        "faults",
        1,
        "",
        "Not found: none of these evenings has the order of events that it needs.",
    ),
    PlantedFault(
        "One table whose words raise holds up every chat",
        "telegram_bot.delivery.reconcile",
        "Reconciler._tried",
        "except SQLAlchemyError:",
        "except Exception:",
        "faults",
        25,
        "nothing_failed",
    ),
    PlantedFault(
        "The end of a round that a moving group has not seen counts as shown",
        "telegram_bot.service.handlers.chats",
        "_forget_unrevealed_rounds",
        "session.execute(delete",
        "session.connection and (lambda *_: None)(delete",
        "faults",
        25,
        "rounds_are_shown_once",
    ),
    PlantedFault(
        "A group whose new address has a page cannot move",
        "telegram_bot.service.handlers.chats",
        "_merge_into",
        "move_references(uow.session, Chat, twin.id, chat.id)",
        "uow.session.execute(update(GameTable).where(col(GameTable.chat_id) == twin.id).values(chat_id=chat.id))",
        "faults",
        4,
        "nothing_waits",
    ),
    PlantedFault(
        "Dice that an animation still hides are told",
        "telegram_bot.service.unit_of_work",
        "UnitOfWork.unrevealed",
        "return None if deal is None else (deal, due)",
        "return None if deal is None or due <= self.now + 30 else (deal, due)",
        SECRET,
        1,
        "nothing_early",
    ),
    PlantedFault(
        "A call of the next step is answered to the player who opens, before the dice are shown",
        "telegram_bot.service.dispatcher",
        "_require_allowed",
        "raise RejectedError(RejectionReason.REVEALING)",
        "seat = table.seat_of(context.player_id)\n"
        "    turn = None if table.game is None else table.game.turn\n"
        "    if request.tells_of_reveal or step is None or seat is None or seat != turn:\n"
        "        raise RejectedError(RejectionReason.REVEALING)",
        SECRET,
        6,
        "nothing_early",
    ),
    PlantedFault(
        "Boards show the next dice before the group has seen the last ones",
        "telegram_bot.service.surfaces.wants",
        "board_wants",
        "hand_slot(player.id), facts.unrevealed",
        "hand_slot(player.id), None",
        "calm",
        1,
        "the_group_learns_first",
    ),
    PlantedFault(
        "A table cannot be read whose stored parts have an unknown kind",
        "telegram_bot.notices.base",
        "_read_feature_notice",
        "raise ValueError(",
        "raise KeyError(",
        "faults",
        3,
        "shown_is_wanted",
    ),
    PlantedFault(
        "Another view of one's dice is not followed before the next step",
        "telegram_bot.service.unit_of_work",
        "UnitOfWork.finish",
        "for player, read in changed_people(self.session).values():",
        "for player, read in ():",
        "calm",
        1,
        "",
        "Not found: none of these evenings has the order of events that it needs.",
    ),
    PlantedFault(
        "The pace of a process follows the wall clock",
        "telegram_bot.delivery.worker",
        "DeliveryWorker._send",
        "wait(channel.limits, time.monotonic())",
        "wait(channel.limits, self.now())",
        "faults",
        13,
        "nothing_waits",
    ),
    PlantedFault(
        "A board that another message follows is edited when it asks",
        "telegram_bot.delivery.outbox",
        "_mark_followed",
        "OF_A_GAME, ~col(SentMessage.followed)",
        "OF_A_GAME, col(SentMessage.chat) < 0, ~col(SentMessage.followed)",
        "calm",
        3,
        "who_is_asked_reads_it_last",
    ),
    PlantedFault(
        "A history message whose end is unknown is sent again",
        "telegram_bot.delivery.outbox",
        "give_up",
        "readers.give_up(session, item.table_id, item.surface.once_sent.player, item.slot, item.surface.content)",
        "pass",
        "faults",
        1,
        "",
        "Not found: the checks allow that a message is shown twice whose first send had an unknown end.",
    ),
    PlantedFault(
        "The log does not say that the end of a dead worker's send is unknown",
        "telegram_bot.delivery.outbox",
        "_settle_left_try",
        'log.info("%s %s was under way, and the process has not said how it ended", kind, row.id)',
        "pass",
        "deaths",
        9,
        "rounds_are_shown_once",
    ),
    PlantedFault(
        "A paused game is never closed",
        "telegram_bot.tables.turn_clock",
        "apply_due",
        "return close(table, CloseReason.IDLE if table.suspension is None else CloseReason.LOST_CHAT)",
        "return TableChange(table.replace(idle_at=moment.now + 600))",
        "calm",
        1,
        "left_games_end",
    ),
)


def evening_with(mutant: PlantedFault, empty: Path) -> Played:
    """Play the evening that finds a fault, and those after it of its part."""
    part, before = divmod(mutant.evening - 1, PART)
    return evenings(mutant.kind, part, empty, mutant, first=before + 1)


def main() -> None:
    """Print in which evening each fault is found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", default=[""])
    words = parser.parse_args().words
    install(FEATURES)
    with TemporaryDirectory() as folder:
        empty = Path(folder) / "empty.db"
        copy_migrated_database(empty)
        for mutant in (each for each in PLANTED if any(word in each.name for word in words)):
            for part in range(SHARE[mutant.kind] // PART):
                played = evenings(mutant.kind, part, empty, mutant)
                if played.failed is not None:
                    sys.stdout.write(f"{mutant.name}: {part * PART + played.number}, {played.faults}\n")
                    break
            else:
                sys.stdout.write(f"{mutant.name}: in none of {SHARE[mutant.kind]}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
