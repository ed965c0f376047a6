"""Load each language once in the fork server, which saves every process of the bot more than a second."""

from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.parsing.vocabulary import load_vocabularies
from telegram_bot.words.catalogue import LANGUAGES, catalogue

install(FEATURES)
load_vocabularies()
for language in LANGUAGES:
    catalogue(language)
