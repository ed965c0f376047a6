"""The options a game is played by, and the five rulebooks as sets of them."""

import copyreg
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from enum import StrEnum
from functools import cache, cached_property, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from perudo_core._bid_lists import bid_lists
from perudo_core._bidding import BidRules, shared_bid_rules
from perudo_core._errors import Reason, RulesError, abbreviated, expect_type
from perudo_core._options import (
    UNLIMITED,
    CalzaBy,
    LostDice,
    OnesRank,
    OpenerMethod,
    Option,
    PlainRaise,
    Subject,
    numbered,
    one_of,
    switch,
)
from perudo_core._public_names import Listed
from perudo_core._round_options import RoundOptions

__all__ = [
    "DEFAULT_PRESET", "PRESETS", "CalzaBy", "LostDice", "OnesRank", "OpenerMethod", "PlainRaise", "Rulebook", "Rules",
]  # fmt: skip

PRESETS: Final[tuple[str, ...]] = ("box_2009", "italian_box", "aces", "azteca", "french_guide")
DEFAULT_PRESET: Final = "box_2009"

MAX_STARTING_DICE: Final = 10
MAX_SEATS: Final = 50
"""The most seats of a table, also for a rulebook without a limit. 50 seats with 10 dice each can already make 3,000
bids in a round."""
SEATS: Final = range(2, MAX_SEATS + 1)
CUSTOM: Final = "custom"
Chosen = TypeVar("Chosen", bound=StrEnum)


if TYPE_CHECKING:

    class _Choice(Generic[Chosen]):
        """An option that `Rules` takes as a value or its text, and always has as the value."""

        def __get__(self, rules: object, owner: object) -> Chosen: ...
        def __set__(self, rules: object, value: Chosen | str) -> None: ...

else:

    class _Choice:
        """At run time the type of the option's values, for libraries that read types."""

        def __class_getitem__(cls, kind: type[Chosen]) -> type[Chosen]:
            return kind


