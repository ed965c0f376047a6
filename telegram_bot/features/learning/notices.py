"""The notices to people who learn or practise."""

import re
from collections.abc import Callable
from html import escape
from typing import Final, Literal, NotRequired

from typing_extensions import TypedDict

from perudo_core import Bid, Calza, Dudo, Rules, count_matching
from telegram_bot.features.learning.lesson import (
    DICE,
    FACE,
    FOURS,
    FRIEND,
    FRIEND_NAME,
    LEARNER,
    OTHER_NAME,
    STAGES,
    Answer,
    LessonStep,
    Stage,
    Topic,
    lesson,
)
from telegram_bot.notices import (
    AboutTable,
    FeatureNotice,
    HelpNotice,
    PageFormat,
    PublicNotice,
    RejectionNotice,
    WelcomeNotice,
)
from telegram_bot.notices.card_types import CalledBidField
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.model import TableRules
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.dice import bid_figure, dice, die
from telegram_bot.words.lines import Format, Line, Medium
from telegram_bot.words.rules import (
    calza_sentences,
    ones_are_wild,
    ones_sentences,
    palifico_sentences,
)


class RoundZeroFields(TypedDict):
    """Round zero; without a stage it is over, and has no other field."""

    stage: str | None
    number: NotRequired[int]
    of: NotRequired[int]
    lines: NotRequired[list[str]]
    question: NotRequired[str]
    friend: NotRequired[str]
    players: NotRequired[list[int]]
    answered: NotRequired[list[int]]
    knowing: NotRequired[list[int]]
    bid: NotRequired[CalledBidField | None]
    ones_wild: NotRequired[bool]
    hands: NotRequired[list[list[int]]]
    calls: NotRequired[list[int | None]]
    count: NotRequired[int]


class PracticeDiceFields(TypedDict):
    """The reader's dice in round zero."""

    text: str
    dice: list[int]
    count: int
    right: str
    wrong: str


class TutorialNotice(FeatureNotice):
    """One step of the tutorial; after the last one, its end."""

    kind: Literal["tutorial"] = "tutorial"
    rules: TableRules
    step: int = 0
    wrong: int | None = None
    """The number of the wrong answer to this step, or None without one."""

    def lines(self, f: Format) -> list[Line]:
        """Return one step: the result of the last answer, the situation, the question, perhaps a hint.

        A phone gets one text.
        """
        if f.medium is Medium.TEXT:
            return _in_one_text(self.rules, f.w)
        rules, w = self.rules, f.w
        steps = lesson(rules)
        done = [] if self.step == 0 or self.wrong is not None else [_praise(steps[self.step - 1], w), ""]
        if self.step == len(steps):
            return [Line(text) for text in (*done, *_farewell(self.rules, w))]
        step = steps[self.step]
        title = "🎓 <b>" + w.say("Learn Perudo") + f"</b> · {self.step + 1}/{len(steps)}"
        lines = [title, "", *done, *_SITUATIONS[step.topic](step, rules, w)]
        if self.wrong is not None and self.wrong < len(step.answers):
            lines += ["", "💡 " + _hint(step, step.answers[self.wrong], rules, w)]
        return [Line(text) for text in lines]


class PracticeNotice(FeatureNotice):
    """The question how many computer players a person would like to practise against."""

    kind: Literal["practice"] = "practice"
    most: int

    def lines(self, f: Format) -> list[Line]:
        """Return the question against how many computer players; only chats have its buttons."""
        ask = f.w.say("A practice game, just between us. How many do you want to play against?")
        return [Line(ask, rank=None, sign="🤖")]


