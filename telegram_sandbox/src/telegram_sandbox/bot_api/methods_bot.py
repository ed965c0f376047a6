"""Bot API methods about the bot itself: who it is, its commands, its updates, its answers to taps."""

import json
import re
from typing import Any

from telegram_sandbox import telegram_json
from telegram_sandbox.bot_api.reading import as_json
from telegram_sandbox.bot_api.registry import Described, answers
from telegram_sandbox.bot_api.requests import (
    AnswerCallbackQuery,
    DeleteMyCommands,
    DeleteWebhook,
    GetChatMenuButton,
    GetMe,
    GetMyCommands,
    GetMyDefaultAdministratorRights,
    GetMyDescription,
    GetMyName,
    GetMyShortDescription,
    GetUpdates,
    GetWebhookInfo,
    SetChatMenuButton,
    SetMyCommands,
    SetMyDefaultAdministratorRights,
    SetMyDescription,
    SetMyName,
    SetMyShortDescription,
    SetWebhook,
)
from telegram_sandbox.errors import bad_request, conflict, query_too_old
from telegram_sandbox.http_parameters import UploadedFile
from telegram_sandbox.model import Json
from telegram_sandbox.permissions import Flags, admin_rights
from telegram_sandbox.text.entities import utf16_length
from telegram_sandbox.update_queue import MOST_UPDATES, WEBHOOK_ACTIVE
from telegram_sandbox.webhook import DEFAULT_CONNECTIONS, MOST_CONNECTIONS, Address
from telegram_sandbox.world import World

LONGEST_POLL = 50
LONGEST_ALERT = 200
MOST_COMMANDS = 100
LONGEST_COMMAND_DESCRIPTION = 256
COMMAND = re.compile(r"/?([a-z0-9_]{1,32})")
SECRET = re.compile(r"[A-Za-z0-9_-]+")
LONGEST_SECRET = 256


@answers(GetMe)
def get_me(world: World, _request: GetMe) -> Json:
    """Return the bot."""
    return telegram_json.bot_self(world)


@answers(GetUpdates)
async def get_updates(world: World, request: GetUpdates) -> list[Json]:
    """Return the updates from `offset` on; everything before it is confirmed."""
    if world.webhook.active:
        raise conflict(WEBHOOK_ACTIVE)
    world.updates.allow(request.allowed_updates)
    limit = MOST_UPDATES if request.limit is None else min(max(request.limit, 1), MOST_UPDATES)
    offset, seconds = request.offset or 0, min(max(request.timeout or 0, 0), LONGEST_POLL)
    return await world.updates.poll(offset, *world.flood_limits.of_poll(offset, limit, seconds))


@answers(SetWebhook)
async def set_webhook(world: World, request: SetWebhook) -> Described:
    """Deliver updates to an address of this machine; an empty address returns to getUpdates."""
    if request.url:
        world.flood_limits.charge_webhook()
    if len(request.secret_token or "") > LONGEST_SECRET:
        raise bad_request("secret token is too long")
    if request.secret_token and not SECRET.fullmatch(request.secret_token):
        raise bad_request("secret token contains unallowed characters")
    before = world.webhook.address
    if request.url:
        connections = min(max(request.max_connections or DEFAULT_CONNECTIONS, 1), MOST_CONNECTIONS)
        certificate = _certificate(request.certificate)
        world.webhook.set(Address(request.url, request.secret_token, connections, certificate))
        world.updates.allow(request.allowed_updates)
        if request.drop_pending_updates:
            world.updates.clear()
        is_new = before != world.webhook.address or request.drop_pending_updates
        return Described(True, "Webhook was set" if is_new else "Webhook is already set")
    return _without_webhook(world, request)


@answers(DeleteWebhook)
def delete_webhook(world: World, request: DeleteWebhook) -> Described:
    """Return to getUpdates."""
    return _without_webhook(world, request)


def _without_webhook(world: World, request: SetWebhook | DeleteWebhook) -> Described:
    was_active = world.webhook.active
    world.webhook.remove()
    if request.drop_pending_updates:
        world.updates.clear()
    return Described(True, "Webhook was deleted" if was_active else "Webhook is already deleted")


@answers(GetWebhookInfo)
def get_webhook_info(world: World, _request: GetWebhookInfo) -> Json:
    """Return the webhook and its state."""
    info = {**world.webhook.info, "pending_update_count": len(world.updates)}
    if world.updates.allowed is not None:
        info["allowed_updates"] = world.updates.allowed
    return info


@answers(AnswerCallbackQuery)
def answer_callback_query(world: World, request: AnswerCallbackQuery) -> bool:
    """Answer a tap, once and in time; answers do not count for the flood limits."""
    if request.text and utf16_length(request.text) > LONGEST_ALERT:
        raise bad_request("MESSAGE_TOO_LONG")
    tap = world.taps.get(request.callback_query_id)
    if tap is None or tap.answered or world.clock.now() - tap.date > world.settings.tap_answer_seconds:
        raise query_too_old()
    own = (f"https://t.me/{world.settings.bot_username}?", "tg://")
    if request.url and not request.url.startswith(("https://", "http://") if tap.game else own):
        raise bad_request("URL_INVALID")
    tap.answered = True
    tap.text = request.text or None
    tap.show_alert = bool(request.show_alert)
    tap.url = request.url
    world.tell_people()
    seen: dict[str, Any] = {"user_id": tap.user_id, "chat_id": tap.chat_id, "query_id": tap.id, "url": tap.url}
    if tap.text:
        world.events.emit("alert", **seen, text=tap.text, show_alert=tap.show_alert)
    else:
        world.events.emit("answered", **seen)
    return True


