"""The verdict, over given scores: the rules by which the engines' tables were measured."""

import math

import pytest

from perudo_core import Bid, Calza, Dudo
from telegram_bot.voice.meanings import UNHEARD, Spoken, VoiceCommand, adjusted, decide

LEGAL: list[Spoken] = [Bid(1, quantity, face) for quantity in range(2, 9) for face in range(1, 7)]
LEGAL += [Dudo(1), Calza(1), *VoiceCommand]


def first(scores: dict[str, float], silence: dict[str, float], legal: list[Spoken] = LEGAL) -> str:
    return str(decide(scores, silence, legal).guesses[0].spoken)


def test_half_of_what_silence_says_is_subtracted_or_its_unlikeliest_for_what_it_never_said() -> None:
    assert adjusted({"2x3": -4.0, "5x4": -5.0}, {"2x3": -3.0, "5x4": -20.0}) == {"2x3": -2.5, "5x4": 5.0}
    assert adjusted({"7x7": -8.0}, {"2x3": -6.0, "5x4": -20.0}) == {"7x7": 2.0}


def test_counting_in_a_quiet_room_is_no_bid() -> None:
    """Whisper recognises "2, 3" in noise, so a call that a note supports no more than noise does is no call."""
    silence = {"1x2": -6.0, "2x3": -6.5, "3x4": -7.0, "5x4": -24.0}
    assert first({"2x3": -7.0, "5x4": -9.0}, {}) == "2x3"
    assert first({"2x3": -7.0, "5x4": -9.0}, silence) == "5x4"


def test_what_is_illegal_now_is_cut_after_the_scoring() -> None:
    heard = decide({"1x4": -1.0, "5x4": -3.0, "6x4": -9.0}, {}, LEGAL)
    assert [guess.spoken for guess in heard.guesses] == [Bid(1, 5, 4), Bid(1, 6, 4)]
    assert heard.verdict == "sure"
    assert decide({"5x4": -1.0}, {}, []) == UNHEARD


@pytest.mark.parametrize(
    ("scores", "verdict"),
    [
        ({"5x4": -9.9}, "sure"),
        ({"5x4": -10.0}, "unheard"),
        ({"5x4": -1.0, "5x5": -5.1}, "sure"),
        ({"5x4": -1.0, "5x5": -5.0}, "ask"),
        ({"5x4": -12.0, "5x5": -20.0}, "unheard"),
        ({"dudo": -0.1, "5x5": -20.0}, "ask"),
        ({"calza": -0.1}, "ask"),
        ({"dice": -0.1, "5x5": -20.0}, "sure"),
        ({"5x4": -math.inf}, "unheard"),
        ({}, "unheard"),
    ],
)
def test_sure_ask_or_unheard(scores: dict[str, float], verdict: str) -> None:
    assert decide(scores, {}, LEGAL).verdict == verdict


def test_three_are_offered_best_first() -> None:
    heard = decide({"5x4": -2.0, "5x5": -1.0, "6x4": -3.0, "6x5": -4.0}, {}, LEGAL)
    assert heard.verdict == "ask"
    assert [str(guess.spoken) for guess in heard.guesses] == ["5x5", "5x4", "6x4"]
