"""Load languages and certificates once before processes are forked, bots or workers of tests: it takes two seconds."""

from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.internet import certificates
from telegram_bot.parsing.vocabulary import load_vocabularies

install(FEATURES)
load_vocabularies()
certificates()
