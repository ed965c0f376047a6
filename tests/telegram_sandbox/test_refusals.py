"""Requests that Telegram refuses for what they say, by method, each with its words."""

from typing import Any

from tests.telegram_sandbox.browsing import PIXEL, keys, png
from tests.telegram_sandbox.conftest import Play
from tests.telegram_sandbox.test_payments import BOOK
from tests.telegram_sandbox.test_taps import TOO_OLD

ANA, GROUP = 7_000_000_001, -1_002_000_000_001
STRING, BOOLEAN, NUMBER = (f"must be of type {kind}" for kind in ("String", "Boolean", "Number"))
SETTINGS = {"bot_is_admin": True}


def key(*widths: int, **button: Any) -> dict[str, Any]:
    """A keyboard of one button, or of rows of these widths."""
    return {"reply_markup": keys(*([{"text": "x"} | button] * width for width in widths or (1,)))}


def replies(**parameters: Any) -> dict[str, Any]:
    return {"reply_parameters": parameters}


def mark(kind: str, **more: Any) -> dict[str, Any]:
    return {"entities": [{"type": kind, "offset": 0, "length": 1, **more}]}


def row(*buttons: Any, **more: Any) -> dict[str, Any]:
    return {"reply_markup": {"keyboard": [buttons], **more}}


def asks(**request: Any) -> dict[str, Any]:
    return row({"text": "x", "request_users": request})


def app(url: str, chat: int = ANA) -> dict[str, Any]:
    return key(web_app={"url": url}) | {"chat_id": chat}


