"""Bot API methods that send gifts for the bot's stars, and that tell of the boosts of a chat."""

import secrets

from telegram_sandbox import telegram_json
from telegram_sandbox.bot_api.message_text import formatted_of
from telegram_sandbox.bot_api.methods_payments import star_balance
from telegram_sandbox.bot_api.registry import answers
from telegram_sandbox.bot_api.requests import GetAvailableGifts, GetChatGifts, GetUserChatBoosts, GetUserGifts, SendGift
from telegram_sandbox.errors import bad_request
from telegram_sandbox.media import plain_picture
from telegram_sandbox.model import Json
from telegram_sandbox.text.entities import utf16_length
from telegram_sandbox.world import World

GIFTS = {
    "5170145012310081615": ("💝", 15),
    "5170250947678437525": ("🎁", 25),
    "5170144170496491616": ("🎂", 50),
    "5168043875654172773": ("🏆", 100),
}
"""The emoji and the price of some of Telegram's gifts."""
LONGEST_WISH = 128
MOST_GIFTS = 100


@answers(GetAvailableGifts)
def get_available_gifts(world: World, _request: GetAvailableGifts) -> Json:
    """Return four of Telegram's gifts, each with a plain picture."""
    return {"gifts": [_gift(world, gift_id) for gift_id in GIFTS]}


@answers(SendGift)
def send_gift(world: World, request: SendGift) -> bool:
    """Send a gift to a person or a channel, paid with the bot's stars."""
    words = formatted_of(world, request.text or "", request.text_parse_mode, request.text_entities)
    if request.chat_id not in (None, ""):
        chat = world.chat_known_to_bot(request.chat_id)
    elif request.user_id is None:
        raise bad_request("invalid user_id specified")
    elif request.user_id not in world.people:
        raise bad_request("user not found")
    else:
        chat = world.chats[request.user_id]
    if chat.is_group:
        raise bad_request("PEER_ID_INVALID")
    if request.gift_id not in GIFTS:
        raise bad_request("STARGIFT_INVALID")
    if utf16_length(words.text) > LONGEST_WISH:
        raise bad_request("STARGIFT_MESSAGE_INVALID")
    gift = _gift(world, request.gift_id)
    if gift["star_count"] > star_balance(world):
        raise bad_request("BALANCE_TOO_LOW")
    world.gifts.append((secrets.token_urlsafe(24), world.clock.unix(), chat, gift))
    wish = {"text": words.text, "entities": words.entities} if words.text else {}
    said = f"{world.settings.bot_name} sent a gift for {gift['star_count']} stars: {GIFTS[request.gift_id][0]}"
    service = {"gift": {"gift": gift} | wish}
    world.service_message(chat, world.settings.bot_id, service, f"{said} {words.text}".strip())
    return True


@answers(GetUserGifts, GetChatGifts)
def get_gifts(world: World, request: GetUserGifts | GetChatGifts) -> Json:
    """Return the gifts of the bot that a person or a channel has got, the newest first."""
    if isinstance(request, GetUserGifts):
        if request.user_id not in world.people:
            raise bad_request("user not found")
        chat = world.chats[request.user_id]
    else:
        chat = world.chat_known_to_bot(request.chat_id)
    sender = telegram_json.bot_user(world)
    owned = [
        {"type": "regular", "gift": gift, "sender_user": sender, "send_date": date}
        for _, date, receiver, gift in reversed(world.gifts)
        if receiver is chat
    ]
    start = int(request.offset or 0)
    end = start + (request.limit or MOST_GIFTS)
    more = {"next_offset": str(end)} if end < len(owned) else {}
    return {"total_count": len(owned), "gifts": owned[start:end]} | more


@answers(GetUserChatBoosts)
def get_user_chat_boosts(world: World, request: GetUserChatBoosts) -> Json:
    """Return a person's boosts of a chat in which the bot is an admin."""
    chat = world.chat_known_to_bot(request.chat_id)
    if request.user_id not in world.people:
        raise bad_request("user not found")
    if chat.bot_status != "administrator":
        raise bad_request("CHAT_ADMIN_REQUIRED")
    boosts, now = chat.boosts.get(request.user_id, []), world.clock.unix()
    return {"boosts": [one for one in boosts if now < one["expiration_date"]]}


def _gift(world: World, gift_id: str) -> Json:
    emoji, price = GIFTS[gift_id]
    sticker = telegram_json.media(plain_picture(world, "sticker", f"gift-{gift_id}"))["sticker"]
    return {"id": gift_id, "sticker": sticker | {"emoji": emoji}, "star_count": price}
