"""Surfaces: the content that each reader of a table should see now, computed from stored facts."""
