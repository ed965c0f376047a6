"""Requests that Telegram refuses for what they say, by method, each with its words."""

from typing import Any

import pytest

from telegram_sandbox.settings import SandboxSettings
from tests.telegram_sandbox.browsing import PIXEL, keys, png
from tests.telegram_sandbox.conftest import Play
from tests.telegram_sandbox.test_payments import BOOK
from tests.telegram_sandbox.test_taps import TOO_OLD

ANA, GROUP = 7_000_000_001, -1_002_000_000_001
STRING, BOOLEAN, NUMBER = (f"must be of type {kind}" for kind in ("String", "Boolean", "Number"))


def key(*widths: int, **button: Any) -> dict[str, Any]:
    """A keyboard of one button, or of rows of these widths."""
    return {"reply_markup": keys(*([{"text": "x"} | button] * width for width in widths or (1,)))}


def replies(**parameters: Any) -> dict[str, Any]:
    return {"reply_parameters": parameters}


def mark(kind: str, **more: Any) -> dict[str, Any]:
    return {"entities": [{"type": kind, "offset": 0, "length": 1, **more}]}


def row(*buttons: Any, **more: Any) -> dict[str, Any]:
    """A reply keyboard of one row."""
    return {"reply_markup": {"keyboard": [buttons], **more}}


def asks(**request: Any) -> dict[str, Any]:
    return row({"text": "x", "request_users": request})


def app(url: str, chat: int = ANA) -> dict[str, Any]:
    return key(web_app={"url": url}) | {"chat_id": chat}


