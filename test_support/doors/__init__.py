"""The doors of the bot: everything that strangers, gateways, browsers and operators send, and what must hold for it."""