class RoundZeroNotice(AboutTable, PublicNotice):
    """A stage of round zero, as the television and all pages of the room show it."""

    kind: Literal["round_zero"] = "round_zero"
    card_slot = "round_zero"
    stage: Stage | None = None
    """The stage, or None if it is over, and no game has begun."""
    rules: TableRules = Rules()
    players: tuple[int, ...] = ()
    answered: tuple[int, ...] = ()
    """The players who have answered the question of the stage."""
    knowing: tuple[int, ...] = ()
    quantity: int = 0
    """The number of the first bid."""
    hands: tuple[tuple[int, ...], ...] = ()
    """At the reveal: the dice of each player, then those of the bot's friend."""
    calls: tuple[int | None, ...] = ()
    """At the reveal: the answer of each player to the bid."""

    @property
    def count(self) -> int:
        """Return how many of the open dice count."""
        return sum(count_matching(hand, FACE, self.rules.wild_ones) for hand in self.hands)

    def lines(self, f: Format) -> list[Line]:
        """Return the sentences at the beginning of each stage, which screen readers say; chats do not show them."""
        return [] if self.answered else [Line(text, rank=None) for text in round_zero_sentences(self, f.w)]

    def on_page(self, page: PageFormat) -> tuple[Literal["round_zero"], RoundZeroFields]:
        """Return the stage with its sentences, the players who have answered, and at the reveal all dice."""
        if self.stage is None:
            return "round_zero", {"stage": None}
        *lines, question = round_zero_sentences(self, page.w)
        return "round_zero", {
            "stage": self.stage,
            "number": STAGES.index(self.stage) + 1,
            "of": len(STAGES),
            "lines": lines,
            "question": question,
            "friend": FRIEND_NAME,
            "players": list(self.players),
            "answered": list(self.answered),
            "knowing": list(self.knowing),
            "bid": {"quantity": self.quantity, "face": FACE} if self.stage in (Stage.CALL, Stage.REVEAL) else None,
            "ones_wild": self.rules.wild_ones,
            "hands": [list(hand) for hand in self.hands],
            "calls": list(self.calls),
            "count": self.count,
        }


class PracticeDiceNotice(AboutTable, FeatureNotice):
    """Private: a player's dice in round zero."""

    kind: Literal["practice_dice"] = "practice_dice"
    card_slot = "practice_dice"
    rules: TableRules
    dice: tuple[int, ...]

    def lines(self, f: Format) -> list[Line]:
        return [Line(f.w.say("Your dice: {dice}", dice=f.dice(self.dice)), rank=None)]

    def on_page(self, page: PageFormat) -> tuple[Literal["practice_dice"], PracticeDiceFields]:
        """Return the dice, said once the cup is lifted, and the answers to a right and to a wrong count."""
        held = count_matching(self.dice, FACE, self.rules.wild_ones)
        right, wrong = count_feedback(self, held, page.w)
        return "practice_dice", {"text": "", "dice": list(self.dice), "count": held, "right": right, "wrong": wrong}


_TAG: Final = re.compile(r"<[^>]*>")
_NAMES: Final = {FRIEND: FRIEND_NAME, 2: OTHER_NAME}


def _in_one_text(rules: Rules, w: Catalogue) -> list[Line]:
    """Return the tutorial in one text: phones cannot tap, and a lesson of many texts would cost too much."""
    how = w.say("Perudo: all hide dice. In turn bid how many of one face lie under all cups, e.g. 3x4, always higher.")
    ones = [Line(w.say("Ones are wild."))] if ones_are_wild(rules) else []
    return [Line(how), *ones, Line(w.say("Too high? DUDO. Whoever is wrong loses."))]


def welcome_lines(notice: WelcomeNotice, f: Format) -> list[Line]:
    """Return the line about practice, for people without a table."""
    alone = f.w.say("Alone? Tap <b>Practise alone</b>: I bring the other players.")
    return [] if notice.titles else [Line(alone, rank=None)]


def help_lines(notice: HelpNotice, f: Format) -> list[Line]:
    """Return the word that teaches phones while their players wait; in chats help has a button."""
    w = f.w
    if f.medium is not Medium.TEXT or not (notice.lobby or notice.waits_for):
        return []
    if notice.lobby is None:
        return [Line(w.say("LEARN tells how to play, DICE shows your dice."))]
    return [Line(w.say("Until then LEARN tells how to play."))]


def answer_label(step: LessonStep, answer: Answer, rules: Rules, w: Catalogue) -> str:
    """Return the label of an answer's button."""
    match answer.call:
        case Bid(quantity=quantity, face=face):
            return bid_figure(quantity, face, w, _wild_by(step, rules))
        case Dudo():
            return "🗣 " + w.say("Dudo!")
        case Calza():
            return "🎯 " + w.say("Calza!")
    if step.topic is Topic.LOSER:
        return w.context_say("who loses", "Me") if answer.number == LEARNER else FRIEND_NAME
    return str(answer.number)


def _wild_by(step: LessonStep, rules: Rules) -> str | None:
    return rules.book if step.state.ones_are_wild else None


def _bid(bid: Bid | None, step: LessonStep, rules: Rules, w: Catalogue) -> str:
    assert bid is not None  # noqa: S101 - every situation but the first has a bid to answer
    return f"<b>{bid_figure(bid.quantity, bid.face, w, _wild_by(step, rules))}</b>"