INLINE, ENTITY, BUTTON = (
    "can't parse inline keyboard button: ",
    "can't parse MessageEntity: ",
    "can't parse keyboard button: ",
)
FIRST, PLACEHOLDER = "entity beginning at UTF-16", "input_field_placeholder"
MESSAGES: list[tuple[dict[str, Any], str]] = [
    ({"chat_id": 5}, "chat not found"),
    ({"chat_id": "@nobody"}, "chat not found"),
    ({"chat_id": None}, "chat_id is empty"),
    ({"text": None}, "message text is empty"),
    ({"text": "   "}, "text must be non-empty"),
    ({"text": "x" * 4097}, "message is too long"),
    ({"text": "🎲" * 2049}, "message is too long"),
    ({"text": "🎲" * 8193}, "text is too long"),
    ({"parse_mode": "XML"}, "unsupported parse_mode"),
    ({"chat_id": ANA, "message_thread_id": 7}, "message thread not found"),
    ({"chat_id": ANA, "message_effect_id": "1"}, "EFFECT_ID_INVALID"),
    ({"message_effect_id": "5104841245755180586"}, "can't use message effects in the chat"),
    ({"reply_markup": "{"}, "can't parse reply keyboard markup JSON object"),
    ({"reply_markup": 5}, "object expected as reply markup"),
    ({"reply_markup": {"inline_keyboard": 5}}, 'field "inline_keyboard" must be of type Array'),
    (
        {"reply_markup": {"inline_keyboard": [{"text": "x"}]}},
        'field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays',
    ),
    ({"reply_markup": {"inline_keyboard": [["x"]]}}, f"{INLINE}InlineKeyboardButton must be an Object"),
    (key(9, callback_data="a"), "reply markup is too long"),
    (key(*[8] * 13, callback_data="a"), "reply markup is too long"),
    ({"reply_markup": keys([{"callback_data": "x"}])}, f'{INLINE}Can\'t find field "text"'),
    (key(url=[]), f'{INLINE}Field "url" {STRING}'),
    (key(callback_data="é" * 33), "BUTTON_DATA_INVALID"),
    (key(callback_data=""), f"{INLINE}Text buttons are unallowed in the inline keyboard"),
    (key(), f"{INLINE}Text buttons are unallowed in the inline keyboard"),
    (key(callback_data="a", url=None), f'{INLINE}Field "url" {STRING}'),
    (key(switch_inline_query=None), f'{INLINE}Field "switch_inline_query" {STRING}'),
    (key(switch_inline_query_chosen_chat={"allow_user_chats": 1}), f'{INLINE}Field "allow_user_chats" {BOOLEAN}'),
    (key(switch_inline_query_chosen_chat={"query": "x"}), "at least one chat type must be allowed"),
    (key(text=" ", callback_data="a"), "BUTTON_TEXT_INVALID"),
    (key(callback_game={}), "BUTTON_TYPE_INVALID"),
    (key(pay=True), "BUTTON_TYPE_INVALID"),
    (app("https://quiz.test/app", GROUP), "BUTTON_TYPE_INVALID"),
    *(
        (app(url), f"inline keyboard button Web App URL '{url}' is invalid: Only HTTPS links are allowed")
        for url in ("http://quiz.test/app", "javascript:alert()")
    ),
    (
        key(login_url={"url": "http://x.org"}),
        "inline keyboard button login URL 'http://x.org' is invalid: Only HTTPS links are allowed",
    ),
    (key(login_url={"url": "https://x.org", "bot_username": "a b"}), f"{INLINE}LoginUrl bot username is invalid"),
    (key(callback_data="a", style="blue"), f"{INLINE}invalid button style specified"),
    (key(url="http://localhost"), "inline keyboard button URL 'http://localhost' is invalid: Wrong HTTP URL"),
    ({"reply_markup": {"keyboard": ["x"]}}, 'field "keyboard" must be an Array of Arrays'),
    (row(True), f"{BUTTON}KeyboardButton must be a String or an Object"),
    (row(5), f"{BUTTON}KeyboardButton must be a String or an Object"),
    (row({"text": "x", "request_contact": "true"}), f'{BUTTON}Field "request_contact" {BOOLEAN}'),
    (row({}), f'{BUTTON}Can\'t find field "text"'),
    (asks(), f'{BUTTON}Can\'t find field "request_id"'),
    (asks(request_id="x"), f'{BUTTON}Field "request_id" must be a valid Number'),
    (row("x", resize_keyboard=None), f'field "resize_keyboard" {BOOLEAN}'),
    (row("x", one_time_keyboard="yes"), f'field "one_time_keyboard" {BOOLEAN}'),
    *(
        (row({"text": "x", f"request_{name}": wish}), f"{words} can be requested in private chats only")
        for name, wish, words in (
            ("contact", True, "phone number"),
            ("location", True, "location"),
            ("poll", {}, "poll"),
        )
    ),
    ({"reply_markup": {"remove_keyboard": 1}}, f'field "remove_keyboard" {BOOLEAN}'),
    ({"reply_markup": {"force_reply": True, PLACEHOLDER: None}}, f'field "{PLACEHOLDER}" {STRING}'),
    ({"reply_parameters": 5}, "object expected as reply parameters"),
    (replies(message_id="x"), 'field "message_id" must be a valid Number'),
    (replies(message_id=1.0), 'field "message_id" must be a valid Number'),
    (replies(message_id=True), f'field "message_id" {NUMBER}'),
    (replies(message_id=1, quote=None), f'field "quote" {STRING}'),
    (replies(message_id=1, allow_sending_without_reply="yes"), f'field "allow_sending_without_reply" {BOOLEAN}'),
    (replies(message_id=99), "message to be replied not found"),
    ({"reply_to_message_id": 99}, "message to be replied not found"),
    (replies(quote="x"), 'can\'t find field "message_id"'),
    ({"link_preview_options": {"url": None}}, f'field "url" {STRING}'),
    ({"link_preview_options": {"show_above_text": None}}, f'field "show_above_text" {BOOLEAN}'),
    (mark("bold", offset="x"), f'{ENTITY}Field "offset" must be a valid Number'),
    ({"entities": [{"type": "bold", "length": 1}]}, f'{ENTITY}Can\'t find field "offset"'),
    (mark("bold", length=50), f"{FIRST} offset 0 ends after the end of the text at UTF-16 offset 50"),
    (mark("shiny"), f"{ENTITY}Unsupported type specified"),
    (mark("text_mention"), f'{ENTITY}Can\'t find field "user"'),
    (mark("text_link", url="nowhere"), "entity URL 'nowhere' is invalid: Wrong HTTP URL"),
]

