"""Read dice and bids as screens show them: as keycaps, as signs, or with the sign of a wild one."""

import re

from telegram_bot.tables.faces import Face

SIGNS = "⚀⚁⚂⚃⚄⚅"
KEYCAP = "\N{VARIATION SELECTOR-16}\N{COMBINING ENCLOSING KEYCAP}"
WILD_ONES = ("⭐", "🅰️", "🗿", "🌟")
DIE = rf"(?:[1-6]{KEYCAP}|[{SIGNS}]|{'|'.join(WILD_ONES)})"
"""The pattern of one die."""
BID = re.compile(rf"(\d+)[ \N{{NO-BREAK SPACE}}]×[ \N{{NO-BREAK SPACE}}]({DIE})")
ANIMAL = f"(?:[{''.join(each.sign for each in Face)}] )?"
"""The pattern of the animal before a name in a list; computer players have none."""
_ANY = re.compile(DIE)


def face(die: str) -> int:
    if die in WILD_ONES:
        return 1
    return SIGNS.index(die) + 1 if die in SIGNS else int(die[0])


def faces(text: str) -> tuple[int, ...]:
    return tuple(sorted(face(die) for die in _ANY.findall(text)))


def bid(text: str) -> tuple[int, int] | None:
    """Return the quantity and the face, if the text is a bid and nothing else."""
    found = BID.fullmatch(text)
    return None if found is None else (int(found[1]), face(found[2]))
