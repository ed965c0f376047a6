"""The best ghost of a game chooses a twist of the next game in that place alone, which its host may refuse."""

from html import unescape
from typing import Any

import pytest

from perudo_core import Rules
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.features.predictions import twists
from telegram_bot.features.predictions.ghosts import GuessCall
from telegram_bot.features.predictions.notices import Guess
from telegram_bot.features.predictions.twists import CHOSEN, ChooseTwist, RefuseTwist
from telegram_bot.intents.envelope import Envelope
from telegram_bot.notices import LobbyNotice, StartedNotice
from telegram_bot.notices.rendering import sms_text
from telegram_bot.operations.forget import PersonDeletion
from telegram_bot.presentation.cards import card_of
from telegram_bot.presentation.notice_keys import keys_of
from telegram_bot.service.handlers import lobby_requests as r
from telegram_bot.service.handlers.ending import Leave, Stop
from telegram_bot.storage.models import KeyValue, Player
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.faces import face_of
from telegram_bot.tables.house_rules import TWISTS, twist_of
from telegram_bot.tables.views import lobby_view
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from telegram_bot.words.rules import twist_label, twist_phrase
from telegram_bot.words.sms.layout import TextReader, normalize
from tests.telegram_bot.conftest import EN, GroupHarness, lobby_table, rejection_of
from tests.telegram_bot.words.notice_examples import words

RIGHT, WRONG = Guess.BLUFF, Guess.MORE


async def open_chats(harness: GroupHarness, *names: str) -> None:
    for name in names:
        await harness.say(name, r.StartPrivateChat(), where=None)


async def play(harness: GroupHarness, *rounds: dict[str, Guess], table: int = 1) -> None:
    """Bo loses each round of a game between Ana and Bo by a bluff, the last one too, while the others guess."""
    begun = harness.table(table)
    harness.store(begun.replace(options={**begun.options, "predictions": "start"}))
    for number, guesses in enumerate(rounds):
        await pass_by(harness)
        last = number == len(rounds) - 1
        await harness.set_dice("22", "3" if last else "33", *[""] * (len(begun.seats) - 2), opener=1, table=table)
        await harness.call("1x5", table=table)
        for name, what in guesses.items():
            step = harness.table(table).step
            assert rejected(await harness.tap(name, GuessCall(what), step=step, table=table)) is None
        await harness.call("dudo", table=table)
    harness.show_dice()


def rejected(result: Any) -> RejectionReason | None:
    return rejection_of(result.toast) if getattr(result.toast, "kind", "") == "rejection" else None


async def play_first(harness: GroupHarness, *rounds: dict[str, Guess]) -> None:
    await harness.start_game("Ana", "Bo")
    await play(harness, *(rounds or [{"Dee": RIGHT}] * 2))


def offers(harness: GroupHarness) -> list[Envelope]:
    return [each for each in harness.envelopes() if each.notice.kind == "twist_offer"]


async def pass_by(harness: GroupHarness) -> None:
    harness.mark_all_sent()
    harness.pass_time(5)


async def a_ghost_is_offered_twists(harness: GroupHarness) -> None:
    """Dee, who has a private chat, is the best ghost of a first game."""
    await open_chats(harness, "Dee")
    await play_first(harness)


async def choose(harness: GroupHarness, twist: str = "first_out_wins") -> Any:
    """Dee chooses a twist, which is put among those that are offered, if they wait for an answer."""
    await pass_by(harness)
    made = twists.Offer.model_validate_json(stored_offer(harness).value)
    value = made.model_copy(update={"twists": (*made.twists[:2], twist)}).model_dump_json()
    harness.update_row(KeyValue, stored_offer(harness).key, value=value)
    return await harness.tap("Dee", ChooseTwist(1, twist), where=None)


async def play_again(harness: GroupHarness, table: int) -> None:
    await pass_by(harness)
    await harness.tap("Ana", Stop(confirmed=True), table=table)
    await harness.tap("Ana", r.PlayAgain(), table=table)


def lobby_words(harness: GroupHarness) -> str:
    return unescape(words(harness.notices("lobby")[-1]))


