"""Answers to a player: confirmations, rejections with an alternative that works, questions back."""

from enum import StrEnum
from html import escape
from typing import Final, Literal

from perudo_core import Reason
from telegram_bot.notices import card_types as c
from telegram_bot.notices.base import About, AboutTable, NoticeModel, PageFormat, Question, Worded
from telegram_bot.notices.lobby import MOST_LISTED
from telegram_bot.notices.rendering import news_text, toast_text
from telegram_bot.storage.models import PrivateView
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.faces import Face
from telegram_bot.tables.house_rules import HouseRules
from telegram_bot.tables.lobby_rules import FORMER_OPTIONS
from telegram_bot.tables.model import FrozenModel, TableRules, TurnClock
from telegram_bot.tables.views import BidView
from telegram_bot.words.catalogue import Catalogue, mark_plural, own_name
from telegram_bot.words.dice import call_label
from telegram_bot.words.house_rule_words import rules_title, single_options
from telegram_bot.words.languages import mark
from telegram_bot.words.lines import Format, Line, Medium
from telegram_bot.words.lobby_options import LOBBY_OPTIONS
from telegram_bot.words.phrases import clock_label, clock_line, table_name
from telegram_bot.words.results import calza_explained
from telegram_bot.words.rules import option_label, option_value_label
from telegram_bot.words.sms.layout import (
    TextReader,
    shorten_name,
)
from telegram_bot.words.switch_words import WORDED_SWITCHES


class Confirmation(StrEnum):
    """A confirmed success."""

    JOINED = "joined"
    LEFT = "left"
    TAKES_OVER = "takes_over"
    TOOK_BACK = "took_back"
    BID = "bid"
    DUDO = "dudo"
    CALZA = "calza"
    CLAIMED = "claimed"
    REROLLED = "rerolled"
    BACK = "back"
    STARTED = "started"
    BIDS_SHOWN_TO_ALL = "shared_keyboard"
    DICE_SENT = "dice_sent"
    SENT_OUT = "sent_out"
    ADMITTED = "admitted"
    NOT_ADMITTED = "not_admitted"
    NOBODY_WAITS = "nobody_waits"
    SEAT_GIVEN = "seat_given"
    SEAT_HALF_GIVEN = "seat_half_given"
    SEAT_KEPT = "seat_kept"
    PAGES_ENDED = "pages_ended"
    TABLE_CHOSEN = "table_chosen"
    LINKED = "linked"
    UNLINKED = "unlinked"
    OPENED_AGAIN = "opened_again"
    SETTING_CHOSEN = "setting_chosen"
    RULES_CHOSEN = "rules_chosen"
    CHOICES_IN_PRIVATE = "choices_in_private"
    OPTION_CHANGED = "option_changed"
    PLAYS_ON = "plays_on"
    PLAYS_ALONG = "plays_along"
    NEXT_GAME = "next_game"
    NO_NEXT_GAME = "no_next_game"
    TAP_DUDO_AGAIN = "tap_dudo_again"
    TAP_CALZA_AGAIN = "tap_calza_again"
    SAY_CALZA_AGAIN = "say_calza_again"
    NOTE_FORGOTTEN = "note_forgotten"


DONE: Final = mark("Done.")


