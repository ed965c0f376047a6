"""Reading aloud: private messages to a person who listens, and the end of each round to a group."""

from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.aloud.notices import SpokenNotice, spoken_lines
from telegram_bot.features.aloud.posts import read_aloud_to_group, read_aloud_to_person
from telegram_bot.features.aloud.switch import READS_ALOUD
from telegram_bot.presentation.features import Presentation
from telegram_bot.service.posting import LeftOut, Overtaking, PostPolicy

_SPOKEN: Final = Presentation(
    SpokenNotice,
    spoken_lines,
    policy=PostPolicy(overtaking=Overtaking.BY_TURNS, left_out=LeftOut.IN_A_BUSY_GROUP),
)

FEATURE: Final = Feature(
    "aloud",
    notices=(_SPOKEN,),
    switches=(READS_ALOUD,),
    private_posts=read_aloud_to_person,
    announce=read_aloud_to_group,
)
