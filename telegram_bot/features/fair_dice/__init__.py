"""Fair dice: players shake the sealed dice before the game, and a file proves every roll after it."""

from typing import Final

from telegram_bot.channels.web.cards import FeatureCard
from telegram_bot.feature import Added, Feature, Told
from telegram_bot.features.fair_dice import cards, handlers, keys, words
from telegram_bot.features.fair_dice.announcing import announce_seal, dice_check_of
from telegram_bot.features.fair_dice.notices import DiceCheckNotice, FairDiceAnswerNotice, RecordNotice, SealNotice
from telegram_bot.service.notices import GameOverNotice, LobbyNotice
from telegram_bot.service.posting import AfterCrash, Overtaking, PostPolicy

_SEAL: Final = Told(SealNotice, words.seal_lines, keys=keys.seal_keys, card=FeatureCard("seal", cards.seal_card))
_ANSWER: Final = Told(FairDiceAnswerNotice, words.answer_lines, policy=PostPolicy(overtaking=Overtaking.BY_TURNS))
_CHECK: Final = Told(DiceCheckNotice, words.check_lines, card=FeatureCard("over", cards.check_card))
_RECORD: Final = Told(
    RecordNotice,
    words.record_lines,
    policy=PostPolicy(overtaking=Overtaking.BY_TURNS, after_crash=AfterCrash.SENT_AGAIN),
)
_LOBBY: Final = Added(LobbyNotice, keys=keys.lobby_keys, acts=keys.lobby_acts)
_GAME_OVER: Final = Added(GameOverNotice, keys=keys.game_over_keys, part=dice_check_of)

FEATURE: Final = Feature(
    "fair_dice",
    requests=(handlers.STIR_DICE, handlers.SEAL_DICE, handlers.SEE_RECORD),
    notices=(_SEAL, _ANSWER, _CHECK, _RECORD),
    added=(_LOBBY, _GAME_OVER),
    announce=announce_seal,
)
