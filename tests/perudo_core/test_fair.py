"""Fair dice: committed to, derived, each face as likely as any other."""

import hashlib
import hmac
import json
import struct
from collections import Counter
from itertools import islice, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import perudo_core as pc
from perudo_core.fair import FairDice, numbers, stream
from perudo_core.stirs import SIGNS, canonical_word, salt_from_stirs, stirs_in_salt
from tests.perudo_core.notation import changed

SECRET = bytes(range(32))
AZTECA = pc.Rules.preset("azteca")


def secret(number: int) -> bytes:
    return hashlib.sha256(str(number).encode()).digest()


def test_the_commitment_is_to_all_that_is_known_before_the_players_add_their_words_but_no_rulebooks_name() -> None:
    rules = pc.Rules.preset("azteca")
    dice = FairDice.new(rules, "ABC234", rng_bytes=lambda many: SECRET[:many])
    assert dice == FairDice(SECRET, rules, "ABC234")
    assert dice.with_salt("our words").commitment == dice.commitment
    others = [FairDice(secret(1), rules, "ABC234"), FairDice(SECRET, rules, "ABC235"), FairDice(SECRET, table="ABC234")]
    assert len({dice.commitment, *(other.commitment for other in others)}) == 4
    assert FairDice.new().commitment != FairDice.new().commitment
    assert not any(secret in repr(dice) for secret in (SECRET.hex(), repr(SECRET)))
    named, unnamed = pc.Rules(), pc.Rules.from_dict({"preset": "custom"})
    one, same = FairDice(SECRET, named, "ABC234", "salt"), FairDice(SECRET, unnamed, "ABC234", "salt")
    assert (one, one.commitment) == (same, same.commitment)
    rolls = {each.roll(pc.new_game(rules, 3, opener=0)) for each in (one, same) for rules in (named, unnamed)}
    assert len(rolls) == 1


def test_dice_of_1_0_are_those_that_were_committed_to() -> None:
    """Their commitment covers the name of the rulebook."""
    rules = pc.Rules.preset("azteca")
    dice = FairDice(SECRET, rules, "ABC234", "salt", schema="perudo-fair/2")
    assert dice.commitment == "11453ae9bfc115640d20b63cb6b41942625922118e8be4338a0e2587973e2714"
    assert dice.roll(pc.new_game(rules, 2, opener=0)) == pc.Roll(((2, 4, 1, 3, 2), (5, 2, 5, 4, 1)))
    assert dice.with_salt("").commitment == dice.commitment
    unnamed = pc.Rules.from_dict(rules.to_dict() | {"preset": "custom"})
    assert dice != FairDice(SECRET, unnamed, "ABC234", "salt", dice.schema)
    highest = pc.Rules.from_dict({"plain_raise": "ones_highest"})
    assert highest == pc.Rules(plain_raise="any_higher", ones_rank="highest"), "as it was stored before `ones_rank`"
    sealed = FairDice(SECRET, highest, "ABC234")
    assert sealed.commitment == "6f12306d7ad0f75008e834d43b70a19e66ebc354dc3c9c7d6fdf6d0f9f3d4b44"
    with pytest.raises(ValueError, match="schema must be perudo-fair/2 or perudo-fair/3, not 'perudo-fair/1'"):
        FairDice(SECRET, schema="perudo-fair/1")


