"""Counts, ratings and achievements of players: pure functions of finished games."""