def _hand(step: LessonStep, rules: Rules, w: Catalogue) -> str:
    return "🎲 " + w.say("Your dice: {dice}", dice=dice(step.hand, w, _wild_by(step, rules)))


def _asked(opening: str, hand: str, fact: str, question: str) -> list[str]:
    """Return a situation: the events, the learner's dice, the facts, and the question."""
    return [opening, "", hand, fact, "", f"<b>{question}</b>"]


def _counting(step: LessonStep, rules: Rules, w: Catalogue) -> list[str]:
    one, wild_by = die(1, w, _wild_by(step, rules)), _wild_by(step, rules)
    ones = ones_sentences(rules, w)[0]
    if wild_by is not None and one != die(1, w):
        ones = w.say("This is a one: {die}.", die=one) + " " + ones
    return _asked(_hello(w), _hand(step, rules, w), ones, _how_many(die(FOURS, w, wild_by), w))


def _hello(w: Catalogue) -> str:
    return w.say(
        "Hi! {friend} plays a round with you. You each roll five dice, and see only your own.", friend=FRIEND_NAME
    )


def _how_many(face: str, w: Catalogue) -> str:
    return w.say("How many of your dice count as {die}?", die=face)


def _raising(step: LessonStep, rules: Rules, w: Catalogue) -> list[str]:
    opening, fact = _claim(_bid(step.standing, step, rules, w), 2 * DICE, w), _higher(rules, w)
    return _asked(opening, _hand(step, rules, w), fact, w.say("Your turn. Which bid is a raise?"))


def _claim(bid: str, dice: int, w: Catalogue) -> str:
    """Return what the friend's bid says about so many dice."""
    return w.say(
        "{friend} bids {bid}: among all {n} dice, yours and the hidden ones, there are at least that many.",
        friend=FRIEND_NAME,
        bid=bid,
        n=str(dice),
    )


def _higher(rules: Rules, w: Catalogue) -> str:
    if rules.is_always_palifico:
        return " ".join(palifico_sentences(rules, w)[:2])
    return w.say("A raise goes up in number or in face.")


def _doubt(w: Catalogue) -> str:
    return w.say("If you don't believe a bid, say <b>dudo</b>, “I doubt it”: then all dice are shown.")


def _doubting(step: LessonStep, rules: Rules, w: Catalogue) -> list[str]:
    standing = step.standing
    assert standing is not None  # noqa: S101 - see `_bid`
    held = step.held(FOURS)
    opening = w.say("{friend} goes up to {bid}!", friend=FRIEND_NAME, bid=_bid(standing, step, rules, w))
    need = standing.quantity - held
    known = w.count(
        "You hold {held}, so {n} of the five dice you can't see must count.",
        "You hold {held}, so {n} of the five dice you can't see must count.",
        need,
        held=str(held),
    )
    return _asked(opening, _hand(step, rules, w), f"{known}\n{_doubt(w)}", w.say("What do you do?"))


def _revealing(step: LessonStep, rules: Rules, w: Catalogue) -> list[str]:
    wild_by, total = _wild_by(step, rules), step.total(FOURS)
    return [
        w.say("Cups up! Everyone shows their dice:"),
        "",
        f"{FRIEND_NAME}: {dice(step.state.dice[FRIEND], w, wild_by)}",
        w.context_say("whose dice", "You") + f": {dice(step.hand, w, wild_by)}",
        "",
        w.say("Bid: {bid}. Counted: {count}.", bid=_bid(step.standing, step, rules, w), count=f"<b>{total}</b>"),
        "",
        "<b>" + w.say("Who was wrong, and loses?") + "</b>",
    ]


def _another_bid(step: LessonStep, rules: Rules, w: Catalogue) -> list[str]:
    values = {"friend": FRIEND_NAME, "bid": _bid(step.standing, step, rules, w)}
    match step.topic:
        case Topic.ONES:
            fact, asked = " ".join(ones_sentences(rules, w)[1:2]), w.say("Ones are rare. Which bid on ones is enough?")
        case Topic.HIGHER:
            fact, asked = _higher(rules, w), w.say("Which bid is a raise?")
        case _:
            fact = w.say("No one sees your dice, so you may bid what you don't have. Bluffing is half the game!")
            asked = w.say("Make a bid.")
    opening = w.say("A new round. {friend} bids {bid}.", **values)
    return _asked(opening, _hand(step, rules, w), fact, asked)


