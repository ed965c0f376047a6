"""Round zero on phones and on a television: its cards are drawn, its keys are in reach, and they send their acts."""

from itertools import product
from typing import Any

import pytest
from playwright.async_api import Page, expect

from telegram_bot.features.learning.lesson import DUDO, Stage
from telegram_bot.features.learning.notices import PracticeDiceNotice, RoundZeroNotice
from telegram_bot.features.learning.notices import page_words as own_words
from telegram_bot.notices import LobbyNotice
from telegram_bot.presentation.cards import Card, card_of
from telegram_bot.tables.faces import Face
from telegram_bot.tables.views import SeatView, lobby_view
from telegram_bot.words.catalogue import LANGUAGES
from telegram_bot.words.page import page_catalogue, page_words
from tests.end_to_end import test_web_seat_in_the_browser as browser
from tests.end_to_end.test_web_seat_in_the_browser import LARGE_TELEVISION, TELEVISION, without_findings
from tests.telegram_bot.channels.web.stored_pages import HELLO, ORIGIN, Site, answers, asked, serve
from tests.telegram_bot.channels.web.test_seat_in_the_browser import TAKE_ON_A_PHONE
from tests.telegram_bot.channels.web.test_television_as_host import A_VOICE, take, the_round
from tests.telegram_bot.conftest import lobby_table, running_table
from tests.telegram_bot.features.learning.examples import HANDS

pytestmark = pytest.mark.asyncio(loop_scope="session")

PHONES = [{"width": 375, "height": 553}, {"width": 360, "height": 640}]
NAMES = ("Ana", "Bo")
RULES = lobby_table(2).rules


def cards(
    stage: Stage, language: str = "en", *, names: tuple[str, ...] = NAMES, answers: tuple[int, ...] = ()
) -> list[Card]:
    """The cards of a phone at a stage; a television gets all but the last one. `answers`: of the first players."""
    w, players = page_catalogue(language), tuple(range(1, len(names) + 1))
    seats = tuple(
        SeatView(player=player, name=name, dice=5, face=list(Face)[player], colour=player - 1)
        for player, name in zip(players, names, strict=True)
    )
    lobby = lobby_view(lobby_table(2)).model_copy(update={"seats": seats, "host": 1})
    is_open = stage is Stage.REVEAL
    zero = RoundZeroNotice(
        table=7,
        stage=stage,
        rules=RULES,
        players=players,
        answered=players[: len(answers)],
        quantity=(len(names) + 1) * 5 // 3 + 1,
        hands=tuple(HANDS[each % 3] for each in range(len(names) + 1)) if is_open else (),
        calls=tuple([*answers, *[None] * len(names)][: len(names)]) if is_open else (),
    )
    return [
        card_of(LobbyNotice(view=lobby), -1, 7, w),
        card_of(zero, -1, 7, w),
        card_of(PracticeDiceNotice(table=7, rules=RULES, dice=HANDS[0]), 1, 7, w),
    ]


async def opened(page: Page, *events: tuple[str, Any], language: str = "en", path: str = "t") -> list[dict[str, Any]]:
    """Open a page whose stream has these events; return the list of its acts."""
    w = page_catalogue(language)
    answers(page, "words", {**page_words(w), **own_words(w)})
    serve(page, *events)
    await page.goto(f"{ORIGIN}/{path}/TABLE2#KEY")
    await expect(page.locator(".zero")).to_be_visible()
    return asked(page)


async def a_phone(
    site: Site, stage: Stage, *, size: dict[str, int] = PHONES[0], player: int = 1, language: str = "en"
) -> tuple[Page, list[dict[str, Any]]]:
    page = await site.page(size)
    drawn = [("card", card) for card in cards(stage, language)]
    hello = HELLO | {"player": player, "language": None}
    return page, await opened(page, ("hello", hello), *drawn, ("door", {"screen": True}), language=language)


async def test_the_cup_and_the_keys_send_the_answers_and_say_whether_the_count_was_right(site: Site) -> None:
    for stage, what, sent in (
        (Stage.LIFT, "Lift the cup", 0),
        (Stage.COUNT, "2", 2),
        (Stage.COUNT, "5", 5),
        (Stage.CALL, "More", 0),
        (Stage.CALL, "Dudo!", DUDO),
    ):
        phone, acts = await a_phone(site, stage)
        async with phone.expect_response("**/seat/act"):
            await phone.locator(".zero").get_by_role("button", name=what, exact=True).click()
        await expect(phone.locator(".zero .cube")).to_have_count(5 if stage is Stage.LIFT else 0)
        if stage is Stage.COUNT:
            said = "Right, 2 of them count." if sent == 2 else "Not quite: "
            await expect(phone.get_by_role("status").filter(has_text=said)).to_be_visible()
            await expect(phone.locator(".zero .buttons button:disabled")).to_have_count(6)
        (act,) = acts
        assert act | {"id": ""} == {"id": "", "table": 7, "act": "round_zero", "stage": stage, "answer": sent}
        await without_findings(phone)
        await site.close(phone)


