"""Shouts: six quick shouts that a television shows, and the few words with which a player without a page has called."""

from pathlib import Path
from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.shouts.shouts import (
    MuteShouts,
    Shout,
    ShoutNotice,
    page_words,
    prune,
    shout_card,
    shout_lines,
    show_texted_call,
)
from telegram_bot.presentation.features import FeatureCard, PagePart, Presentation

_SHOUT: Final = Presentation(ShoutNotice, shout_lines, card=FeatureCard("shout", shout_card))

FEATURE: Final = Feature(
    "shouts",
    requests=(Shout, MuteShouts),
    notices=(_SHOUT,),
    page=PagePart(Path(__file__).with_name("static"), page_words),
    announce=show_texted_call,
    prune=prune,
)
