"""The hand of the day by text: dealt by a real process, one text from the bot for each text to it."""

import re

from telegram_bot.operations.pruning import DAY_SECONDS
from test_support.sms_world import ANA, SmsWorld


async def test_a_phone_decides_by_text_and_reads_the_answer_at_once(phones: SmsWorld) -> None:
    await phones.text(ANA, "NEW Ana")
    await phones.text(ANA, "CLOSE")
    (asked,) = await phones.text(ANA, "DAILY")
    found = re.search(r"one of (\S+) ", asked)
    assert found is not None, asked
    assert "UTC" not in asked
    (decided,) = await phones.text(ANA, f"DAILY {found[1]}")
    assert f"You said {found[1].upper() if found[1].isalpha() else found[1]}" in decided
    assert re.search(r"Bid: \d+x\d\. Counted: \d+\.", decided)
    (again,) = await phones.text(ANA, "DAILY DUDO")
    assert again == decided
    await phones.pass_time(DAY_SECONDS)
    (asked,) = await phones.text(ANA, "daily")
    assert "Text DAILY and one of" in asked
