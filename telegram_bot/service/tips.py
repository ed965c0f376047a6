"""Tips for new players: who wants them, and who has been told."""

from telegram_bot.storage.models import Player
from telegram_bot.tables.tips import Tip


def take_tip(player: Player, tip: Tip) -> bool:
    """Whether to tell the player the tip now; it then counts as told."""
    if not player.tips or tip in player.tips_told:
        return False
    player.tips_told = [*player.tips_told, tip]
    return True
