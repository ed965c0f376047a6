"""How the tables that the agents ship are made: `python -m perudo_core.agents train`; needs the `numpy` extra."""
