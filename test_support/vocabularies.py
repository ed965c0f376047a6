"""Imported into the fork server: every process of the bot has each language's vocabulary, which costs it a second."""

from telegram_bot.words.parsing.vocabulary import load_vocabularies

load_vocabularies()