_DONE: Final[dict[Confirmation, str]] = {
    Confirmation.JOINED: mark("You're in! For dice in private, tap my name and press Start."),
    Confirmation.CHOICES_IN_PRIVATE: mark("⚙️ The table's choices are in our private chat."),
    Confirmation.LEFT: mark("You left the table."),
    Confirmation.TAKES_OVER: mark("You play on for {title} from the next round, with those dice."),
    Confirmation.TOOK_BACK: mark("Your seat is yours again from the next round."),
    Confirmation.DUDO: mark("Dudo! Cups up!"),
    Confirmation.CALZA: mark("Calza! Cups up!"),
    Confirmation.CLAIMED: mark("Calza! It counts if no one acts first."),
    Confirmation.REROLLED: mark("You have new dice."),
    Confirmation.BACK: mark("Welcome back, the seat is yours again."),
    Confirmation.BIDS_SHOWN_TO_ALL: mark("Your bid buttons are below the table message. Only your taps count."),
    Confirmation.DICE_SENT: mark("Only you can see your buttons. Not there? Tap again."),
    Confirmation.NEXT_GAME: mark("I'll mention you here when a game opens. Tap again to end that."),
    Confirmation.NO_NEXT_GAME: mark("You're off the list: no more news of that group's games."),
    Confirmation.TAP_DUDO_AGAIN: mark("Dudo? If you're sure, tap it once more."),
    Confirmation.TAP_CALZA_AGAIN: mark("Calza? If you're sure, tap it once more."),
    Confirmation.SAY_CALZA_AGAIN: mark("Calza? If you're sure, send it once more."),
    Confirmation.NOTE_FORGOTTEN: mark("🎙 All right, forget it. Say it again, or tap or type it."),
    Confirmation.PLAYS_ON: mark("The game goes on."),
    Confirmation.PLAYS_ALONG: mark("You play again too. {title} starts the game."),
    Confirmation.STARTED: mark("The game is on!"),
    Confirmation.SENT_OUT: mark("The host took you off the table."),
    Confirmation.NOBODY_WAITS: mark("No one is waiting any more."),
    Confirmation.SEAT_GIVEN: mark("{title} is back, on another device."),
    Confirmation.SEAT_HALF_GIVEN: mark("Noted. The host is away, so another player has to agree."),
    Confirmation.SEAT_KEPT: mark("All right: {title}'s seat stays as it is."),
    Confirmation.PAGES_ENDED: mark("Your seat is closed on all web pages."),
    Confirmation.UNLINKED: mark("The phone isn't linked any more."),
    Confirmation.OPENED_AGAIN: mark("A new table is open in {title}. See you there!"),
    Confirmation.TABLE_CHOSEN: mark("From now on your texts are for the table at {title}."),
}
"""Confirmations of one sentence."""


_ADMITTED: Final = {
    Confirmation.ADMITTED: mark_plural("{names} can take a seat now.", "{names} can take a seat now."),
    Confirmation.NOT_ADMITTED: mark_plural("{names} stays outside.", "{names} stay outside."),
}


_DONE_BY_TEXT: Final[dict[Confirmation, str]] = {
    Confirmation.JOINED: mark(
        "You're in, at {title}'s table! Your dice come by text. ? explains the game, LEAVE leaves, STOP ends all texts."
    ),
    Confirmation.UNLINKED: mark("This phone doesn't play for {title} any more."),
    Confirmation.SAY_CALZA_AGAIN: mark("Calza? If you're sure, text CALZA again."),
    Confirmation.RULES_CHOSEN: DONE,  # house rules may have long names
}
"""Sentences that differ in text messages."""


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


VIEW_CHOSEN: Final[dict[PrivateView, str]] = {
    PrivateView.AUTO: mark("I'll use whatever works best."),
    PrivateView.EPHEMERAL: mark("Your dice will appear in the group, for your eyes only."),
    PrivateView.DIRECT: mark("Your dice will come in our private chat."),
    **dict.fromkeys((PrivateView.ALERT, PrivateView.SHARED), mark("Tap My dice in the group to see your dice.")),
    PrivateView.INLINE: mark("On your turn, tap My turn in the group and pick a bid."),
    PrivateView.TEXT: mark("Your dice will come by text message."),
}
"""How a person will see their dice from now on."""


