"""Learning: the tutorial, practice alone against computer players, and round zero at a table with a television."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.learning import notices, teaching
from telegram_bot.features.learning.lesson import lesson
from telegram_bot.intents.forms import Button
from telegram_bot.intents.intents import Intent, Place
from telegram_bot.intents.request import AtAnyStep, Command, HelpLines, Scope, TellsNothing
from telegram_bot.notices import (
    AnswerNotice,
    Confirmation,
    ConfirmationNotice,
    HelpNotice,
    KnockedOutNotice,
    Toast,
    WelcomeNotice,
)
from telegram_bot.presentation.features import Extension, PagePart
from telegram_bot.presentation.keys import Key, Keys, Style, rows_of
from telegram_bot.repositories.repositories import load_table
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.handlers.base import PersonRequest, TableRequest
from telegram_bot.service.handlers.lobby_requests import PlayAgain, end_without_people
from telegram_bot.service.handlers.table_context import TableContext, new_lobby
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import DirectMessages, Player
from telegram_bot.tables import computer_players, lobby_rules, play
from telegram_bot.tables.events import RejectedError, RejectionReason, TableChange
from telegram_bot.tables.model import TurnClock
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.languages import mark, mark_in_context

TRY_ANOTHER: Final = AnswerNotice(sentence=mark("Try another one."))


@dataclass(frozen=True, slots=True)
class TakeTutorial(TellsNothing, PersonRequest):
    """Begin the tutorial, or answer a step of it in the message that I tapped."""

    buttons = (Button("learn"), Button("learn={step}"), Button("learn={step}_{answer}"))
    commands = (
        Command(
            name="learn",
            words=mark_in_context("typed", "learn to play, how do i play, tutorial"),
            scope=Scope.CHATS | Scope.TEXT,
            help=HelpLines(
                private_menu=mark("learn to play in two minutes"),
                help_page=mark("learn to play in two minutes"),
                guide="learn to play in two minutes; by text message: the game in one text",
            ),
        ),
    )

    step: int | None = None
    """None sends a new message with the first step."""
    answer: int | None = None
    """The number of the answer, or None to show the step."""

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Show a step of the tutorial: the next one after the right answer, the same one with a hint after another.

        A wrong answer also gets a toast: the hint looks the same when the same answer is tapped again.

        Raises:
            RejectedError: not in a private chat.
        """
        if intent.where is not None:
            raise RejectedError(RejectionReason.IN_PRIVATE)
        tables = uow.live_tables_of(player)
        rules = load_table(tables[0]).rules if len(tables) == 1 else uow.config.rules
        rules = rules.with_options(palifico_every_round=False)  # a palifico round is one of its steps
        if self.step is None or intent.tapped is None:
            say(uow, player, notices.TutorialNotice(rules=rules), at=intent)
            return None
        steps = lesson(rules)
        step, wrong = min(self.step, len(steps)), None
        if step < len(steps) and self.answer is not None and self.answer < len(steps[step].answers):
            if steps[step].answers[self.answer].right:
                step += 1
            else:
                wrong = self.answer
        notice = notices.TutorialNotice(rules=rules, step=step, wrong=wrong)
        say(uow, player, notice, at=intent.who, target=intent.tapped)
        return None if wrong is None else TRY_ANOTHER


MOST_OPPONENTS = 5


@dataclass(frozen=True, slots=True)
class Practise(PersonRequest):
    """Play alone against so many computer players, in the private chat. If the number is None, ask how many."""

    buttons = (Button("practise"), Button("practise={opponents}"))
    commands = (
        Command(
            name="practise",
            aliases=("practice",),
            scope=Scope.CHATS,
            help=HelpLines(
                private_menu=mark("play alone against computer players"),
                help_page=mark("play alone against computer players"),
            ),
        ),
    )

    opponents: int | None = None

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> None:
        """Ask against how many, or begin the game; one in which they play is shown again.

        Raises:
            RejectedError: this is no private chat, or no table can be opened.
        """
        if intent.where is not None or not uow.traits(intent.who.channel).buttons:
            raise RejectedError(RejectionReason.IN_PRIVATE)
        player.direct = DirectMessages.OPEN
        chat = uow.ensure_chat(Place(intent.who.channel, intent.who.address))
        running = uow.live_table_in(chat)
        if running is not None and not end_without_people(uow, running):
            table, outbox = load_table(running), TableOutbox(uow, running, chat)
            seat = table.seat_of(player.id)
            if seat is None or not outbox.send_hand(table, seat, news=True):
                outbox.show_at_bottom(table)
            return
        if self.opponents is None:
            say(uow, player, notices.PracticeNotice(most=MOST_OPPONENTS), at=intent)
            return
        row, opened = new_lobby(uow, chat, player)
        host, moment = player.id, uow.moment
        table = opened.table.replace(practice=True, clock=TurnClock(seconds=0))
        count = min(max(self.opponents, 1), MOST_OPPONENTS, table.max_seats - 1)
        added = computer_players.add(table, host, count, moment=moment)
        started = lobby_rules.start(added.table, host, moment=moment)
        uow.commit_step(row, None, TableChange(opened.table, opened.events).then(started))


