"""Tables of agents that play each other, and what they show: `python -m perudo_core.agents arena`."""