def _exact(step: LessonStep, rules: Rules, w: Catalogue) -> list[str]:
    standing = step.standing
    assert standing is not None  # noqa: S101 - see `_bid`
    bidder = _NAMES[standing.seat]
    return [
        w.count(
            "Later: you have one die left, and {other} plays too. {bidder} bids {bid}.",
            "Later: you have {n} dice left, and {other} plays too. {bidder} bids {bid}.",
            len(step.hand),
            other=OTHER_NAME,
            bidder=bidder,
            bid=_bid(standing, step, rules, w),
        ),
        "",
        _hand(step, rules, w),
        " ".join(calza_sentences(rules, w)[:2]),
        "",
        w.say(
            "You hold {held} of them. The rest may well lie under the others' cups.", held=str(step.held(standing.face))
        ),
        "",
        "<b>" + w.say("You think that the bid is exact. What do you say?") + "</b>",
    ]


def _one_die_left(step: LessonStep, rules: Rules, w: Catalogue) -> list[str]:
    sentences = palifico_sentences(rules, w)
    end = 3 if rules.wild_ones else 2
    return [
        w.say(
            "Still later {other} has only one die left, and opens with {bid}.",
            other=OTHER_NAME,
            bid=_bid(step.standing, step, rules, w),
        ),
        " ".join(sentences[:end]),
        "",
        _hand(step, rules, w),
        "",
        "<b>" + w.say("What do you do?") + "</b>",
    ]


_SITUATIONS: Final[dict[Topic, Callable[[LessonStep, Rules, Catalogue], list[str]]]] = {
    Topic.COUNT: _counting,
    Topic.RAISE: _raising,
    Topic.DUDO: _doubting,
    Topic.LOSER: _revealing,
    **dict.fromkeys((Topic.ONES, Topic.HIGHER, Topic.BLUFF), _another_bid),
    Topic.CALZA: _exact,
    Topic.PALIFICO: _one_die_left,
}


def _hint(step: LessonStep, answer: Answer, rules: Rules, w: Catalogue) -> str:
    """Why an answer is wrong, in a friendly way."""
    if answer.why_not is not None:
        return _rule(step, answer, rules, w)
    wild_by = _wild_by(step, rules)
    match step.topic:
        case Topic.COUNT:
            return _miscounted(FOURS, wild_by, w)
        case Topic.DUDO:
            return w.say("Even higher is even less likely. Doubt it!")
        case Topic.LOSER:
            return w.say("Fewer dice count than were bid, so the bid was wrong and your doubt was right.")
        case Topic.PALIFICO:
            return w.say("You hold one yourself, so that bid is surely true. Raise it.")
        case Topic.CALZA:
            return w.say("You may. But if the bid is exact, dudo is wrong, and so is a raise. Calza is right.")
        case _:
            return w.say("You may. But try a bid this time.")


def _miscounted(face: int, wild_by: str | None, w: Catalogue) -> str:
    four = die(face, w, wild_by)
    if wild_by is None:
        return w.say("Not quite: here only {four} counts.", four=four)
    return w.say("Not quite: {four} counts, and {one} counts as well.", four=four, one=die(1, w, wild_by))


def _rule(step: LessonStep, answer: Answer, rules: Rules, w: Catalogue) -> str:
    """Return the rule that forbids the call, in the sentence of a game."""
    standing, turn = step.standing, step.state.turn
    if turn not in (None, LEARNER):
        on_turn = _NAMES[turn] if turn is not None else ""
        return w.say("It's {name}'s turn.", name=on_turn) + " " + w.say("But you may say calza now.")
    rejection = RejectionNotice(
        reason=RejectionReason.ILLEGAL,
        rule=answer.why_not,
        standing=None if standing is None else (standing.quantity, standing.face),
        wild_by=_wild_by(step, rules),
    )
    reason = rejection.why_illegal(Format(w, Medium.ALERT))
    return escape(reason, quote=False) + " " + w.say("Try another one.")