class ConfirmationNotice(Worded):
    """A confirmation."""

    kind: Literal["confirmation"] = "confirmation"
    card_slot = "note"
    read_aloud = True
    done: Confirmation
    bid: BidView | None = None
    """The bid that was made, or the bid that a question about calza explains."""
    wild_by: str | None = None
    """The rulebook by which ones are wild at the moment, or None if they are not, or the notice has no bid."""
    costs_others: bool = False
    """Whether a right calza, which the question explains, costs all others a die."""
    first_out_wins: bool = False
    """Whether it gives the caller's die away."""
    sudden_death: bool = False
    """Whether one loss puts a player out."""
    title: str = ""
    """The subject of the sentence: the table's chat, a person, or a stir."""
    names: tuple[str, ...] = ()
    """The people whom the host has answered."""
    in_group: bool = False
    """Whether the title is a group's; the title of any other table is the name of its host."""
    nameless: bool = False
    """Whether the person is asked for their name."""
    reachable: bool = True
    setting: str = ""
    """The setting that was chosen, by its name in `SETTINGS`."""
    value: bool | str | None = None
    """The value of the setting, or of the lobby's option if that is no rule.

    For languages the one that is spoken from now on, for quiet hours True.
    """
    to_all: bool = False
    """Whether it was chosen for the group."""
    option: str | None = None
    """The option that the host changed; the next fields show the new rules."""
    rules: TableRules | None = None
    clock: TurnClock | None = None
    house_rules: tuple[HouseRules, ...] = ()
    """The house rules of the installation, which give some rules their name."""

    @property
    def asks_again(self) -> bool:
        """True after the first tap of a call that needs two."""
        return self.done in (Confirmation.TAP_DUDO_AGAIN, Confirmation.TAP_CALZA_AGAIN)

    @property
    def takes_time(self) -> bool:
        return self.explains

    @property
    def explains(self) -> bool:
        """True if it asks for calza once more and explains calza, so that it takes time to read."""
        return self.bid is not None and self.done in (Confirmation.TAP_CALZA_AGAIN, Confirmation.SAY_CALZA_AGAIN)

    def lines(self, f: Format) -> list[Line]:
        """Return a confirmation, or the question whether calza was meant."""
        explained = calza_explained(
            self.bid if self.explains else None,
            self.wild_by,
            f,
            costs_others=self.costs_others,
            first_out_wins=self.first_out_wins,
            sudden_death=self.sudden_death,
        )
        return [*explained, Line(self._done(f))]

    def on_page(self, _: PageFormat) -> tuple[Literal["toast"], c.NoFields]:
        return "toast", {}

    def in_chat(self, f: Format) -> str:
        return escape(toast_text(self, f.w), quote=False)

    def _done(self, f: Format) -> str:
        w, texted = f.w, f.medium is Medium.TEXT
        match self.done:
            case Confirmation.JOINED if texted and self.nameless and self.in_group:
                return w.say(
                    "You're in, at the table in {title}! Reply with your name, e.g. Rita. ? explains the game, LEAVE "
                    "leaves, STOP ends all texts.",
                    title=f.name(self.title),
                )
            case Confirmation.JOINED if texted and self.in_group:
                return w.say(
                    "You're in, at the table in {title}! Your dice come by text. ? explains the game, LEAVE leaves, "
                    "STOP ends all texts.",
                    title=f.name(self.title),
                )
            case Confirmation.JOINED if texted and self.nameless:
                return w.say(
                    "You're in, at {title}'s table! Reply with your name, e.g. Rita. ? explains the game, LEAVE "
                    "leaves, STOP ends all texts.",
                    title=f.name(self.title),
                )
            case done if texted and done in _DONE_BY_TEXT:
                return w.say(_DONE_BY_TEXT[done], title=f.name(self.title))
            case Confirmation.JOINED if self.reachable:
                return w.say("You're in! Your dice come to you in private.")
            case Confirmation.NEXT_GAME if self.reachable:
                return w.say("I'll write to you when a game opens here. Tap again to end that.")
            case Confirmation.BID if self.bid is not None and texted:
                bid = f.bid(self.bid.quantity, self.bid.face)
                return w.say("{bid} counts. You'll get a text when it's your turn. STATUS shows the table.", bid=bid)
            case Confirmation.BID if self.bid is not None:
                return w.say("You bid {bid}.", bid=f.bid(self.bid.quantity, self.bid.face, self.wild_by))
            case Confirmation.SETTING_CHOSEN:
                return self._setting_chosen(f)
            case Confirmation.RULES_CHOSEN if self.rules is not None:
                clock = "" if self.clock is None else f" · ⏱ {clock_label(self.clock, w)}"
                return w.say("We play: {rules}", rules=rules_title(self.rules, self.house_rules, w)) + clock
            case Confirmation.OPTION_CHANGED:
                return self._option_changed(w)
            case Confirmation.ADMITTED | Confirmation.NOT_ADMITTED:
                sentences, names = _ADMITTED[self.done], w.listed(f.names(self.names))
                return w.count(*sentences, len(self.names), names=names)
            case Confirmation.LINKED:
                return w.say("Linked: this phone plays for {name}.", name=f.name(self.title))
            case done:
                return w.say(_DONE.get(done, DONE), title=f.name(self.title))

    def _option_changed(self, w: Catalogue) -> str:
        """Return the host's change in the lobby, in plain text."""
        match self.option:
            case "clock" | "on_timeout" if self.clock is not None:
                return "⏱ " + clock_line(self.clock, w)
            case str(told) if told in LOBBY_OPTIONS:
                option = LOBBY_OPTIONS[told]
                return f"{option.sign} {w.say(option.values.get(str(self.value), DONE))}"
            case str(told) if self.rules is not None:
                rule = FORMER_OPTIONS.get(told, told)
                value = option_value_label(rule, getattr(self.rules, rule), w)
                return w.say("{option}: {value}", option=option_label(rule, w), value=value)
            case _:
                return w.say(DONE)

    def _setting_chosen(self, f: Format) -> str:
        """Return the setting that a person or a group has chosen."""
        w = f.w
        match self.setting, self.value:
            case "view", str(view):
                return w.say(VIEW_CHOSEN[PrivateView(view)])
            case "chosen_language", str(language) if self.to_all:
                return w.say("I speak {language} in this group now.", language=own_name(language))
            case "chosen_language", str(language):
                return w.say("I speak {language} with you now.", language=own_name(language))
            case "dice_style", _:
                return w.say("Bids look like this: {bid}", bid=f.bid(5, 4))
            case "face", str(face):
                return w.say("You're {face} at the table now.", face=Face(face).sign)
            case "name", _:
                return w.say("Nice to meet you, {name}! That's your name at the table now.", name=f.name(self.title))
            case setting, value if setting in WORDED_SWITCHES:
                words = WORDED_SWITCHES[setting].words(to_all=self.to_all)
                return w.say(DONE if words is None else words.on if value else words.off)
            case setting, value:
                chosen = setting, value is True
                by_text = _SETTINGS_BY_TEXT.get(chosen) if f.medium is Medium.TEXT else None
                return w.say(by_text or _SETTINGS.get(chosen, DONE))


