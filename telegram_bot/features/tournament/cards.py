"""The list of a tournament, and the news of a person, as cards of a page."""

from telegram_bot.channels.web.cards import Card, lines_of
from telegram_bot.features.tournament.notices import (
    HurryNotice,
    Phase,
    PlaceNotice,
    StageResultNotice,
    TournamentNotice,
)
from telegram_bot.words.catalogue import Catalogue


def tournament_card(notice: TournamentNotice, w: Catalogue) -> Card:
    """The sentences, and the ways in and out; nothing of a tournament that was closed."""
    if notice.phase is Phase.CLOSED:
        return {"lines": [], "acts": []}
    ways_in = [{"act": "enter", "code": notice.code, "text": w.say("Join")}]
    is_open = notice.phase is Phase.OPEN or notice.late is not None
    ways_out = [{"act": "withdraw", "text": w.say("Leave")}] if notice.phase is not Phase.OVER else []
    return {"lines": lines_of(notice, w), "acts": [*(ways_in if is_open else []), *ways_out]}


def news_card(notice: StageResultNotice | PlaceNotice | HurryNotice, w: Catalogue) -> Card:
    """The sentences."""
    return {"lines": lines_of(notice, w)}
