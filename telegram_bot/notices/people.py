"""Notices about people: who plays, who waits, who is the host."""

from datetime import UTC, datetime
from typing import Final, Literal, NamedTuple

from pydantic import Field

from telegram_bot.notices import card_types as c
from telegram_bot.notices.base import About, AboutTable, PageFormat, Question, WebDoor, Worded
from telegram_bot.tables.events import Handover
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.languages import mark
from telegram_bot.words.lines import Format, Line, Medium
from telegram_bot.words.phrases import plain_name
from telegram_bot.words.turns import paused_text


class AwayNotice(AboutTable, Worded):
    """Private: the player missed their turn, or loses dice while the bot plays for them until they return."""

    kind: Literal["away"] = "away"
    card_slot = "note"
    title: str
    missed: bool = True
    """Whether it tells of a missed turn, and not of dice that were lost later."""
    lost: int = 0
    """How many dice the player has lost by it, or since."""
    misses_left: int = 0
    """How many more turns in a row the player may miss before they are out; 0 means that they are away."""

    def lines(self, f: Format) -> list[Line]:
        """Return what the missed turn costs, who plays now, and at which table if the reader sits at several."""
        w, texted = f.w, f.medium is Medium.TEXT
        at = [Line(w.say("Table: {title}.", title=f.strong(f.name(self.title))), rank=1)] if self.title else []
        if self.misses_left:
            said = w.count(
                "You missed your turn, so I played it. Miss one more in a row and you're out.",
                "You missed your turn, so I played it. Miss {n} more in a row and you're out.",
                self.misses_left,
            )
            return [*at, Line(said, sign="💤")]
        back = w.say("Text BACK to play on.") if texted else w.say("Tap <b>I'm back</b> to play on.")
        return [*at, Line(self._said(w), sign="💤"), Line(back)]

    def _said(self, w: Catalogue) -> str:
        if not self.lost:
            return w.say("You missed your turn, so I play for you.")
        if self.missed:
            return w.count(
                "You missed your turn and lost a die. Now I play for you.",
                "You missed your turn and lost {n} dice. Now I play for you.",
                self.lost,
            )
        return w.count(
            "You're away and lost a die. I play on for you.",
            "You're away and lost {n} dice. I play on for you.",
            self.lost,
        )

    def on_page(self, _: PageFormat) -> tuple[Literal["away", "toast"], c.NoFields]:
        """Return a card with a key to come back, or only the sentence for a player who is not away."""
        return "toast" if self.misses_left else "away", {}

    def is_play(self, *, is_new: bool) -> bool:  # noqa: ARG002 - always
        return True


class BackNotice(AboutTable, Worded):
    """Private: the player plays for themselves again, with fewer dice."""

    kind: Literal["back"] = "back"
    card_slot = "note"
    lost: int
    by: str = ""
    """The player who had the seat; empty if the bot played."""

    def lines(self, f: Format) -> list[Line]:
        w = f.w
        if self.by:
            said = w.count(
                "While you were away you lost a die; {name} played for you.",
                "While you were away you lost {n} dice; {name} played for you.",
                self.lost,
                name=f.strong(f.name(self.by)),
            )
        else:
            said = w.count(
                "While you were away you lost a die; I played for you.",
                "While you were away you lost {n} dice; I played for you.",
                self.lost,
            )
        return [Line(said, sign="🪑")]

    def on_page(self, _: PageFormat) -> tuple[Literal["toast"], c.NoFields]:
        return "toast", {}


class PausedNotice(AboutTable, Worded):
    """Everyone is away; the game waits. On pages the card of the round says it."""

    kind: Literal["paused"] = "paused"
    is_public = True

    def lines(self, f: Format) -> list[Line]:
        return [Line(paused_text(f))]


class ResumedNotice(Worded):
    """The bot can write here again."""

    kind: Literal["resumed"] = "resumed"
    card_slot = "news"
    is_public = True

    def lines(self, f: Format) -> list[Line]:
        """Return the bot may write in the group again."""
        return [Line(f.w.say("🔔 I can write here again. On we go!"), rank=None)]

    def on_page(self, _: PageFormat) -> tuple[Literal["news"], c.NewsFields]:
        return "news", {"about": self.kind}


