"""Short answers to a player: confirmations, and rejections with an alternative that works."""

from typing import Final

from babel.lists import format_list

from perudo_core import Reason
from telegram_bot.notices import (
    AnswerNotice,
    ClosedNotice,
    Confirmation,
    ConfirmationNotice,
    ConfirmNotice,
    GuestNotice,
    RejectionNotice,
)
from telegram_bot.storage.models import PrivateView
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.faces import Face
from telegram_bot.tables.lobby_options import LOBBY_OPTIONS
from telegram_bot.tables.lobby_rules import FORMER_OPTIONS
from telegram_bot.tables.model import CloseReason
from telegram_bot.tables.views import BidView
from telegram_bot.words.catalogue import Catalogue, mark_plural, own_name
from telegram_bot.words.dice import call_label
from telegram_bot.words.house_rule_words import rules_title
from telegram_bot.words.languages import mark
from telegram_bot.words.lines import Format, Line, Medium
from telegram_bot.words.phrases import clock_label, clock_line
from telegram_bot.words.rules import option_label, option_value_label
from telegram_bot.words.switch_words import WORDED_SWITCHES

DONE: Final = mark("Done.")
_DONE: Final[dict[Confirmation, str]] = {
    Confirmation.JOINED: mark("You're in! For dice in private, tap my name and press Start."),
    Confirmation.CHOICES_IN_PRIVATE: mark("⚙️ The table's choices are in our private chat."),
    Confirmation.LEFT: mark("You left the table."),
    Confirmation.DUDO: mark("Dudo! Cups up!"),
    Confirmation.CALZA: mark("Calza! Cups up!"),
    Confirmation.CLAIMED: mark("Calza! It counts if no one acts first."),
    Confirmation.BACK: mark("Welcome back, the seat is yours again."),
    Confirmation.BIDS_SHOWN_TO_ALL: mark("Your bid buttons are below the table message. Only your taps count."),
    Confirmation.DICE_SENT: mark("Only you can see your buttons. Not there? Tap again."),
    Confirmation.NEXT_GAME: mark("I'll mention you here when the next game opens."),
    Confirmation.TAP_DUDO_AGAIN: mark("Dudo? If you're sure, tap it once more."),
    Confirmation.TAP_CALZA_AGAIN: mark("Calza? If you're sure, tap it once more."),
    Confirmation.SAY_CALZA_AGAIN: mark("Calza? If you're sure, send it once more."),
    Confirmation.NOTE_FORGOTTEN: mark("🎙 All right, forget it. Say it again, or tap or type it."),
    Confirmation.PLAYS_ON: mark("The game goes on."),
    Confirmation.PLAYS_ALONG: mark("You play again too. {title} starts the game."),
    Confirmation.STARTED: mark("The game is on!"),
    Confirmation.SENT_OUT: mark("The host took you off the table."),
    Confirmation.ADMITTED: mark("{title} can take a seat now."),
    Confirmation.NOT_ADMITTED: mark("{title} stays outside."),
    Confirmation.NOBODY_WAITS: mark("No one is waiting any more."),
    Confirmation.UNLINKED: mark("The phone isn't linked any more."),
    Confirmation.OPENED_AGAIN: mark("A new table is open in {title}. See you there!"),
    Confirmation.TABLE_CHOSEN: mark("From now on your texts are for the table at {title}."),
}
"""Confirmations of one sentence."""


_DONE_BY_TEXT: Final[dict[Confirmation, str]] = {
    Confirmation.JOINED: mark(
        "You're in, at {title}'s table! Your dice come by text. ? explains the game, LEAVE leaves, STOP ends all texts."
    ),
    Confirmation.UNLINKED: mark("This phone doesn't play for {title} any more."),
    Confirmation.SAY_CALZA_AGAIN: mark("Calza? If you're sure, text CALZA again."),
    Confirmation.RULES_CHOSEN: DONE,  # house rules may have long names
}
"""Sentences that differ in text messages."""