COMMANDS = [{"command": "new", "description": "Open a table"}]
MEMBER = {"type": "chat_member", "chat_id": GROUP}
PHOTO = {"type": "photo", "media": "attach://one"}
MEDIA, SCOPE, STICKER = "can't parse InputMedia: ", "can't parse BotCommandScope: ", "can't parse InputSticker: "
ORDER, ONLY_HERE = "message identifiers must be in a strictly increasing order", "gets files of this machine only"
GOOD: dict[str, Any] = {"sticker": "attach://one", "emoji_list": ["🎲"], "format": "static"}
SET = {"name": "cups_by_sandbox_bot", "title": "Cups", "stickers": [GOOD], "one": png(512, 300)}
NO_LIMIT, HOOK = "can't be specified for links requiring administrator approval", "bad webhook: "
ABOVE, LINK = "show_caption_above_media", {"text": "More", "url": "https://example.org"}
GIFT = {"gift_id": "5168043875654172773", "chat_id": None}
USUAL: dict[str, dict[str, Any]] = {
    "sendMessage": {"text": "hello"},
    "sendLocation": {"latitude": 1, "longitude": 2},
    "sendVenue": {"latitude": 91, "longitude": 0, "title": "Café", "address": "Rue 1"},
    "sendMediaGroup": {"one": PIXEL},
    "sendPoll": {"question": "Tea?", "options": ["3", "4"]},
    "sendGame": {"game_short_name": "race"},
    "sendInvoice": BOOK,
    "editMessageText": {"text": "x"},
    "setMessageReaction": {"message_id": 1},
    "setWebhook": {"url": "http://127.0.0.1/h"},
    "setChatMenuButton": {"chat_id": None},
    "setStickerMaskPosition": {"mask_position": {"point": "ear", "x_shift": 0.5, "y_shift": 0.0, "scale": 2.0}},
    "copyMessages": {"from_chat_id": GROUP},
    "forwardMessages": {"from_chat_id": GROUP},
    "createNewStickerSet": {"user_id": ANA} | SET,
    "uploadStickerFile": {"user_id": ANA, "sticker_format": "static", "sticker": png(512, 300)},
}
"""The other parameters of a method, beside the group as its chat."""


def emoji(kind: str) -> dict[str, str]:
    return {"type": "emoji", "emoji": kind}


def sticker(**changes: Any) -> dict[str, Any]:
    return {"stickers": [GOOD | changes]}


