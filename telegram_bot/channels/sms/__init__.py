"""Phones: text messages to intents, notices to text messages, through whatever gateway there is."""