def stored_offer(harness: GroupHarness) -> KeyValue:
    (row,) = [row for row in harness.rows(KeyValue) if row.key.startswith("twist_offer:")]
    return row


async def test_the_first_right_guess_of_a_reachable_ghost_breaks_a_tie(harness: GroupHarness) -> None:
    await open_chats(harness, "Cy", "Dee")
    await play_first(harness, {"Eve": RIGHT}, {"Dee": RIGHT, "Eve": RIGHT}, {"Cy": RIGHT, "Dee": RIGHT}, {"Cy": RIGHT})
    assert [sent.chat for sent in offers(harness)] == [harness.player("Dee").address]


async def test_the_best_ghost_is_offered_three_twists_once_in_the_private_chat(harness: GroupHarness) -> None:
    await open_chats(harness, "Cy", "Dee", "Eve")
    await play_first(
        harness,
        {"Cy": RIGHT, "Dee": WRONG, "Eve": WRONG},
        {"Cy": WRONG, "Dee": RIGHT, "Eve": RIGHT},
        {"Cy": RIGHT, "Dee": RIGHT, "Eve": RIGHT},
        {"Cy": RIGHT, "Dee": WRONG, "Eve": RIGHT},
    )
    (sent,) = offers(harness)
    assert sent.chat == harness.player("Eve").address, "Cy has as many right guesses, but fewer in a row"
    assert "👻 <b>You were the best ghost: 3 right guesses!</b>" in words(sent.notice)
    (drawn,) = [each.twists for each in harness.notices("twist_offer")]
    keys = [key for row in keys_of(sent.notice, EN) for key in row]
    assert [key.request for key in keys] == [ChooseTwist(1, twist) for twist in drawn]
    assert len({*drawn} & {*TWISTS}) == 3


@pytest.mark.parametrize(("again", "right"), [(False, 2), (True, 1)], ids=["no next game", "one right guess"])
async def test_no_next_game_and_one_right_guess_offer_nothing(
    harness: GroupHarness, *, again: bool, right: int
) -> None:
    await open_chats(harness, "Dee")
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", r.AddComputers(1))  # which is offered nothing either
    await harness.tap("Ana", r.Start())
    harness.store(harness.table().replace(again=again))
    await play(harness, *[{"Dee": RIGHT}] * right)
    assert (harness.table().status, offers(harness)) == ("finished", [])


async def test_the_next_lobby_alone_begins_with_the_twist_and_names_its_ghost(harness: GroupHarness) -> None:
    await a_ghost_is_offered_twists(harness)
    assert (await choose(harness)).toast == CHOSEN
    restarted = GroupHarness(harness.database)
    restarted._causes, restarted.now = 1000, harness.now
    harness = restarted
    await harness.tap("Ana", r.PlayAgain())
    old = Rules.preset("box_2009")
    assert harness.table(2).rules == old.with_options(first_out_wins=True)
    told = lobby_words(harness)
    assert "👻 Dee's twist: the first player without dice wins" in told, "Dee need not sit here"
    assert told.count("the first player without dice wins") == 1
    texted = sms_text(harness.notices("lobby")[-1], EN, TextReader()) or ""
    assert "Dee's twist: the first player without dice wins." in texted
    await harness.tap("Dee", r.Join(), table=2)
    face = face_of(harness.player("Dee").id, None).sign
    told = lobby_words(harness)
    assert f"{face} Dee's twist: the first player without dice wins" in told
    await harness.tap("Ana", r.Start(), table=2)
    assert harness.table(2).begun_game.rules.first_out_wins
    await play_again(harness, 2)
    assert (harness.table(3).rules, harness.table(3).options) == (old, {"predictions": "start"})
    assert "twist" not in lobby_words(harness)
    await harness.tap("Ana", Stop(confirmed=True), table=3)
    await harness.say("Ana", r.OpenLobby())
    assert harness.table(4).rules == old