@pytest.mark.parametrize(("stage", "name"), [(Stage.LIFT, "We know it"), (Stage.REVEAL, "Continue")])
async def test_a_key_ends_it(site: Site, stage: Stage, name: str) -> None:
    phone, acts = await a_phone(site, stage)
    async with phone.expect_response("**/seat/act"):
        await phone.get_by_role("button", name=name).click()
    assert [(each["table"], each["act"]) for each in acts] == [(7, "known")]


async def test_whoever_has_no_practice_dice_looks_on(site: Site) -> None:
    phone, _ = await a_phone(site, Stage.COUNT, player=3)
    await expect(phone.locator(".zero h2")).to_contain_text("How many of your dice count as")
    await expect(phone.locator(".zero button")).to_have_count(0)


@pytest.mark.parametrize("language", sorted(LANGUAGES))
async def test_every_key_is_in_reach_on_the_smallest_phones(site: Site, language: str) -> None:
    phone, _ = await a_phone(site, Stage.LIFT, language=language)
    for stage in Stage:
        for card in cards(stage, language):
            await phone.evaluate(TAKE_ON_A_PHONE, card)
        for size in PHONES:
            await phone.set_viewport_size(size)  # type: ignore[arg-type] # a TypedDict
            assert await phone.evaluate(browser.OUT_OF_REACH, ".zero button, .zero h2") == [], (size, stage)
            assert await phone.evaluate("document.documentElement.scrollWidth <= innerWidth"), (size, stage)
            if language == "fr" and size is PHONES[0]:
                await without_findings(phone)


@pytest.mark.parametrize("language", sorted(LANGUAGES))
async def test_ten_players_with_long_names_fit_on_a_television(site: Site, language: str) -> None:
    names = ("Maximiliana Konstantinopolou", *(f"Wilhelmina {number}" for number in range(2, 11)))
    screen = await site.page(LARGE_TELEVISION, script=browser.MEASURING)
    await opened(screen, ("hello", HELLO), *television(Stage.LIFT, language, names), language=language, path="tv")
    most = list(product((LARGE_TELEVISION, TELEVISION), Stage, (names, NAMES)))
    fullest = [each for each in most if each[0] is TELEVISION and each[2] is names]
    for size, stage, people in most if language == "fr" else fullest:  # no language has longer words
        await screen.set_viewport_size(size)  # type: ignore[arg-type] # a TypedDict
        await screen.evaluate("outside.clear()")
        await take(screen, *(card for _, card in television(stage, language, people)))
        await expect(screen.locator(".zero .seat")).to_have_count(len(people) + 1)
        assert await screen.evaluate("[...outside]") == [], (size, stage, people)
        over = "(felt) => felt.scrollHeight > felt.clientHeight || felt.scrollWidth > felt.clientWidth"
        assert not await screen.locator(".zero").evaluate(over), (size, stage, people)
        if language == "fr" and size is TELEVISION and people is names:
            await without_findings(screen)


def television(stage: Stage, language: str, names: tuple[str, ...]) -> list[tuple[str, Card]]:
    return [("card", card) for card in cards(stage, language, names=names, answers=(0, 1))[:2]]


async def test_the_television_shows_the_answers_and_no_die_before_the_reveal(site: Site) -> None:
    screen = await site.page(LARGE_TELEVISION)
    await opened(screen, ("hello", HELLO), *(("card", card) for card in cards(Stage.LIFT)[:2]), path="tv")
    for stage in Stage:
        await take(screen, *cards(stage, answers=(1,))[:2])
        await expect(screen.locator(".zero .seat.turn .name")).to_have_text("Ana")
        await expect(screen.locator(".zero .row .die")).to_have_count(15 if stage is Stage.REVEAL else 0)
        await expect(screen.locator(".zero .bubble.call")).to_have_count(1 if stage is Stage.REVEAL else 0)


async def test_the_voice_says_each_stage_once_and_is_silent_when_the_game_begins(site: Site) -> None:
    screen = await site.page(LARGE_TELEVISION, script=A_VOICE.replace("LANGUAGE", "en-GB"))
    await opened(screen, ("hello", HELLO), *(("card", card) for card in cards(Stage.LIFT)[:2]), path="tv")
    for given in ((), (0,), (0, 0)):
        await take(screen, cards(Stage.COUNT, answers=given)[1])
    said = [text for _, _, text in await screen.evaluate("said")]
    assert len([text for text in said if "Ones are wild" in text]) == 1
    await screen.evaluate("speechSynthesis.cancel = () => { window.hushed = true; }")
    await take(screen, the_round(running_table("22", "33")))
    await expect(screen.locator(".zero")).to_have_count(0)
    assert await screen.evaluate("hushed")
