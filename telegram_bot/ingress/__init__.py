"""What starts a step: stored updates (the inbox) and deadlines that are due."""
