"""Typed words -> intents, by the grammar of each language."""
