"""Announcements: put the notices of a step into the outbox, for each reader, at the right time."""