def done_lines(notice: ConfirmationNotice, f: Format) -> list[Line]:
    """Return a confirmation, or the question whether calza was meant."""
    explained = calza_explained(notice.bid if notice.explains else None, notice.wild_by, f)
    return [*explained, Line(_done(notice, f))]


def calza_explained(bid: BidView | None, wild_by: str | None, f: Format) -> list[Line]:
    """Return the meaning of calza to this bid; empty without a bid."""
    if bid is None:
        return []
    exactly = f.bid(bid.quantity, bid.face, wild_by)
    said = f.w.say("Calza says: exactly {bid}. If so you win a die back, if not you lose one.", bid=exactly)
    return [Line(said, rank=1)]


def _done(notice: ConfirmationNotice, f: Format) -> str:
    w, texted = f.w, f.medium is Medium.TEXT
    match notice.done:
        case Confirmation.JOINED if texted and notice.nameless and notice.in_group:
            return w.say(
                "You're in, at the table in {title}! Reply with your name, e.g. Rita. ? explains the game, LEAVE "
                "leaves, STOP ends all texts.",
                title=f.name(notice.title),
            )
        case Confirmation.JOINED if texted and notice.in_group:
            return w.say(
                "You're in, at the table in {title}! Your dice come by text. ? explains the game, LEAVE leaves, "
                "STOP ends all texts.",
                title=f.name(notice.title),
            )
        case Confirmation.JOINED if texted and notice.nameless:
            return w.say(
                "You're in, at {title}'s table! Reply with your name, e.g. Rita. ? explains the game, LEAVE leaves, "
                "STOP ends all texts.",
                title=f.name(notice.title),
            )
        case done if texted and done in _DONE_BY_TEXT:
            return w.say(_DONE_BY_TEXT[done], title=f.name(notice.title))
        case Confirmation.JOINED if notice.reachable:
            return w.say("You're in! Your dice come to you in private.")
        case Confirmation.NEXT_GAME if notice.reachable:
            return w.say("I'll write to you when the next game opens here.")
        case Confirmation.BID if notice.bid is not None and texted:
            bid = f.bid(notice.bid.quantity, notice.bid.face)
            return w.say("{bid} counts. You'll get a text when it's your turn. STATUS shows the table.", bid=bid)
        case Confirmation.BID if notice.bid is not None:
            return w.say("You bid {bid}.", bid=f.bid(notice.bid.quantity, notice.bid.face, notice.wild_by))
        case Confirmation.SETTING_CHOSEN:
            return _setting_chosen(notice, f)
        case Confirmation.RULES_CHOSEN if notice.rules is not None:
            clock = "" if notice.clock is None else f" · ⏱ {clock_label(notice.clock, w)}"
            return w.say("We play: {rules}", rules=rules_title(notice.rules, notice.house_rules, w)) + clock
        case Confirmation.OPTION_CHANGED:
            return _option_changed(notice, w)
        case Confirmation.LINKED:
            return w.say("Linked: this phone plays for {name}.", name=f.name(notice.title))
        case done:
            return w.say(_DONE.get(done, DONE), title=f.name(notice.title))


def _option_changed(notice: ConfirmationNotice, w: Catalogue) -> str:
    """Return the host's change in the lobby, in plain text."""
    match notice.option:
        case "clock" | "on_timeout" if notice.clock is not None:
            return "⏱ " + clock_line(notice.clock, w)
        case str(told) if told in LOBBY_OPTIONS:
            option = LOBBY_OPTIONS[told]
            return f"{option.sign} {w.say(option.values.get(str(notice.value), DONE))}"
        case str(told) if notice.rules is not None:
            rule = FORMER_OPTIONS.get(told, told)
            value = option_value_label(rule, getattr(notice.rules, rule), w)
            return w.say("{option}: {value}", option=option_label(rule, w), value=value)
        case _:
            return w.say(DONE)


