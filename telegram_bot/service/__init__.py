"""Handle one intent in one transaction, and write the notices that follow. No other package changes a game."""
