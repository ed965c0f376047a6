"""Compare what a group was shown of a game with the game that is stored."""

import re
from collections.abc import Iterator
from dataclasses import replace

from test_support import shown_dice
from test_support.chaos.auditor import ReplayedGame, audit_screens, replay_game
from test_support.chaos.evidence import ORDER, UNTRUE, WRONG_DICE, Evidence, Finding, Shown, stored_games
from test_support.game_driver import GameDriver


def untruths(driver: GameDriver) -> list[Finding]:
    """Find untrue or disordered contents of the screens in the driver's game."""
    return [finding for finding in _found(driver) if finding.kind in (ORDER, UNTRUE, WRONG_DICE)]


def replayed(driver: GameDriver) -> ReplayedGame:
    """Return the driver's game, replayed from its stored actions."""
    return replay_game(_evidence(driver).games[0])


def assert_shown_as_recorded(driver: GameDriver) -> ReplayedGame:
    """Assert that the screens showed the whole finished game as it is stored, and that other counts would be found."""
    assert _found(driver) == []
    evidence = _evidence(driver)
    miscounted = (replace(one, text=re.sub(r"Counted (\d+)", r"Counted 1\1", one.text)) for one in evidence.shown)
    assert UNTRUE in {finding.kind for finding in audit_screens(evidence.replace(shown=tuple(miscounted))).findings}
    game = replayed(driver)
    rounds = game.rounds.values()
    made = [(name, bid) for played in rounds for name, bid in zip(played.bidders, played.bids, strict=True)]
    recorded: Iterator[object] = iter(made)
    missing = [(name, bid) for name, bid in driver.bids if (name, shown_dice.bid(bid)) not in recorded]
    assert not missing, f"told to stand but not recorded in this order: {missing}"
    return game


def _found(driver: GameDriver) -> list[Finding]:
    return audit_screens(_evidence(driver)).findings


def _evidence(driver: GameDriver) -> Evidence:
    world = driver.world
    (game,) = (game for game in stored_games(world) if game.table == driver.table)
    shown = []
    for message in world.recorder.versions:
        person = message.to or (message.chat if message.chat > 0 else None)
        new = message.first == message.changed
        shown.append(Shown(message.changed, message.chat, person, message.key, message.text, new))
    deleted = frozenset(key for _, key in world.recorder.deleted)
    return Evidence((game,), tuple(shown), deleted=deleted)