_SETTINGS: Final[dict[tuple[str, bool], str]] = {
    ("pictures", True): mark("Dice come as pictures from now on."),
    ("pictures", False): mark("Dice come as text from now on."),
    ("quiet", True): mark("Your clock waits in your quiet hours."),
    ("quiet", False): mark("Your clock runs day and night now."),
}
"""The chosen setting that is no switch, by its name and whether it is on."""
_SETTINGS_BY_TEXT: Final[dict[tuple[str, bool], str]] = {
    ("quiet", True): mark("No texts in your quiet hours. Your clock waits as well."),
    ("quiet", False): mark("Texts may come at any hour now."),
}


def _setting_chosen(notice: ConfirmationNotice, f: Format) -> str:
    """Return the setting that a person or a group has chosen."""
    w = f.w
    match notice.setting, notice.value:
        case "view", str(view):
            return w.say(VIEW_CHOSEN[PrivateView(view)])
        case "chosen_language", str(language) if notice.to_all:
            return w.say("I speak {language} in this group now.", language=own_name(language))
        case "chosen_language", str(language):
            return w.say("I speak {language} with you now.", language=own_name(language))
        case "dice_style", _:
            return w.say("Bids look like this: {bid}", bid=f.bid(5, 4))
        case "face", str(face):
            return w.say("You're {face} at the table now.", face=Face(face).sign)
        case "name", _:
            return w.say("Nice to meet you, {name}! That's your name at the table now.", name=f.name(notice.title))
        case setting, value if setting in WORDED_SWITCHES:
            words = WORDED_SWITCHES[setting].words(to_all=notice.to_all)
            return w.say(DONE if words is None else words.on if value else words.off)
        case setting, value:
            chosen = setting, value is True
            by_text = _SETTINGS_BY_TEXT.get(chosen) if f.medium is Medium.TEXT else None
            return w.say(by_text or _SETTINGS.get(chosen, DONE))


VIEW_CHOSEN: Final[dict[PrivateView, str]] = {
    PrivateView.AUTO: mark("I'll use whatever works best."),
    PrivateView.EPHEMERAL: mark("Your dice will appear in the group, for your eyes only."),
    PrivateView.DIRECT: mark("Your dice will come in our private chat."),
    **dict.fromkeys((PrivateView.ALERT, PrivateView.SHARED), mark("Tap My dice in the group to see your dice.")),
    PrivateView.INLINE: mark("On your turn, tap My turn in the group and pick a bid."),
    PrivateView.TEXT: mark("Your dice will come by text message."),
}
"""How a person will see their dice from now on."""
VIEW_LABELS: Final[dict[PrivateView, str]] = {
    PrivateView.AUTO: mark("Whatever works best"),
    PrivateView.EPHEMERAL: mark("In the group, for my eyes only"),
    PrivateView.DIRECT: mark("In our private chat"),
    **dict.fromkeys((PrivateView.ALERT, PrivateView.SHARED), mark("When I tap My dice")),
    PrivateView.INLINE: mark("In the text field"),
    PrivateView.TEXT: mark("By text message"),
}
"""The same as labels of choices."""

_OUT_OF_TURN: Final = (None, Reason.NOT_YOUR_TURN, Reason.OWN_BID)
_NAMES_THE_SMALLEST: Final = (Reason.BID_MALFORMED, Reason.BID_FACE_UNKNOWN)
"""Reasons whose sentence already names the smallest bid in typed form."""


def answer_lines(notice: AnswerNotice, f: Format) -> list[Line]:
    """Return the sentence of an answer."""
    return [Line(f.w.say(notice.sentence))]


