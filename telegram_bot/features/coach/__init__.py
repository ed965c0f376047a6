"""The coach: the player on turn asks for one call with its reason, in private, if the host allows hints."""

from typing import Final

from telegram_bot.channels.web.cards import FeatureCard
from telegram_bot.feature import Added, Feature, Told
from telegram_bot.features.coach import handlers, keys, words
from telegram_bot.features.coach.announcing import withdraw_hint
from telegram_bot.features.coach.cards import hint_card
from telegram_bot.features.coach.lobby_option import HINTS_ALLOWED
from telegram_bot.features.coach.look_ups import CoachAdvice
from telegram_bot.features.coach.notices import CoachNotice, HintAnswerNotice
from telegram_bot.service.notices import BidsNotice, HandNotice, TableNotice

_HINT: Final = Told(CoachNotice, words.hint_lines, keys=keys.hint_keys, card=FeatureCard("coach", hint_card))
_ANSWER: Final = Told(HintAnswerNotice, words.answer_lines)
_HAND: Final = Added(HandNotice, keys=keys.hand_keys)
_BIDS: Final = Added(BidsNotice, keys=keys.bids_keys)
_ROUND: Final = Added(TableNotice, acts=keys.round_acts)

FEATURE: Final = Feature(
    "coach",
    requests=(handlers.ASK_COACH,),
    notices=(_HINT, _ANSWER),
    added=(_HAND, _BIDS, _ROUND),
    look_ups=(CoachAdvice,),
    lobby_options=(HINTS_ALLOWED,),
    announce=withdraw_hint,
)
