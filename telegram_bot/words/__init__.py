"""Wording: the sentences in each language. Every sentence comes from the catalogue."""