@dataclass(frozen=True)
class Rules(metaclass=Listed):
    """The options of a game; the defaults are those of `box_2009`.

    Options can be combined freely. An option without effect is allowed, such as `palifico_once` without `palifico`.
    Raises `RulesError` for options that contradict each other, and for a value that an option cannot have, of any type.
    """

    _book: str = field(default=DEFAULT_PRESET, repr=False, compare=False, kw_only=True)
    """Not public: an argument so that `dataclasses.replace` keeps it."""
    min_seats: int = one_of(2, numbered("At least {} play.", SEATS), Subject.SEATS)
    max_seats: int | None = one_of(
        6, numbered("At most {} play.", SEATS) | {None: "Any number may play."}, Subject.SEATS
    )
    """None means no limit."""
    starting_dice: int = one_of(
        5,
        numbered("Everyone begins with {} dice.", range(1, MAX_STARTING_DICE + 1))
        | {1: "Everyone begins with one die."},
        Subject.DICE,
    )
    """Also the most dice that a player can have: see `dice_at_start`."""
    opener: _Choice[OpenerMethod] = one_of(
        OpenerMethod.RANDOM,
        {
            OpenerMethod.RANDOM: "Chance decides who opens the game.",
            OpenerMethod.HIGHEST_DIE: "Each rolls one die, and the highest opens the game.",
            OpenerMethod.HIGHEST_SUM: "Each rolls two dice, and the highest sum opens the game.",
        },
        Subject.DICE,
        refusals=(Reason.ROLL_WRONG_KIND,),
    )
    """How the seat that opens the game is found, unless `new_game` names it."""
    plain_raise: _Choice[PlainRaise] = one_of(
        PlainRaise.ONE_THING,
        {
            PlainRaise.ONE_THING: "A raise changes the quantity or the face, not both.",
            PlainRaise.NO_DECREASE: "A raise may change quantity and face, and lowers neither.",
            PlainRaise.ANY_HIGHER: "A greater quantity may be of any face.",
        },
        Subject.BIDS,
        refusals=(Reason.BID_TOO_LOW, Reason.BID_FACE_LOWER, Reason.BID_TWO_THINGS),
    )
    wild_ones: bool = switch(
        "Ones count as every face.",
        "Ones count only as ones.",
        Subject.BIDS,
        default=True,
        refusals=(Reason.BID_TOO_FEW_ONES, Reason.BID_TOO_FEW_AFTER_ONES),
    )
    """False: 1 is a plain face, the lowest in rank, and a round may open on it."""
    ones_may_open: bool = switch(
        "Ones may open a round.",
        "Wild ones may not open a round.",
        Subject.BIDS,
        refusals=(Reason.BID_ONES_MAY_NOT_OPEN,),
        has_effect=lambda rules: rules.wild_ones and not rules.is_always_palifico,
    )
    """Whether a round may open on wild ones; ones that are not wild may always open."""
    ones_rank: _Choice[OnesRank] = one_of(
        OnesRank.DOUBLE,
        {
            OnesRank.DOUBLE: "A bid of wild ones ranks above twice as many dice of any other face.",
            OnesRank.HIGHEST: "Wild ones are the highest face in bids.",
            OnesRank.LOWEST: "Wild ones are the lowest face in bids.",
        },
        Subject.BIDS,
        in_books=False,
        has_effect=lambda rules: rules.wild_ones and not rules.is_always_palifico,
    )
    """The rank of wild ones in bids. In every rulebook n ones rank above 2n dice of any other face and below 2n + 1.

    Most applications of liar's dice play with the lowest, such as thomasahle/liars-dice; the literature on Dudo plays
    with the highest. Ones are then a face like the others in bids, `plain_raise` decides about raises to them and from
    them, and they still count for every face.
    """
    palifico: bool = switch(
        "A player who is down to one die opens a palifico round.",
        "There are no palifico rounds.",
        Subject.PALIFICO,
        default=True,
        has_effect=lambda rules: replace(rules, palifico=True).has_palifico_rounds,
    )
    palifico_once: bool = switch(
        "Each player has one palifico round a game.",
        "A player who is down to one die again has another palifico round.",
        Subject.PALIFICO,
        has_effect=lambda rules: rules.can_drop_to_palifico,
    )
    """Each player has one palifico round at most, even after regaining dice."""
    palifico_with_two_players: bool = switch(
        "Two players play palifico rounds too.",
        "Two players play no palifico rounds.",
        Subject.PALIFICO,
        default=True,
        has_effect=lambda rules: rules.can_drop_to_palifico,
    )
    palifico_face_change: bool = switch(
        "Another player with one die may change the face of a palifico round.",
        "No one may change the face of a palifico round.",
        Subject.PALIFICO,
        refusals=(Reason.BID_FACE_LOCKED,),
        has_effect=lambda rules: rules.has_palifico_rounds,
    )
    """Another player who holds exactly one die may change the face."""
    calza: bool = switch(
        "Calza may be said.", "Calza is not played.", Subject.CALZA, refusals=(Reason.CALZA_NOT_PLAYED,)
    )
    calza_by: _Choice[CalzaBy] = one_of(
        CalzaBy.ANYONE_BUT_BIDDER,
        {
            CalzaBy.ANYONE_BUT_BIDDER: "Anyone except the last bidder may say calza.",
            CalzaBy.BYSTANDERS: "Anyone may say calza except the last bidder and the player whose turn it is.",
            CalzaBy.ON_TURN: "Only the player whose turn it is may say calza.",
        },
        Subject.CALZA,
        refusals=(Reason.CALZA_ON_TURN,),
        has_effect=lambda rules: rules.calza,
    )
    calza_in_palifico: bool = switch(
        "Calza may be said in a palifico round.",
        "Calza is not said in a palifico round.",
        Subject.CALZA,
        default=True,
        refusals=(Reason.CALZA_IN_PALIFICO,),
        has_effect=lambda rules: rules.calza and rules.has_palifico_rounds,
    )
    calza_with_two_players: bool = switch(
        "Calza may be said with two players left.",
        "Calza is not said with two players left.",
        Subject.CALZA,
        default=True,
        refusals=(Reason.CALZA_TWO_PLAYERS,),
        has_effect=lambda rules: rules.calza,
    )
    lost_dice: _Choice[LostDice] = one_of(
        LostDice.HIDDEN,
        {
            LostDice.HIDDEN: "No one is shown how many dice the others have.",
            LostDice.VISIBLE: "Everyone sees how many dice each player has.",
        },
        Subject.DICE,
        refusals=(Reason.BID_ABOVE_MAXIMUM,),
    )
    out_of_turn_dudo: bool = switch(
        "Anyone except the last bidder may doubt.", "Only the player whose turn it is may doubt.", Subject.DUDO
    )
    """Any player but the last bidder may doubt."""
    lose_by_difference: bool = switch(
        "A dudo costs as many dice as the bid was off by.", "A dudo costs one die.", Subject.DUDO
    )
    """A dudo costs as many dice as the bid was off by, at least one. A wrong calza still costs one."""
    sudden_death: bool = switch(
        "A player who would lose a die is out of the game.",
        "A player with no dice left is out of the game.",
        Subject.DUDO,
        contradicts={
            "first_out_wins": "sudden_death puts the loser out, and by first_out_wins the first without dice wins",
            "lose_by_difference": "sudden_death puts the loser out at once, so lose_by_difference has nothing to count",
        },
    )
    """A player who would lose a die is out."""
    calza_costs_others: bool = switch(
        "A right calza costs each other player a die, and the caller regains none.",
        "A right calza gives the caller a lost die back.",
        Subject.CALZA,
        in_books=False,
        has_effect=lambda rules: rules.calza and not rules.first_out_wins,
    )
    """A right calza costs each other player one die; the caller regains none. In no rulebook, but in the Italian
    Wikipedia's *Perudo*: "tutti tranne il giocatore che ha formulato la dichiarazione esatta perdono un dado".

    The text is silent on the rest, which is read so: the bidder is one of the others; a wrong calza costs the caller
    one die, as ever; the caller opens the next round, which is no palifico round, even if others dropped to one die.
    Several players who go out at once go out in turn order from the caller, as it is after the call. Under
    `sudden_death` all others go out.
    """
    first_out_wins: bool = switch(
        "The player who is right gives a die away, and the first without dice wins.",
        "The last player with dice wins.",
        Subject.DUDO,
        in_books=False,
    )
    """The player who is right gives a die away, and the first player without dice wins. In no rulebook, but played by
    thomasahle/liars-dice, whose issue 3 calls it *Winner loses die*: "it's the player who wins the round that loses a
    die". Its page adds that "the loser always starts".

    It knows two players, dudo and no palifico; the rest is read as the mirror of the usual rules. After a dudo the
    bidder or the doubter was right and gives a die away; the other one opens the next round. A right calza gives the
    caller's die away, a wrong one the bidder's, so that every call brings the end nearer; the caller opens. The round
    of a player who concedes is won by the last bidder, or before the first bid by the next player. The first to give
    the last die away wins at once: the others' places go by their dice, the fewest first, and among equals in turn
    order from the winner. A player who leaves has lost, as ever. `lose_by_difference` says how many dice are given
    away; there is no palifico, and `calza_costs_others` has no effect.
    """
    extra_die: bool = switch(
        "The first seat begins with one die more.",
        "Everyone begins with the same number of dice.",
        Subject.SEATS,
        in_books=False,
    )
    """The first seat begins with one die more than the others: a handicap, in no rulebook.

    The text of calza, never above the start, is read so: that player can have one die more than the others all game.
    """
    palifico_every_round: bool = switch(
        "Every round is a palifico round.",
        "Not every round is a palifico round.",
        Subject.PALIFICO,
        in_books=False,
        has_effect=lambda rules: rules.palifico and not rules.first_out_wins,
    )
    """Every round is a palifico round of the player who opens it, whatever dice they hold. In no rulebook.

    Every round is one: the first round too, with two players left, and for a player who has had one, so that
    `palifico_with_two_players` and `palifico_once` have no effect. `palifico_face_change` is read as ever: another
    player who holds exactly one die may change the face. Where there is no palifico, it has no effect.
    """
    reverse_after_call: bool = switch(
        "A call turns the order of play round.", "Play always goes to the left.", Subject.DUDO, in_books=False
    )
    """A call turns the order of play round: see `direction`. In no rulebook; other games call it *Reverse*.

    A round ends by a call, so each round goes the other way than the one before. A round that is conceded, or is rolled
    again because a player left, counts as one, so that the number of the round alone tells the direction. The call
    turns the order first: an opener who is out gives way to the next player in the new direction.
    """
    reroll_after_bid: bool = switch(
        "After a bid its player may show dice that support it and roll the others again.",
        "No one rolls again after a bid.",
        Subject.BIDS,
        in_books=False,
        refusals=(Reason.REROLL_NOT_PLAYED,),
        is_played_by_calls=False,
        has_effect=lambda rules: max(rules.dice_at_start(2)) > 1,
    )
    """A player who has bid may show some of their dice and roll the others again. In no rulebook, but a house rule of
    dudo and of other games of liar's dice, whose texts say: show dice that support the bid, roll the rest.

    They are silent on the rest, which is read so. The dice that are shown all count for the bid, ones too where they
    are wild. At least one is shown, and at least one stays hidden and is rolled, so that no hand is ever open as a
    whole; a player with one hidden die therefore cannot roll it again. All dice that are not open are rolled, in
    secret. A bid can be followed by it once, until another player calls; a later bid of the same player can be followed
    by it again, and what is open stays open and counts until the round ends. It changes neither the bid nor the turn,
    and is played in palifico rounds too. `Reroll` is the action; like conceding it is no call and not listed among
    them: computer players count open dice, but show none, and the learning environments refuse the option.
    """
    double_dudo: bool = switch(
        "A wrong dudo costs the doubter two dice.",
        "A wrong dudo costs one die.",
        Subject.DUDO,
        in_books=False,
        contradicts={
            "first_out_wins": "double_dudo costs a doubter who is wrong, and by first_out_wins losing dice is good",
            "lose_by_difference": "lose_by_difference counts the dice that a dudo costs, and so does double_dudo",
            "sudden_death": "sudden_death puts the loser out at once, so double_dudo has nothing to count",
        },
        has_effect=lambda rules: max(rules.dice_at_start(2)) > 1,
    )
    """A dudo that is wrong costs the doubter two dice; one that is right costs the bidder one, as ever. In no rulebook.

    A doubter with one or two dice goes out by it; one who drops from three dice to one is palifico. A wrong calza and a
    conceded round cost one die.
    """

    def __post_init__(self) -> None:
        """Refuse values that an option cannot have, then options that contradict each other."""
        if isinstance(self.min_seats, str):
            raise RulesError(f"min_seats must be of type int, not str: Rules.preset({abbreviated(self.min_seats)})?")
        for name, row in OPTIONS.items():
            object.__setattr__(self, name, row.checked(getattr(self, name)))
        for name, row in OPTIONS.items():
            for other, why in row.contradicts.items():
                if getattr(self, name) and getattr(self, other):
                    raise RulesError(why)
        if self.max_seats is not None and self.max_seats < self.min_seats:
            raise RulesError(f"max_seats {self.max_seats} is below min_seats {self.min_seats}")
        if self.extra_die and self.starting_dice == MAX_STARTING_DICE:
            raise RulesError(f"with extra_die starting_dice must be 1 to {MAX_STARTING_DICE - 1}")
        if self.calza and self.max_seats == 2 and self.calza_by is CalzaBy.BYSTANDERS:  # noqa: PLR2004 - the bidder and the player on turn
            raise RulesError("calza is for bystanders, and at a table of two there are none")

    def __repr__(self) -> str:
        """Code that makes these rules."""
        book = book_of(self)
        begun = "Rules()" if book is None or book.name == DEFAULT_PRESET else f"Rules.preset({self.book!r})"
        usual, options = options_of(book.rules if book else Rules()), options_of(self)
        changed = ", ".join(f"{name}={options[name]!r}" for name in OPTIONS if options[name] != usual[name])
        return f"{begun}.with_options({changed})" if changed else begun

    def __getstate__(self) -> dict[str, Any]:
        """Without what follows from the options."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @property
    def book(self) -> str:
        """The name of the rulebook that these rules began with, `custom` for rules that began with none.

        The name is only a label: no rule, equality or die depends on it.
        """
        return self._book

    @staticmethod
    def preset(name: str) -> "Rules":
        """Return the rules of one of `PRESETS`; raises `RulesError` for another name.

        >>> Rules.preset("azteca").opener.value
        'highest_die'
        """
        return Rulebook.preset(name).rules

    @staticmethod
    def options() -> Mapping[str, Option]:
        """Return what each option is, by its name.

        >>> Rules.options()["calza"].sentences[False]
        'Calza is not played.'
        """
        return OPTIONS

    @property
    def is_always_palifico(self) -> bool:
        """Whether every round is a palifico round."""
        return self.palifico_every_round and self.palifico and not self.first_out_wins

    @property
    def can_drop_to_palifico(self) -> bool:
        """Whether a player who drops to one die may open a palifico round, and other rounds are none."""
        drops = max(self.dice_at_start(2)) > 1 and not self.sudden_death
        return self.palifico and drops and not self.first_out_wins and not self.palifico_every_round

    @property
    def has_palifico_rounds(self) -> bool:
        """Whether there can be palifico rounds."""
        return self.is_always_palifico or self.can_drop_to_palifico

    @cached_property
    def hides_lost_dice(self) -> bool:
        """Whether the other players' numbers of dice, and the total, are secret."""
        return self.lost_dice is LostDice.HIDDEN

    @property
    def most_at_stake(self) -> int:
        """The most dice that a dudo can cost, where losing is not the end of the game.

        >>> Rules().most_at_stake, Rules(lose_by_difference=True).most_at_stake
        (1, 5)
        """
        return min(max(self.dice_at_start(2)), max(self.dudo_cost(-MAX_SEATS), self.dudo_cost(MAX_SEATS)))

    def dudo_cost(self, off: int) -> int:
        """Return how many dice a dudo costs, if `off` dice more than were bid count for the bid.

        >>> Rules(lose_by_difference=True).dudo_cost(-3), Rules().dudo_cost(-3)
        (3, 1)
        """
        return self.round_options.dudo_cost(off)

    def dice_at_start(self, seats: int) -> tuple[int, ...]:
        """Return the number of dice that each seat begins with, which is the most it can have.

        >>> Rules(extra_die=True).dice_at_start(3)
        (6, 5, 5)
        """
        return tuple(map(self.round_options.most_dice, range(seats)))

    def max_quantity(self, dice_counts: tuple[int, ...]) -> int:
        """Return the highest quantity that may be bid: see `State.max_quantity`."""
        return self.round_options.max_quantity(dice_counts)

    def direction(self, round: int) -> int:  # noqa: A002 - the state's word
        """Return the direction of play in the round with this number: 1 to the left, -1 to the right.

        >>> reverse = Rules(reverse_after_call=True)
        >>> [reverse.direction(1), reverse.direction(2), Rules().direction(2)]
        [1, -1, 1]
        """
        return self.round_options.direction(round)

    @cached_property
    def normal_bid_rules(self) -> BidRules:
        """Not public: the options for bids outside palifico rounds."""
        if self.wild_ones:
            return shared_bid_rules(self.plain_raise, self.ones_rank, self.ones_may_open, face_is_locked=False)
        return self.face_change_bid_rules

    @cached_property
    def palifico_bid_rules(self) -> BidRules:
        """Not public: the options for bids in a palifico round."""
        return shared_bid_rules(self.plain_raise, OnesRank.LOWEST, ones_may_open=True, face_is_locked=True)

    @cached_property
    def face_change_bid_rules(self) -> BidRules:
        """Not public: the options for the bids of a player who may change the face in a palifico round."""
        return shared_bid_rules(self.plain_raise, OnesRank.LOWEST, ones_may_open=True, face_is_locked=False)

    @cached_property
    def round_options(self) -> RoundOptions:
        """Not public: the options that every round asks for."""
        in_force = {
            "dudo_costs_one": not (self.lose_by_difference or self.double_dudo),
            "face_change_bid_lists": bid_lists(self.face_change_bid_rules),
            "hides_lost_dice": self.hides_lost_dice,
            "normal_bid_lists": bid_lists(self.normal_bid_rules),
            "only_turn_calls": not (self.calza or self.out_of_turn_dudo),
            "palifico": self.palifico and not self.first_out_wins,
            "palifico_bid_lists": bid_lists(self.palifico_bid_rules),
            "palifico_every_round": self.is_always_palifico,
        }
        values = vars(self) | in_force
        return RoundOptions(*(values[each.name] for each in fields(RoundOptions)))

    def with_options(self, **options: object) -> "Rules":
        """Return these rules with some options changed.

        Options have the names of the fields; a value may be a text as in a TOML file. Raises `RulesError` for an
        unknown option, for a value that an option cannot have, and for options that contradict each other.

        >>> Rules.preset("azteca").with_options(calza=True, lost_dice="hidden").calza
        True
        """
        if "preset" in options:
            raise RulesError(
                f"preset is no option: begin with Rules.preset({options['preset']!r}) and change its options"
            )
        return _with(self, options)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Rules":
        """Rules from a preset's name under `preset` (by default `box_2009`) and the options that differ.

        Raises `RulesError` as `with_options` does, and for an unknown preset, unless every option of the five rulebooks
        is there: then the name is only a label.

        >>> Rules.from_dict({"preset": "aces", "starting_dice": 3}).starting_dice
        3
        """
        expect_type(data, Mapping, "data")
        options = tuple((name, type(value), value) for name, value in data.items())
        try:
            return _from_options(options)
        except TypeError:  # a value without a hash, which no option can have
            return _from_options.__wrapped__(options)

    def to_dict(self) -> dict[str, Any]:
        """Return every option as a JSON value, and the name of the preset.

        An option that is in no rulebook is there only where it is not the default: a game without it is written, and
        sealed, as before there was that option.
        """
        options = options_of(self).items()
        return {"preset": self._book} | {
            name: value for name, value in options if name in IN_THE_BOOKS or value != OPTIONS[name].default
        }

    @classmethod
    def from_toml(cls, text: str) -> "Rules":
        r"""Rules from the text of a TOML file; its tables `about` and `clauses` are ignored.

        Raises `RulesError` for a text that is not TOML, and as `from_dict` does.

        >>> Rules.from_toml('preset = "aces"\ncalza = true').calza
        True
        """
        data = _parse_toml(text)
        for notes in ("about", "clauses"):
            if not isinstance(data.pop(notes, {}), dict):
                raise RulesError(f"{notes} must be a table")
        return cls.from_dict(data)

    def to_toml(self) -> str:
        """Return the options of `to_dict`, as the text of a TOML file.

        >>> print(Rules.preset("aces").to_toml().splitlines()[0])
        preset = "aces"
        """
        options = self.to_dict() | {"max_seats": UNLIMITED if self.max_seats is None else self.max_seats}
        return "".join(
            f'{name} = "{value}"\n' if isinstance(value, str) else f"{name} = {str(value).lower()}\n"
            for name, value in options.items()
        )


