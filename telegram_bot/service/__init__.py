"""One intent in, one transaction, notices out. The heart, and the only place where a game changes."""
