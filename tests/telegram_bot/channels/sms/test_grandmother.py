"""A beginner with a telephone plays by text; docs/sms/grandmother.md shows the round."""

import pytest

from telegram_bot.storage.database import Database
from test_support.documents import ROOT
from test_support.phrases import BY_FRIENDS, by_friends
from test_support.sms_world import SmsWorld, code_in

LANGUAGES = tuple(each.stem for each in sorted(BY_FRIENDS.glob("*.toml")) if each.stem != "clashes")
QUESTION, FIRST_BID = 2, 3


@pytest.mark.parametrize("language", LANGUAGES)
async def test_two_texts_that_are_no_calls_lead_to_the_third_bid(database: Database, language: str) -> None:
    first_round = by_friends(language)["first_round"]
    world = SmsWorld(database, countries=(first_round["country"],), seed=5, languages=LANGUAGES)
    ana, rita = first_round["numbers"]
    code = code_in(await world.text(ana, "NEW Ana"))
    joins, name, *rest = first_round["texts"]
    told = [(words, await world.text(rita, words)) for words in (joins.format(code=code), name)]
    await world.text(ana, "GO")
    told.append(("", world.got(rita)))  # a move of Ana's
    for words, raised in zip(rest, ("1x3", "", "3x3", "5x3", "7x3"), strict=True):
        if raised:
            await world.text(ana, raised)
            told.append(("", world.got(rita)))
        told.append((words, await world.text(rita, words)))
    game = world.table().begun_game
    assert game.round == 2, "three bids and a doubt, each understood at once"
    answers = dict(told)
    first, *later = (answers[words] for words in first_round["texts"][FIRST_BID:-1])
    assert len(first) == 1, "she learns that it counts"
    assert later == [[], []], "a bid that counts costs no further text"
    assert len(answers[first_round["texts"][QUESTION]]) == 1
    table = "\n".join(f"| {words} | {'<br>'.join(texts)} |" for words, texts in told)
    page = (ROOT / "docs/sms/grandmother.md").read_text(encoding="utf-8").partition("|---|---|\n")[2]
    assert (f"{table}\n" == page) is (language == "en"), table
