"""Load for the bot: a Bot API server that only records times, seeded tables, and people who tap."""
