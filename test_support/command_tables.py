"""`python -m test_support.command_tables` writes the table of commands by text in docs/sms/README.md.

The table is between the comments `<!-- commands by text -->` and `<!-- end of commands -->`.
"""

import re
from pathlib import Path
from typing import Final

from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.service.command import Scope, Who, texted_command
from telegram_bot.service.commands import commands

PAGE: Final = Path("docs/sms/README.md")
WHO: Final = {
    Who.ANYBODY: "anybody",
    Who.PLAYER: "players at the table",
    Who.HOST: "the host",
    Who.HOST_OR_ADMIN: "the host, or an admin of the group",
}
_BETWEEN: Final = re.compile("(?<=<!-- commands by text -->\n).*?(?=<!-- end of commands -->)", re.DOTALL)


def text_table() -> str:
    """The commands by text message."""
    rows = (
        f"| `{texted_command(command)}` | {line} | {WHO[command.who]} |\n"
        for command in commands(Scope.TEXT)
        if (line := command.help.guide or command.help.private_menu) is not None
    )
    return "".join(("| command | use | for |\n", "|---|---|---|\n", *rows))


def page(root: Path) -> str:
    """The page as it has to be."""
    return _BETWEEN.sub(lambda _: text_table(), (root / PAGE).read_text(encoding="utf-8"))


if __name__ == "__main__":
    install(FEATURES)
    PAGE.write_text(page(Path()), encoding="utf-8")