@dataclass(frozen=True, slots=True)
class WatchEnd(AtAnyStep, TableRequest):
    """Let the computer players of my practice game, in which I am out, play on."""

    buttons = (Button("watch"),)

    def handle(self, context: TableContext) -> Toast | None:
        """Let the computer players end the practice game of a person who is out."""
        context.seat()
        step = play.watch_end(context.table, moment=context.uow.moment)
        context.save(step)
        return ConfirmationNotice(done=Confirmation.PLAYS_ON)


USUAL_PRACTICE: Final = Practise(2)
"""Begins a practice game against enough players for a lively one."""
ANSWERS_A_ROW: Final = 3


def tutorial_keys(notice: notices.TutorialNotice, w: Catalogue) -> Keys:
    """Return the answers of a step; at the end a practice game, or the whole tutorial once more."""
    steps = lesson(notice.rules)
    if notice.step == len(steps):
        return [
            [Key(w.say("Play a practice game"), USUAL_PRACTICE, sign="🤖", style=Style.SUCCESS)],
            [Key(w.say("Once more"), TakeTutorial(0), sign="🔁")],
        ]
    step = steps[notice.step]
    answers = (
        Key(notices.answer_label(step, answer, notice.rules, w), TakeTutorial(notice.step, number))
        for number, answer in enumerate(step.answers)
    )
    return rows_of(answers, ANSWERS_A_ROW)


def practice_keys(notice: notices.PracticeNotice, _: Catalogue) -> Keys:
    """Return one button for each number of opponents."""
    return [[Key(f"🤖 {each}", Practise(each)) for each in range(1, notice.most + 1)]]


def welcome_keys(_: WelcomeNotice, w: Catalogue) -> Keys:
    """Return the ways to the tutorial and to a practice game."""
    return [
        [_learn_key(w)],
        [Key(w.say("Practise alone"), USUAL_PRACTICE, sign="🤖", style=Style.SUCCESS)],
    ]


def help_keys(notice: HelpNotice, w: Catalogue) -> Keys:
    """Return the way to the tutorial, which is in the private chat."""
    return [[_learn_key(w, in_private=not notice.private)]]


def knocked_out_keys(notice: KnockedOutNotice, w: Catalogue) -> Keys:
    """In a practice game: see how it ends, or play another one."""
    if notice.practice is None:
        return []
    at = notice.practice, None
    watch = Key(w.say("Watch the end"), WatchEnd(), sign="👀", at=at)
    return [[watch, Key(w.say("Play again"), PlayAgain(), sign="🔁", style=Style.SUCCESS, at=at)]]


def _learn_key(w: Catalogue, *, in_private: bool = False) -> Key:
    return Key(w.say("Learn in two minutes"), TakeTutorial(), sign="🎓", in_private=in_private)


_TUTORIAL: Final = Extension(notices.TutorialNotice, keys=tutorial_keys)
_PRACTICE: Final = Extension(notices.PracticeNotice, keys=practice_keys)
_WELCOME: Final = Extension(WelcomeNotice, lines=notices.welcome_lines, keys=welcome_keys)
_HELP: Final = Extension(HelpNotice, lines=notices.help_lines, keys=help_keys)
_KNOCKED_OUT: Final = Extension(KnockedOutNotice, keys=knocked_out_keys)

FEATURE: Final = Feature(
    "learning",
    place=10,
    requests=(TakeTutorial, Practise, WatchEnd, teaching.AnswerRoundZero),
    extensions=(_TUTORIAL, _PRACTICE, _WELCOME, _HELP, _KNOCKED_OUT),
    page=PagePart(Path(__file__).with_name("static"), notices.page_words),
    before_start=teaching.play_first,
    timers={teaching.TIMER: teaching.go_on},
    prune=teaching.prune,
)