INLINE, BUTTON = (f"can't parse {kind}keyboard button: " for kind in ("inline ", ""))
ENTITY, KEY, HTTPS = "can't parse MessageEntity: ", "inline keyboard button", "Only HTTPS links are allowed"
FIRST, PLACEHOLDER = "entity beginning at UTF-16", "input_field_placeholder"
MESSAGES: list[tuple[Any, ...]] = [
    ("chat not found", {"chat_id": 5}, {"chat_id": "@nobody"}),
    ("chat_id is empty", {"chat_id": None}),
    ("message text is empty", {"text": None}),
    ("text must be non-empty", {"text": "   "}),
    ("message is too long", {"text": "x" * 4097}, {"text": "🎲" * 2049}),
    ("text is too long", {"text": "🎲" * 8193}),
    ("unsupported parse_mode", {"parse_mode": "XML"}),
    ("message thread not found", {"chat_id": ANA, "message_thread_id": 7}),
    ("EFFECT_ID_INVALID", {"chat_id": ANA, "message_effect_id": "1"}),
    ("can't use message effects in the chat", {"message_effect_id": "5104841245755180586"}),
    ("can't parse reply keyboard markup JSON object", {"reply_markup": "{"}),
    ("object expected as reply markup", {"reply_markup": 5}),
    ('field "inline_keyboard" must be of type Array', {"reply_markup": {"inline_keyboard": 5}}),
    (
        'field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays',
        {"reply_markup": {"inline_keyboard": [{"text": "x"}]}},
    ),
    (f"{INLINE}InlineKeyboardButton must be an Object", {"reply_markup": {"inline_keyboard": [["x"]]}}),
    ("reply markup is too long", key(9, callback_data="a"), key(*[8] * 13, callback_data="a")),
    (f'{INLINE}Can\'t find field "text"', {"reply_markup": keys([{"callback_data": "x"}])}),
    (f'{INLINE}Field "url" {STRING}', key(url=[]), key(callback_data="a", url=None)),
    ("BUTTON_DATA_INVALID", key(callback_data="é" * 33)),
    (f"{INLINE}Text buttons are unallowed in the inline keyboard", key(callback_data=""), key()),
    (f'{INLINE}Field "switch_inline_query" {STRING}', key(switch_inline_query=None)),
    (f'{INLINE}Field "allow_user_chats" {BOOLEAN}', key(switch_inline_query_chosen_chat={"allow_user_chats": 1})),
    ("at least one chat type must be allowed", key(switch_inline_query_chosen_chat={"query": "x"})),
    ("BUTTON_TEXT_INVALID", key(text=" ", callback_data="a")),
    ("BUTTON_TYPE_INVALID", key(callback_game={}), key(pay=True), app("https://quiz.test/app", GROUP)),
    (f"{KEY} Web App URL 'http://quiz.test/app' is invalid: {HTTPS}", app("http://quiz.test/app")),
    (f"{KEY} Web App URL 'javascript:alert()' is invalid: {HTTPS}", app("javascript:alert()")),
    (f"{KEY} login URL 'http://x.org' is invalid: {HTTPS}", key(login_url={"url": "http://x.org"})),
    (f"{INLINE}LoginUrl bot username is invalid", key(login_url={"url": "https://x.org", "bot_username": "a b"})),
    (f"{INLINE}invalid button style specified", key(callback_data="a", style="blue")),
    ("inline keyboard button URL 'http://localhost' is invalid: Wrong HTTP URL", key(url="http://localhost")),
    ('field "keyboard" must be an Array of Arrays', {"reply_markup": {"keyboard": ["x"]}}),
    (f"{BUTTON}KeyboardButton must be a String or an Object", row(True), row(5)),
    (f'{BUTTON}Field "request_contact" {BOOLEAN}', row({"text": "x", "request_contact": "true"})),
    (f'{BUTTON}Can\'t find field "text"', row({})),
    (f'{BUTTON}Can\'t find field "request_id"', asks()),
    (f'{BUTTON}Field "request_id" must be a valid Number', asks(request_id="x")),
    (f'field "resize_keyboard" {BOOLEAN}', row("x", resize_keyboard=None)),
    (f'field "one_time_keyboard" {BOOLEAN}', row("x", one_time_keyboard="yes")),
    ("phone number can be requested in private chats only", row({"text": "x", "request_contact": True})),
    ("location can be requested in private chats only", row({"text": "x", "request_location": True})),
    ("poll can be requested in private chats only", row({"text": "x", "request_poll": {}})),
    (f'field "remove_keyboard" {BOOLEAN}', {"reply_markup": {"remove_keyboard": 1}}),
    (f'field "{PLACEHOLDER}" {STRING}', {"reply_markup": {"force_reply": True, PLACEHOLDER: None}}),
    ("object expected as reply parameters", {"reply_parameters": 5}),
    ('field "message_id" must be a valid Number', replies(message_id="x"), replies(message_id=1.0)),
    (f'field "message_id" {NUMBER}', replies(message_id=True)),
    (f'field "quote" {STRING}', replies(message_id=1, quote=None)),
    (f'field "allow_sending_without_reply" {BOOLEAN}', replies(message_id=1, allow_sending_without_reply="yes")),
    ("message to be replied not found", replies(message_id=99), {"reply_to_message_id": 99}),
    ('can\'t find field "message_id"', replies(quote="x")),
    (f'field "url" {STRING}', {"link_preview_options": {"url": None}}),
    (f'field "show_above_text" {BOOLEAN}', {"link_preview_options": {"show_above_text": None}}),
    (f'{ENTITY}Field "offset" must be a valid Number', mark("bold", offset="x")),
    (f'{ENTITY}Can\'t find field "offset"', {"entities": [{"type": "bold", "length": 1}]}),
    (f"{FIRST} offset 0 ends after the end of the text at UTF-16 offset 50", mark("bold", length=50)),
    (f"{ENTITY}Unsupported type specified", mark("shiny")),
    (f'{ENTITY}Can\'t find field "user"', mark("text_mention")),
    ("entity URL 'nowhere' is invalid: Wrong HTTP URL", mark("text_link", url="nowhere")),
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
"""The parameters of a method besides its chat, which is the group."""


def emoji(kind: str) -> dict[str, str]:
    return {"type": "emoji", "emoji": kind}


def sticker(**changes: Any) -> dict[str, Any]:
    return {"stickers": [GOOD | changes]}


REFUSED: dict[str, list[tuple[Any, ...]]] = {
    "sendMessage": MESSAGES,
    "sendPhoto": [
        ("there is no photo in the request", {}, {"photo": "attach://x"}),
        ("IMAGE_PROCESS_FAILED", {"photo": b"no image"}),
        ("message caption is too long", {"photo": PIXEL, "caption": "x" * 1025}),
        ("PHOTO_INVALID_DIMENSIONS", {"photo": png(10_000, 1)}),
        (f"failed to get HTTP URL content (telegram-sandbox {ONLY_HERE})", {"photo": "https://example.org/x.png"}),
    ],
    "sendVoice": [("file must be non-empty", {"voice": b""})],
    "sendMediaGroup": [
        ("there are no messages to send", {"media": []}),
        ("expected an Array of InputMedia", {"media": 5}),
        ("too many messages to send as an album", {"media": [PHOTO] * 11}),
        ("audio can't be mixed with other media types", {"media": [PHOTO, {"type": "audio", "media": "x"}]}),
        (f"parameter {ABOVE} must be the same for all messages", {"media": [PHOTO, PHOTO | {ABOVE: True}]}),
        (
            f"{MEDIA}media not found",
            {"media": [{"type": "photo"}]},
            {"media": [{"type": "photo", "media": "attach://x"}]},
        ),
        (f'{MEDIA}type "animation" can\'t be used in sendMediaGroup', {"media": [{"type": "animation", "media": "x"}]}),
        (f'{MEDIA}type "x" is unsupported', {"media": [{"type": "x", "media": "x"}]}),
    ],
    "sendLocation": [
        ("latitude is empty", {"latitude": None, "longitude": None}),
        ("invalid location specified", {"latitude": 91}),
        ("wrong live location period specified", {"live_period": 5}),
        ("wrong live location heading specified", {"live_period": 60, "heading": 400}),
    ],
    "sendVenue": [("wrong venue location specified", {})],
    "sendPoll": [
        ("poll must have at least one answer option", {"options": []}),
        ("text must be non-empty", {"options": ["a", " "]}, {"options": ["a"], "question": None}),
        ("expected an option to be of type String", {"options": [5]}),
        (f'field "text_parse_mode" {STRING}', {"options": [{"text": "a", "text_parse_mode": None}]}),
        ("can't parse options JSON object", {"options": None}),
        ("correct quiz option list must be non-empty", {"type": "quiz"}),
        ("wrong quiz correct_option_id", {"type": "quiz", "correct_option_ids": [2]}),
        (f"correct option identifier {NUMBER}", {"type": "quiz", "correct_option_ids": ["1"]}),
    ],
    "sendGame": [
        ("game_short_name is empty", {"game_short_name": ""}),
        ("wrong game short name specified", {"game_short_name": "chess"}),
        ("REPLY_MARKUP_GAME_EMPTY", {"reply_markup": keys([LINK])}),
        ("BUTTON_POS_INVALID", {"reply_markup": keys([LINK, {"text": "Go", "callback_game": {}}])}),
    ],
    "sendInvoice": [
        ("title must have 1 to 32 characters", {"title": "x" * 33}),
        ("description must have 1 to 255 characters", {"description": ""}),
        ("INVOICE_PAYLOAD_INVALID", {"payload": "é" * 65}),
        ("PAYMENT_PROVIDER_INVALID", {"provider_token": ""}),
        (
            "STARS_INVOICE_INVALID",
            {"currency": "XTR"},
            {"currency": "XTR", "provider_token": "", "prices": BOOK["prices"] * 2},
        ),
        ("there must be at least one price", {"prices": []}),
        ("total price must be positive", {"prices": [{"label": "Gift", "amount": -1}]}),
        ("REPLY_MARKUP_BUY_EMPTY", {"reply_markup": keys([LINK])}),
        ("BUTTON_POS_INVALID", {"reply_markup": keys([LINK, {"text": "Buy", "pay": True}])}),
    ],
    "sendRichMessage": [
        ("telegram-sandbox does not read <video> in rich messages", {"rich_message": {"html": "<video>"}}),
        ("can't parse rich message: Unmatched end tag </p>", {"rich_message": {"html": "<p><b>x</p>"}}),
        ("can't parse rich message: Can't find the end tag of <p>", {"rich_message": {"html": "<p>x"}}),
        ("telegram-sandbox has no photo in rich messages", {"rich_message": {"blocks": [{"type": "photo"}]}}),
        ("message text is empty", {"rich_message": {}}),
    ],
    "sendGift": [
        ("invalid user_id specified", GIFT),
        ("user not found", GIFT | {"user_id": 1}),
        ("PEER_ID_INVALID", GIFT | {"chat_id": GROUP}),
        ("STARGIFT_INVALID", GIFT | {"gift_id": "1", "user_id": ANA}),
        ("STARGIFT_MESSAGE_INVALID", GIFT | {"user_id": ANA, "text": "x" * 129}),
        ("BALANCE_TOO_LOW", GIFT | {"user_id": ANA}),
    ],
    "sendChatAction": [("wrong parameter action in request", {}, {"action": "dancing"})],
    "sendChecklist": [("telegram-sandbox does not support sendChecklist", {})],
    "setMessageReaction": [
        (
            "can't parse ReactionType: invalid reaction type specified",
            {"reaction": [{"type": "x"}]},
            {"reaction": [{"type": "paid"}]},
        ),
        ("can't parse reaction types JSON object", {"reaction": "x"}),
        ("REACTION_INVALID", {"reaction": [emoji("🎲")]}),
        ("REACTIONS_TOO_MANY", {"reaction": [emoji("🎉"), emoji("👍")]}),
    ],
    "editMessageText": [("message identifier is not specified", {"chat_id": None}), ("message to edit not found", {})],
    "deleteMessage": [
        ("message identifier is not specified", {}, {"message_id": "x"}),
        ("chat identifier is not specified", {"chat_id": None}),
    ],
    "deleteMessages": [
        ("message identifiers are not specified", {}, {"message_ids": []}),
        ("expected an Array of message identifiers", {"message_ids": 5}),
        ("message identifier must be a Number", {"message_ids": [None]}),
        ("can't parse message identifier as a Number", {"message_ids": ["x"]}),
        ("invalid message identifier specified", {"message_ids": [-1]}),
        ("too many message identifiers specified", {"message_ids": list(range(1, 102))}),
    ],
    "copyMessages": [(ORDER, {"message_ids": [2, 1]})],
    "forwardMessages": [(ORDER, {"message_ids": [2, 1]})],
    "banChatMember": [("invalid user_id specified", {})],
    "getChat": [("chat_id is empty", {"chat_id": None}), ("chat not found", {"chat_id": 5})],
    "getChatMember": [("member not found", {"user_id": 3}, {"user_id": GROUP})],
    "getChatAdministrators": [("there are no administrators in the private chat", {"chat_id": ANA})],
    "getUserChatBoosts": [("user not found", {"user_id": 1})],
    "getFile": [("file_id not specified", {}), ("invalid file_id", {"file_id": "abc"})],
    "answerCallbackQuery": [(TOO_OLD, {})],
    "createChatInviteLink": [
        ("invite link name must have at most 32 characters", {"name": "x" * 33}),
        ("USAGE_LIMIT_INVALID", {"member_limit": 100_000}),
        (f"member limit {NO_LIMIT}", {"member_limit": 2, "creates_join_request": True}),
        ("can't invite members to a private chat", {"chat_id": ANA}),
    ],
    "setMyCommands": [
        (
            "BOT_COMMAND_INVALID",
            {"commands": [{"command": "New Game", "description": "x"}]},
            {"commands": [{"command": "x" * 33, "description": "x"}]},
        ),
        ("command description must be non-empty", {"commands": [{"command": "new", "description": ""}]}),
        ("BOT_COMMAND_DESCRIPTION_INVALID", {"commands": [{"command": "new", "description": "x" * 257}]}),
        ("can't parse BotCommand: Can't find field \"description\"", {"commands": [{"command": "a"}]}),
        ("expected an Array of BotCommand", {"commands": 5}),
        ("BOT_COMMANDS_TOO_MUCH", {"commands": COMMANDS * 101}),
        ("LANGUAGE_CODE_INVALID", {"commands": COMMANDS, "language_code": "english"}),
        ("chat not found", {"commands": COMMANDS, "scope": {"type": "chat", "chat_id": 5}}),
        ("invalid user_id specified", {"commands": COMMANDS, "scope": MEMBER | {"user_id": 5}}),
        (f'{SCOPE}Can\'t find field "user_id"', {"commands": COMMANDS, "scope": MEMBER}),
        (f'{SCOPE}Can\'t find field "chat_id"', {"commands": COMMANDS, "scope": {"type": "chat"}}),
        (f"{SCOPE}Unsupported type specified", {"scope": {"type": "x"}}),
    ],
    "setChatMenuButton": [
        ("can't parse menu button: MenuButton has unsupported type", {"menu_button": {"type": "games"}}),
        ("can't parse menu button: Can't find field \"text\"", {"menu_button": {"type": "web_app"}}),
        ("invalid chat_id specified", {"menu_button": {"type": "commands"}, "chat_id": GROUP}),
    ],
    "createNewStickerSet": [
        ("invalid sticker set name is specified", {"name": "cups"}, {"name": "my__cups_by_sandbox_bot"}),
        ("sticker set name must be non-empty", {"name": ""}),
        ("sticker set title must be non-empty", {"title": " "}),
        ("at least 1 sticker must be specified", {"stickers": []}),
        ("too many stickers specified", {"stickers": [GOOD] * 51}),
        ("unsupported sticker type specified", {"sticker_type": "gif"}),
        ("only custom emoji stickers support repainting", {"needs_repainting": True}),
        ("user not found", {"user_id": 5}),
        ("invalid user_id specified", {"user_id": ""}),
        (f'{STICKER}Can\'t find field "format"', sticker(format="")),
        (f"{STICKER}invalid sticker format specified", sticker(format="gif")),
        (f"{STICKER}emoji list must be non-empty", sticker(emoji_list=[])),
        (f"{STICKER}too many emoji specified", sticker(emoji_list=["🎲"] * 21)),
        (f"{STICKER}expected a Unicode emoji", sticker(emoji_list=["cup"])),
        ("STICKER_VIDEO_NOWEBM", sticker(format="video")),
        ("STICKER_TGS_NOTGS", sticker(format="animated")),
        ("STICKER_PNG_DIMENSIONS", {"sticker_type": "custom_emoji"}),
    ],
    "uploadStickerFile": [
        ("invalid sticker format specified", {"sticker_format": "gif"}),
        ("user not found", {"user_id": 5}),
    ],
    "deleteStickerFromSet": [
        ("sticker is not specified", {}),
        ("wrong remote file identifier specified: Wrong string length", {"sticker": "x"}),
    ],
    "setStickerSetTitle": [
        ("sticker set name must be non-empty", {}),
        ("STICKERSET_INVALID", {"name": "x", "title": "Cups"}),
    ],
    "deleteStickerSet": [("sticker set name must be non-empty", {}), ("STICKERSET_INVALID", {"name": "x"})],
    "getCustomEmojiStickers": [
        ("invalid custom emoji identifier specified", {"custom_emoji_ids": ["x"]}),
        ("too many custom emoji identifiers specified", {"custom_emoji_ids": ["1"] * 201}),
    ],
    "setStickerMaskPosition": [("can't parse mask position: Wrong point specified in MaskPosition", {})],
    "setWebhook": [
        (f"{HOOK}An HTTPS URL must be provided for webhook", {"url": "http://example.org"}),
        (f"{HOOK}Webhook can be set up only on ports 80, 88, 443 or 8443", {"url": "https://example.org:8080"}),
        (f"{HOOK}this sandbox delivers to this machine only (--deliver-anywhere)", {"url": "https://example.org"}),
        (f"{HOOK}can't set certificate for webhook", {"url": "https://127.0.0.1/h", "certificate": b"nonsense"}),
        ("invalid webhook URL specified", {"url": "hook"}, {"url": "http://[x"}, {"url": "ftp://127.0.0.1/h"}),
        ("secret token is too long", {"secret_token": "a" * 257}),
        ("secret token contains unallowed characters", {"secret_token": "no spaces"}),
    ],
}


async def test_each_request_is_refused_in_telegrams_words(play: Play) -> None:
    assert (play.id("Ana"), play.group) == (ANA, GROUP)
    play.sandbox.add_game("race", "Dice race")
    await play.start("Ana")
    await play.say("Ana", "exactly seven")
    for method, refusals in REFUSED.items():
        cases = [(each, words) for words, *requests in refusals for each in requests]
        await play.refuses(method, *cases, **{"chat_id": GROUP} | USUAL.get(method, {}))
    failures = play.sandbox.world.calls.schema_failures
    assert {call.method for call in failures} >= {"sendMessage", "sendPhoto", "getFile"}, "the schema says so as well"
