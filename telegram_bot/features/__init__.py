"""The features: a folder each, which is found here and can be deleted. The bot plays on without the feature."""

from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from telegram_bot.feature import Feature

_FOUND: Final[list[Feature]] = [import_module(f"{__name__}.{each.name}").FEATURE for each in iter_modules(__path__)]
FEATURES: Final[tuple[Feature, ...]] = tuple(sorted(_FOUND, key=lambda feature: (feature.place, feature.name)))
