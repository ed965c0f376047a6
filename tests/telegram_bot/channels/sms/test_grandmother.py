"""A beginner with a telephone plays by text; docs/sms/grandmother.md shows the round."""

import pytest

from telegram_bot.storage.database import Database
from test_support.grandmother import PAGE, SHE_TEXTS, SHOWN, conversation, table
from test_support.sms_world import SmsWorld

NAME, QUESTION, FIRST_BID = 1, 2, 3


@pytest.mark.parametrize("language", SHE_TEXTS)
async def test_two_texts_that_are_no_calls_lead_to_the_third_bid(database: Database, language: str) -> None:
    countries = ("GB" if language == "en" else language.upper(),)
    world = SmsWorld(database, countries=countries, seed=5, languages=tuple(SHE_TEXTS))
    told = await conversation(world, language)
    game = world.table().game
    assert game is not None
    assert game.round == 2, "three bids and a doubt, each understood at once"
    answers = dict(told)
    first, *later = (answers[words] for words in SHE_TEXTS[language][FIRST_BID:-1])
    assert len(first) == 1, "she learns that it counts"
    assert later == [[], []], "a bid that counts costs no further text"
    assert len(answers[SHE_TEXTS[language][QUESTION]]) == 1
    assert (table(told) in PAGE.read_text(encoding="utf-8")) is (language == SHOWN)