_OUT_OF_TURN: Final = (None, Reason.NOT_YOUR_TURN, Reason.OWN_BID)


_NAMES_THE_SMALLEST: Final = (Reason.BID_MALFORMED, Reason.BID_FACE_UNKNOWN)
"""Reasons whose sentence already names the smallest bid in typed form."""


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
    Reason.REROLL_NOT_PLAYED: mark("At this table no one rolls again after a bid."),
    Reason.REROLL_NOT_NOW: mark("You can roll again once, right after your own bid."),
    Reason.REROLL_NONE_SHOWN: mark("You need a die that counts for your bid, and another one to roll again."),
    Reason.SEAT_OUT: mark("You're out of this game. Watch the others sweat!"),
    Reason.BID_TOO_LOW: mark("That doesn't beat {bid}."),
    Reason.BID_FACE_LOWER: mark("The face may not be lower than in {bid}."),
    Reason.BID_TWO_THINGS: mark("Raise the number or the face of {bid}, not both."),
    Reason.BID_MALFORMED: mark("I didn't catch that. A bid is a number and a face, like 3x4."),
    Reason.BID_FACE_UNKNOWN: mark("A bid is a number and a face from 1 to 6, like 3x4."),
}
"""The rule that forbids a call; a sentence with a placeholder needs a bid to beat."""


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
    RejectionReason.LATE: mark("That game has started already. Join the next one!"),
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
    RejectionReason.SEAT_TAKEN: mark("{name} has that seat already."),
    RejectionReason.SEAT_LENT: mark("{name} plays in your seat. Send /join, and it's yours from the next round."),
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
    RejectionReason.NO_PAGE: mark("This table has no web page."),
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
    RejectionReason.SEAT_LENT: mark("{name} plays in your seat. Text BACK, and it's yours from the next round."),
    RejectionReason.NO_TABLE: mark("There's no such game. Text JOIN and its code, or NEW for a table of your own."),
    RejectionReason.NOT_SEATED: mark("You don't sit at this table. Text JOIN and its code for the next game."),
    RejectionReason.LATE: mark("That game has started already. Text JOIN and its code again for the next one."),
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