def rejection_lines(notice: RejectionNotice, f: Format) -> list[Line]:
    """Why the intent was rejected and the smallest thing that would work."""
    w, texted = f.w, f.medium is Medium.TEXT
    if notice.offers:
        return [Line(_offers(notice, f))]
    if notice.suggestion is not None:
        call = notice.suggestion.upper() if texted and notice.suggestion.isalpha() else notice.suggestion
        if notice.reason is RejectionReason.CALLED_BEFORE:
            return [Line(w.say("You said that before this round. If you mean it now, send: {call}", call=call))]
        question = Line(w.say("Did you mean {call}? Send: {call}", call=call))
        is_unread = notice.rule in (None, Reason.BID_MALFORMED)
        return [question] if is_unread else [Line(why_illegal(notice, f), rank=1), question]
    if notice.reason is RejectionReason.ILLEGAL:
        return _illegal(notice, f)
    if notice.shared is not None:
        name, other = f.names(notice.shared)
        shared = w.say(
            "This phone plays for {name} already, one seat a phone. Share it (text NAME {name} & {other}), or join "
            "with another phone.",
            name=name,
            other=other,
        )
        return [Line(shared)]
    by_text = _TEXTS_BY_TEXT.get(notice.reason) if texted else None
    sentence = by_text or _TEXTS.get(notice.reason, _NOT_NOW)
    needed, left = notice.texts or (0, 0)
    if isinstance(sentence, tuple):
        return [Line(w.count(*sentence, notice.number or 0, needed=str(needed), left=str(left)))]
    return [Line(w.say(sentence, name=f.name(notice.on_turn or ""), needed=str(needed), left=str(left)))]


def _offers(notice: RejectionNotice, f: Format) -> str:
    """Return the calls that a player can choose by number."""
    numbers = [str(number) for number, _ in enumerate(notice.offers, start=1)]
    if f.medium is Medium.TEXT:
        labels = [call.upper() if call.isalpha() else call for call in notice.offers]
    else:
        labels = [call_label(call, f.w, notice.wild_by) for call in notice.offers]
    calls = ", ".join(f"{number}: {label}" for number, label in zip(numbers, labels, strict=True))
    either = format_list(numbers, "or", locale=f.w.language.replace("-", "_"))
    return f.w.say("{calls}. Answer {numbers}.", calls=calls, numbers=either)


def _illegal(notice: RejectionNotice, f: Format) -> list[Line]:
    w, texted = f.w, f.medium is Medium.TEXT
    why = Line(why_illegal(notice, f))
    if notice.on_turn is not None and notice.rule in _OUT_OF_TURN:
        lines = [why] if notice.rule is Reason.OWN_BID else []
        lines.append(Line(w.say("It's {name}'s turn.", name=f.name(notice.on_turn))))
        return [*lines, Line(w.say("You'll get a text when it's yours."))] if texted else lines
    if notice.rule is None:
        return [why, Line(w.say("Text STATUS to see the table."))] if texted else [why]
    if notice.smallest is None or notice.rule in _NAMES_THE_SMALLEST or not notice.rule.startswith("bid/"):
        return [why]
    sentence = mark("The smallest bid is {bid}.") if notice.standing is None else mark("The smallest raise is {bid}.")
    return [why, Line(w.say(sentence, bid=f.bid(*notice.smallest, notice.wild_by)))]