async def test_each_twist_changes_an_open_lobby_until_its_host_refuses_it(harness: GroupHarness) -> None:
    await a_ghost_is_offered_twists(harness)
    await pass_by(harness)
    await harness.tap("Ana", r.PlayAgain())
    old, offered = harness.table(2), stored_offer(harness)
    for name in TWISTS:
        with harness.database.transaction() as session:
            session.merge(KeyValue(key=offered.key, value=offered.value))
        await choose(harness, name)
        on = harness.table(2)
        assert on.rules == old.rules.with_options(**TWISTS[name])
        assert twist_of(on.rules, on.options) == name
        lobby = harness.notices("lobby")[-1]
        menu = lobby.model_copy(update={"to_host": True, "menu": "rules"})
        keys = {button["text"] for row in keyboard(menu, EN, bot="bot") for button in row}
        assert keys & {"✖️ Without the twist", f"✅ {twist_label(name, EN)}"} == {"✖️ Without the twist"}
        (act,) = [each for each in card_of(lobby, -1, 2, EN)["acts"] if each["act"] == "no_twist"]
        assert act["text"].startswith("👻 Dee's twist: ")
        assert rejected(await harness.tap("Bo", RefuseTwist(), table=2)) is RejectionReason.NOT_HOST
        await harness.tap("Ana", RefuseTwist(), table=2)
        assert (harness.table(2).rules, harness.table(2).options) == (old.rules, old.options)
        assert rejected(await harness.tap("Ana", RefuseTwist(), table=2)) is RejectionReason.STALE
    await harness.tap("Ana", r.Start(), table=2)
    await play_again(harness, 2)
    assert harness.table(3).rules == old.rules, "a refused twist does not come back"


async def test_the_last_of_a_game_begins_the_next_one_with_a_die_more(harness: GroupHarness) -> None:
    await a_ghost_is_offered_twists(harness)
    await choose(harness, "extra_die")
    await harness.tap("Ana", r.PlayAgain())
    assert "👻 Dee's twist: Bo starts with one more die" in lobby_words(harness)
    await harness.tap("Ana", r.Start(), table=2)
    game = harness.table(2).begun_game
    assert dict(zip(game.seats, game.dice_counts, strict=True)) == {"Ana": 5, "Bo": 6}
    await play_again(harness, 2)
    assert harness.table(3).rules == Rules.preset("box_2009")


async def test_the_last_ones_die_comes_and_goes_with_them_until_the_host_refuses_it(harness: GroupHarness) -> None:
    await a_ghost_is_offered_twists(harness)
    await choose(harness, "extra_die")
    await pass_by(harness)
    await harness.say("Ana", r.OpenLobby())
    await harness.tap("Cy", r.Join(), table=2)
    for _ in range(2):
        assert (harness.table(2).rules, harness.table(2).options) == (Rules(), {})
        assert "twist" not in lobby_words(harness)
        await harness.tap("Bo", r.Join(), table=2)
        assert [seat.name for seat in harness.table(2).seats] == ["Bo", "Ana", "Cy"], "the same order, from Bo on"
        assert harness.table(2).rules == Rules(extra_die=True)
        await harness.tap("Bo", Leave(), table=2)
    await harness.tap("Bo", r.Join(), table=2)
    await harness.tap("Ana", RefuseTwist(), table=2)
    await harness.tap("Cy", Leave(), table=2)
    assert harness.table(2).rules == Rules()


async def test_a_lobby_without_a_game_uses_no_twist_up_and_the_hosts_other_rules_stay(harness: GroupHarness) -> None:
    await a_ghost_is_offered_twists(harness)
    await pass_by(harness)
    await harness.tap("Ana", r.PlayAgain())
    await harness.tap("Ana", r.ChangeOption("first_out_wins"), table=2)
    await choose(harness, "extra_die")
    assert harness.table(2).rules == Rules(first_out_wins=True), "a die more waits while the first without dice wins"
    for option in ("first_out_wins", "wild_ones"):
        await harness.tap("Ana", r.ChangeOption(option), table=2)
    await harness.tap("Ana", Stop(confirmed=True), table=2)
    await harness.say("Ana", r.OpenLobby())
    await harness.tap("Bo", r.Join(), table=3)
    assert harness.table(3).rules == Rules(extra_die=True, wild_ones=False)