REFUSED: dict[str, list[tuple[dict[str, Any], str]]] = {
    "sendMessage": MESSAGES,
    "sendPhoto": [
        ({}, "there is no photo in the request"),
        ({"photo": "attach://x"}, "there is no photo in the request"),
        ({"photo": b"no image"}, "IMAGE_PROCESS_FAILED"),
        ({"photo": PIXEL, "caption": "x" * 1025}, "message caption is too long"),
        ({"photo": png(10_000, 1)}, "PHOTO_INVALID_DIMENSIONS"),
        ({"photo": "https://example.org/x.png"}, f"failed to get HTTP URL content (telegram-sandbox {ONLY_HERE})"),
    ],
    "sendVoice": [({"voice": b""}, "file must be non-empty")],
    "sendMediaGroup": [
        ({"media": []}, "there are no messages to send"),
        ({"media": 5}, "expected an Array of InputMedia"),
        ({"media": [PHOTO] * 11}, "too many messages to send as an album"),
        ({"media": [PHOTO, {"type": "audio", "media": "x"}]}, "audio can't be mixed with other media types"),
        ({"media": [PHOTO, PHOTO | {ABOVE: True}]}, f"parameter {ABOVE} must be the same for all messages"),
        ({"media": [{"type": "photo"}]}, f"{MEDIA}media not found"),
        ({"media": [{"type": "photo", "media": "attach://x"}]}, f"{MEDIA}media not found"),
        ({"media": [{"type": "animation", "media": "x"}]}, f'{MEDIA}type "animation" can\'t be used in sendMediaGroup'),
        ({"media": [{"type": "x", "media": "x"}]}, f'{MEDIA}type "x" is unsupported'),
    ],
    "sendLocation": [
        ({"latitude": None, "longitude": None}, "latitude is empty"),
        ({"latitude": 91}, "invalid location specified"),
        ({"live_period": 5}, "wrong live location period specified"),
        ({"live_period": 60, "heading": 400}, "wrong live location heading specified"),
    ],
    "sendVenue": [({}, "wrong venue location specified")],
    "sendPoll": [
        ({"options": []}, "poll must have at least one answer option"),
        ({"options": ["a", " "]}, "text must be non-empty"),
        ({"options": [5]}, "expected an option to be of type String"),
        ({"options": [{"text": "a", "text_parse_mode": None}]}, f'field "text_parse_mode" {STRING}'),
        ({"options": None}, "can't parse options JSON object"),
        ({"options": ["a"], "question": None}, "text must be non-empty"),
        ({"type": "quiz"}, "correct quiz option list must be non-empty"),
        ({"type": "quiz", "correct_option_ids": [2]}, "wrong quiz correct_option_id"),
        ({"type": "quiz", "correct_option_ids": ["1"]}, f"correct option identifier {NUMBER}"),
    ],
    "sendGame": [
        ({"game_short_name": ""}, "game_short_name is empty"),
        ({"game_short_name": "chess"}, "wrong game short name specified"),
        ({"reply_markup": keys([LINK])}, "REPLY_MARKUP_GAME_EMPTY"),
        ({"reply_markup": keys([LINK, {"text": "Go", "callback_game": {}}])}, "BUTTON_POS_INVALID"),
    ],
    "sendInvoice": [
        ({"title": "x" * 33}, "title must have 1 to 32 characters"),
        ({"description": ""}, "description must have 1 to 255 characters"),
        ({"payload": "é" * 65}, "INVOICE_PAYLOAD_INVALID"),
        ({"provider_token": ""}, "PAYMENT_PROVIDER_INVALID"),
        ({"currency": "XTR"}, "STARS_INVOICE_INVALID"),
        ({"currency": "XTR", "provider_token": "", "prices": BOOK["prices"] * 2}, "STARS_INVOICE_INVALID"),
        ({"prices": []}, "there must be at least one price"),
        ({"prices": [{"label": "Gift", "amount": -1}]}, "total price must be positive"),
        ({"reply_markup": keys([LINK])}, "REPLY_MARKUP_BUY_EMPTY"),
        ({"reply_markup": keys([LINK, {"text": "Buy", "pay": True}])}, "BUTTON_POS_INVALID"),
    ],
    "sendRichMessage": [
        ({"rich_message": {"html": "<video>"}}, "telegram-sandbox does not read <video> in rich messages"),
        ({"rich_message": {"html": "<p><b>x</p>"}}, "can't parse rich message: Unmatched end tag </p>"),
        ({"rich_message": {"html": "<p>x"}}, "can't parse rich message: Can't find the end tag of <p>"),
        ({"rich_message": {"blocks": [{"type": "photo"}]}}, "telegram-sandbox has no photo in rich messages"),
        ({"rich_message": {}}, "message text is empty"),
    ],
    "sendGift": [
        (GIFT, "invalid user_id specified"),
        (GIFT | {"user_id": 1}, "user not found"),
        (GIFT | {"chat_id": GROUP}, "PEER_ID_INVALID"),
        (GIFT | {"gift_id": "1", "user_id": ANA}, "STARGIFT_INVALID"),
        (GIFT | {"user_id": ANA, "text": "x" * 129}, "STARGIFT_MESSAGE_INVALID"),
        (GIFT | {"user_id": ANA}, "BALANCE_TOO_LOW"),
    ],
    "sendChatAction": [
        ({}, "wrong parameter action in request"),
        ({"action": "dancing"}, "wrong parameter action in request"),
    ],
    "sendChecklist": [({}, "telegram-sandbox does not support sendChecklist")],
    "setMessageReaction": [
        ({"reaction": [{"type": "x"}]}, "can't parse ReactionType: invalid reaction type specified"),
        ({"reaction": [{"type": "paid"}]}, "can't parse ReactionType: invalid reaction type specified"),
        ({"reaction": "x"}, "can't parse reaction types JSON object"),
        ({"reaction": [emoji("🎲")]}, "REACTION_INVALID"),
        ({"reaction": [emoji("🎉"), emoji("👍")]}, "REACTIONS_TOO_MANY"),
    ],
    "editMessageText": [({"chat_id": None}, "message identifier is not specified"), ({}, "message to edit not found")],
    "deleteMessage": [
        ({}, "message identifier is not specified"),
        ({"message_id": "x"}, "message identifier is not specified"),
        ({"chat_id": None}, "chat identifier is not specified"),
    ],
    "deleteMessages": [
        ({}, "message identifiers are not specified"),
        ({"message_ids": []}, "message identifiers are not specified"),
        ({"message_ids": 5}, "expected an Array of message identifiers"),
        ({"message_ids": [None]}, "message identifier must be a Number"),
        ({"message_ids": ["x"]}, "can't parse message identifier as a Number"),
        ({"message_ids": [-1]}, "invalid message identifier specified"),
        ({"message_ids": list(range(1, 102))}, "too many message identifiers specified"),
    ],
    "copyMessages": [({"message_ids": [2, 1]}, ORDER)],
    "forwardMessages": [({"message_ids": [2, 1]}, ORDER)],
    "banChatMember": [({}, "invalid user_id specified")],
    "getChat": [({"chat_id": None}, "chat_id is empty"), ({"chat_id": 5}, "chat not found")],
    "getChatMember": [({"user_id": 3}, "member not found"), ({"user_id": GROUP}, "member not found")],
    "getChatAdministrators": [({"chat_id": ANA}, "there are no administrators in the private chat")],
    "getUserChatBoosts": [({"user_id": 1}, "user not found")],
    "getFile": [({}, "file_id not specified"), ({"file_id": "abc"}, "invalid file_id")],
    "answerCallbackQuery": [({}, TOO_OLD)],
    "createChatInviteLink": [
        ({"name": "x" * 33}, "invite link name must have at most 32 characters"),
        ({"member_limit": 100_000}, "USAGE_LIMIT_INVALID"),
        ({"member_limit": 2, "creates_join_request": True}, f"member limit {NO_LIMIT}"),
        ({"chat_id": ANA}, "can't invite members to a private chat"),
    ],
    "setMyCommands": [
        ({"commands": [{"command": "New Game", "description": "x"}]}, "BOT_COMMAND_INVALID"),
        ({"commands": [{"command": "x" * 33, "description": "x"}]}, "BOT_COMMAND_INVALID"),
        ({"commands": [{"command": "new", "description": ""}]}, "command description must be non-empty"),
        ({"commands": [{"command": "new", "description": "x" * 257}]}, "BOT_COMMAND_DESCRIPTION_INVALID"),
        ({"commands": [{"command": "a"}]}, "can't parse BotCommand: Can't find field \"description\""),
        ({"commands": 5}, "expected an Array of BotCommand"),
        ({"commands": COMMANDS * 101}, "BOT_COMMANDS_TOO_MUCH"),
        ({"commands": COMMANDS, "language_code": "english"}, "LANGUAGE_CODE_INVALID"),
        ({"commands": COMMANDS, "scope": {"type": "chat", "chat_id": 5}}, "chat not found"),
        ({"commands": COMMANDS, "scope": MEMBER | {"user_id": 5}}, "invalid user_id specified"),
        ({"commands": COMMANDS, "scope": MEMBER}, f'{SCOPE}Can\'t find field "user_id"'),
        ({"commands": COMMANDS, "scope": {"type": "chat"}}, f'{SCOPE}Can\'t find field "chat_id"'),
        ({"scope": {"type": "x"}}, f"{SCOPE}Unsupported type specified"),
    ],
    "setChatMenuButton": [
        ({"menu_button": {"type": "games"}}, "can't parse menu button: MenuButton has unsupported type"),
        ({"menu_button": {"type": "web_app"}}, "can't parse menu button: Can't find field \"text\""),
        ({"menu_button": {"type": "commands"}, "chat_id": GROUP}, "invalid chat_id specified"),
    ],
    "createNewStickerSet": [
        ({"name": "cups"}, "invalid sticker set name is specified"),
        ({"name": "my__cups_by_sandbox_bot"}, "invalid sticker set name is specified"),
        ({"name": ""}, "sticker set name must be non-empty"),
        ({"title": " "}, "sticker set title must be non-empty"),
        ({"stickers": []}, "at least 1 sticker must be specified"),
        ({"stickers": [GOOD] * 51}, "too many stickers specified"),
        ({"sticker_type": "gif"}, "unsupported sticker type specified"),
        ({"needs_repainting": True}, "only custom emoji stickers support repainting"),
        ({"user_id": 5}, "user not found"),
        ({"user_id": ""}, "invalid user_id specified"),
        (sticker(format=""), f'{STICKER}Can\'t find field "format"'),
        (sticker(format="gif"), f"{STICKER}invalid sticker format specified"),
        (sticker(emoji_list=[]), f"{STICKER}emoji list must be non-empty"),
        (sticker(emoji_list=["🎲"] * 21), f"{STICKER}too many emoji specified"),
        (sticker(emoji_list=["cup"]), f"{STICKER}expected a Unicode emoji"),
        (sticker(format="video"), "STICKER_VIDEO_NOWEBM"),
        (sticker(format="animated"), "STICKER_TGS_NOTGS"),
        ({"sticker_type": "custom_emoji"}, "STICKER_PNG_DIMENSIONS"),
    ],
    "uploadStickerFile": [
        ({"sticker_format": "gif"}, "invalid sticker format specified"),
        ({"user_id": 5}, "user not found"),
    ],
    "deleteStickerFromSet": [
        ({}, "sticker is not specified"),
        ({"sticker": "x"}, "wrong remote file identifier specified: Wrong string length"),
    ],
    "setStickerSetTitle": [
        ({}, "sticker set name must be non-empty"),
        ({"name": "x", "title": "Cups"}, "STICKERSET_INVALID"),
    ],
    "deleteStickerSet": [({}, "sticker set name must be non-empty"), ({"name": "x"}, "STICKERSET_INVALID")],
    "getCustomEmojiStickers": [
        ({"custom_emoji_ids": ["x"]}, "invalid custom emoji identifier specified"),
        ({"custom_emoji_ids": ["1"] * 201}, "too many custom emoji identifiers specified"),
    ],
    "setStickerMaskPosition": [({}, "can't parse mask position: Wrong point specified in MaskPosition")],
    "setWebhook": [
        ({"url": "http://example.org"}, f"{HOOK}An HTTPS URL must be provided for webhook"),
        ({"url": "https://example.org:8080"}, f"{HOOK}Webhook can be set up only on ports 80, 88, 443 or 8443"),
        ({"url": "https://example.org"}, f"{HOOK}this sandbox delivers to this machine only (--deliver-anywhere)"),
        ({"url": "https://127.0.0.1/h", "certificate": b"nonsense"}, f"{HOOK}can't set certificate for webhook"),
        ({"url": "hook"}, "invalid webhook URL specified"),
        ({"url": "http://[x"}, "invalid webhook URL specified"),
        ({"url": "ftp://127.0.0.1/h"}, "invalid webhook URL specified"),
        ({"secret_token": "a" * 257}, "secret token is too long"),
        ({"secret_token": "no spaces"}, "secret token contains unallowed characters"),
    ],
}


@pytest.fixture
def settings() -> SandboxSettings:
    return SandboxSettings(port=0, flood_limits=False, bot_is_admin=True)


async def test_each_request_is_refused_in_telegrams_words(play: Play) -> None:
    assert (play.id("Ana"), play.group) == (ANA, GROUP)
    play.sandbox.add_game("race", "Dice race")
    await play.start("Ana")
    await play.say("Ana", "exactly seven")
    for method, cases in REFUSED.items():
        await play.refuses(method, *cases, **{"chat_id": GROUP} | USUAL.get(method, {}))
    failures = play.sandbox.world.calls.schema_failures
    assert {call.method for call in failures} >= {"sendMessage", "sendPhoto", "getFile"}, "the schema says so as well"
