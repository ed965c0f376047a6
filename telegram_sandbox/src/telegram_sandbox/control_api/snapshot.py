"""The whole state as JSON: everything that a page needs to begin."""

from dataclasses import asdict

from telegram_sandbox import page_json
from telegram_sandbox.model import Json
from telegram_sandbox.world import World

SHOWN_CALLS = 200


def snapshot(world: World) -> Json:
    """Everything at once."""
    settings = world.settings
    page = asdict(settings.page)
    del page["icon"]
    return {
        "run": world.run,
        "page": page,
        "bot": {
            "id": settings.bot_id,
            "username": settings.bot_username,
            "name": settings.bot_name,
            "inline": page_json.inline_mode(world),
            "commands": world.commands.get(('{"type": "default"}', ""), []),
        },
        "people": page_json.people(world),
        "chats": page_json.chats(world),
        "messages": [page_json.message(world, one) for one in world.messages.values() if not one.lost],
        "calls": world.calls.listing()[-SHOWN_CALLS:],
        "totals": {
            "calls": world.calls.total,
            "schema_failures": len(world.calls.schema_failures),
            "flood_refusals": len(world.calls.flood_refusals),
            "pending_updates": len(world.updates),
        },
        "flood_limits": world.flood_limits.enabled,
        "sms": world.sms.state(),
        "cursor": world.events.cursor,
    }
