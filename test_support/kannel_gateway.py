"""The bot's settings for one gateway on this machine that speaks as Kannel does."""

import json
from pathlib import Path

from test_support.world import Setting

OURS = "+393400000001"
"""The number that people text."""
USER, PASSWORD, SECRET = "perudo", "kannel-password", "a-secret-of-the-address"


def kannel_setting(api_url: str, port: int, rulebook: Path, game: str, **variables: str) -> Setting:
    """Return a bot with these rules, as TOML, that texts through this gateway and hears from it at its own port."""
    rulebook.write_text(game, encoding="utf-8")
    gateway = {
        "kind": "kannel",
        "name": "modem",
        "number": OURS,
        "username": USER,
        "password": PASSWORD,
        "secret": SECRET,
        "api_url": api_url,
    }
    return Setting(
        variables={
            "PERUDO_TABLE__RULEBOOK": str(rulebook),
            "PERUDO_WEB__PORT": str(port),
            "PERUDO_SMS__KEY": "k" * 44,
            "PERUDO_SMS__GATEWAYS": json.dumps([gateway]),
            "PERUDO_LOG_LEVEL": "DEBUG",
            **variables,
        }
    )
