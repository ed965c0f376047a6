"""Handlers of intents, by subject. Each runs inside one unit of work."""