_NOT_NOW: Final = mark("That's not possible now.")
_RULES: Final[dict[Reason, str]] = {
    Reason.NO_BID: mark("There's no bid yet. Make the first one."),
    Reason.OWN_BID: mark("That bid is your own."),
    Reason.BID_TOO_FEW_ONES: mark("To go to ones, bid at least half as many, rounded up."),
    Reason.BID_TOO_FEW_AFTER_ONES: mark("After ones, bid at least double plus one."),
    Reason.BID_FACE_LOCKED: mark("In a palifico round the face is locked."),
    Reason.BID_ONES_MAY_NOT_OPEN: mark("No one may open with ones here."),
    Reason.BID_ABOVE_MAXIMUM: mark("There aren't that many dice."),
    Reason.BID_QUANTITY_ZERO: mark("Bid at least one die."),
    Reason.CALZA_NOT_PLAYED: mark("This table plays without calza."),
    Reason.CALZA_ON_TURN: mark("You can't say calza now. See /rules."),
    Reason.CALZA_IN_PALIFICO: mark("No calza in a palifico round here."),
    Reason.CALZA_TWO_PLAYERS: mark("No calza here when two players are left."),
    Reason.SEAT_OUT: mark("You're out of this game. Watch the others sweat!"),
    Reason.BID_TOO_LOW: mark("That doesn't beat {bid}."),
    Reason.BID_FACE_LOWER: mark("The face may not be lower than in {bid}."),
    Reason.BID_TWO_THINGS: mark("Raise the number or the face of {bid}, not both."),
    Reason.BID_MALFORMED: mark("I didn't catch that. A bid is a number and a face, like 3x4."),
    Reason.BID_FACE_UNKNOWN: mark("A bid is a number and a face from 1 to 6, like 3x4."),
}
"""The rule that forbids a call; a sentence with a placeholder needs a bid to beat."""


def why_illegal(notice: RejectionNotice, f: Format) -> str:
    """Return the rule that forbids the call."""
    w = f.w
    if notice.rule is None:
        return w.say(_NOT_NOW)
    if notice.rule in _NAMES_THE_SMALLEST and notice.smallest is not None:
        smallest = "{}x{}".format(*notice.smallest)
        if notice.rule is Reason.BID_MALFORMED:
            return w.say("I didn't catch that. A bid is a number and a face: the smallest now is {bid}.", bid=smallest)
        return w.say("A bid is a number and a face from 1 to 6. The smallest now is {bid}.", bid=smallest)
    sentence = _RULES.get(notice.rule, _NOT_NOW)
    if notice.standing is not None:
        return w.say(sentence, bid=f.bid(*notice.standing, notice.wild_by))
    needs_a_bid = "{bid}" in sentence
    return w.say(_NOT_NOW if needs_a_bid else sentence)


