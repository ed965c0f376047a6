"""Voice: calls that are spoken, and what the bot says aloud. Nothing of the sound leaves the host or is stored."""