def test_the_derivation_by_hand() -> None:
    """The dice as a port in another language would compute them, from the page alone."""

    def framed(*parts: bytes) -> bytes:
        return b"".join(struct.pack(">I", len(part)) + part for part in parts)

    rules = pc.Rules(starting_dice=10)
    without_name = {name: value for name, value in rules.to_dict().items() if name != "preset"}
    options = json.dumps(without_name, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    context = f'{{"rules":{options},"table":"ABC234"}}'.encode()
    dice = FairDice(SECRET, rules, "ABC234", "salt")
    assert dice.commitment == hashlib.sha256(framed(b"perudo-fair/2", SECRET, context)).hexdigest()
    key = hmac.new(SECRET, framed(b"perudo-fair/2", context, b"salt"), "sha256").digest()
    blocks = [hmac.new(key, f"round 1 seat 1 block {n}".encode(), "sha256").digest() for n in range(2)]
    assert bytes(islice(stream(key, "round 1 seat 1"), 64)) == b"".join(blocks)
    faces = [byte % 6 + 1 for byte in b"".join(blocks) if byte < 252][:10]
    roll = dice.roll(pc.new_game(rules, 2, opener=0))
    assert isinstance(roll, pc.Roll)
    assert list(roll.dice[1]) == faces
    seed = hmac.new(key, b"choice 1 call 1 seat 1 block 0", "sha256").digest()[:8]
    bidding = pc.apply(pc.apply(pc.new_game(rules, 2, opener=0), roll).state, pc.Bid(0, 1, 2)).state
    assert dice.choice_seed(bidding, 1) == int.from_bytes(seed, "big")


def test_no_number_is_favoured_also_where_a_byte_is_too_small() -> None:
    for below in (2, 3, 5, 6, 7, 200, 255, 256):
        most = 256 - 256 % below
        taken = Counter(next(numbers(iter([byte]), below)) for byte in range(most))
        assert taken == dict.fromkeys(range(below), 256 // below)
        assert all(next(numbers(iter([byte, 1]), below)) == 1 for byte in range(most, 256)), "it is thrown away"
    most = 65536 - 65536 % 300
    pairs = (pair for pair in product(range(256), range(256)) if pair < divmod(most, 256))
    taken = Counter(next(numbers(iter(pair), 300)) for pair in pairs)
    assert taken == dict.fromkeys(range(300), most // 300)


@pytest.mark.parametrize("preset", ["azteca", "french_guide"])
def test_no_roll_of_the_contest_leaves_all_tied(preset: str) -> None:
    rules, opened = pc.Rules.preset(preset), Counter[int | None]()
    for game in range(100):
        dice, state, before = FairDice(secret(game), rules), pc.new_game(rules, 3), 4
        while state.phase is pc.Phase.OPENING:
            assert len(state.contenders) < before
            before = len(state.contenders)
            state = pc.apply(state, dice.roll(state)).state
        opened[state.opener] += 1
    assert set(opened) == {0, 1, 2}


def test_salt_table_and_secret_change_the_dice_and_a_round_that_somebody_left_is_rolled_anew() -> None:
    state, texts = pc.new_game(pc.Rules(), 3, opener=0), ("", "a", "b", "a ")
    sealed = [FairDice(one, table=table, salt=salt) for one in (SECRET, secret(1)) for table in texts for salt in texts]
    assert len({dice.roll(state) for dice in (*sealed, FairDice(SECRET, table="ab"))}) == 33
    dice, start = FairDice(SECRET), state
    first = dice.roll(start)
    voided = pc.apply(pc.apply(pc.apply(start, first).state, pc.Bid(0, 1, 2)).state, pc.Leave(1)).state
    again = dice.roll(voided)
    assert isinstance(first, pc.Roll)
    assert isinstance(again, pc.Roll)
    assert all(one != two for one, two in zip(first.dice, again.dice, strict=True))
    assert dice.roll(pc.apply(start, pc.Leave(1)).state) == pc.Roll((first.dice[0], (), first.dice[2]))


def test_there_are_dice_only_where_chance_is_awaited_and_by_the_same_rules() -> None:
    for state in (
        pc.apply(pc.new_game(AZTECA, 4), pc.Leave(2)).state,  # a contest that a player left
        changed(pc.new_game(AZTECA, 2), contenders=(1,)),  # a state made by hand does not hang
        pc.new_game(pc.Rules.preset("aces"), 50),
    ):
        dice = FairDice(SECRET, state.rules)
        assert pc.why_illegal(state, dice.roll(state)) is None
        with pytest.raises(ValueError, match="state must be of a game by the rules of the dice"):
            FairDice(SECRET).roll(state)
        begun = pc.new_game(state.rules, 2, opener=0)
        with pytest.raises(pc.IllegalActionError, match="roll/not_now"):
            dice.roll(pc.apply(begun, dice.roll(begun)).state)


def test_a_secret_is_32_bytes_and_a_salt_a_text() -> None:
    wrong: list[tuple[Any, Any, type[Exception], str]] = [
        ("x" * 32, "", TypeError, "secret must be of type bytes, not str"),
        (b"x" * 10_000_000, "", ValueError, "secret must be 32 bytes, not 10000000"),
        (SECRET, b"salt", TypeError, "salt must be of type str, not bytes"),
        (SECRET, "\ud800", ValueError, "salt must be a whole text"),
        (SECRET, "x" * 10_000_000, ValueError, "salt must be at most 65536 characters"),
    ]
    for key, salt, error, words in wrong:
        with pytest.raises(error, match=words):
            FairDice(key, salt=salt)


# A salt that contains what was stirred: one form for signs that look alike


WORDS = st.sampled_from(SIGNS) | st.from_regex(r"[a-z2-9]{1,12}( [a-z2-9]{1,12})?", fullmatch=True)
STIRS = st.lists(WORDS, max_size=20)
LLAMAS = [
    *("llama", "LLAMA", "llama\ufe00", " llama  ", "llama\u00a0", "llama\u3164", "llàma", "11ama"),
    "".join(chr(ord(letter) + 0xFEE0) for letter in "llama"),
]


@pytest.mark.usefixtures("untraced")
@settings(max_examples=50)
@given(STIRS, STIRS)
def test_what_is_written_is_read_and_other_stirs_make_another_salt(one: list[str], other: list[str]) -> None:
    assert stirs_in_salt(salt_from_stirs(one)) == tuple(one)
    assert (salt_from_stirs(one) == salt_from_stirs(other)) is (one == other)


@given(st.text(max_size=60))
def test_every_word_has_one_form_which_the_salt_takes(text: str) -> None:
    word = canonical_word(text)
    assert canonical_word(word) == word
    if word:
        assert stirs_in_salt(salt_from_stirs([word])) == (word,)


def test_words_that_look_alike_are_one_word() -> None:
    assert {canonical_word(word) for word in LLAMAS} == {"llama"}
    assert {canonical_word(word) for word in ("", "!?", "ﾠ", "лама", "١٢")} == {""}, "nothing is left to stir"


def test_a_salt_that_says_it_badly_is_refused_another_says_nothing_and_no_stir_can_pass_for_another() -> None:
    for after in (
        *("1 A\n1 x", "3\n", "3 \nx", "2\nx", "3\nx\n", "3\nLlama", "3\nllama ", "3\nlla  ma", "3\nllama\ufe00"),
        *("3\nl1ama", "3\nлlama", "3\n🎲", "3\n" + "a" * 33),
    ):
        with pytest.raises(ValueError, match="salt with stirs"):
            stirs_in_salt(f"perudo-stirs/{after}")
    for salt in ("", "Ana: llama, Bo: 7", "ABC234 clover", "perudo-stir"):
        assert stirs_in_salt(salt) is None
    for what in ("", "two\nlines", "a\nforged", "Llama"):
        with pytest.raises(ValueError, match="no canonical stir"):
            salt_from_stirs([what])
