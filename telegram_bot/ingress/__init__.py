"""Start steps: from stored updates (the inbox) and from due deadlines."""
