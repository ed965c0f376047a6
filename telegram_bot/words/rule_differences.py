"""How sets of rules differ, in a few words for each option, and which options can change a game at all."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from perudo_core import PRESETS, CalzaBy, LostDice, OpenerMethod, PlainRaise, Rules
from telegram_bot.words.rules import somebody_can_be_palifico

if TYPE_CHECKING:
    from telegram_bot.words.catalogue import Catalogue


def options_differing(rules: Rules, catalogue: Catalogue) -> list[str]:
    """The differences between a table and its rulebook, a few words for each difference that matters."""
    return differences(rules, Rules.preset(rules.preset) if rules.preset in PRESETS else Rules(), catalogue)


def differences(rules: Rules, other: Rules, catalogue: Catalogue) -> list[str]:
    """The differences between two sets of rules that matter, a few words for each: how the first one plays."""
    return [
        _in_a_phrase(field.name, getattr(rules, field.name), catalogue)
        for field in fields(rules)
        if field.name != "based_on"
        and getattr(rules, field.name) != getattr(other, field.name)
        and _has_effect(field.name, rules)
    ]


def with_effect(rules: Rules) -> dict[str, object]:
    """The options that can change a game under these rules: two tables with the same ones play alike."""
    return {
        field.name: getattr(rules, field.name)
        for field in fields(rules)
        if field.name != "based_on" and _has_effect(field.name, rules)
    }


def is_offered(name: str, rules: Rules) -> bool:
    """Whether the lobby offers an option: only where it can change the game."""
    match name:
        case "palifico":
            return rules.starting_dice > 1 and not rules.sudden_death
        case "lose_by_difference":
            return not rules.sudden_death
        case "sudden_death":
            return not rules.lose_by_difference
        case _:
            return _has_effect(name, rules)


def _has_effect(name: str, rules: Rules) -> bool:
    if name.startswith("palifico_"):
        return somebody_can_be_palifico(rules)
    if name == "calza_in_palifico":
        return rules.calza and somebody_can_be_palifico(rules)
    if name.startswith("calza_"):
        return rules.calza
    return name != "ones_may_open" or rules.wild_ones


def _in_a_phrase(name: str, value: object, catalogue: Catalogue) -> str:
    if isinstance(value, bool):
        return _on_or_off(name, value, catalogue)
    if isinstance(value, int):
        match name:
            case "starting_dice":
                return catalogue.count("{n} die each", "{n} dice each", value)
            case "min_seats":
                return catalogue.count("at least {n} player", "at least {n} players", value)
            case "max_seats":
                return catalogue.count("at most {n} player", "at most {n} players", value)
    words: dict[tuple[str, object], str] = {
        ("max_seats", None): catalogue.say("any number of players"),
        ("opener_method", OpenerMethod.RANDOM): catalogue.say("chance picks who opens"),
        ("opener_method", OpenerMethod.HIGHEST_DIE): catalogue.say("the highest die opens"),
        ("opener_method", OpenerMethod.HIGHEST_SUM): catalogue.say("the highest sum of two dice opens"),
        ("plain_raise", PlainRaise.ONE_THING): catalogue.say("raise one thing"),
        ("plain_raise", PlainRaise.NO_DECREASE): catalogue.say("raise without decrease"),
        ("plain_raise", PlainRaise.ANY_HIGHER): catalogue.say("raise any higher"),
        ("plain_raise", PlainRaise.ONES_HIGHEST): catalogue.say("raise any higher, ones highest"),
        ("calza_by", CalzaBy.ANYONE_BUT_BIDDER): catalogue.say("calza by anyone but the bidder"),
        ("calza_by", CalzaBy.BYSTANDERS): catalogue.say("calza by bystanders"),
        ("calza_by", CalzaBy.ON_TURN): catalogue.say("calza on your turn only"),
        ("lost_dice", LostDice.HIDDEN): catalogue.say("lost dice hidden"),
        ("lost_dice", LostDice.VISIBLE): catalogue.say("lost dice visible"),
    }
    return words[name, value]


def _on_or_off(name: str, on: bool, catalogue: Catalogue) -> str:
    when_on, when_off = {
        "wild_ones": (catalogue.say("ones are wild"), catalogue.say("ones are not wild")),
        "ones_may_open": (catalogue.say("you may open with ones"), catalogue.say("nobody may open with ones")),
        "palifico": (catalogue.say("with palifico"), catalogue.say("no palifico")),
        "palifico_once": (catalogue.say("palifico once a game"), catalogue.say("palifico more than once")),
        "palifico_with_two_players": (
            catalogue.say("palifico also with two players left"),
            catalogue.say("no palifico with two players left"),
        ),
        "palifico_face_change": (
            catalogue.say("one-die players may change the palifico face"),
            catalogue.say("palifico face locked for all"),
        ),
        "calza": (catalogue.say("with calza"), catalogue.say("no calza")),
        "calza_in_palifico": (catalogue.say("calza also in palifico"), catalogue.say("no calza in palifico")),
        "calza_with_two_players": (
            catalogue.say("calza also with two players left"),
            catalogue.say("no calza with two players left"),
        ),
        "out_of_turn_dudo": (catalogue.say("dudo out of turn"), catalogue.say("dudo on your turn only")),
        "lose_by_difference": (catalogue.say("lose by the difference"), catalogue.say("lose one die at a time")),
        "sudden_death": (catalogue.say("sudden death"), catalogue.say("no sudden death")),
    }[name]
    return when_on if on else when_off
