"""Notices -> sentences, per language; typed text -> calls. Every sentence a player sees comes from the catalogue."""
