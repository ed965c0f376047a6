"""The bot's side of the sandbox: the methods of the Bot API."""
