"""What is read aloud to a group delays nobody; to a person it may be all that they perceive."""

from __future__ import annotations

import pytest

from telegram_bot.delivery.limits import Urgency, urgency_of
from telegram_bot.delivery.outbox import _is_left_out, follows_a_round
from telegram_bot.service.notices import Confirmation, ConfirmationNotice, Envelope, SpokenNotice

SPOKEN = SpokenNotice(told=ConfirmationNotice(done=Confirmation.DUDO))


@pytest.mark.parametrize(
    ("group", "hurry", "left_out"), [(True, True, True), (True, False, False), (False, True, False)]
)
def test_only_a_group_goes_without_and_only_in_a_hurry(group: bool, hurry: bool, left_out: bool) -> None:
    envelope = Envelope(channel="telegram", chat=-1 if group else 1, notice=SPOKEN)
    assert _is_left_out(envelope, None, group=group, hurry=hurry) is left_out


def test_it_comes_last_and_stands_below_the_rounds_message() -> None:
    envelope = Envelope(channel="telegram", chat=-1, notice=SPOKEN)
    assert urgency_of(envelope, is_new=True) is Urgency.LATER
    assert follows_a_round(envelope)
