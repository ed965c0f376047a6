"""Load for the bot: a Bot API server that does nothing but keep time, seeded tables, people who tap."""
