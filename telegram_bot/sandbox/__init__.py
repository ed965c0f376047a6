"""A Telegram Bot API server for one machine, with the people of a group chat and a page to play them."""
