"""Subscribers: told of each committed step, inside its transaction."""
