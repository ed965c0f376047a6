"""Telegram: updates -> intents; notices -> Bot API (keyboards, ephemeral messages, private chats, alerts)."""