class RejectionNotice(Worded):
    """Why an intent was rejected, and the smallest thing that would work."""

    kind: Literal["rejection"] = "rejection"
    card_slot = "note"
    read_aloud = True
    reason: RejectionReason
    rule: Reason | None = None
    smallest: tuple[int, int] | None = None
    standing: tuple[int, int] | None = None
    on_turn: str | None = None
    number: int | None = None
    shared: tuple[str, str] | None = None
    """The person for whom the phone plays already, and the person who wanted to play with it as well."""
    texts: tuple[int, int] | None = None
    """The number of texts that a game needs, and the number left for today."""
    suggestion: str | None = None
    offers: tuple[str, ...] = ()
    """Calls that the player can choose by number."""
    option: str = ""
    """The option of the lobby for which the host has written a value that it does not have."""
    wild_by: str | None = None
    """The rulebook by which ones are wild at the moment, or None if they are not, or the notice has no bid."""

    @property
    def refusal(self) -> Reason | RejectionReason:
        """The rule of the game that forbids it, or another reason."""
        return self.rule or self.reason

    def lines(self, f: Format) -> list[Line]:
        """Why the intent was rejected and the smallest thing that would work."""
        w, texted = f.w, f.medium is Medium.TEXT
        if self.offers:
            return [Line(self._offers(f))]
        if self.option:
            return self._values(w)
        if self.suggestion is not None:
            call = self.suggestion.upper() if texted and self.suggestion.isalpha() else self.suggestion
            if self.reason is RejectionReason.CALLED_BEFORE:
                return [Line(w.say("You said that before this round. If you mean it now, send: {call}", call=call))]
            question = Line(w.say("Did you mean {call}? Send: {call}", call=call))
            is_unread = self.rule in (None, Reason.BID_MALFORMED)
            return [question] if is_unread else [Line(self.why_illegal(f), rank=1), question]
        if self.reason is RejectionReason.ILLEGAL:
            return self._illegal(f)
        if self.shared is not None:
            name, other = f.names(self.shared)
            shared = w.say(
                "This phone plays for {name} already, one seat a phone. Share it (text NAME {name} & {other}), or join "
                "with another phone.",
                name=name,
                other=other,
            )
            return [Line(shared)]
        by_text = _TEXTS_BY_TEXT.get(self.reason) if texted else None
        sentence = by_text or _TEXTS.get(self.reason, _NOT_NOW)
        needed, left = self.texts or (0, 0)
        if isinstance(sentence, tuple):
            return [Line(w.count(*sentence, self.number or 0, needed=str(needed), left=str(left)))]
        return [Line(w.say(sentence, name=f.name(self.on_turn or ""), needed=str(needed), left=str(left)))]

    def on_page(self, _: PageFormat) -> tuple[Literal["toast"], c.NoFields]:
        return "toast", {}

    def in_chat(self, f: Format) -> str:
        return escape(toast_text(self, f.w), quote=False)

    def _values(self, w: Catalogue) -> list[Line]:
        """Return the values of an option, as its host may write them."""
        option = next(each for each in single_options(w) if each.name == self.option)
        *_, last = labels = list(option.values.values())
        known = w.say("{option} has these values: {values}.", option=option.title, values=", ".join(labels))
        return [Line(known), Line(w.say("Send, for example: {call}", call=f"{option.title}: {last}"))]

    def _offers(self, f: Format) -> str:
        """Return the calls that a player can choose by number."""
        numbers = [str(number) for number, _ in enumerate(self.offers, start=1)]
        if f.medium is Medium.TEXT:
            labels = [call.upper() if call.isalpha() else call for call in self.offers]
        else:
            labels = [call_label(call, f.w, self.wild_by) for call in self.offers]
        calls = ", ".join(f"{number}: {label}" for number, label in zip(numbers, labels, strict=True))
        return f.w.say("{calls}. Answer {numbers}.", calls=calls, numbers=f.w.listed(numbers, "or"))

    def _illegal(self, f: Format) -> list[Line]:
        w, texted = f.w, f.medium is Medium.TEXT
        why = Line(self.why_illegal(f))
        if self.on_turn is not None and self.rule in _OUT_OF_TURN:
            lines = [why] if self.rule is Reason.OWN_BID else []
            lines.append(Line(w.say("It's {name}'s turn.", name=f.name(self.on_turn))))
            return [*lines, Line(w.say("You'll get a text when it's yours."))] if texted else lines
        if self.rule is None:
            return [why, Line(w.say("Text STATUS to see the table."))] if texted else [why]
        if self.smallest is None or self.rule in _NAMES_THE_SMALLEST or not self.rule.startswith("bid/"):
            return [why]
        sentence = mark("The smallest bid is {bid}.") if self.standing is None else mark("The smallest raise is {bid}.")
        return [why, Line(w.say(sentence, bid=f.bid(*self.smallest, self.wild_by)))]

    def why_illegal(self, f: Format) -> str:
        """Return the rule that forbids the call."""
        w = f.w
        if self.rule is None:
            return w.say(_NOT_NOW)
        if self.rule in _NAMES_THE_SMALLEST and self.smallest is not None:
            smallest = "{}x{}".format(*self.smallest)
            if self.rule is Reason.BID_MALFORMED:
                return w.say(
                    "I didn't catch that. A bid is a number and a face: the smallest now is {bid}.", bid=smallest
                )
            return w.say("A bid is a number and a face from 1 to 6. The smallest now is {bid}.", bid=smallest)
        sentence = _RULES.get(self.rule, _NOT_NOW)
        if self.standing is not None:
            return w.say(sentence, bid=f.bid(*self.standing, self.wild_by))
        needs_a_bid = "{bid}" in sentence
        return w.say(_NOT_NOW if needs_a_bid else sentence)


