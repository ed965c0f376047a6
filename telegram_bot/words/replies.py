"""Short answers to a player: what was done, or why it was rejected and what would work instead."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

from perudo_core import Reason
from telegram_bot.service.notices import Confirmation, ConfirmationNotice, RejectionNotice
from telegram_bot.storage.models import PrivateView
from telegram_bot.tables.events import RejectionReason
from telegram_bot.words.catalogue import Catalogue, own_name
from telegram_bot.words.dice import bid_figure
from telegram_bot.words.house_rules import rules_title
from telegram_bot.words.phrases import clock_label, clock_line, plain_name, predicted_label, predictions_label
from telegram_bot.words.rules import option_label, option_value_label


def done_text(notice: ConfirmationNotice, w: Catalogue) -> str:  # noqa: C901, PLR0911, PLR0912 - one sentence each
    """A small success, in plain text."""
    match notice.done:
        case Confirmation.JOINED if notice.reachable:
            return w.say("You are in! Your dice come to you in private.")
        case Confirmation.JOINED:
            return w.say("You are in! For dice in private, tap my name and press Start.")
        case Confirmation.STIRRED:
            return w.say("{what} is in the dice. Seal: {seal}", what=notice.title, seal=notice.seal)
        case Confirmation.SEALED:
            return w.say("The seal {seal} is in the chat. Tap a sign there, or reply with a word.", seal=notice.seal)
        case Confirmation.CHOICES_IN_PRIVATE:
            return w.say("⚙️ The table's choices are in our private chat.")
        case Confirmation.LEFT:
            return w.say("You left the table.")
        case Confirmation.BID if notice.bid is not None:
            return w.say(
                "You bid {bid}.",
                bid=bid_figure(notice.bid.quantity, notice.bid.face, w, notice.wild_by),
            )
        case Confirmation.DUDO:
            return w.say("Dudo! Cups up!")
        case Confirmation.CALZA:
            return w.say("Calza! Cups up!")
        case Confirmation.CLAIMED:
            return w.say("Calza! It counts if nobody acts first.")
        case Confirmation.BACK:
            return w.say("Welcome back, the seat is yours again.")
        case Confirmation.SETTING_CHOSEN:
            return setting_chosen(notice, w)
        case Confirmation.BIDS_SHOWN_TO_ALL:
            return w.say("Your bid buttons are below the table message. Only your taps count.")
        case Confirmation.DICE_SENT:
            return w.say("Only you can see your buttons. Not there? Tap again.")
        case Confirmation.RECORD_ABOVE:
            return w.say("The file is above already. Scroll up a little!")
        case Confirmation.STORY_TOLD:
            return w.say("Here it comes!")
        case Confirmation.STORY_ABOVE:
            return w.say("The story is in the chat already. Scroll up a little!")
        case Confirmation.STORY_UNKNOWN:
            return w.say("I could not work out this game's story. Please tap again in a minute.")
        case Confirmation.STORY_LATER:
            return w.say("A game's story comes when the game is over.")
        case Confirmation.RULES_CHOSEN if notice.rules is not None:
            clock = "" if notice.clock is None else f" · ⏱ {clock_label(notice.clock, w)}"
            return w.say("We play: {rules}", rules=rules_title(notice.rules, notice.house_rules, w)) + clock
        case Confirmation.OPTION_CHANGED if notice.rules is not None and notice.option is not None:
            value = option_value_label(notice.option, getattr(notice.rules, notice.option), w)
            return w.say("{option}: {value}", option=option_label(notice.option, w), value=value)
        case Confirmation.CLOCK_CHOSEN if notice.clock is not None:
            return "⏱ " + clock_line(notice.clock, w)
        case Confirmation.PREDICTIONS_CHOSEN if notice.predictions is not None:
            return "🔮 " + predictions_label(notice.predictions, w)
        case Confirmation.PREDICTED if notice.predicted is not None:
            call = predicted_label(notice.predicted, w)
            return w.say("🔮 Your guess: {call}. Only you know. Tap another to change it.", call=call)
        case Confirmation.NEXT_GAME if notice.reachable:
            return w.say("I will write to you when the next game opens here.")
        case Confirmation.NEXT_GAME:
            return w.say("I will mention you here when the next game opens.")
        case Confirmation.TAP_DUDO_AGAIN:
            return w.say("Dudo? If you are sure, tap it once more.")
        case Confirmation.TAP_CALZA_AGAIN:
            return w.say("Calza? If you are sure, tap it once more.")
        case Confirmation.NOTE_FORGOTTEN:
            return w.say("🎙 All right, forget it. Say it again, or tap or type it.")
        case Confirmation.HINTS_ALLOWED:
            return w.say("Hints are allowed. This game does not count for the league.")
        case Confirmation.NO_HINTS:
            return w.say("No hints: this game counts.")
        case Confirmation.HINT_SENT:
            return w.say("💡 The hint is in our private chat.")
        case Confirmation.NO_ADVICE:
            return w.say("No idea this time. Trust your gut!")
        case Confirmation.PLAYS_ON:
            return w.say("The game goes on.")
        case Confirmation.STARTED:
            return w.say("The game is on!")
        case Confirmation.OPENED_AGAIN:
            return w.say("A new table is open in {title}. See you there!", title=plain_name(notice.title))
        case Confirmation.SENT_OUT:
            return w.say("The host took you off the table.")
        case Confirmation.TABLE_CHOSEN:
            return w.say("What you write is for {title} now.", title=plain_name(notice.title))
        case Confirmation.LINKED:
            return w.say("Linked: this phone plays for {name}.", name=plain_name(notice.title))
        case Confirmation.UNLINKED:
            return w.say("The phone is not linked any more.")
        case Confirmation.HIDDEN:
            return w.say("You are in no league and in nobody's statistics now. /hide off shows you again.")
        case Confirmation.SHOWN:
            return w.say("Leagues show you again.")
        case _:
            return w.say("Done.")


def setting_chosen(notice: ConfirmationNotice, w: Catalogue) -> str:  # noqa: C901, PLR0911, PLR0912 - one sentence each
    """What a person or a group has chosen, in plain text."""
    match notice.setting, notice.value:
        case "view", str(view):
            return view_chosen(PrivateView(view), w)
        case "chosen_language", str(language) if notice.to_all:
            return w.say("I speak {language} in this group now.", language=own_name(language))
        case "chosen_language", str(language):
            return w.say("I speak {language} with you now.", language=own_name(language))
        case "dice_style", _:
            return w.say("Bids look like this: {bid}", bid=bid_figure(5, 4, w))
        case "pictures", True:
            return w.say("Dice come as pictures from now on.")
        case "pictures", _:
            return w.say("Dice come as text from now on.")
        case "aloud", True if notice.to_all:
            return w.say("I read the end of each round aloud from now on.")
        case "aloud", True:
            return w.say("I read your messages aloud from now on.")
        case "aloud", _ if notice.to_all:
            return w.say("I only write here from now on.")
        case "aloud", _:
            return w.say("I only write to you from now on.")
        case "asks_twice", True:
            return w.say("Your dudo and calza count when you tap twice.")
        case "asks_twice", _:
            return w.say("In private, your dudo and calza count at the first tap.")
        case "trusts_voice", True:
            return w.say("When I am sure of a spoken bid, it counts at once. Dudo and calza still need a tap.")
        case "trusts_voice", _:
            return w.say("I ask after every voice note before it counts.")
        case "verbose", True:
            return w.say("You will get every bid by text.")
        case "verbose", _:
            return w.say("You will get only the texts you need.")
        case "quiet", True:
            return w.say("No texts in your quiet hours. Your clock waits as well.")
        case "quiet", _:
            return w.say("Texts may come at any hour now.")
        case "name", _:
            return w.say("Nice to meet you, {name}! That is your name at the table now.", name=plain_name(notice.title))
        case _:
            return w.say("Done.")


def view_chosen(view: PrivateView, w: Catalogue) -> str:
    """How the person will see their dice from now on, in plain text."""
    match view:
        case PrivateView.AUTO:
            return w.say("I will use whatever works best.")
        case PrivateView.EPHEMERAL:
            return w.say("Your dice will appear in the group, for your eyes only.")
        case PrivateView.DIRECT:
            return w.say("Your dice will come in our private chat.")
        case PrivateView.ALERT | PrivateView.SHARED:
            return w.say("Tap My dice in the group to see your dice.")
        case PrivateView.INLINE:
            return w.say("On your turn, tap My turn in the group and pick a bid.")
        case PrivateView.TEXT:
            return w.say("Your dice will come by text message.")


Figure: TypeAlias = Callable[[int, int], str]
"""A function that writes a bid: `5 × 4️⃣` in chats, `5x4` in text messages."""


def rejection_text(notice: RejectionNotice, w: Catalogue, figure: Figure | None = None) -> str:
    """Why the intent was rejected and the smallest thing that would work, in plain text.

    `figure` writes the bids; None: as chats do.
    """
    if figure is None:
        figure = partial(_figure_in_chats, w=w, wild_by=notice.wild_by)
    if notice.suggestion is not None:
        question = w.say("Did you mean {call}? Send: {call}", call=notice.suggestion)
        turned_round = notice.rule not in (None, Reason.BID_MALFORMED)
        return f"{why_illegal(notice, w, figure)} {question}" if turned_round else question
    if notice.reason is RejectionReason.ILLEGAL:
        return _illegal(notice, w, figure)
    return _TEXTS[notice.reason](notice, w)


def _figure_in_chats(quantity: int, face: int, *, w: Catalogue, wild_by: str | None) -> str:
    return bid_figure(quantity, face, w, wild_by)


_NAMES_THE_SMALLEST: Final = (Reason.BID_MALFORMED, Reason.BID_FACE_UNKNOWN)
"""Reasons whose sentence names the smallest bid already, as it is typed."""


def _illegal(notice: RejectionNotice, w: Catalogue, figure: Figure) -> str:
    if notice.rule in (None, Reason.NOT_YOUR_TURN) and notice.on_turn is not None:
        return w.say("It is {name}'s turn.", name=plain_name(notice.on_turn))
    text = why_illegal(notice, w, figure)
    if notice.rule in _NAMES_THE_SMALLEST:
        return text
    if notice.smallest is not None and notice.rule is not None and notice.rule.startswith("bid/"):
        smallest = figure(*notice.smallest)
        opening = notice.standing is None
        text += " " + (
            w.say("The smallest bid is {bid}.", bid=smallest)
            if opening
            else w.say("The smallest raise is {bid}.", bid=smallest)
        )
    return text


def why_illegal(notice: RejectionNotice, w: Catalogue, figure: Figure) -> str:  # noqa: PLR0911, C901, PLR0912 - one sentence per reason
    """The rule that forbids the call, in plain text."""
    standing = figure(*notice.standing) if notice.standing is not None else ""
    match notice.rule:
        case Reason.NO_BID:
            return w.say("There is no bid yet. Make the first one.")
        case Reason.OWN_BID:
            return w.say("That bid is your own.")
        case Reason.BID_TOO_LOW if standing:
            return w.say("That does not beat {bid}.", bid=standing)
        case Reason.BID_FACE_LOWER if standing:
            return w.say("The face may not be lower than in {bid}.", bid=standing)
        case Reason.BID_TWO_THINGS if standing:
            return w.say("Raise the number or the face of {bid}, not both.", bid=standing)
        case Reason.BID_TOO_FEW_ONES:
            return w.say("To go to ones, bid at least half as many, rounded up.")
        case Reason.BID_TOO_FEW_AFTER_ONES:
            return w.say("To leave ones, bid at least twice as many plus one.")
        case Reason.BID_FACE_LOCKED:
            return w.say("In a palifico round the face is locked.")
        case Reason.BID_ONES_MAY_NOT_OPEN:
            return w.say("Nobody may open with ones here.")
        case Reason.BID_ABOVE_MAXIMUM:
            return w.say("There are not that many dice.")
        case Reason.BID_QUANTITY_ZERO:
            return w.say("Bid at least one die.")
        case Reason.BID_MALFORMED | Reason.BID_FACE_UNKNOWN if notice.smallest is not None:
            quantity, face = notice.smallest
            return w.say(
                "A bid is a number and a face from 1 to 6. The smallest now is {bid}.", bid=f"{quantity}x{face}"
            )
        case Reason.BID_MALFORMED | Reason.BID_FACE_UNKNOWN:
            return w.say("A bid is a number and a face from 1 to 6, like 3x4.")
        case Reason.CALZA_NOT_PLAYED:
            return w.say("This table plays without calza.")
        case Reason.CALZA_ON_TURN:
            return w.say("You may not say calza now. See /rules.")
        case Reason.CALZA_IN_PALIFICO:
            return w.say("No calza in a palifico round here.")
        case Reason.CALZA_TWO_PLAYERS:
            return w.say("No calza here when two players are left.")
        case Reason.SEAT_OUT:
            return w.say("You are out of this game. Watch the others sweat!")
        case _:
            return w.say("That is not possible now.")


def _number(notice: RejectionNotice) -> int:
    return notice.number or 0


def _texts(notice: RejectionNotice) -> dict[str, int]:
    needed, left = notice.texts or (0, 0)
    return {"needed": needed, "left": left}


_TEXTS: Final[dict[RejectionReason, Callable[[RejectionNotice, Catalogue], str]]] = {
    RejectionReason.NO_TABLE: lambda _notice, w: w.say(
        "There is no game here. Send /perudo in your group to open one."
    ),
    RejectionReason.NOT_SEATED: lambda _notice, w: w.say("You do not sit at this table. Join the next game!"),
    RejectionReason.NOT_YOURS: lambda _notice, w: w.say("That button is for somebody else."),
    RejectionReason.NOT_HOST: lambda notice, w: (
        w.say("{name} is the host, chooses the rules and starts the game.", name=plain_name(notice.on_turn))
        if notice.on_turn
        else w.say("Only the host can do that.")
    ),
    RejectionReason.NOT_ALLOWED: lambda _notice, w: w.say("Only the host or an admin can do that."),
    RejectionReason.CANNOT_TELL: lambda _notice, w: w.say(
        "I could not find out whether you are an admin. Please try again."
    ),
    RejectionReason.TABLE_EXISTS: lambda _notice, w: w.say("A table is open already. Send /perudo to see it."),
    RejectionReason.ALREADY_RUNNING: lambda _notice, w: w.say("That game has started already."),
    RejectionReason.ALREADY_JOINED: lambda _notice, w: w.say("You are in already. To leave, send /leave."),
    RejectionReason.FULL: lambda notice, w: w.count(
        "The table is full: {n} player.", "The table is full: {n} players.", _number(notice)
    ),
    RejectionReason.SENT_OUT: lambda _notice, w: w.say("The host took you off this table. Join the next one!"),
    RejectionReason.TOO_FEW: lambda notice, w: w.count(
        "It takes at least {n} player.", "It takes at least {n} players.", _number(notice)
    ),
    RejectionReason.TOO_MANY: lambda notice, w: w.count(
        "This rulebook seats {n} player.", "This rulebook seats {n} players.", _number(notice)
    ),
    RejectionReason.NOBODY: lambda _notice, w: w.say("I do not know whom you mean. Say their whole name."),
    RejectionReason.JOIN_FIRST: lambda _notice, w: w.say("Take a seat first, then you can stir the dice."),
    RejectionReason.STIRRED_ENOUGH: lambda _notice, w: w.say("The dice are dizzy already. Let somebody else shake!"),
    RejectionReason.CONTRADICTION: lambda _notice, w: w.say(
        "That does not go with another option. Change that one first."
    ),
    RejectionReason.UNKNOWN_OPTION: lambda _notice, w: w.say(
        "This button is from an older version. Send /perudo for new ones."
    ),
    RejectionReason.NOT_STARTED: lambda _notice, w: w.say(
        "The game has not started yet. The host taps Start when everyone is in."
    ),
    RejectionReason.NO_GAME: lambda _notice, w: w.say("No game is running here. Send /perudo to open a table."),
    RejectionReason.OUT: lambda _notice, w: w.say("You are not in this game any more."),
    RejectionReason.STALE: lambda _notice, w: w.say(
        "That was for an earlier bid, so nothing happened. Look at the table."
    ),
    RejectionReason.ALREADY_DONE: lambda _notice, w: w.say("That counted already."),
    RejectionReason.TOO_LATE: lambda _notice, w: w.say("Too late, your time had run out. You are back in now."),
    RejectionReason.REVEALING: lambda _notice, w: w.say("One moment: the dice are about to be shown."),
    RejectionReason.ILLEGAL: lambda _notice, w: w.say("That is not possible now."),
    RejectionReason.PLAYERS_PREDICT_NOTHING: lambda _notice, w: w.say(
        "🔮 Only those who watch may guess. You have dice: play!"
    ),
    RejectionReason.PREDICTED_LATE: lambda _notice, w: w.say("🔮 Too late for that call. Guess the next one!"),
    RejectionReason.SUSPENDED: lambda _notice, w: w.say(
        "I cannot write in your group right now, so the game waits. It goes on as soon as I can."
    ),
    RejectionReason.ELSEWHERE: lambda _notice, w: w.say("That game is in another chat, so nothing happened."),
    RejectionReason.WHICH_TABLE: lambda _notice, w: w.say("Which game do you mean?"),
    RejectionReason.NO_TEXTING: lambda _notice, w: w.say("I have no telephone number."),
    RejectionReason.IN_PRIVATE: lambda _notice, w: w.say("That is between us: send it in our private chat."),
    RejectionReason.NO_LINK: lambda _notice, w: w.say("No phone is linked to you. Send /link to get a code."),
    RejectionReason.LINK_EXPIRED: lambda _notice, w: w.say(
        "I do not know that code. Send /link to the bot for a new one."
    ),
    RejectionReason.STILL_SEATED: lambda _notice, w: w.say("This phone sits at a table. Leave that table first."),
    RejectionReason.SHARED_PHONE: lambda notice, w: w.say(
        "This phone plays for {name} already.", name=plain_name(notice.shared[0] if notice.shared else "")
    ),
    RejectionReason.TEXTS_SHORT: lambda notice, w: w.count(
        "Texts may run out for {n} phone today: about {needed} needed, {left} left. Start again to play anyway.",
        "Texts may run out for {n} phones today: about {needed} needed, {left} left. Start again to play anyway.",
        _number(notice),
        **_texts(notice),
    ),
    RejectionReason.TEXTS_USED_UP: lambda _notice, w: w.say(
        "No texts are left today for everybody's phone. The game can start tomorrow."
    ),
    RejectionReason.NOTE_UNHEARD: lambda _notice, w: w.say(
        "🎙 I heard no bid. Say it again, like “five fours”, or tap or type it."
    ),
    RejectionReason.NOTE_TOO_LONG: lambda _notice, w: w.say(
        "🎙 That is too long for me. A few words are enough, like “five fours”."
    ),
    RejectionReason.NOTE_WITHOUT_SOUND: lambda _notice, w: w.say(
        "🎙 There is no sound in that. Hold the microphone button and say your bid, or tap or type it."
    ),
    RejectionReason.NOTE_OTHER_KIND: lambda _notice, w: w.say(
        "🎙 I only listen to voice notes: hold the microphone button and say “five fours”."
    ),
    RejectionReason.NOTE_NOT_HEARD_HERE: lambda _notice, w: w.say(
        "🎙 I cannot hear voice notes in your language here. Tap your bid, or type it, like 5x4."
    ),
    RejectionReason.NOTE_TROUBLE: lambda _notice, w: w.say(
        "🎙 I could not listen to that just now. Tap your bid, or type it, like 5x4."
    ),
    RejectionReason.TOO_FAST: lambda _notice, w: w.say("That was a lot at once. Give me a few seconds, then go on."),
    RejectionReason.HOUSE_FULL: lambda _notice, w: w.say(
        "All my tables are taken at the moment. Please try again later."
    ),
    RejectionReason.HOSTS_ENOUGH: lambda notice, w: w.count(
        "You host a table already. Finish that first.",
        "You host {n} tables already. Finish one of them first.",
        _number(notice),
    ),
    RejectionReason.NEVER_PLAYED: lambda _notice, w: w.say("They have not played here yet. Invite them!"),
    RejectionReason.HIDDEN: lambda _notice, w: w.say("They keep their games to themselves."),
    RejectionReason.LEAGUE_IN_GROUP: lambda _notice, w: w.say(
        "Each group has a league of its own. Send /league in your group."
    ),
    RejectionReason.TROUBLE: lambda _notice, w: w.say("Something went wrong here. Please try again."),
}
