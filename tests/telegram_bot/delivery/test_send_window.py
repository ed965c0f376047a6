"""A group's minute, where the bids alone would use up half of it: who waits, and who does not."""

from collections import Counter

from telegram_bot.delivery.limits import Sends, SendWindow, Urgency
from tests.telegram_bot.conftest import START

SECONDS = 300
THOUGHT = 6
BIDS_A_ROUND = 4


def test_whoever_is_on_turn_never_waits_for_the_others_dice() -> None:
    """Four people play within the group, with an ephemeral hand for each bid and three more for each new round."""
    window = SendWindow.per_minute(20)
    recent: Sends = []
    waiting: list[tuple[Urgency, float]] = []
    sent: Counter[Urgency] = Counter()
    waits: list[float] = []
    for tenth in range(SECONDS * 10):
        now = START + tenth / 10
        if tenth % (THOUGHT * 10) == 0:
            waiting = [one for one in waiting if one[0] is not Urgency.LATER]  # a newer edit replaces it
            waiting += [(Urgency.NOW, now), (Urgency.LATER, now)]
            if tenth // (THOUGHT * 10) % (BIDS_A_ROUND + 1) == BIDS_A_ROUND:
                waiting = [one for one in waiting if one[0] is not Urgency.SOON]  # newer dice replace older ones
                waiting += [(Urgency.NOW, now)] * 2 + [(Urgency.SOON, now)] * 3
        for urgency, asked in sorted(waiting):
            if window.wait(recent, now, urgency) <= 0:
                recent = [(now, urgency), *recent]
                waiting.remove((urgency, asked))
                sent[urgency] += 1
                if urgency is Urgency.NOW:
                    waits.append(now - asked)
    assert max(waits) < 1
    assert sent[Urgency.NOW] == len(waits) == 50 + 10 * 2
    assert sent[Urgency.SOON] > 0
    assert sent[Urgency.LATER] > 0
