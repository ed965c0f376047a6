"""The pictures of the documents: the real bot in the sandbox, as a browser shows the people's phones."""
