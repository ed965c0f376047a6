"""Start steps: from stored updates (the inbox) and from deadlines that are due."""