_TEXTS: Final[dict[RejectionReason, str | tuple[str, str]]] = {
    RejectionReason.NO_TABLE: mark("There's no game here. Send /perudo in your group to open one."),
    RejectionReason.NOT_SEATED: mark("You don't sit at this table. Join the next game!"),
    RejectionReason.NOT_YOURS: mark("That button is for someone else."),
    RejectionReason.NOT_HOST: mark("{name} is the host, chooses the rules and starts the game."),
    RejectionReason.NOT_ALLOWED: mark("Only the host or an admin can do that."),
    RejectionReason.CANNOT_TELL: mark("I couldn't find out whether you're an admin. Please try again."),
    RejectionReason.TABLE_EXISTS: mark("A table is open already. Send /status to see it."),
    RejectionReason.STILL_RUNNING: mark("This game is still on. Ask again once it's over."),
    RejectionReason.ALREADY_RUNNING: mark("That game has started already."),
    RejectionReason.GAME_OVER: mark("That game is over. Join the next one!"),
    RejectionReason.ALREADY_JOINED: mark("You're in already. To leave, send /leave."),
    RejectionReason.FULL: mark_plural(
        "The table is full: {n} player. Join the next game!", "The table is full: {n} players. Join the next game!"
    ),
    RejectionReason.SENT_OUT: mark("The host took you off this table. Join the next one!"),
    RejectionReason.TOO_FEW: mark_plural(
        "It takes at least {n} player. Invite a friend, or add a computer player.",
        "It takes at least {n} players. Invite a friend, or add a computer player.",
    ),
    RejectionReason.TOO_MANY: mark_plural("This rulebook seats {n} player.", "This rulebook seats {n} players."),
    RejectionReason.NOBODY: mark("I don't know who you mean. Say their whole name."),
    RejectionReason.NO_NAME: mark("I can't use that as a name. Send /name and a few letters, like /name Zoë."),
    RejectionReason.JOIN_FIRST: mark("Take a seat first, then you can shake the dice."),
    RejectionReason.STIRRED_ENOUGH: mark("The dice are dizzy already. Let someone else shake!"),
    RejectionReason.CONTRADICTION: mark("That doesn't fit another option of this table. Change the other one first."),
    RejectionReason.UNKNOWN_OPTION: mark("This button is from an older version. Send /perudo for new ones."),
    RejectionReason.NOT_STARTED: mark("The game hasn't started yet. The host starts it when everyone is in."),
    RejectionReason.NO_GAME: mark("No game is running here. Send /perudo to open a table."),
    RejectionReason.OUT: mark("You're not in this game any more. Join the next one!"),
    RejectionReason.STALE: mark("That was for an earlier bid, so nothing happened. Look at the table."),
    RejectionReason.ALREADY_DONE: mark("That counted already."),
    RejectionReason.TOO_LATE: mark("Too late, your time had run out. You're back in now."),
    RejectionReason.REVEALING: mark("One moment: the dice are about to be shown."),
    RejectionReason.SUSPENDED: mark(
        "I can't write in your group right now, so the game waits. It goes on as soon as I can."
    ),
    RejectionReason.ELSEWHERE: mark("That game is in another chat, so nothing happened."),
    RejectionReason.WHICH_TABLE: mark("Which game do you mean?"),
    RejectionReason.NO_TEXTING: mark("I have no telephone number."),
    RejectionReason.IN_PRIVATE: mark("That's between us: send it in our private chat."),
    RejectionReason.NO_LINK: mark("No phone is linked to you. Send /link to get a code."),
    RejectionReason.LINK_EXPIRED: mark("I don't know that code. Send /link to the bot in Telegram for a new one."),
    RejectionReason.STILL_SEATED: mark("This phone sits at a table. Leave that table first."),
    RejectionReason.TEXTS_SHORT: mark_plural(
        "Texts may run out for {n} phone today: about {needed} needed, {left} left. Start again to play anyway.",
        "Texts may run out for {n} phones today: about {needed} needed, {left} left. Start again to play anyway.",
    ),
    RejectionReason.TEXTS_USED_UP: mark(
        "Today's texts aren't enough for all phones at this table. Start the game tomorrow."
    ),
    RejectionReason.NOTE_UNHEARD: mark("🎙 I heard no bid. Say it again, like “five fours”, or tap or type it."),
    RejectionReason.NOTE_TOO_LONG: mark("🎙 That's too long for me. A few words are enough, like “five fours”."),
    RejectionReason.NOTE_WITHOUT_SOUND: mark(
        "🎙 There's no sound in that. Hold the microphone button and say your bid, or tap or type it."
    ),
    RejectionReason.NOTE_OTHER_KIND: mark(
        "🎙 I only listen to voice notes: hold the microphone button and say “five fours”."
    ),
    RejectionReason.NOTE_NOT_HEARD_HERE: mark(
        "🎙 I can't hear voice notes in your language here. Tap your bid, or type it, like 5x4."
    ),
    RejectionReason.NOTE_TROUBLE: mark("🎙 I couldn't listen to that just now. Tap your bid, or type it, like 5x4."),
    RejectionReason.TOO_FAST: mark("That was a lot at once. Give me a few seconds, then go on."),
    RejectionReason.HOUSE_FULL: mark("All my tables are taken at the moment. Please try again later."),
    RejectionReason.HOSTS_ENOUGH: mark_plural(
        "You host a table already. Finish that first.", "You host {n} tables already. Finish one of them first."
    ),
    RejectionReason.TROUBLE: mark("Something went wrong here. Please try again."),
}
_TEXTS_BY_TEXT: Final[dict[RejectionReason, str]] = {
    RejectionReason.NO_TABLE: mark("There's no such game. Text JOIN and its code, or NEW for a table of your own."),
    RejectionReason.NOT_SEATED: mark("You don't sit at this table. Text JOIN and its code for the next game."),
    RejectionReason.GAME_OVER: mark("That game is over. Text JOIN and its code again once the next one is open."),
    RejectionReason.STALE: mark("That was for an earlier turn, so nothing happened. Text DICE to see your dice."),
    RejectionReason.NO_LINK: mark(
        "No phone is linked. Send /link to the bot in Telegram, then text LINK and the code."
    ),
    RejectionReason.NOBODY: mark("Who's that? Text KICK and their place in the list of names, like KICK 2."),
    RejectionReason.NOT_ALLOWED: mark("Only the host can do that."),
    RejectionReason.NO_GAME: mark("That game is over. Text AGAIN for another."),
    RejectionReason.TEXTS_SHORT: mark(
        "Today's texts may run out: about {needed} needed, {left} left. Text GO to play anyway."
    ),
}
"""Sentences that differ in text messages."""


