"""Send the outbox's notices through the channels: in order within each chat, within the limits, with retries."""
