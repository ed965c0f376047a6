"""Whole evenings in virtual time: the whole bot, its messengers, people, and faults, in one event loop."""