OPTIONS: Final[Mapping[str, Option]] = MappingProxyType(
    {each.name: replace(each.metadata["row"], name=each.name) for each in fields(Rules) if each.compare}
)
"""The row of each option, by its name."""


def _row(name: str) -> Option:
    return OPTIONS[name]


copyreg.pickle(Option, lambda row: (_row, (row.name,)))  # its functions cannot be pickled


IN_THE_BOOKS: Final = frozenset(name for name, row in OPTIONS.items() if row.in_books)
"""The options that every preset has a line for."""
_NAME: Final = re.compile("[a-z][a-z0-9_]{0,39}")
ONES_HIGHEST: Final = {"plain_raise": "ones_highest"}
ONES_HIGHEST_TODAY: Final = {"plain_raise": "any_higher", "ones_rank": "highest"}
"""How an option that had been stored and sealed as `ONES_HIGHEST` before there was `ones_rank` is written today."""


@lru_cache(1000)
def _from_options(given: tuple[tuple[str, type, Any], ...]) -> Rules:
    """Return the rules with these options, cached by name, type and value: `1` is not `True`."""
    options = {name: value for name, _, value in given}
    if ONES_HIGHEST.items() <= options.items():
        options |= ONES_HIGHEST_TODAY
    preset = options.pop("preset", DEFAULT_PRESET)
    in_full = isinstance(preset, str) and _NAME.fullmatch(preset) is not None and options.keys() >= IN_THE_BOOKS
    base = Rules(_book=preset) if preset == CUSTOM or in_full else _preset(preset).rules
    return _with(base, options)


