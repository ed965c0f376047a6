"""The coach: the player on turn asks for one call with its reason, in private, if the host allows hints.

After a round, each player reads which of their decisions was the costliest.
"""

from pathlib import Path
from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.coach import coach
from telegram_bot.features.coach.coach import HINTS_ALLOWED, CoachAdvice, follow
from telegram_bot.features.coach.notices import CoachNotice, RoundReviewNotice
from telegram_bot.notices import BidsNotice, HandNotice, TableNotice
from telegram_bot.presentation.features import Extension, PagePart

_HINT: Final = Extension(CoachNotice, keys=coach.hint_keys)
_HAND: Final = Extension(HandNotice, keys=coach.hand_keys)
_BIDS: Final = Extension(BidsNotice, keys=coach.bids_keys)
_ROUND: Final = Extension(TableNotice, acts=coach.round_acts)

FEATURE: Final = Feature(
    "coach",
    place=40,
    requests=(coach.AskCoach,),
    notices=(CoachNotice, RoundReviewNotice),
    extensions=(_HINT, _HAND, _BIDS, _ROUND),
    page=PagePart(Path(__file__).with_name("static")),
    look_ups=(CoachAdvice,),
    lobby_options=(HINTS_ALLOWED,),
    announce=follow,
    timers={coach.REVIEW: coach.have_judged},
)
