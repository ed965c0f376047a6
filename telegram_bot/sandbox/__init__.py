"""Perudo bot."""
