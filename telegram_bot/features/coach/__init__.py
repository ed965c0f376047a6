"""The coach: the player on turn asks for one call with its reason, in private, if the host allows hints.

After a round, each player reads which of their decisions was the costliest.
"""

from pathlib import Path
from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.coach import keys, requests, review
from telegram_bot.features.coach.announcing import follow
from telegram_bot.features.coach.lobby_option import HINTS_ALLOWED
from telegram_bot.features.coach.look_ups import CoachAdvice
from telegram_bot.features.coach.notices import CoachNotice, RoundReviewNotice, hint_card, review_card
from telegram_bot.notices import BidsNotice, HandNotice, TableNotice
from telegram_bot.presentation.features import Extension, FeatureCard, PagePart, Presentation

_HINT: Final = Presentation(CoachNotice, keys=keys.hint_keys, card=FeatureCard("coach", hint_card))
_REVIEW: Final = Presentation(RoundReviewNotice, card=FeatureCard("review", review_card))
_HAND: Final = Extension(HandNotice, keys=keys.hand_keys)
_BIDS: Final = Extension(BidsNotice, keys=keys.bids_keys)
_ROUND: Final = Extension(TableNotice, acts=keys.round_acts)

FEATURE: Final = Feature(
    "coach",
    requests=(requests.AskCoach,),
    notices=(_HINT, _REVIEW),
    extensions=(_HAND, _BIDS, _ROUND),
    page=PagePart(Path(__file__).with_name("static")),
    look_ups=(CoachAdvice,),
    lobby_options=(HINTS_ALLOWED,),
    announce=follow,
    timers={review.REVIEW: review.have_judged},
)