def _praise(step: LessonStep, w: Catalogue) -> str:
    """Return the consequence of the right answer."""
    match step.topic:
        case Topic.COUNT:
            return "✅ " + _counted(step.held(FOURS), w)
        case Topic.RAISE:
            if step.state.rules.is_always_palifico:
                return "✅ " + w.say("Right!")
            return "✅ " + w.say("Right: more dice of the face, or as many of a higher face.")
        case Topic.DUDO:
            return "✅ " + w.say("You say <b>dudo!</b>")
        case Topic.LOSER:
            return f"✅ {_loss(step, w)} " + w.say("It was a bluff: anyone may bid what they don't have.")
        case Topic.CALZA:
            return "✅ " + _gain(step, w)
        case Topic.BLUFF:
            return "✅ " + w.say("{friend} believes you!", friend=FRIEND_NAME)
        case _:
            return "✅ " + w.say("Right!")


def _counted(held: int, w: Catalogue) -> str:
    return w.count("Right, {n} of them counts.", "Right, {n} of them count.", held)


def _loss(step: LessonStep, w: Catalogue) -> str:
    if step.state.rules.first_out_wins:
        given = step.state.dice_counts[LEARNER] - step.after.dice_counts[LEARNER]
        return w.count(
            "Right: {friend} was wrong. You give a die away.",
            "Right: {friend} was wrong. You give {n} dice away.",
            given,
            friend=FRIEND_NAME,
        )
    lost = step.state.dice_counts[FRIEND] - step.after.dice_counts[FRIEND]
    if step.after.dice_counts[FRIEND] == 0:
        return w.say("Right: {friend} is out of the game.", friend=FRIEND_NAME)
    return w.count("Right: {friend} loses a die.", "Right: {friend} loses {n} dice.", lost, friend=FRIEND_NAME)


def _gain(step: LessonStep, w: Catalogue) -> str:
    if step.state.rules.first_out_wins:
        return w.say("Exact! You give a die away.")
    won = step.after.dice_counts[LEARNER] - step.state.dice_counts[LEARNER]
    if step.after.is_terminal:
        return w.say("Exact! All the others are out of the game.")
    if step.after.dice_counts[FRIEND] < step.state.dice_counts[FRIEND]:
        return w.say("Exact! All the others lose a die.")
    if not won:
        return w.say("Exact! You lose nothing.")
    return w.count("Exact! You win a die back.", "Exact! You win {n} dice back.", won)


def _farewell(rules: Rules, w: Catalogue) -> list[str]:
    return [
        "🎉 <b>" + _graduated(w) + "</b>",
        _to_the_end(rules, w),
        "",
        w.say("Try it: a real game for practice, against friendly computer players. /rules tells every detail."),
    ]


def _graduated(w: Catalogue) -> str:
    return w.say("Now you can play Perudo!")


def _to_the_end(rules: Rules, w: Catalogue) -> str:
    if rules.first_out_wins:
        return w.say("Round by round players give dice away. The first without dice wins.")
    if rules.sudden_death:
        return w.say("Whoever loses a round is out. The last player with dice wins.")
    return w.say("Round by round players lose dice. The last player with dice wins.")


def round_zero_sentences(notice: RoundZeroNotice, w: Catalogue) -> list[str]:
    """Return the sentences of a stage of round zero; the last one asks the question."""
    wild_by = notice.rules.book if notice.rules.wild_ones else None
    match notice.stage:
        case None:
            return []
        case Stage.LIFT:
            return [_hello(w), w.say("Lift your cup!")]
        case Stage.COUNT:
            return [ones_sentences(notice.rules, w)[0], _how_many(die(FACE, w, wild_by), w)]
        case Stage.CALL:
            bid = bid_figure(notice.quantity, FACE, w, wild_by)
            claim = _claim(bid, (len(notice.players) + 1) * DICE, w)
            return [claim, _higher(notice.rules, w), _TAG.sub("", _doubt(w)), w.say("What do you do?")]
        case Stage.REVEAL if notice.count < notice.quantity:
            said = w.say("Too few: whoever said dudo was right. {friend} would lose the round.", friend=FRIEND_NAME)
        case Stage.REVEAL:
            said = w.say("There are enough: the bid holds. The player who said dudo would lose the round.")
    return [said, _to_the_end(notice.rules, w), _graduated(w)]


def count_feedback(notice: PracticeDiceNotice, held: int, w: Catalogue) -> tuple[str, str]:
    """Return the answers to a right and to a wrong count of a player's dice."""
    wild_by = notice.rules.book if notice.rules.wild_ones else None
    return _counted(held, w), _miscounted(FACE, wild_by, w)


def page_words(w: Catalogue) -> dict[str, str]:
    """Return the sentences of round zero that are the same at each stage."""
    return {"zero": w.say("Practice round: no die is lost"), "we_know_it": w.say("We know it")}