def options_of(rules: Rules) -> dict[str, Any]:
    """Return all options as JSON values, also those that `to_dict` leaves out."""
    options = ((name, getattr(rules, name)) for name in OPTIONS)
    return {name: value.value if isinstance(value, StrEnum) else value for name, value in options}


def unsupported(rules: Rules, supported: Collection[str]) -> list[str]:
    """Return the options by which these rules play what a program with these options alone does not know."""
    return [
        name
        for name, row in OPTIONS.items()
        if name not in supported and getattr(rules, name) != row.default and row.has_effect(rules)
    ]


def expect_supported(rules: Rules, supported: Collection[str], program: str) -> None:
    """Refuse rules with an option that the program does not know."""
    for name in unsupported(rules, supported):
        raise RulesError(f"{program} does not know {name}: {OPTIONS[name].sentences[getattr(rules, name)]}")


def _with(base: Rules, options: Mapping[str, Any]) -> Rules:
    values = {name: getattr(base, name) for name in OPTIONS}
    for name, value in options.items():
        if name not in OPTIONS:
            raise RulesError(f"unknown option {abbreviated(name)}{_nearest(name, OPTIONS)}")
        values[name] = value
    return Rules(**values, _book=base.book)


def _parse_toml(text: str) -> dict[str, Any]:
    expect_type(text, str, "text")
    import tomllib  # noqa: PLC0415 - the rules of the default book need no file

    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise RulesError(f"not TOML: {str(error)[:200] or 'nested too deeply'}") from error


