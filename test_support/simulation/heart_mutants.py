"""Faults that the evenings of the heart must find: each was in the bot once, or makes one check fail.

    python -m test_support.simulation.heart_mutants

plays drawn evenings with each of them, and prints a table: how many evenings each one took.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from hypothesis import HealthCheck, Phase, given, seed, settings

from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from test_support.simulation.heart import Program, play
from test_support.simulation.heart_checks import AT_REST, AT_THE_END, early_differences
from test_support.simulation.heart_programs import programs, secret_programs
from test_support.simulation.planting import Mutant, planted
from test_support.world import copy_migrated_database

SECRET: Final = "secret"
SHARE: Final = {"calm": 20, "faults": 40, "deaths": 30, "workers": 30, SECRET: 40}
"""How many evenings of each kind `make test` plays."""


@dataclass(frozen=True)
class HeartMutant(Mutant):
    """A fault of the heart."""

    kind: str
    """The kind of evenings that find it."""


MUTANTS: Final = (
    HeartMutant(
        "The dice are given up in place of the call that a dead worker was sending",
        "telegram_bot.delivery.outbox",
        "_settle_left_try",
        'row.notice.get("content") == wanted.content',
        "True",
        "deaths",
    ),
    HeartMutant(
        "After the clock was set back, the end of a round stays in the future",
        "telegram_bot.service.outages",
        "_pull_back",
        "for table in SQLModel.metadata.sorted_tables:",
        "for table in [each for each in SQLModel.metadata.sorted_tables if each.name != 'round_end']:",
        "faults",
    ),
    HeartMutant(
        "After the clock was set back, typed words come too early for their turn",
        "telegram_bot.tables.turn_clock",
        "_set_back",
        "for name in _TIMES if",
        "for name in _TIMES if name != 'turn_since' and",
        "faults",
    ),
    HeartMutant(
        "One table whose words raise holds up every chat",
        "telegram_bot.delivery.reconcile",
        "Reconciler._tried",
        "except SQLAlchemyError:",
        "except Exception:",
        "faults",
    ),
    HeartMutant(
        "The end of a round that a moving group has not seen counts as shown",
        "telegram_bot.service.handlers.chats",
        "_forget_unseen_rounds",
        "session.execute(delete",
        "session.connection and (lambda *_: None)(delete",
        "faults",
    ),
    HeartMutant(
        "A group whose new address has a page cannot move",
        "telegram_bot.service.handlers.chats",
        "_merge_into",
        "move_references(uow.session, Chat, twin.id, chat.id)",
        "uow.session.execute(update(GameTable).where(col(GameTable.chat_id) == twin.id).values(chat_id=chat.id))",
        "faults",
    ),
    HeartMutant(
        "Dice that an animation still hides are told",
        "telegram_bot.service.unit_of_work",
        "UnitOfWork.hidden_dice",
        "return None if deal is None else (deal, due)",
        "return None if deal is None or due <= self.now + 30 else (deal, due)",
        SECRET,
    ),
    HeartMutant(
        "A call of the next step is answered to the player who opens, before the dice are shown",
        "telegram_bot.service.dispatcher",
        "_require_allowed",
        "raise RejectedError(RejectionReason.REVEALING)",
        "seat = table.seat_of(context.player_id)\n"
        "    turn = None if table.game is None else table.game.turn\n"
        "    if request.tells_of_reveal or step is None or seat is None or seat != turn:\n"
        "        raise RejectedError(RejectionReason.REVEALING)",
        SECRET,
    ),
    HeartMutant(
        "A table cannot be read whose stored parts have an unknown kind",
        "telegram_bot.service.notices",
        "_known_parts",
        "with suppress(ValueError):",
        "with suppress(KeyError):",
        "faults",
    ),
    HeartMutant(
        "Another view of one's dice is not followed before the next step",
        "telegram_bot.service.unit_of_work",
        "UnitOfWork.finish",
        "for player, read in changed_people(self.session).values():",
        "for player, read in ():",
        "calm",
    ),
    HeartMutant(
        "The pace of a process follows the wall clock",
        "telegram_bot.delivery.worker",
        "DeliveryWorker._send",
        "wait(channel.limits, time.monotonic())",
        "wait(channel.limits, self.now())",
        "faults",
    ),
    HeartMutant(
        "A board that another message follows is edited when it asks",
        "telegram_bot.delivery.outbox",
        "_mark_followed",
        "OF_A_GAME, ~col(SentMessage.followed)",
        "OF_A_GAME, col(SentMessage.chat) < 0, ~col(SentMessage.followed)",
        "calm",
    ),
    HeartMutant(
        "A history message whose end is unknown is sent again",
        "telegram_bot.delivery.outbox",
        "give_up",
        "readers.give_up(session, item.table_id, item.surface.once_sent.player, item.slot, item.surface.content)",
        "pass",
        "faults",
    ),
    HeartMutant(
        "A paused game is never closed",
        "telegram_bot.tables.turn_clock",
        "apply_due",
        "return close(table, CloseReason.IDLE if table.suspended_at is None else CloseReason.LOST_CHAT)",
        "return TableChange(table.replace(idle_at=moment.now + 600))",
        "calm",
    ),
)


def evenings(
    kind: str, mutant: Mutant | None, most: int, empty: Path, *, source: int = 0, shrinks: bool = False
) -> tuple[int, Program | None, list[str]]:
    """Play the evenings of one kind, the same ones for the same source of chance.

    Return how many it took until one failed, and if one did, that evening with its faults. `shrinks`: look for a
    shorter one that fails.
    """
    played = 0
    failed: Program | None = None
    faults: list[str] = []

    @seed(source)
    @settings(
        max_examples=most,
        database=None,
        deadline=None,
        phases=[Phase.generate, *([Phase.shrink] if shrinks else [])],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(secret_programs() if kind == SECRET else programs(kind))
    def each(program: Program) -> None:
        nonlocal played, failed, faults
        played += 1
        found = early_differences(program, empty) if kind == SECRET else play(program, empty, AT_REST, AT_THE_END).found
        if found:
            failed, faults = program, found
            raise AssertionError(found[0])

    try:
        if mutant is None:
            each()
        else:
            with planted(mutant):
                each()
    except AssertionError:
        pass
    return played, failed, faults


def table(empty: Path) -> Iterator[str]:
    """Yield the rows of the table of planted faults."""
    yield "| planted fault | evenings | found in |"
    yield "|---|---|--:|"
    for mutant in MUTANTS:
        played, failed, _ = evenings(mutant.kind, mutant, 4 * SHARE[mutant.kind], empty)
        yield f"| {mutant.name} | {mutant.kind} | {'not found in ' if failed is None else ''}{played} |"


def main() -> None:
    """Print the table."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    install(FEATURES)
    with TemporaryDirectory() as folder:
        empty = Path(folder) / "empty.db"
        copy_migrated_database(empty)
        for row in table(empty):
            sys.stdout.write(row + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
