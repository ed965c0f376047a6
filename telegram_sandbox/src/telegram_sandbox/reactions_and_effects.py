"""The reactions and message effects that Telegram has for bots."""

ALL_REACTIONS = """
    ❤ 👍 👎 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤\u200d🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐
    🍓 🍾 💋 🖕 😈 😴 😭 🤓 👻 👨\u200d💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾
    🤷\u200d♂ 🤷 🤷\u200d♀ 😡
"""
REACTIONS = frozenset(ALL_REACTIONS.split())
EFFECTS = {
    "5104841245755180586": "🔥",
    "5107584321108051014": "👍",
    "5104858069142078462": "👎",
    "5159385139981059251": "❤",
    "5046509860389126442": "🎉",
    "5046589136895476101": "💩",
}
"""The effects that need no subscription, and what each shows."""
EMOJI_STYLE = "\ufe0f"


def is_reaction(emoji: str) -> bool:
    """Return whether a bot can react with this emoji, with or without the variation selector."""
    return emoji.replace(EMOJI_STYLE, "") in REACTIONS
