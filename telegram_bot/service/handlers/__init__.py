"""Handlers: what one intent does, by subject. Each runs inside one unit of work."""
