"""Imported into the fork server: every process of the bot has each language's vocabulary, which costs it a second."""

from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.words.parsing.vocabulary import load_vocabularies

install(FEATURES)
load_vocabularies()
