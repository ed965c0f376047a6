"""Channels: each translates a messenger's updates into intents, and notices into messages."""