def _nearest(given: object, known: Iterable[str]) -> str:
    """Return a question for the known name that is nearest to an unknown one; empty where none is near."""
    near = get_close_matches(given[:60], known, 1) if isinstance(given, str) else []
    return f" (did you mean {near[0]}?)" if near else ""


@dataclass(frozen=True, kw_only=True)
class Rulebook(metaclass=Listed):
    """Rules with a title, and with the book's clause for some of the options.

    `describe` and `clause` read it. Raises `RulesError` for a name with other characters than small letters, digits and
    `_`, and for a clause of an unknown option.

    >>> house = Rulebook(name="grandmother", title="Grandmother's rules", rules=Rules(calza=True))
    >>> house.rules.book, house.word_for_one
    ('grandmother', 'one')
    """

    name: str
    title: str
    rules: Rules
    """They have the rulebook's name as their label."""
    clauses: Mapping[str, str] = field(default_factory=dict, hash=False)
    language: str = ""
    word_for_one: str = "one"

    def __post_init__(self) -> None:
        """Check the texts, and label the rules."""
        for name in ("name", "title", "language", "word_for_one"):
            expect_type(getattr(self, name), str, name)
        expect_type(self.rules, Rules, "rules")
        expect_type(self.clauses, Mapping, "clauses")
        if not _NAME.fullmatch(self.name) or self.name == CUSTOM:
            raise RulesError(f"a rulebook's name has small letters, digits and _, and is not {abbreviated(self.name)}")
        for option, words in self.clauses.items():
            if option not in OPTIONS:
                raise RulesError(f"a clause of no option: {abbreviated(option)}{_nearest(option, OPTIONS)}")
            expect_type(words, str, f"the clause of {option}")
        object.__setattr__(self, "clauses", dict(self.clauses))
        object.__setattr__(self, "rules", replace(self.rules, _book=self.name))

    @staticmethod
    def preset(name: str) -> "Rulebook":
        """Return one of `PRESETS`; raises `RulesError` for another name.

        >>> Rulebook.preset("azteca").clauses["opener"]
        'azteca: who opens the game: each rolls one die, the highest opens; ties roll again'
        """
        expect_type(name, str, "preset")
        return _preset(name)

    @classmethod
    def from_toml(cls, name: str, text: str) -> "Rulebook":
        """Return the rulebook of a text in the form of the presets.

        It has options, a table `about` with `title`, `language` and `word_for_one`, and a table `clauses`. Raises
        `RulesError` as `Rules.from_toml` does, and for another entry of `about`.
        """
        expect_type(name, str, "name")
        rules, data = Rules.from_toml(text), _parse_toml(text)
        about = {"title": name} | data.get("about", {})
        if not about.keys() <= {"title", "language", "word_for_one"}:
            raise RulesError("about has title, language and word_for_one")
        try:
            return cls(name=name, rules=rules, clauses=data.get("clauses", {}), **about)
        except TypeError as error:
            raise RulesError(str(error)) from None


def book_of(rules: Rules) -> Rulebook | None:
    """Return the preset that these rules began with, or None for rules of no book or of another one."""
    return _preset(rules.book) if rules.book in PRESETS else None


def _preset(name: object) -> Rulebook:
    if not isinstance(name, str) or name not in PRESETS:
        raise RulesError(f"unknown preset {abbreviated(name)}{_nearest(name, PRESETS)}; there are {', '.join(PRESETS)}")
    return _read_preset(name)


@cache
def _read_preset(name: str) -> Rulebook:
    from importlib.resources import files  # noqa: PLC0415 - it takes longer than all of this package

    text = files("perudo_core").joinpath("presets", f"{name}.toml").read_text(encoding="utf-8")
    return Rulebook.from_toml(name, text)
