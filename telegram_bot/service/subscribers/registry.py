"""Every subscriber there is, in the order in which they are told of a step."""

from __future__ import annotations

from typing import Final

from telegram_bot.service.announcer import Announcer
from telegram_bot.service.subscribers.game_counter import GameCounter
from telegram_bot.service.subscribers.next_game import NextGame
from telegram_bot.service.subscribers.statistics import Statistics
from telegram_bot.service.unit_of_work import Subscriber

SUBSCRIBERS: Final[tuple[Subscriber, ...]] = (NextGame(), Statistics(), Announcer(), GameCounter())
