"""Notices -> sentences in each language; typed words -> intents. Every sentence comes from the catalogue."""