class RestoredNotice(Worded):
    """The database was put back from a backup: the table is as it was at that time."""

    kind: Literal["restored"] = "restored"
    at: float

    def lines(self, f: Format) -> list[Line]:
        time = f"{datetime.fromtimestamp(self.at, UTC):%H:%M} UTC"
        if f.medium is Medium.CHAT:  # Telegram clients show it in their own time zone
            time = f'<tg-time unix="{int(self.at)}" format="t">{time}</tg-time>'
        said = f.w.say("🗄 I was restored from {time}: what you played since is lost. The table stands here:", time=time)
        return [Line(said, rank=None)]


class HostNotice(Worded):
    """Another player is now the host of the running game."""

    kind: Literal["host"] = "host"
    card_slot = "news"
    is_public = True
    name: str

    def lines(self, f: Format) -> list[Line]:
        return [Line(f.w.say("👑 {name} is the host now.", name=f.strong(f.name(self.name))), rank=None)]

    def on_page(self, _: PageFormat) -> tuple[Literal["news"], c.NewsFields]:
        return "news", {"about": self.kind}


class SeatHandoverNotice(AboutTable, Worded):
    """A seat goes to another player, or to another device of its own, in the next round; or does not after all."""

    kind: Literal["seat_handover"] = "seat_handover"
    card_slot = "news"
    is_public = True
    what: Handover
    name: str
    """The player who takes the seat, or was to take it."""
    sitting: str
    """The player who has it now."""
    yours: bool = False
    """Whether the reader has it now."""

    def lines(self, f: Format) -> list[Line]:
        sentence = (_YOUR_HANDOVERS if self.yours else _HANDOVERS)[self.what]
        said = f.w.say(sentence, name=f.strong(f.name(self.name)), sitting=f.strong(f.name(self.sitting)))
        may_stay = self.yours and self.what is Handover.TAKEN and f.medium is Medium.TEXT
        return [Line(said, sign="🪑"), *([Line(f.w.say("Text BACK to play on."))] if may_stay else [])]

    def on_page(self, _: PageFormat) -> tuple[Literal["news"], c.NewsFields]:
        return "news", {"about": self.kind}


_HANDOVERS: Final = {
    Handover.TAKEN: mark("{name} plays on for {sitting} from the next round."),
    Handover.TAKEN_BACK: mark("{name} is back and takes over from {sitting} in the next round."),
    Handover.KEPT: mark("{sitting} keeps the seat, so {name} doesn't take it."),
    Handover.LOST: mark("{sitting} is out, so there's no seat for {name}."),
    Handover.GIVEN_UP: mark("{name} doesn't play on. I do, for {sitting}."),
    Handover.MOVES: mark("{name}'s seat opens on another phone in the next round. Until then I play."),
    Handover.RETURNED: mark("{name} has the seat again. Thanks for playing on!"),
    Handover.MOVED: mark("{name}'s seat was opened on another phone."),
}
_YOUR_HANDOVERS: Final = _HANDOVERS | {
    Handover.TAKEN: mark("{name} plays on for you from the next round."),
    Handover.TAKEN_BACK: mark("{name} is back and takes over from you in the next round."),
}


class NextGameOfferNotice(Worded):
    """Offers spectators a message when a game opens, and the seats of players who are away."""

    kind: Literal["next_game_offer"] = "next_game_offer"
    table: int = 0
    """0 in notices of release 1.0, which offer no seats."""
    seats: tuple[tuple[int, str], ...] = ()
    """The numbers and names of the players who are away."""

    def lines(self, f: Format) -> list[Line]:
        """Return a person asked for a game while one is running."""
        if self.seats:
            said = f.w.say("👀 A game is running. Play on for a player who is away, or be in the next one?")
            return [Line(said, rank=None)]
        return [Line(f.w.say("👀 A game is running. Want to be in the next one?"), rank=None)]


class NextGameNotice(Worded):
    """Private: a lobby has opened in a group."""

    kind: Literal["next_game"] = "next_game"
    title: str
    code: str
    chat: int = 0
    """The group's row, for the key that leaves its list; 0 in notices of release 1.0."""

    def lines(self, f: Format) -> list[Line]:
        said = f.w.say("🔔 The next game opens in <b>{title}</b>. Will you join?", title=f.name(self.title))
        return [Line(said, rank=None)]


class IdentifyAdminNotice(Worded):
    """Asks a person who writes as the group or as a channel to tap, which identifies them."""

    kind: Literal["identify_admin"] = "identify_admin"
    table: int | None

    def lines(self, f: Format) -> list[Line]:
        """Return a command needs a person, and a group or a channel sent it."""
        said = f.w.say(
            "🎭 You're posting as the group or as a channel, so I can't see who you are. Tap below and I'll know."
        )
        return [Line(said, rank=None)]


