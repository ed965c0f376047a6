"""How many texts a game takes: `python -m benchmarks.sms_cost`, from the project's folder.

Phones alone at a table, the whole way from webhook to gateway, on a database in a temporary folder. Players doubt
what is not to be expected and raise by one. Prices differ from country to country: give those of your gateway.
"""

import argparse
import asyncio
import logging
import tempfile
from pathlib import Path

from perudo_core import smallest_raise
from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.storage import schema
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable
from telegram_bot.storage.phone_models import TextSent
from telegram_bot.tables.model import Status, Table
from test_support.sms_world import SmsWorld


async def play(database: Database, people: int, seed: int) -> tuple[int, int, int]:
    """Play one game; return the number of rounds, of texts out and of texts in."""
    world = SmsWorld(database, seed=seed)
    numbers = [f"+4474001235{seat:02}" for seat in range(people)]
    before = len(world.rows(TextSent))
    prefix = before  # names of deliveries must be new in each game
    said = 0

    async def text(number: str, words: str) -> None:
        nonlocal said
        said += 1
        await world.text(number, words, message=f"{prefix}-{said}")

    await text(numbers[0], "NEW Ana")
    table_id = max(row.id for row in world.rows(GameTable))
    code = world.table(table_id).code
    for seat, number in enumerate(numbers[1:], start=1):
        await text(number, f"JOIN {code} Friend{seat}")
    await text(numbers[0], "GO")
    while (table := world.table(table_id)).status is Status.PLAYING:
        assert table.game is not None  # noqa: S101
        turn = table.game.turn
        assert turn is not None  # noqa: S101
        await text(numbers[turn], decide(table, turn))
    assert table.game is not None  # noqa: S101
    return table.game.round, len(world.rows(TextSent)) - before, said


def decide(table: Table, seat: int) -> str:
    """Return the text of a player who calls with care."""
    game = table.game
    assert game is not None  # noqa: S101
    own = game.dice[seat]
    bid = game.current_bid
    others = sum(game.dice_counts) - len(own)

    def expected(face: int) -> float:
        return sum(die in (face, 1) for die in own) + others / 3

    if bid is not None and bid.quantity > expected(bid.face) + 0.5:
        return "dudo"
    best = max(range(2, 7), key=lambda face: (expected(face), face))
    if bid is None:
        return f"{max(1, round(expected(best)) - 1)}x{best}"
    smallest = smallest_raise(game)
    return "dudo" if smallest is None else f"{bid.quantity + 1}x{bid.face}"


def main() -> None:
    """Play and print."""
    install(FEATURES)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=5)
    parser.add_argument("--out", type=float, default=0.01, help="what a text to a player costs")
    parser.add_argument("--into", type=float, default=0.01, help="what a text from a player costs")
    parser.add_argument("--people", type=int, nargs="*", default=[2, 4, 6])
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    print("players  rounds  texts out  each phone  texts in  out per round and player  a game costs  each player")
    for people in options.people:
        rounds = sent = said = 0
        for seed in range(options.games):
            with tempfile.TemporaryDirectory() as folder:
                database = Database(f"sqlite:///{Path(folder, 'perudo.db')}")
                schema.upgrade(database.engine)
                played = asyncio.run(play(database, people, seed))
                database.close()
            rounds, sent, said = rounds + played[0], sent + played[1], said + played[2]
        n = options.games
        cost = (sent * options.out + said * options.into) / n
        print(
            f"{people:7}  {rounds / n:6.1f}  {sent / n:9.1f}  {sent / n / people:10.1f}  {said / n:8.1f}  "
            f"{sent / rounds / people:24.2f}  {cost:12.2f}  {cost / people:11.2f}"
        )


if __name__ == "__main__":
    main()
