"""Handle what the host chooses in the lobby: rules, options, the turn clock.

Each choice is answered with a toast at once: the lobby's message may have to wait for the chat's limits.
"""

from __future__ import annotations

from typing import assert_never

from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.intents import (
    AddComputers,
    ChangeComputer,
    ChangeOption,
    ChooseClock,
    ChooseHouseRules,
    ChooseOnTimeout,
    ChoosePredictions,
    ChooseQuickTable,
    ChooseRulebook,
)
from telegram_bot.service.notices import Confirmation, ConfirmationNotice, Toast
from telegram_bot.tables import computer_players, lobby, predictions
from telegram_bot.tables.events import RejectedError, RejectionReason
from telegram_bot.tables.house_rules import classic_rules, quick_table


def turn_page(context: TableContext, page: str | None) -> Toast | None:
    """Show another page of the lobby's choices."""
    step = lobby.consider(context.table, context.player_id, now=context.uow.now, timings=context.uow.timings)
    context.row.page = page
    return context.save_and_answer(step)


def choose_rules(context: TableContext, what: ChooseRulebook | ChooseHouseRules | ChooseQuickTable) -> Toast | None:
    """Play by a rulebook, by house rules or by a quick choice; the lobby shows its first page again."""
    table, by, now, timings, config = (
        context.table,
        context.player_id,
        context.uow.now,
        context.uow.timings,
        context.uow.config,
    )
    match what:
        case ChooseRulebook(preset=preset):
            step = lobby.choose_rulebook(table, by, preset, now=now, timings=timings)
        case ChooseHouseRules(key=key):
            house = next((house for house in config.house_rules if house.key == key), None)
            if house is None:
                raise RejectedError(RejectionReason.UNKNOWN_OPTION)
            step = lobby.choose_rules(table, by, house.rules, now=now, timings=timings)
        case ChooseQuickTable(choice=choice):
            classic = classic_rules(config.house_rules)
            if classic is None:
                raise RejectedError(RejectionReason.UNKNOWN_OPTION)
            rules, clock = quick_table(choice, classic, config.clock, config.night)
            step = lobby.choose_rules(table, by, rules, clock, now=now, timings=timings)
        case _:
            assert_never(what)
    context.row.page = None
    done = ConfirmationNotice(
        done=Confirmation.RULES_CHOSEN,
        rules=step.table.rules,
        clock=step.table.clock if isinstance(what, ChooseQuickTable) else None,
        house_rules=config.house_rules,
    )
    return context.save_and_answer(step, done)


def choose_computers(context: TableContext, what: AddComputers | ChangeComputer) -> Toast | None:
    """Have computer players sit down, or play in another way; the lobby, which shows it, stays on its page."""
    table, by, now, timings = context.table, context.player_id, context.uow.now, context.uow.timings
    match what:
        case AddComputers(count=count, level=level):
            rng = context.uow.rng
            step = computer_players.add(table, by, count, level, now=now, rng=rng, timings=timings)
        case ChangeComputer(player=player, trait="level"):
            step = computer_players.change_level(table, by, player, now=now, timings=timings)
        case ChangeComputer(player=player):
            step = computer_players.change_character(table, by, player, now=now, timings=timings)
        case _:
            assert_never(what)
    return context.save_and_answer(step)


def change_option(
    context: TableContext, what: ChangeOption | ChooseClock | ChooseOnTimeout | ChoosePredictions
) -> Toast | None:
    """Change one option, the turn clock or what whoever watches may do; the lobby stays on its page."""
    table, by, now, timings = context.table, context.player_id, context.uow.now, context.uow.timings
    match what:
        case ChangeOption(option=option, value=value):
            step = lobby.change_option(table, by, option, value, now=now, timings=timings)
            done = ConfirmationNotice(done=Confirmation.OPTION_CHANGED, option=option, rules=step.table.rules)
        case ChooseClock(seconds=seconds):
            step = lobby.choose_clock(table, by, seconds, now=now, timings=timings)
            done = ConfirmationNotice(done=Confirmation.CLOCK_CHOSEN, clock=step.table.clock)
        case ChooseOnTimeout(choice=choice):
            step = lobby.choose_on_timeout(table, by, choice, now=now, timings=timings)
            done = ConfirmationNotice(done=Confirmation.CLOCK_CHOSEN, clock=step.table.clock)
        case ChoosePredictions(choice=choice):
            step = predictions.choose_predictions(table, by, choice, now=now, timings=timings)
            done = ConfirmationNotice(done=Confirmation.PREDICTIONS_CHOSEN, predictions=choice)
        case _:
            assert_never(what)
    return context.save_and_answer(step, done)
