"""Notices as chat messages, in HTML."""
