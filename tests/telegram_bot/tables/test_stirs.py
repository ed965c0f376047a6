"""Players' stirs: in order, final, before the game, and the dice depend on them."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perudo_core import FairDice, Rules
from perudo_core.stirs import LONGEST_WORD, SIGNS
from telegram_bot.tables import lobby_rules, sealed_dice
from telegram_bot.tables.events import PlainEvent, RejectedError, RejectionReason
from telegram_bot.tables.model import Seat, Status, Stir, Table
from telegram_bot.tables.sealed_dice import MOST_STIRS, MOST_STIRS_EACH
from tests.telegram_bot.conftest import at, game_of, lobby_table

SECRET = "5e" * 32


def sealed(people: int = 3) -> Table:
    """A lobby whose seal is published."""
    return lobby_rules.seal_dice(lobby_table(people).replace(secret=SECRET), 1, moment=at()).table


def stir(table: Table, player: int, what: str) -> Table:
    return lobby_rules.stir_dice(table, player, what, moment=at()).table


def begun(table: Table) -> Table:
    return lobby_rules.start(table, table.host, moment=at()).table


def first_dice(*stirs: tuple[int, str]) -> tuple[tuple[int, ...], ...]:
    table = sealed()
    for player, what in stirs:
        table = stir(table, player, what)
    return game_of(begun(table)).dice


def refused(table: Table, player: int, what: str = "🍀") -> RejectionReason:
    with pytest.raises(RejectedError) as caught:
        stir(table, player, what)
    return caught.value.reason


def told(table: Table) -> list[tuple[str, str]]:
    return [(one.name, one.what) for one in sealed_dice.stirred(table)]


def test_stirs_stand_in_the_salt_in_the_order_in_which_they_came() -> None:
    table = sealed()
    for player, what in ((2, "🍀"), (1, "🦊"), (2, "🍀")):
        table = stir(table, player, what)
    assert told(table) == [("Bo", "🍀"), ("Ana", "🦊"), ("Bo", "🍀")]
    assert sealed_dice.salt_of(table) == "perudo-stirs/3\n🍀\n🦊\n🍀"


def test_the_seal_covers_secret_code_and_rules_and_no_stir_changes_it() -> None:
    table = sealed()
    seal = sealed_dice.commitment_of(table)
    assert seal == FairDice(bytes.fromhex(SECRET), table.rules, table.code).commitment
    assert Table.model_validate_json(table.model_dump_json()) == table
    assert sealed_dice.commitment_of(stir(table, 2, "🍀")) == seal
    others = (table.replace(code="CODE23"), table.replace(secret="5f" * 32), table.replace(rules=Rules.preset("aces")))
    assert seal not in [sealed_dice.commitment_of(other) for other in others]


def test_what_is_stirred_in_before_the_seal_is_published_only_has_it_published() -> None:
    """The operator must not know a stir before the published seal fixes the secret."""
    table = lobby_table(3).replace(secret=SECRET)
    assert sealed_dice.commitment_of(table) is None
    step = lobby_rules.stir_dice(table, 2, "🍀", moment=at())
    assert step.events == (PlainEvent.DICE_SEALED,)
    assert step.table.stirs == ()
    assert lobby_rules.seal_dice(step.table, 2, moment=at()).events == (), "the seal is published once"


def test_other_rules_are_another_seal_and_all_stirs_are_void() -> None:
    table = stir(sealed(), 2, "🍀")
    assert lobby_rules.choose_rules(table, 1, table.rules, moment=at()).table.stirs == table.stirs
    changed = lobby_rules.change_option(table, 1, "rulebook", "azteca", moment=at()).table
    assert (changed.sealed, changed.stirs) == (False, ())


def test_another_book_with_the_same_options_has_its_own_words_under_the_same_seal() -> None:
    """In tables of release 1.0 the seal covers the name of the book too."""
    box = Rules.preset("box_2009")
    same = Rules.from_dict(box.to_dict() | {"preset": "azteca"})
    table = stir(sealed(), 2, "🍀")
    changed = lobby_rules.choose_rules(table, 1, same, moment=at()).table
    assert (changed.rules.book, changed.stirs) == ("azteca", table.stirs)
    assert sealed_dice.commitment_of(changed) == sealed_dice.commitment_of(table)
    old = table.replace(dice_schema="perudo-fair/2")
    assert lobby_rules.choose_rules(old, 1, box, moment=at()).table.stirs == table.stirs
    changed = lobby_rules.choose_rules(old, 1, same, moment=at()).table
    assert (changed.sealed, changed.stirs) == (False, ())


def test_rules_are_stored_with_the_name_of_their_own_book() -> None:
    for preset in ("box_2009", "azteca"):
        rules = Rules.from_dict(Rules().to_dict() | {"preset": preset})
        stored = Table.model_validate_json(lobby_table(2, rules).model_dump_json())
        assert stored.rules.book == preset


WHATS = st.lists(st.tuples(st.sampled_from([1, 2, 3]), st.sampled_from(SIGNS)), max_size=8)


@given(WHATS, WHATS)
def test_other_stirs_make_other_dice(one: list[tuple[int, str]], other: list[tuple[int, str]]) -> None:
    """The same stirs in another order also change the dice. Their players, whom no file can prove, do not."""
    assert (first_dice(*one) == first_dice(*other)) is ([what for _, what in one] == [what for _, what in other])


def test_the_dice_follow_from_nothing_that_the_chat_does_not_show() -> None:
    """A person with write access to the database could otherwise try numbers of players, steps and times."""
    table = stir(stir(sealed(), 2, "🐙"), 1, "🍀")
    honest = game_of(begun(table)).dice
    for player in (1, 3, 99, -1000):
        stirs = tuple(one.model_copy(update={"player": player}) for one in table.stirs)
        assert game_of(begun(table.replace(stirs=stirs))).dice == honest
    others: dict[str, Any] = {"id": 99, "step": 7, "deals": 3, "opened_by": 3, "host": 2, "kicked": (9,), "idle_at": 1}
    for fact, value in others.items():
        assert game_of(begun(table.replace(**{fact: value}))).dice == honest, fact
    numbered = tuple(seat.model_copy(update={"player": seat.player + 50}) for seat in table.seats)
    assert game_of(begun(table.replace(seats=numbered, host=51))).dice == honest


def test_only_who_sits_there_stirs_only_signs_and_only_in_the_lobby() -> None:
    table = sealed()
    assert refused(table, 99) is RejectionReason.JOIN_FIRST
    assert refused(begun(table), 2) is RejectionReason.ALREADY_RUNNING
    assert lobby_rules.stir_dice(table, 2, "🍀", moment=at()).events == (PlainEvent.DICE_STIRRED,)
    for what in ("llama", "", "🍀🦊", "🎲", "🍀\n🦊"):
        assert refused(sealed(), 2, what) is RejectionReason.UNKNOWN_OPTION, what


def test_a_word_of_release_1_0_is_still_in_the_dice() -> None:
    stored = sealed().replace(stirs=(Stir(player=2, name="Bo", what="llama"),))
    table = stir(Table.model_validate_json(stored.model_dump_json()), 1, "🍀")
    assert sealed_dice.salt_of(table) == "perudo-stirs/3\nllama\n🍀"
    assert begun(table).game is not None


def test_nobody_stirs_for_ever() -> None:
    table = sealed()
    for _ in range(MOST_STIRS_EACH):
        table = stir(table, 2, "🍀")
    assert refused(table, 2) is RejectionReason.STIRRED_ENOUGH
    back = lobby_rules.leave(table, 2, moment=at()).table
    back = lobby_rules.join(back, Seat(player=2, name="Bo"), moment=at()).table
    assert refused(back, 2) is RejectionReason.STIRRED_ENOUGH, "leaving and coming back gives no more"


def test_a_crowd_that_stirs_and_leaves_fills_the_salt_and_never_overflows_it() -> None:
    guests = [Stir(player=guest, name="Eve", what="x" * LONGEST_WORD) for guest in range(4_000, 8_000)]
    crowd = sealed().replace(stirs=tuple(guests[:MOST_STIRS]))
    assert sealed_dice.may_stir(crowd, 3_999)
    while sealed_dice.may_stir(crowd, 3_999):
        crowd = crowd.replace(stirs=tuple(guests[: len(crowd.stirs) + 1]))
    assert refused(crowd, 1) is RejectionReason.STIRRED_ENOUGH
    assert begun(crowd).game is not None


def test_a_player_has_a_stir_left_after_many_people_came_stirred_and_left() -> None:
    crowd = sealed().replace(stirs=(Stir(player=98, name="Eve", what="x" * 32),) * MOST_STIRS)
    shaken = stir(stir(crowd, 1, "🦊"), 2, "🍀")
    assert told(shaken)[-2:] == [("Ana", "🦊"), ("Bo", "🍀")]
    assert refused(shaken, 1) is RejectionReason.STIRRED_ENOUGH
    assert begun(shaken).game is not None, "the longest salt is one that the dice take"


def test_who_leaves_the_lobby_leaves_their_stirs_and_a_new_game_begins_unstirred() -> None:
    """The chat has shown them, and other players stirred after them."""
    table = lobby_rules.leave(stir(stir(sealed(), 2, "🍀"), 3, "🦊"), 2, moment=at()).table
    assert told(table) == [("Bo", "🍀"), ("Cy", "🦊")]
    assert sealed_dice.salt_of(begun(table)) == "perudo-stirs/3\n🍀\n🦊"
    over = begun(table).replace(status=Status.FINISHED)
    again = lobby_rules.rematch(over, lobby_rules.NewTable(8, "CODE33", SECRET), 1, moment=at()).table
    assert again.stirs == ()


def test_nothing_that_prints_a_table_shows_its_secret() -> None:
    table = begun(stir(sealed(), 2, "🍀"))
    for value in (table, [table], sealed_dice.dice_of(table), lobby_rules.stop(table, 1, is_admin=True)):
        assert SECRET not in f"{value!r} {value}"
        assert repr(bytes.fromhex(SECRET)) not in repr(value)
    assert "dice=((" not in repr(table)


def test_computers_decide_by_the_seal_as_well() -> None:
    table, rng = begun(stir(sealed(), 2, "🍀")), random.Random(1)
    turn = game_of(table).turn or 0
    dice = sealed_dice.dice_of(table)
    assert dice is not None
    assert sealed_dice.choice_seed(table, turn, rng) == dice.choice_seed(game_of(table), turn)
    unsealed = table.replace(secret=None)
    assert sealed_dice.choice_seed(unsealed, turn, rng) != sealed_dice.choice_seed(unsealed, turn, rng)
