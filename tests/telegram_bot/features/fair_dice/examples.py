from collections.abc import Callable, Iterator

from perudo_core.stirs import SIGNS
from telegram_bot.features import fair_dice
from telegram_bot.features.fair_dice import RecordNotice, SealDice, SeeRecord, StirDice
from telegram_bot.notices import Notice
from telegram_bot.tables.sealed_dice import StirView

WISHES = (SealDice(), SeeRecord(), *(StirDice(sign) for sign in SIGNS))
OUR_NAMES = {"record": {"python", "m", "perudo", "core", "verify", "json"}}
FILE = "perudo-CODE22.json"


def notices(name: Callable[[int], str]) -> Iterator[Notice]:
    """Dice that ten players have shaken, or none; checked with each result; each answer."""
    shaken = tuple(StirView(name=name(player), what=sign) for player in range(10) for sign in (SIGNS[0], SIGNS[player]))
    yield fair_dice.SealNotice(table=1, commitment="f" * 64)
    for answer in fair_dice.FairDiceAnswer:
        yield fair_dice.FairDiceAnswerNotice(answer=answer, seal="007 913 129 639 935", sign=SIGNS[0])
    yield from (fair_dice.DiceCheckNotice(passed=passed, secret="5e" * 32, stirs=shaken) for passed in (True, False))
    yield from (RecordNotice(document="{}", name=FILE, rolls=14, stirs=stirs) for stirs in ((), shaken))
    yield from (RecordNotice(document="{}", name=FILE, rolls=rolls) for rolls in (None, 1, 14))
    yield RecordNotice(document="{}", name=FILE, failed=True)
