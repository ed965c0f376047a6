"""Load for the bot: a Bot API server that only keeps time, seeded tables, people who tap."""