_CLOSED: Final[dict[CloseReason, str]] = {
    CloseReason.STOPPED: mark("🛑 The table was closed."),
    CloseReason.IDLE: mark("🌙 No one moved for a while, so I closed the table."),
    **dict.fromkeys((CloseReason.EMPTY, CloseReason.LOST_CHAT), mark("🍃 Everyone left, so I closed the table.")),
}


def closed_lines(notice: ClosedNotice, f: Format) -> list[Line]:
    """Why a table closed, and how to open another."""
    if notice.why is CloseReason.STOPPED and notice.by:
        why = f.w.say("🛑 {name} closed the table.", name=f.strong(f.name(notice.by)))
    else:
        why = f.w.say(_CLOSED[notice.why])
    return [Line(why), Line(f.w.say("Send /perudo to open a new one."))]


def guest_lines(notice: GuestNotice, f: Format) -> list[Line]:
    """Return the question to the host about a visitor, or the host's answer to the visitor."""
    match notice.what:
        case "knock":
            if not notice.player:
                return [Line(f.w.say("No one is waiting any more."))]
            if len(notice.asking) > 1 and f.medium is not Medium.TEXT:  # by text, only the first visitor is admitted
                return [Line(f.w.say("They want to join from the web page. Who can come in?"), sign="🚪")]
            name = f.strong(f.name(notice.name))
            asked = Line(f.w.say("{name} wants to join from the web page. Let them in?", name=name), sign="🚪")
            return [asked, Line(f.w.say("If so, text {code}.", code=f.code))] if f.medium is Medium.TEXT else [asked]
        case "admitted":
            return [Line(f.w.say("You're in!"))]
        case "refused":
            return [Line(f.w.say("The host didn't let you in. Ask them for the link."))]


_ASKED: Final = {
    ("leave", True): mark("{name}, leave the game in {title}? You lose your dice, and the others roll again."),
    ("leave", False): mark("{name}, leave this game? You lose your dice."),
    ("stop", True): mark("{name}, close the game in {title} for everyone? Then no one wins it."),
    ("stop", False): mark("{name}, close this game? Then no one wins it."),
}
"""The question before a player leaves or closes a game, with and without a chat's title."""


def question_lines(notice: ConfirmNotice, f: Format) -> list[Line]:
    """Return the question before a player leaves or closes a game; by text it names the table, perhaps by its host."""
    title = f.strong(f.name(notice.title))
    if f.medium is not Medium.TEXT:
        return [Line(f.w.say(_ASKED[notice.about, bool(notice.title)], name=f.name(notice.name), title=title))]
    if notice.about == "stop":
        asked = f.w.say("Close the table at {title} for everyone? No one wins.", title=title)
    elif notice.lobby:
        asked = f.w.say("Leave the table at {title}?", title=title)
    else:
        asked = f.w.say("Leave the game at {title}? You lose your dice, and the others roll again.", title=title)
    word = {"leave": "LEAVE", "stop": "CLOSE"}[notice.about]
    return [Line(asked), Line(f.w.say("If so, text {code}.", code=f"{word} {f.code}"))]