class AnswerNotice(Worded):
    """The answer to a request, one sentence without gaps, in the reader's language when it is shown."""

    kind: Literal["answer"] = "answer"
    sentence: str
    """In English, marked for translators by `mark`."""

    def lines(self, f: Format) -> list[Line]:
        return [Line(f.w.say(self.sentence))]

    def round_at_front(self, current: int | None) -> None:
        """Return no round: it is not about a game."""


class TableChoice(FrozenModel):
    """One of several tables of an ambiguous request."""

    table: int
    step: int
    title: str
    code: str = ""
    wild_by: str | None = None


class WhichTableNotice(NoticeModel):
    """Asks for the table of a request; `word` is the data of the request's button."""

    kind: Literal["which_table"] = "which_table"
    choices: tuple[TableChoice, ...]
    word: str

    @property
    def call(self) -> str | None:
        """Return the call that the player has made, as people type it, or None for another request."""
        call = self.word.removeprefix("bid=")
        return call if call[0].isdigit() or call in ("dudo", "calza") else None

    def in_chat(self, f: Format) -> str:
        return f.w.say("You sit at more than one table. Which one do you mean?")

    def by_text(self, f: Format, reader: TextReader) -> list[Line]:  # noqa: ARG002 - the same for all
        """Return the question with the codes of as many tables as there is room for."""
        listed, line = "", None
        for rank, choice in enumerate(self.choices[:MOST_LISTED]):
            listed += f"{', ' if listed else ''}{choice.code} {shorten_name(table_name(choice.title, f.w), f.letters)}"
            line = Line(self._asked(listed, f.w), rank=rank, short=line)
        return [] if line is None else [line]

    def _asked(self, tables: str, w: Catalogue) -> str:
        if self.call is None:
            return w.say("Which table? Text TABLE and a code: {tables}.", tables=tables)
        call = self.call if self.call[0].isdigit() else self.call.upper()
        return w.say("Which table is {call} for? Text TABLE, a code and {call}: {tables}.", call=call, tables=tables)


_ASKED: Final = {
    ("leave", True): mark("{name}, leave the game in {title}? You lose your dice, and the others roll again."),
    ("leave", False): mark("{name}, leave this game? You lose your dice."),
    ("stop", True): mark("{name}, close the game in {title} for everyone? Then no one wins it."),
    ("stop", False): mark("{name}, close this game? Then no one wins it."),
}
"""The question before a player leaves or closes a game, with and without a chat's title."""


class ConfirmNotice(AboutTable, Worded):
    """Asks a player whether they leave the game and lose their dice, or end it for everyone."""

    kind: Literal["confirm"] = "confirm"
    card_slot = "question"
    about: Literal["leave", "stop"]
    title: str
    player: int
    name: str
    lobby: bool = False
    """Whether the game has not begun yet."""

    @property
    def text_question(self) -> Question:
        return Question(About.LEAVE if self.about == "leave" else About.CLOSE, self.table)

    def lines(self, f: Format) -> list[Line]:
        """Return the question before a player leaves or closes a game; by text it names the table."""
        title = f.strong(f.name(self.title))
        if f.medium is not Medium.TEXT:
            return [Line(f.w.say(_ASKED[self.about, bool(self.title)], name=f.name(self.name), title=title))]
        if self.about == "stop":
            asked = f.w.say("Close the table at {title} for everyone? No one wins.", title=title)
        elif self.lobby:
            asked = f.w.say("Leave the table at {title}?", title=title)
        else:
            asked = f.w.say("Leave the game at {title}? You lose your dice, and the others roll again.", title=title)
        word = {"leave": "LEAVE", "stop": "CLOSE"}[self.about]
        return [Line(asked), Line(f.w.say("If so, text {code}.", code=f"{word} {f.code}"))]

    def on_page(self, page: PageFormat) -> tuple[Literal["question"], c.QuestionFields]:
        """Return the question without the title of the table, which the page shows."""
        w = page.w
        return "question", {"about": self.about, "text": news_text(self.model_copy(update={"title": ""}), w)}


class OutdatedNotice(NoticeModel):
    """The message is outdated: its choices do not count any more."""

    kind: Literal["outdated"] = "outdated"
    moved: bool = False
    """Whether a newer message contains all of it, so that this one is deleted."""

    @property
    def deletes(self) -> bool:
        """True if a newer message contains all of it."""
        return self.moved
