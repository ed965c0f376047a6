"""The server's words for parameters that it cannot read, from those of the models."""

from typing import NamedTuple

from pydantic_core import ErrorDetails


class Words(NamedTuple):
    """Telegram's words about one parameter."""

    unreadable: str
    """It is not JSON."""
    expected: str
    """It is something else."""
    inside: str = ""
    """Before a mistake in one of its parts."""


def _array(of: str, name: str, inside: str = "") -> Words:
    return Words(f"can't parse {name} JSON object", f"expected an Array of {of}", f"can't parse {inside or of}: ")


def _object(name: str, kind: str) -> Words:
    inside = f"can't parse {name}: "
    return Words(f"can't parse {name} JSON object", f"{inside}{kind} must be an Object", inside)


WORDS = {
    "reply_markup": Words("can't parse reply keyboard markup JSON object", "object expected as reply markup"),
    "reply_parameters": Words("can't parse reply parameters JSON object", "object expected as reply parameters"),
    "link_preview_options": Words(
        "can't parse link preview options JSON object", "object expected as link preview options"
    ),
    "permissions": Words(
        "can't parse permissions JSON object", "object expected as permissions", "can't parse chat permissions: "
    ),
    "message_ids": Words(
        "can't parse message_ids JSON object",
        "expected an Array of message identifiers",
        "message identifier must be a Number",
    ),
    "correct_option_ids": Words(
        "can't parse correct option identifiers JSON object",
        "expected an Array of correct option identifiers",
        "correct option identifier must be of type Number",
    ),
    "options": Words(
        "can't parse options JSON object",
        "expected an Array of String as options",
        "expected an option to be of type String",
    ),
    "media": _array("InputMedia", "media"),
    "commands": _array("BotCommand", "commands"),
    "reaction": _array("ReactionType", "reaction types"),
    "prices": _array("labeled prices", "prices", "labeled price"),
    "shipping_options": _array("shipping options", "shipping options", "shipping option"),
    "results": _array("inline query results", "inline query results", "inline query result"),
    "stickers": _array("InputSticker", "stickers"),
    "entities": _array("MessageEntity", "entities"),
    "caption_entities": _array("MessageEntity", "caption entities"),
    "sticker": _object("sticker", "InputSticker"),
    "scope": _object("BotCommandScope", "BotCommandScope"),
    "menu_button": _object("menu button", "MenuButton"),
    "mask_position": _object("mask position", "MaskPosition"),
    "rights": _object("ChatAdministratorRights", "ChatAdministratorRights"),
    "result": _object("inline query result", "Inline query result"),
    "button": _object("inline query results button", "InlineQueryResultsButton"),
}
TYPES = {
    "string": "of type String",
    "int_parsing": "a valid Number",
    "int": "of type Number",
    "float": "of type Number",
    "bool": "of type Boolean",
    "list": "of type Array",
    "model": "of type Object",
    "dict": "of type Object",
}
"""By the beginning of the model's name for a mistake."""
FIELDS = {"media": "media not found", "photo": "photo not found"}


def mistake(found: ErrorDetails) -> str:
    """Return the words for a mistake inside an object, without its place."""
    last = found["loc"][-1]
    if found["type"] == "missing":
        return FIELDS.get(str(last), f'Can\'t find field "{last}"')
    kind = next((words for begin, words in TYPES.items() if found["type"].startswith(begin)), "of type String")
    return "expected an Object" if isinstance(last, int) else f'Field "{last}" must be {kind}'


def words_for(name: str, found: ErrorDetails) -> str:
    """Return the words for a parameter that has another type, or a mistake inside."""
    words = WORDS.get(name, Words("", "", ""))
    if len(found["loc"]) == 1 and words.expected:
        return words.expected
    if name == "message_ids" and found["type"] == "int_parsing":
        return "can't parse message identifier as a Number"
    if name in ("message_ids", "options", "correct_option_ids") and found["loc"][-2:-1] != ("InputPollOption",):
        return words.inside
    if name == "options":
        return _begun(mistake(found))
    return words.inside + mistake(found) if words.inside else _begun(mistake(found))


def _begun(words: str) -> str:
    """Return words that begin a refusal, where Telegram writes the first letter small."""
    return words[0].lower() + words[1:]


def keyboard_words(found: ErrorDetails, name: str) -> str:
    """Return the words for a keyboard, whose rows have buttons."""
    where = found["loc"]
    if where[0] != name or len(where) == len((name,)):
        return _begun(mistake(found))
    is_inline = name == "inline_keyboard"
    if len(where) == len((name, 0)):
        return f'field "{name}"{" of the InlineKeyboardMarkup" if is_inline else ""} must be an Array of Arrays'
    what = mistake(found)
    if found["type"] == "model_type":
        what = "InlineKeyboardButton must be an Object" if is_inline else "KeyboardButton must be a String or an Object"
    return f"can't parse {'inline ' if is_inline else ''}keyboard button: {what}"