class SeatClaim(NamedTuple):
    """A person who says that a guest's seat is theirs."""

    player: int
    """The person, as a visitor."""
    name: str
    """The name on the seat."""
    number: int
    """The number on the page of the person."""

    def asked(self, f: Format) -> Line:
        """Return the question to the players who answer it."""
        name = f.strong(f.name(self.name))
        said = f.w.say("{name} on another phone? It shows the number {number}.", name=name, number=str(self.number))
        return Line(said, sign="📱")


class GuestNotice(Worded):
    """Visitors without the link want to join: for the host, who decides, then for the visitor."""

    kind: Literal["guest"] = "guest"
    card_slot = "door"
    what: Literal["knock", "admitted", "refused"]
    table: int
    room: int = 0
    """The chat whose list the reader hosts, if they are asked as its host and not as that of a table."""
    code: str
    player: int
    """The person it is about; if several wait, the first one; 0 if no one waits any more."""
    name: str
    waiting: tuple[tuple[int, str], ...] = ()
    """All visitors who wait, by number and name; release 1.0 stored only the first."""
    claims: tuple[SeatClaim, ...] = ()
    """The people who want a guest's seat back, all of whom wait as well."""

    @property
    def asking(self) -> tuple[tuple[int, str], ...]:
        """All visitors who wait, the first one first."""
        return self.waiting or (((self.player, self.name),) if self.player and not self.claims else ())

    def lines(self, f: Format) -> list[Line]:
        """Return the question to the host about a visitor, or the host's answer to the visitor."""
        match self.what:
            case "knock":
                if not self.player:
                    return [Line(f.w.say("No one is waiting any more."))]
                claims = [each.asked(f) for each in self.claims]
                if claims and f.medium is Medium.TEXT:  # by text, only the first one is answered
                    return [claims[0], Line(f.w.say("If so, text {code}.", code=f.code))]
                if claims and not self.asking:
                    return claims
                if len(self.asking) > 1 and f.medium is not Medium.TEXT:  # by text, only the first visitor is admitted
                    return [*claims, Line(f.w.say("They want to join from the web page. Who can come in?"), sign="🚪")]
                name = f.strong(f.name(self.name))
                asked = Line(f.w.say("{name} wants to join from the web page. Let them in?", name=name), sign="🚪")
                code = [Line(f.w.say("If so, text {code}.", code=f.code))] if f.medium is Medium.TEXT else []
                return [*claims, asked, *code]
            case "admitted":
                return [Line(f.w.say("You're in!"))]
            case "refused":
                return [Line(f.w.say("The host didn't let you in. Ask them for the link."))]

    def on_page(self, _: PageFormat) -> tuple[Literal["knock", "admitted", "refused"], c.DoorFields]:
        return self.what, {"player": self.player, "name": plain_name(self.name)}

    @property
    def text_question(self) -> Question | None:
        is_asked = self.what == "knock" and self.player
        return Question(About.KNOCK, self.table, player=self.player) if is_asked else None

    @property
    def web_door(self) -> WebDoor | None:
        """The seat of a visitor who was let in."""
        return WebDoor(self.code, private=True) if self.what == "admitted" else None


class SeatOpenedNotice(Worded):
    """Private: the reader's seat was opened on one more device."""

    kind: Literal["seat_opened"] = "seat_opened"
    title: str

    def lines(self, f: Format) -> list[Line]:
        w = f.w
        said = w.say("Your seat at {title} is open on a web page now.", title=f.strong(f.name(self.title)))
        if f.medium is Medium.TEXT:
            return [Line(said, sign="📱"), Line(w.say("Not you? Text PAGE and open the new link."))]
        return [Line(said, sign="📱")]


class SeatLinkNotice(Worded):
    """By text: the link that opens the reader's seat on a page, once."""

    kind: Literal["seat_link"] = "seat_link"
    url: str = Field(repr=False)

    def lines(self, f: Format) -> list[Line]:
        """Return the link, which only its reader may have."""
        said = f.w.say("Your seat on a web page: {link}", link=f.foreign(self.url))
        return [Line(said), Line(f.w.say("It works once. Don't give it away."), rank=1)]

    def in_chat(self, _: Format) -> None:
        """Return nothing: in a messenger the page itself shows the link."""
