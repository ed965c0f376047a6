"""The meaning of each option of the rules, in plain English."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["option_in_words"]

_NUMBERS: Final[Mapping[str, str]] = {
    "min_seats": "At least {} play.",
    "max_seats": "At most {} play.",
    "starting_dice": "Everybody begins with {} dice.",
}
_WORDS: Final[Mapping[tuple[str, object], str]] = {
    ("max_seats", None): "Any number may play.",
    ("starting_dice", 1): "Everybody begins with one die.",
    ("opener", "random"): "Chance says who opens the game.",
    ("opener", "highest_die"): "Each rolls one die, and the highest opens the game.",
    ("opener", "highest_sum"): "Each rolls two dice, and the highest sum opens the game.",
    ("plain_raise", "one_thing"): "A raise changes the quantity or the face, not both.",
    ("plain_raise", "no_decrease"): "A raise may change quantity and face, and lowers neither.",
    ("plain_raise", "any_higher"): "A greater quantity may be of any face.",
    ("plain_raise", "ones_highest"): "A greater quantity may be of any face, and ones are the highest face.",
    ("wild_ones", True): "Ones count for every face.",
    ("wild_ones", False): "Ones count for ones alone.",
    ("ones_may_open", True): "Ones may open a round.",
    ("ones_may_open", False): "Wild ones may not open a round.",
    ("palifico", True): "Who is down to one die opens a palifico round.",
    ("palifico", False): "There are no palifico rounds.",
    ("palifico_once", True): "Each player has one palifico round a game.",
    ("palifico_once", False): "A player who is down to one die again has another palifico round.",
    ("palifico_with_two_players", True): "Two players play palifico rounds as well.",
    ("palifico_with_two_players", False): "Two players play no palifico rounds.",
    ("palifico_face_change", True): "Another player with one die may change the face of a palifico round.",
    ("palifico_face_change", False): "Nobody may change the face of a palifico round.",
    ("calza", True): "Calza may be said.",
    ("calza", False): "Calza is not played.",
    ("calza_by", "anyone_but_bidder"): "Anyone but the last bidder may say calza.",
    ("calza_by", "bystanders"): "Anyone but the last bidder and the player on turn may say calza.",
    ("calza_by", "on_turn"): "The player on turn alone may say calza.",
    ("calza_in_palifico", True): "Calza may be said in a palifico round.",
    ("calza_in_palifico", False): "Calza is not said in a palifico round.",
    ("calza_with_two_players", True): "Calza may be said with two players left.",
    ("calza_with_two_players", False): "Calza is not said with two players left.",
    ("lost_dice", "hidden"): "Nobody is shown how many dice the others hold.",
    ("lost_dice", "visible"): "All see how many dice each player holds.",
    ("out_of_turn_dudo", True): "Anyone but the last bidder may doubt.",
    ("out_of_turn_dudo", False): "The player on turn alone may doubt.",
    ("lose_by_difference", True): "A dudo costs as many dice as the bid was off by.",
    ("lose_by_difference", False): "A dudo costs one die.",
    ("sudden_death", True): "Who would lose a die is out of the game.",
    ("sudden_death", False): "Who has no dice left is out of the game.",
}


def option_in_words(name: str, value: object) -> str:
    """Return one sentence about an option of `Rules` that has this value."""
    return _WORDS.get((name, value)) or _NUMBERS[name].format(value)