async def test_a_twist_is_chosen_once_by_its_ghost_among_those_offered(harness: GroupHarness) -> None:
    await open_chats(harness, "Dee", "Eve")
    await play_first(harness)
    (drawn,) = [each.twists for each in harness.notices("twist_offer")]
    other = next(twist for twist in TWISTS if twist not in drawn)
    for name, request, why in (
        ("Eve", ChooseTwist(1, drawn[0]), RejectionReason.NOT_YOURS),
        ("Dee", ChooseTwist(1, other), RejectionReason.UNKNOWN_OPTION),
        ("Dee", ChooseTwist(7, drawn[0]), RejectionReason.STALE),
    ):
        assert rejected(await harness.tap(name, request, where=None)) is why
    assert (await harness.tap("Dee", ChooseTwist(1, drawn[0]), where=None)).toast == CHOSEN
    assert rejected(await harness.tap("Dee", ChooseTwist(1, drawn[1]), where=None)) is RejectionReason.STALE
    harness.mark_all_sent()
    harness.now += 86400
    await harness.say("Ana", r.OpenLobby())
    assert harness.table(2).rules == Rules.preset("box_2009"), "another evening"


async def test_a_twist_of_the_rules_is_not_offered_and_one_against_them_waits(harness: GroupHarness) -> None:
    await open_chats(harness, "Dee")
    await harness.lobby("Ana", "Bo")
    for option in ("calza", "palifico_every_round", "reverse_after_call"):
        await harness.tap("Ana", r.ChangeOption(option))
    await harness.tap("Ana", r.ChangeOption("starting_dice", "6"))
    await harness.tap("Ana", r.Start())
    await play(harness, {"Dee": RIGHT}, {"Dee": RIGHT})
    (drawn,) = [each.twists for each in harness.notices("twist_offer")]
    assert {*drawn} == {"calza_costs_others", "extra_die", "first_out_wins"}
    await pass_by(harness)
    await harness.tap("Ana", r.PlayAgain())
    await harness.tap("Ana", r.ChangeOption("sudden_death"), table=2)
    await choose(harness)
    assert not harness.table(2).rules.first_out_wins
    await harness.tap("Ana", r.ChangeOption("sudden_death"), table=2)
    await harness.tap("Ana", Stop(), table=2)
    await harness.tap("Ana", r.PlayAgain(), table=2)
    assert harness.table(3).rules.first_out_wins


async def test_a_hidden_ghosts_twist_has_no_name_and_a_forgotten_one_goes(harness: GroupHarness) -> None:
    await open_chats(harness, "Dee")
    dee = harness.player("Dee").id
    harness.update_row(Player, dee, hidden=True)
    await play_first(harness)
    await choose(harness)
    await harness.tap("Ana", r.PlayAgain())
    await harness.tap("Dee", r.Join(), table=2)
    assert "👻 A ghost" in lobby_words(harness)
    await harness.tap("Ana", Stop(confirmed=True), table=2)
    await PersonDeletion(harness.service).forget(dee)
    await harness.tap("Ana", r.PlayAgain(), table=2)
    assert harness.table(3).rules == Rules.preset("box_2009")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("twist", TWISTS)
def test_the_texts_of_a_lobby_and_of_the_beginning_have_room_for_a_twist(twist: str, language: str) -> None:
    w, table = catalogue(language), lobby_table(4).with_seat(0, name="Bartholomew")
    rules = table.rules.with_options(**TWISTS[twist])
    table = table.replace(rules=rules, options={"twist": twist, "twist_by": str(table.seats[0].player)})
    view = lobby_view(table)
    text = sms_text(LobbyNotice(view=view, numbers=("+44 7700 900123",)), w, TextReader()) or ""
    starts = w.say("{name} starts the game in the group.", name="|").partition("|")[2]
    assert normalize(starts) in text, text
    named = w.say("{name} starts with one more die", name="|").partition("|")[2]
    short = [normalize(each) for each in (twist_label(twist, w), twist_phrase(twist, w), named)]
    assert any(each in text for each in short), text
    begun = sms_text(StartedNotice(view=view), w, TextReader()) or ""
    assert any(each in begun for each in short), begun
