"""A beginner with a telephone plays by text; docs/sms/grandmother.md shows the round."""

import pytest

from telegram_bot.storage.database import Database
from test_support.grandmother import LANGUAGES, PAGE, SHOWN, conversation, table
from test_support.phrases import by_friends
from test_support.sms_world import SmsWorld

NAME, QUESTION, FIRST_BID = 1, 2, 3


@pytest.mark.parametrize("language", LANGUAGES)
async def test_two_texts_that_are_no_calls_lead_to_the_third_bid(database: Database, language: str) -> None:
    first_round = by_friends(language)["first_round"]
    world = SmsWorld(database, countries=(first_round["country"],), seed=5, languages=LANGUAGES)
    told = await conversation(world, language)
    game = world.table().begun_game
    assert game.round == 2, "three bids and a doubt, each understood at once"
    answers = dict(told)
    first, *later = (answers[words] for words in first_round["texts"][FIRST_BID:-1])
    assert len(first) == 1, "she learns that it counts"
    assert later == [[], []], "a bid that counts costs no further text"
    assert len(answers[first_round["texts"][QUESTION]]) == 1
    again = f"`python -m test_support.grandmother` prints the conversation for {PAGE}"
    assert (table(told) in PAGE.read_text(encoding="utf-8")) is (language == SHOWN), again
