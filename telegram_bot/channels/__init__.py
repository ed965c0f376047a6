"""Channels: each turns what people do into intents, and notices into what they see."""
