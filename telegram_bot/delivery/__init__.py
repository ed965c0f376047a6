"""Outbox lanes -> channels: order within a chat, limits, retries."""
