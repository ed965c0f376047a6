"""Fair dice: players shake the sealed dice before the game, and a file proves every roll after it."""

from pathlib import Path
from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.fair_dice import dice, notices
from telegram_bot.features.fair_dice.dice import announce_seal, dice_check_of
from telegram_bot.features.fair_dice.notices import DiceCheckNotice, FairDiceAnswerNotice, RecordNotice, SealNotice
from telegram_bot.notices import GameOverNotice, LobbyNotice
from telegram_bot.presentation.features import Extension, PagePart

_SEAL: Final = Extension(SealNotice, keys=dice.seal_keys)
_LOBBY: Final = Extension(LobbyNotice, keys=dice.lobby_keys, acts=dice.lobby_acts)
_GAME_OVER: Final = Extension(GameOverNotice, keys=dice.game_over_keys, part=dice_check_of)

FEATURE: Final = Feature(
    "fair_dice",
    place=110,
    requests=(dice.StirDice, dice.SealDice, dice.SeeRecord),
    notices=(SealNotice, FairDiceAnswerNotice, DiceCheckNotice, RecordNotice),
    extensions=(_SEAL, _LOBBY, _GAME_OVER),
    page=PagePart(Path(__file__).with_name("static"), notices.page_words),
    announce=announce_seal,
)
