"""Load each language's vocabulary once in the fork server, which saves every process of the bot a second."""

from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.words.parsing.vocabulary import load_vocabularies

install(FEATURES)
load_vocabularies()
