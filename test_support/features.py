"""Install another set of features for a while, for tests."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.parsing.vocabulary import vocabulary
from telegram_bot.settings.sections import FeatureSettings


@contextmanager
def features_off(off: Collection[str]) -> Iterator[None]:
    """Install the features without these; after that, all of them."""
    vocabulary.cache_clear()
    install(FEATURES, FeatureSettings(off=tuple(off)))
    try:
        yield
    finally:
        vocabulary.cache_clear()
        install(FEATURES)
