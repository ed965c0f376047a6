"""Trains the tables that the agents ship: `python -m perudo_core.agents train`; needs the `numpy` extra."""