SCOPES: dict[str, tuple[str, ...]] = {
    "default": (),
    "all_private_chats": (),
    "all_group_chats": (),
    "all_chat_administrators": (),
    "chat": ("chat_id",),
    "chat_administrators": ("chat_id",),
    "chat_member": ("chat_id", "user_id"),
}
"""The kinds of scopes, each with the fields that it needs."""


@answers(SetMyCommands)
def set_my_commands(world: World, request: SetMyCommands) -> bool:
    """Store the menu of one scope in one language."""
    if len(request.commands) > MOST_COMMANDS:
        raise bad_request("BOT_COMMANDS_TOO_MUCH")
    commands = []
    for command in request.commands:
        match = COMMAND.fullmatch(command.command)
        if not match:
            raise bad_request("BOT_COMMAND_INVALID")
        if not command.description.strip():
            raise bad_request("command description must be non-empty")
        if utf16_length(command.description.strip()) > LONGEST_COMMAND_DESCRIPTION:
            raise bad_request("BOT_COMMAND_DESCRIPTION_INVALID")
        commands.append({**as_json(command), "command": match.group(1)})
    world.commands[_scope(world, request.scope, request.language_code)] = commands
    world.show_commands()
    return True


@answers(GetMyCommands)
def get_my_commands(world: World, request: GetMyCommands) -> list[Json]:
    """Return the menu of exactly this scope and language."""
    return world.commands.get(_scope(world, request.scope, request.language_code), [])


@answers(DeleteMyCommands)
def delete_my_commands(world: World, request: DeleteMyCommands) -> bool:
    """Remove the menu of one scope; the wider scope's applies."""
    world.commands.pop(_scope(world, request.scope, request.language_code), None)
    world.show_commands()
    return True


@answers(SetMyDefaultAdministratorRights)
def set_my_default_administrator_rights(world: World, request: SetMyDefaultAdministratorRights) -> bool:
    """Store the rights that the bot asks for where it is added, one set for channels and one for groups."""
    given: Flags = as_json(request.rights) or {}
    kind = "channel" if request.for_channels else "supergroup"
    rights = admin_rights(kind, [right for right, wanted in given.items() if wanted is True])
    world.default_rights[bool(request.for_channels)] = {"is_anonymous": given.get("is_anonymous") is True, **rights}
    return True


@answers(GetMyDefaultAdministratorRights)
def get_my_default_administrator_rights(world: World, request: GetMyDefaultAdministratorRights) -> Flags:
    """Return these rights; at first there are none."""
    kind = "channel" if request.for_channels else "supergroup"
    return world.default_rights.get(bool(request.for_channels)) or {"is_anonymous": False, **admin_rights(kind, ())}


def _profile(name: str, setter: Any, getter: Any, longest: int) -> None:
    """Register two methods, which store and return one text for each language."""

    def write(world: World, request: Any) -> bool:
        value = getattr(request, name) or ""
        if utf16_length(value) > longest:
            raise bad_request(f"{name.replace('_', ' ')} is too long")
        world.profile[name, _language(request.language_code)] = value
        return True

    def read(world: World, request: Any) -> Json:
        default = world.settings.bot_name if name == "name" else ""
        return {name: world.profile.get((name, _language(request.language_code))) or default}

    answers(setter)(write)
    answers(getter)(read)


_profile("name", SetMyName, GetMyName, 64)
_profile("description", SetMyDescription, GetMyDescription, 512)
_profile("short_description", SetMyShortDescription, GetMyShortDescription, 120)


@answers(SetChatMenuButton)
def set_chat_menu_button(world: World, request: SetChatMenuButton) -> bool:
    """Set the button next to the input field of one private chat, or of all."""
    button = as_json(request.menu_button) or {"type": "default"}
    if button["type"] not in ("default", "commands", "web_app"):
        raise bad_request("can't parse menu button: MenuButton has unsupported type")
    for name in ("text", "web_app") if button["type"] == "web_app" else ():
        if name not in button:
            raise bad_request(f"can't parse menu button: Can't find field \"{name}\"")
    if request.chat_id and request.chat_id not in world.people:
        raise bad_request("invalid chat_id specified")
    world.menu_buttons[request.chat_id or 0] = button
    return True


@answers(GetChatMenuButton)
def get_chat_menu_button(world: World, request: GetChatMenuButton) -> Json:
    """Return the button next to the input field."""
    return world.menu_buttons.get(request.chat_id or 0) or world.menu_buttons.get(0) or {"type": "commands"}


def _certificate(file: Any) -> str | None:
    if file is None:
        return None
    if not isinstance(file, UploadedFile):
        raise bad_request("bad webhook: certificate must be uploaded")
    return file.data.decode("ascii", "replace")


def _language(code: str | None) -> str:
    if code and not re.fullmatch(r"[a-z]{2}", code):
        raise bad_request("LANGUAGE_CODE_INVALID")
    return code or ""


def _scope(world: World, scope: Any, language: str | None) -> tuple[str, str]:
    given = as_json(scope) or {"type": "default"}
    kind = given["type"]
    if kind not in SCOPES:
        raise bad_request("can't parse BotCommandScope: Unsupported type specified")
    found = {"type": kind}
    for name in SCOPES[kind]:
        if name not in given:
            raise bad_request(f"can't parse BotCommandScope: Can't find field \"{name}\"")
        found[name] = given[name]
    if "chat_id" in found:
        found["chat_id"] = world.chat_known_to_bot(found["chat_id"]).id
    if "user_id" in found and telegram_json.account(world, found["user_id"]) is None:
        raise bad_request("invalid user_id specified")
    return json.dumps(found, sort_keys=True), _language(language)
