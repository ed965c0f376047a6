"""An example of every notice, with names of all kinds."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from itertools import product
from types import ModuleType
from typing import Any

from perudo_core import PRESETS, Reason, Rules, smallest_raise
from perudo_core.agents import Character, Level
from perudo_core.stirs import SIGNS
from telegram_bot import notices as n
from telegram_bot.features import FEATURES
from telegram_bot.notices import Celebration, Mention, call_notice, called_round
from telegram_bot.notices.lobby import LobbyMenu
from telegram_bot.notices.rendering import message_html
from telegram_bot.screens.switches import SWITCHES
from telegram_bot.service.handlers.settings import SETTINGS
from telegram_bot.storage.models import PrivateView
from telegram_bot.tables import lobby_rules, play
from telegram_bot.tables import result_views as results
from telegram_bot.tables.events import Handover, RejectionReason
from telegram_bot.tables.house_rules import HouseRules
from telegram_bot.tables.model import CloseReason, ComputerPlayer, OnTimeout, Table, TurnClock
from telegram_bot.tables.quiet_hours import QuietHours
from telegram_bot.tables.sealed_dice import with_stir
from telegram_bot.tables.views import BidView, hand_view, lobby_view, table_view
from telegram_bot.words.catalogue import LANGUAGES, Catalogue
from telegram_bot.words.lobby_options import LOBBY_OPTIONS
from tests.telegram_bot.conftest import (
    EN,
    START,
    after_call,
    at,
    game_of,
    lobby_table,
    revealed,
    running_table,
    the_end,
)

EVIL = "<b>&\"'</a>;<script>"
LONG = "🎲" * 128
AWFUL = [f'{number} <i>&amp; & "{"Ⅷ" * 60}' for number in range(10)]
SECRET = "ab" * 32
WIDE = Rules.preset("aces").with_options(calza=True)
Namer = Callable[[int], str]
COMPUTERS = (
    *(ComputerPlayer(level=level) for level in Level),
    *(ComputerPlayer(level=Level.REGULAR, character=character) for character in Character),
)


def words(notice: n.Notice, w: Catalogue = EN) -> str:
    return message_html(notice, w) or ""


def named(table: Table, name: Namer) -> Table:
    for seat in range(len(table.seats)):
        table = table.with_seat(seat, name=name(seat))
    return table


def left(table: Table, seat: int) -> results.RevealView:
    return revealed(table, play.resign(table, seat, moment=at()))


def the_longest_round(people: int) -> Table:
    """Each player raises by as little as possible, until no raise is left."""
    table = running_table(*["11111"] * people, rules=WIDE)
    while (bid := smallest_raise(game_of(table))) is not None:
        table = after_call(table, str(bid))
    return table


LONGEST_ROUND = the_longest_round(10)


def feature_examples() -> Iterator[ModuleType]:
    yield from (import_module(f"tests.telegram_bot.features.{feature.name}.examples") for feature in FEATURES)


@cache
def every_notice(name: Namer) -> tuple[n.Notice, ...]:
    """Every kind of notice, with every field that a sentence may depend on; made once for all languages."""
    return tuple(_every_notice(name))


def _every_notice(name: Namer) -> Iterator[n.Notice]:
    yield from (notice for examples in feature_examples() for notice in examples.notices(name))
    sealed = named(lobby_table(10, WIDE), name).replace(secret=SECRET, sealed=True)
    for number, stirring in enumerate(sealed.seats):
        sealed = with_stir(with_stir(sealed, stirring.player, SIGNS[0]), stirring.player, SIGNS[number])
    for choice in LOBBY_OPTIONS.values():
        for value in choice.values:
            yield n.LobbyNotice(view=lobby_view(sealed.replace(options={choice.name: value})))
    lobbies = [sealed, *(sealed.with_seat(9, player=-1_000_001, computer=computer) for computer in COMPUTERS)]
    texting = sealed.with_seat(0, by_text=True)
    mentions = (Mention(name=name(0), address=101), Mention(name=name(1), address=102))
    for menu in (None, *LobbyMenu):
        shown: dict[str, Any] = {"menu": menu, "to_host": menu is not None, "alone": menu is LobbyMenu.MAIN}
        for lobby in lobbies if menu in (None, LobbyMenu.PLAYERS) else [sealed]:
            yield n.LobbyNotice(view=lobby_view(lobby), invites_host=True, **shown)
        yield n.LobbyNotice(view=lobby_view(texting), numbers=("+39 02 1234", "+1 202 555 0100"), **shown)
        yield n.LobbyNotice(view=lobby_view(sealed), house_rules=houses(name), mentions=mentions, bot="bot", **shown)
    for preset in PRESETS:
        for on_timeout in OnTimeout:
            for seconds in (0, 1, 30, 60, 3600, 7200):
                clock = TurnClock(seconds=seconds, on_timeout=on_timeout)
                one = named(lobby_table(1, Rules.preset(preset).with_options(wild_ones=False), clock=clock), name)
                yield n.LobbyNotice(view=lobby_view(one))
    yield n.StartedNotice(view=lobby_view(sealed))
    unstirred = sealed.replace(stirs=())
    yield n.StartedNotice(view=lobby_view(unstirred))
    yield n.LobbyNotice(view=lobby_view(unstirred), numbers=("+39 02 1234",))
    for why in CloseReason:
        yield n.ClosedNotice(why=why, names=(name(0), name(1)))
        yield n.ClosedNotice(why=why, names=(name(0), name(1)), by=name(1))

    long = named(LONGEST_ROUND, name)
    reveal, _, _ = the_end(long, "dudo")
    hidden = named(running_table("2", "33333", "4444", rules=Rules.preset("box_2009"), palifico=0), name)
    azteca = named(running_table("2", "33333", "4", rules=Rules.preset("azteca"), palifico=0, calls="1x2"), name)
    rerolling = [rules.with_options(reroll_after_bid=True) for rules in (Rules.preset("box_2009"), WIDE)]
    rerolls = [named(running_table("22255", "33333", rules=rules, calls="3x2"), name) for rules in rerolling]
    away = long.with_seat(2, away=True).with_seat(3, away=True)
    tables = [
        long,
        hidden,
        azteca,
        away,
        long.replace(paused=True),
        named(running_table("2", "", "33", rules=WIDE), name),
        *(play.show_dice(rolls, 0, step=None, moment=at()).table for rolls in rerolls),
        rerolls[0],
    ]
    for table in tables:
        for clock_ends in (None, START):
            view = table_view(table.with_clock(ends=clock_ends))
            yield n.TableNotice(view=view, shared=True, unreachable=True)
            yield n.TableNotice(
                view=view.model_copy(update={"spoken": bool(view.bids)}), shared=False, unreachable=False
            )
            for seat, previous in product(game_of(table).active_seats[:3], (None, reveal, left(long, 1))):
                if previous is None or clock_ends is not None:
                    hand = hand_view(table.with_clock(ends=clock_ends), seat)
                    title = "" if clock_ends is None else name(0)
                    yield n.HandNotice(view=hand, player=1, title=title, deal=1, previous=previous)
    yield n.TableNotice(view=table_view(long).model_copy(update={"total_dice": 1}), shared=False, unreachable=False)
    for seat, table in product((0, 1), (long, hidden, tables[6])):
        yield n.DiceNotice(view=hand_view(table, seat))
    for ending in endings(name):
        yield n.RevealNotice(view=ending)
        yield n.OpenedRevealNotice(view=ending)
        yield n.RoundOverNotice(round=called_round(ending))
        if (call := call_notice(ending)) is not None:
            yield call
    yield from (n.ReactionNotice(celebration=celebration) for celebration in Celebration)
    yield n.RevealNotice(view=reveal)
    yield n.RevealNotice(view=reveal, animated=True)
    assert reveal.bid is not None
    lie = {"spoken": ((len(reveal.bids) - 1, 33),), "dice": ((2 if reveal.bid.face != 2 else 3,),) * len(reveal.dice)}
    yield n.RevealNotice(view=reveal.model_copy(update=lie))
    for felt, variant in product(results.ReactionTo, range(2)):
        spoken = results.Reaction(seat=0, to=felt, variant=variant)
        yield n.RevealNotice(view=reveal.model_copy(update={"reaction": spoken}))
    timed_out = reveal.model_copy(update={"call": "forfeit", "caller": 1, "bid": None, "count": None, "dice": ()})
    yield n.RevealNotice(view=timed_out)
    changes = tuple(results.DiceChange(seat=seat, dice=dice) for seat, dice in ((0, -1), (1, -2), (2, 1), (3, 2)))
    yield n.RevealNotice(view=reveal.model_copy(update={"changes": changes, "out": (1, 2)}))

    _, over, _ = the_end(named(running_table("2", "33", "", "", calls="2x2", rules=WIDE), name), "dudo")
    assert over is not None
    for title in (name(0), ""):
        for previous in (None, reveal, left(long, 1)):
            yield n.GameOverNotice(view=over, previous=previous, seat=1, title=title, unfolded=True)
        yield from (n.KnockedOutNotice(place=3, players=6, title=title, practice=practice) for practice in (None, 7))
    own: dict[str, Any] = {"player": 1, "title": name(0), "deal": 1}
    yield n.HandNotice(view=hand_view(long, 0), **own)
    for called, caller in product(("dudo", "calza"), (0, 1)):
        yield n.HandNotice(view=hand_view(long, 0), board=True, called=called, caller=caller, **own)
    yield from (n.HandNotice(view=hand_view(long, seat), board=True, **own) for seat in range(3))
    for end in ({"rounds": 1}, {"rounds": 2}, {"secret": SECRET}, {"by_dice": True}, {"going_on": 1}, {"going_on": 2}):
        yield n.GameOverNotice(view=over.model_copy(update=end))
    yield n.BidsNotice(view=table_view(long), seat=1, face=2, private=False)
    for face in (n.ANY_FACE, 2, None):
        yield n.BidsNotice(view=table_view(hidden), seat=1, face=face, private=True)
    yield from (n.ReminderNotice(name=name(0), address=1, clock_ends=START, direct=direct) for direct in (True, False))
    for table in tables:
        hand = hand_view(table, table.begun_game.turn or 0)
        yield n.ReminderNotice(name=name(0), address=1, clock_ends=START, direct=True, view=hand)
    for lost in (0, 1, 2):
        yield from (n.AwayNotice(table=1, title=name(0), lost=lost, missed=missed) for missed in (True, False))
    yield from (n.AwayNotice(table=1, title="", misses_left=left) for left in (1, 2))
    yield from (n.BackNotice(table=1, lost=lost, by=by) for lost in (1, 2) for by in ("", name(1)))
    yield n.PausedNotice(table=1)
    yield n.HostNotice(name=name(0))
    for what in ("knock", "admitted", "refused"):
        yield n.GuestNotice(what=what, table=7, code="ABC234", player=15, name=name(0))
    claims = tuple(n.SeatClaim(player, name(player - 15), number) for player, number in ((15, 43), (16, 80)))
    for waiting in ((), ((17, name(0)),), ((17, name(0)), (18, name(1)))):
        yield n.GuestNotice(
            what="knock", table=7, code="ABC234", player=15, name=name(0), waiting=waiting, claims=claims
        )
    yield n.SeatOpenedNotice(title=name(0))
    yield n.SeatLinkNotice(url="HTTPS://PERUDO/ABC234#KEY")
    yield n.ResumedNotice()
    yield n.RestoredNotice(at=1_790_000_000)
    for preset in PRESETS:
        for option in (None, *lobby_rules.HOUSE_OPTIONS):
            rules = Rules.preset(preset)
            yield n.RulesNotice(rules=rules if option is None else lobby_rules.with_option(rules, option))
        for about, on in product(("dudo", "calza", "palifico", "ones"), (True, False)):
            yield n.RulesNotice(rules=Rules.preset(preset).with_options(calza=on, palifico=on), about=about)
    for private in (True, False):
        yield n.HelpNotice(private=private)
        yield n.HelpNotice(private=private, replies_only=True)
        yield n.HelpNotice(private=private, replies_only=not private, voice=True)
        for chosen in PrivateView:
            yield n.SettingsNotice(
                view=chosen, private=private, rules=WIDE, clock=TurnClock(), switches=dict.fromkeys(SWITCHES, True)
            )
        folders = [("en", folder) for folder in n.SettingsFolder]
        for speaks, folder in [*folders, *((language, n.SettingsFolder.LANGUAGE) for language in LANGUAGES)]:
            yield n.SettingsNotice(
                view=PrivateView.AUTO,
                folder=folder,
                private=private,
                rules=WIDE,
                clock=TurnClock(),
                speaks=speaks,
                chosen=True,
                name=name(0),
            )
    for titles in ((), (name(0),), tuple(map(name, range(10)))):
        yield n.WelcomeNotice(name=name(0), titles=titles)
    choices = tuple(n.TableChoice(table=seat, step=1, title=name(seat) if seat else "") for seat in range(3))
    yield from (n.WhichTableNotice(choices=choices, word=word) for word in ("bid=50x4", "calza", "status"))
    for title in (name(0), ""):  # practice has none
        yield n.ConfirmNotice(about="leave", table=1, title=title, player=1, name=name(1))
        yield n.ConfirmNotice(about="stop", table=1, title=title, player=1, name=name(1))
    for private in (True, False):
        for guesses in (("5x4", "50x6", "12x1"), ("dudo", "calza"), ("5x4",)):
            asked = n.HeardNotice(table=1, step=1, player=1, name=name(1), private=private, guesses=guesses)
            yield asked
            yield asked.model_copy(update={"sure": True, "wild_by": "aces"})
            yield asked.model_copy(update={"answered": True, "guesses": guesses[:1]})
    yield n.NextGameOfferNotice()
    yield n.NextGameOfferNotice(table=7, seats=((15, name(0)), (16, name(1))))
    for what in Handover:
        for yours in (False, True):
            yield n.SeatHandoverNotice(table=7, what=what, name=name(0), sitting=name(1), yours=yours)
    yield n.NextGameNotice(title=name(0), code="CODE22", chat=1)
    yield n.IdentifyAdminNotice(table=None)
    yield n.IdentifyAdminNotice(table=1)
    yield n.LinkCodeNotice(code="234567", numbers=("+39 02 1234", "+1 202 555 0100"))
    yield n.OutdatedNotice()
    yield from (n.PhoneNotice(word=word, detail=name(0), asker=name(1)) for word in n.PhoneMessage)
    yield n.PhoneNotice(word=n.PhoneMessage.ASK_LINK, asker=name(0))
    yield from toasts(name)


def houses(name: Namer) -> tuple[HouseRules, ...]:
    classic = Rules.preset("box_2009").with_options(calza=True, lost_dice="visible")
    line = "five dice each, and an exact call wins one back"
    return (
        HouseRules(key="classic", title="Classic", line=line, rules=classic),
        HouseRules(key="ours", title=name(0), line=name(1)[:200], rules=WIDE),
        HouseRules(key="plain", title=name(0), rules=classic.with_options(starting_dice=3)),
    )


def endings(name: Namer) -> Iterator[results.RevealView]:
    """A bid that holds, fails, is exact, or has no die at all; a calza that is right, wrong or right without a gain."""
    rules = Rules.preset("box_2009").with_options(calza=True, calza_by="on_turn")
    for hands, calls, call in (
        (("22222", "33333"), "4x2", "dudo"),
        (("22222", "33333"), "6x2", "dudo"),
        (("22222", "33333"), "7x2", "dudo"),
        (("22222", "33333"), "5x2", "dudo"),
        (("22222", "33333"), "1x6", "dudo"),
        (("22", "33333"), "3x2", "dudo"),
        (("2", "33333", "44"), "3x2", "dudo"),
        (("22222", "3333"), "5x2", "calza"),
        (("22222", "33333"), "5x2", "calza"),
        (("22222", "33333"), "6x2", "calza"),
    ):
        yield the_end(named(running_table(*hands, rules=rules, calls=calls), name), call)[0]
    yield left(named(running_table("22", "33", "44"), name), 0)


def toasts(name: Namer) -> Iterator[n.Toast]:
    yield n.AnswerNotice(sentence="You're in! Your dice come to you in private.")
    for done in n.Confirmation:
        for reachable in (True, False):
            bid = BidView(seat=0, quantity=50, face=6)
            yield n.ConfirmationNotice(done=done, bid=bid, title=name(0), names=(name(0), name(1)), reachable=reachable)
        yield n.ConfirmationNotice(done=done, rules=WIDE, option="calza_by", house_rules=houses(name))
        slow = TurnClock(seconds=86400, quiet=QuietHours(1320, 485, "Europe/Rome"))
        yield n.ConfirmationNotice(done=done, rules=Rules(), clock=slow, option="clock")
        yield n.ConfirmationNotice(done=done, clock=TurnClock(seconds=0), option="on_timeout")
    choices: dict[str, Iterable[bool | str | None]] = {"view": PrivateView, "chosen_language": LANGUAGES}
    for setting in (*SETTINGS, *SWITCHES):
        for value in choices.get(setting, (True, False, None)):
            for to_all in (True, False):
                yield n.ConfirmationNotice(
                    done=n.Confirmation.SETTING_CHOSEN, setting=setting, value=value, to_all=to_all, title=name(0)
                )
    for option in LOBBY_OPTIONS.values():
        for chosen in option.values:
            yield n.ConfirmationNotice(done=n.Confirmation.OPTION_CHANGED, option=option.name, value=chosen)
    # As release 1.0 stored it.
    yield n.ConfirmationNotice(done=n.Confirmation.OPTION_CHANGED, option="opener_method", rules=Rules())
    yield n.ConfirmationNotice(done=n.Confirmation.JOINED, title=name(0))
    yield from (n.RejectionNotice(reason=reason, number=number) for reason in RejectionReason for number in (1, 2, 10))
    for rule in Reason:
        for standing in (None, (5, 4)):
            yield n.RejectionNotice(reason=RejectionReason.ILLEGAL, rule=rule, standing=standing, smallest=(6, 4))
        yield n.RejectionNotice(reason=RejectionReason.ILLEGAL, rule=rule, on_turn=name(0))
    yield n.RejectionNotice(reason=RejectionReason.UNKNOWN_OPTION, option="calza")
    yield n.RejectionNotice(reason=RejectionReason.ILLEGAL, suggestion="5x4")
    yield n.RejectionNotice(reason=RejectionReason.CALLED_BEFORE, suggestion="R998 199x6")


def plain(number: int) -> str:
    return f"Player {number}"


def evil(number: int) -> str:
    return f"{number}{EVIL}"


def longest(number: int) -> str:
    return f"{number}{LONG}"
