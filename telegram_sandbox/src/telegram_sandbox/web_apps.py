"""Mini Apps: the address that a phone opens, with data that is signed as Telegram signs it."""

import hmac
import json
import secrets
from hashlib import sha256
from urllib.parse import urlencode, urlsplit, urlunsplit

from telegram_sandbox import telegram_json
from telegram_sandbox.errors import ControlError
from telegram_sandbox.model import Chat, Json, Person
from telegram_sandbox.world import World

VERSION = "9.1"
PLATFORM = "web"
SIGNATURE_BYTES = 64


def open_web_app(world: World, person: Person, chat: Chat, url: str | None, start_param: str) -> str:
    """Return the address of a button's Mini App, or without `url` of the main one as a link opens it, for this person.

    Raises:
        ControlError: when the bot has no main Mini App.
    """
    user = telegram_json.user(person) | {"allows_write_to_pm": person.started}
    said: Json = {"user": json.dumps(user, separators=(",", ":"))}
    query = {}
    if url is not None:
        said["query_id"] = secrets.token_urlsafe(16)
    elif world.settings.main_web_app is None:
        raise ControlError("the bot has no main Mini App")
    else:
        url = world.settings.main_web_app
        said |= {"chat_type": chat.type, "chat_instance": telegram_json.chat_instance(chat)}
        if start_param:
            said["start_param"] = query["tgWebAppStartParam"] = start_param
    said["auth_date"] = str(world.clock.unix())
    # A signature for services other than the bot, in Telegram's form; no service can verify it.
    said["signature"] = secrets.token_urlsafe(SIGNATURE_BYTES)
    said["hash"] = _hash(said, world.settings.token)
    told = {"tgWebAppData": urlencode(said), "tgWebAppVersion": VERSION, "tgWebAppPlatform": PLATFORM}
    parts = urlsplit(url)
    asked = "&".join(filter(None, (parts.query, urlencode(query))))
    return urlunsplit(parts._replace(query=asked, fragment=urlencode(told)))


def _hash(said: Json, token: str) -> str:
    """Return the signature that the bot can check with its token."""
    key = hmac.new(b"WebAppData", token.encode(), sha256).digest()
    lines = "\n".join(f"{name}={value}" for name, value in sorted(said.items()))
    return hmac.new(key, lines.encode(), sha256).hexdigest()
