"""Notices as text messages of at most 160 characters."""
