"""Tips for new players: each is shown at most once."""

from telegram_bot.storage.models import Player
from telegram_bot.tables.tips import Tip


def take_tip(player: Player, tip: Tip) -> bool:
    """True if the player gets the tip now; it then counts as shown."""
    if not player.tips or tip in player.tips_told:
        return False
    player.tips_told = [*player.tips_told, tip]
    return True
