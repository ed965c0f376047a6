"""Hear calls in voice notes, and speak."""
