"""A Telegram Bot API server for one machine, with the people of a group chat and a page to play them.

A program under test talks to it as to Telegram: `server.running_sandbox()` gives the addresses and the token.
People act through the control API under /sandbox/ (`control`), by the page or by a test. `world.calls` holds every
call of the bot with the verdict of `aiogram`'s models on it: `schema_failures` and `flood_refusals` of a good bot are
empty. The clock can be moved (`POST /sandbox/clock`) and calls can be made to fail (`POST /sandbox/faults`).
"""
