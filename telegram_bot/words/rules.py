"""Rules in words, from the values of their options: as sentences, as labels, and as differences of two sets."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from perudo_core import CalzaBy, LostDice, OnesRank, OpenerMethod, PlainRaise, Rules
from telegram_bot.tables.house_rules import TWISTS, book_of, with_effect
from telegram_bot.words.catalogue import Catalogue, mark_plural
from telegram_bot.words.languages import Sentence, mark, mark_in_context


def rules_text(rules: Rules, w: Catalogue) -> list[str]:
    """Return the rules of a table: a short paragraph for each subject, in the order of a newcomer's questions."""
    paragraphs = [
        _aim(rules, w),
        _opening(rules, w),
        _raising(rules, w),
        ones_sentences(rules, w),
        _dudo(rules, w),
        calza_sentences(rules, w),
        palifico_sentences(rules, w),
        _lost_dice(rules, w),
    ]
    return [" ".join(sentences) for sentences in paragraphs if sentences]


def sentences_about(word: str, rules: Rules, w: Catalogue) -> list[str]:
    """Return the meaning of a word of the game; if it is not played at this table, only the definition."""
    match word:
        case "calza" if not rules.calza:
            played = rules.with_options(calza=True)
            return [*calza_sentences(played, w)[:2], *calza_sentences(rules, w)]
        case "calza":
            return calza_sentences(rules, w)
        case "palifico" if not rules.has_palifico_rounds:
            played = Rules(wild_ones=rules.wild_ones)
            unplayed = rules.with_options(palifico=False)
            return [palifico_sentences(played, w)[0], *palifico_sentences(unplayed, w)]
        case "palifico":
            return palifico_sentences(rules, w)
        case "ones":
            return ones_sentences(rules, w)
        case "pass":
            return [w.say("No one can pass."), w.say("Bid higher, or say dudo if you doubt the bid.")]
        case "same":
            return [w.say("The same bid again doesn't count."), w.say("Bid higher, or say dudo if you doubt the bid.")]
        case _:
            return _dudo(rules, w)


def how_to_play(rules: Rules, w: Catalogue) -> list[str]:
    """Return the game in four steps, for a room that has never seen it."""
    if rules.first_out_wins or rules.sudden_death or rules.most_at_stake > 1:
        ends = " ".join([*_dudo(rules, w)[1:-1], _winner(rules, w)])
    else:
        ends = w.say("Too few dice: the bidder loses one. Enough: the doubter does. The last one with dice wins.")
    return [
        w.say("Everyone rolls under a cup, and looks in secret."),
        w.say("Bid how many dice of one face lie under all cups together. Every bid must go higher."),
        w.say("Too many? Say dudo! The cups are lifted and the dice are counted. Ones count as any face.")
        if ones_are_wild(rules)
        else w.say("Too many? Say dudo! The cups are lifted and the dice are counted."),
        ends,
    ]


def in_brief(rules: Rules, w: Catalogue) -> list[str]:
    """Return whether ones are wild, and what dudo costs, for a reader with little room."""
    return [ones_sentences(rules, w)[0], *_dudo(rules, w)[1:-1]]


def ones_are_wild(rules: Rules) -> bool:
    """Return True if ones are wild, at least in rounds that are not palifico."""
    return rules.wild_ones and not rules.is_always_palifico


def _most_dice(rules: Rules) -> int:
    return max(rules.dice_at_start(2))


def _aim(rules: Rules, w: Catalogue) -> list[str]:
    return [
        w.count("Everyone has one die under a cup.", "Everyone starts with {n} dice under a cup.", rules.starting_dice),
        *([w.say("Whoever came last gets an extra die.")] if rules.extra_die else []),
        w.say("Each round all roll and look at their own dice only."),
        _winner(rules, w),
        _seats(rules, w),
    ]


def _winner(rules: Rules, w: Catalogue) -> str:
    if rules.first_out_wins:
        return w.say("The first player without dice wins.")
    return w.say("The last player with dice wins.")


def _seats(rules: Rules, w: Catalogue) -> str:
    if rules.max_seats is None:
        return w.count("For {n} player or more.", "For {n} players or more.", rules.min_seats)
    if rules.max_seats == rules.min_seats:
        return w.count("For {n} player.", "For {n} players.", rules.min_seats)
    return w.count(
        "For {least} to {n} player.", "For {least} to {n} players.", rules.max_seats, least=str(rules.min_seats)
    )


def _opening(rules: Rules, w: Catalogue) -> list[str]:
    match rules.opener:
        case OpenerMethod.RANDOM:
            first = w.say("Chance picks who opens the game.")
        case OpenerMethod.HIGHEST_DIE:
            first = w.say("To see who opens the game, each rolls one die: the highest opens, ties roll again.")
        case OpenerMethod.HIGHEST_SUM:
            first = w.say("To see who opens the game, each rolls two dice: the highest sum opens, ties roll again.")
    way = [w.say("One round goes down the list of players, the next one up.")] if rules.reverse_after_call else []
    if rules.first_out_wins:
        next_one = w.say("Whoever was wrong opens the next round.")
    elif rules.sudden_death:
        next_one = w.say("When a player is out, the next player opens.")
    else:
        next_one = w.say("Whoever loses a die opens the next round; if it was the last one, the next player does.")
    return [first, *way, next_one]


def _raising(rules: Rules, w: Catalogue) -> list[str]:
    bid = w.say("A bid says how many dice of one face lie under all the cups together, such as 5 fours.")
    turn = w.say("In turn each player bids higher or says dudo.")
    match rules.plain_raise:
        case PlainRaise.ONE_THING:
            how = w.say(
                "Raise one thing only: the number on the same face, or the face at the same number. "
                "After 5 fours: 7 fours or 5 fives, but not 6 fives."
            )
        case PlainRaise.NO_DECREASE:
            how = w.say(
                "Raise the number on the same face, or go to a higher face with the same number or more. "
                "After 5 fours: 9 fours, 5 sixes or 6 fives, but not 6 threes."
            )
        case PlainRaise.ANY_HIGHER:
            how = w.say(
                "Raise the number on any face, or the face at the same number. "
                "After 5 fours: 6 twos or 5 fives, but not 4 sixes."
            )
    if not _rolls_again(rules):
        return [bid, turn, how]
    return [
        bid,
        turn,
        how,
        w.say("Right after your own bid you may show all your dice that count for it and roll the others again."),
        w.say("What is shown stays open and counts until the round ends."),
    ]


def _rolls_again(rules: Rules) -> bool:
    """Return True if a player can roll again after a bid: one die is shown, and another one rolled."""
    return rules.reroll_after_bid and _most_dice(rules) > 1


def ones_sentences(rules: Rules, w: Catalogue) -> list[str]:
    """Return whether ones are wild, how to bid on them, and whether to open with them."""
    if not ones_are_wild(rules):
        return [w.say("Ones are not wild: they are the lowest face, a face like any other.")]
    if rules.ones_may_open:
        opening = w.say("You may open a round with ones.")
    elif rules.can_drop_to_palifico:
        opening = w.say("No one opens a round with ones, except a palifico round.")
    else:
        opening = w.say("No one opens a round with ones.")
    wild = w.say("Ones are wild: they count for whatever face was bid.")
    match rules.ones_rank:
        case OnesRank.DOUBLE:
            rank = [
                w.say("You may go to ones with half the number, rounded up: after 7 fours, 4 ones or more."),
                w.say(
                    "After ones, bid more ones, or another face with twice the number plus "
                    "one: after 4 ones, 5 ones or 9 fours."
                ),
            ]
        case OnesRank.HIGHEST:
            rank = [w.say("In bids ones are the highest face: 5 ones beat 5 sixes.")]
        case OnesRank.LOWEST:
            rank = [w.say("In bids ones are the lowest face: 5 twos beat 5 ones.")]
    return [wild, *rank, opening]


def _dudo(rules: Rules, w: Catalogue) -> list[str]:
    sentences = [w.say("Dudo doubts the last bid, and all dice are shown.")]
    if rules.first_out_wins and rules.lose_by_difference:
        sentences += [
            w.say("If there are at least as many as bid, the bidder is right; if fewer, the doubter is."),
            w.say("Whoever is right gives as many dice away as the bid was off by, and always at least one."),
        ]
    elif rules.first_out_wins:
        sentences.append(
            w.say("If there are at least as many as bid, the bidder gives a die away; if fewer, the doubter does.")
        )
    elif rules.sudden_death:
        sentences.append(
            w.say("If there are at least as many as bid, the doubter is out of the game; if fewer, the bidder is.")
        )
    elif rules.lose_by_difference:
        sentences += [
            w.say("If there are at least as many as bid, the doubter loses; if fewer, the bidder does."),
            w.say("The loser gives up as many dice as the bid was off by, and always at least one."),
        ]
    elif rules.double_dudo:
        sentences.append(
            w.say("If there are at least as many as bid, the doubter loses two dice; if fewer, the bidder loses one.")
        )
    else:
        sentences.append(
            w.say("If there are at least as many as bid, the doubter loses a die; if fewer, the bidder does.")
        )
    if rules.out_of_turn_dudo:
        sentences.append(w.say("Anyone but the bidder may say dudo at any time."))
    else:
        sentences.append(w.say("Only the player whose turn it is may say dudo."))
    return sentences


def calza_sentences(rules: Rules, w: Catalogue) -> list[str]:
    """Return the meaning of calza and its gain; then the players who may say it, and when."""
    if not rules.calza:
        return [w.say("Calza isn't played at this table.")]
    sentences = [w.say("Calza says that the last bid is exactly right.")]
    if rules.first_out_wins:
        sentences.append(w.say("If it is, the caller gives a die away; if not, the bidder does."))
    elif rules.sudden_death and rules.calza_costs_others:
        sentences.append(w.say("If it is, all the others are out of the game; if not, the caller is."))
    elif rules.calza_costs_others:
        sentences.append(w.say("If it is, all the others lose a die; if not, the caller loses one."))
    elif rules.sudden_death:
        sentences.append(w.say("If it is, nothing is lost; if not, the caller is out of the game."))
    elif rules.extra_die:
        sentences.append(w.say("If it is, the caller wins a lost die back; if not, the caller loses one."))
    else:
        sentences.append(
            w.say(
                "If it is, the caller wins a lost die back, up to {most}; if not, the caller loses one.",
                most=str(rules.starting_dice),
            )
        )
    sentences.append(w.say("The caller opens the next round."))
    match rules.calza_by:
        case CalzaBy.ANYONE_BUT_BIDDER:
            sentences.append(w.say("Anyone but the bidder may say it."))
        case CalzaBy.BYSTANDERS:
            sentences.append(w.say("Anyone may say it, but not the bidder nor the player whose turn it is."))
        case CalzaBy.ON_TURN:
            sentences.append(w.say("Only the player whose turn it is may say it."))
    if not rules.calza_in_palifico and rules.has_palifico_rounds:
        sentences.append(w.say("There's no calza in a palifico round."))
    if rules.calza_costs_others and rules.can_drop_to_palifico:
        sentences.append(w.say("No palifico round follows an exact calza."))
    if not rules.calza_with_two_players or rules.calza_by is CalzaBy.BYSTANDERS:
        sentences.append(w.say("There's no calza once only two players are left."))
    return sentences


def palifico_sentences(rules: Rules, w: Catalogue) -> list[str]:
    """Return the beginning of a palifico round, and its differences."""
    if not rules.palifico:
        return [w.say("Palifico isn't played at this table.")]
    if not rules.has_palifico_rounds:
        return []
    always = rules.is_always_palifico
    if always:
        sentences = [w.say("Every round is a palifico round.")]
    else:
        sentences = [w.say("Whoever drops to one die is palifico and opens a palifico round.")]
        if rules.wild_ones:
            sentences.append(w.say("In that round ones are not wild, and you may open with them."))
    sentences.append(w.say("The face stays as it was opened: only the number rises."))
    if rules.palifico_face_change:
        sentences.append(w.say("Another player with one die may change the face. Ones are then the lowest face."))
    if rules.palifico_once and not always:
        sentences.append(w.say("Each player is palifico once a game at most."))
    if not rules.palifico_with_two_players and not always:
        sentences.append(w.say("There's no palifico round once only two players are left."))
    return sentences


def _lost_dice(rules: Rules, w: Catalogue) -> list[str]:
    match rules.lost_dice:
        case LostDice.HIDDEN:
            return [w.say("No one is shown how many dice the others have left.")]
        case LostDice.VISIBLE:
            return [w.say("Everyone sees how many dice each player has left.")]


def preset_label(preset_id: str, w: Catalogue) -> str:
    """Return the short name of a rulebook."""
    return {
        "box_2009": w.say("2009 edition"),
        "italian_box": w.say("Italian edition"),
        "aces": w.say("Aces (English)"),
        "azteca": w.context_say("rulebook", "Azteca"),
        "french_guide": w.say("French guide"),
    }.get(preset_id) or w.say("House rules")


# Options


@dataclass(frozen=True, slots=True)
class RuleOption:
    """The words of an option of the rules."""

    label: Sentence
    """Its short name, for a button or a list."""
    values: Mapping[object, tuple[Sentence, Sentence]] = field(default_factory=dict)
    """For each value a word or two, and a phrase that says how the game is played."""
    number: tuple[str, str] = ("", "")
    """The phrase of a number."""


def _switch(when_on: str, when_off: str) -> dict[object, tuple[Sentence, Sentence]]:
    return {True: (mark_in_context("option", "on"), when_on), False: (mark_in_context("option", "off"), when_off)}


OPTIONS: Final = {
    "min_seats": RuleOption(mark("Fewest players"), number=mark_plural("at least {n} player", "at least {n} players")),
    "max_seats": RuleOption(
        mark("Most players"),
        {None: (mark("no limit"), mark("any number of players"))},
        mark_plural("at most {n} player", "at most {n} players"),
    ),
    "starting_dice": RuleOption(mark("Dice each"), number=mark_plural("{n} die each", "{n} dice each")),
    "extra_die": RuleOption(
        mark("Extra die for last place"),
        _switch(mark("whoever came last gets an extra die"), mark("all start with the same number of dice")),
    ),
    "opener": RuleOption(
        mark("First to open"),
        {
            OpenerMethod.RANDOM: (mark_in_context("option", "random"), mark("chance picks who opens")),
            OpenerMethod.HIGHEST_DIE: (mark("highest die"), mark("the highest die opens")),
            OpenerMethod.HIGHEST_SUM: (mark("highest sum of two"), mark("the highest sum of two dice opens")),
        },
    ),
    "plain_raise": RuleOption(
        mark_in_context("option", "Raises"),
        {
            PlainRaise.ONE_THING: (mark("number or face"), mark("raise the number or the face, not both")),
            PlainRaise.NO_DECREASE: (mark("number, face or both"), mark("raise the number, the face or both")),
            PlainRaise.ANY_HIGHER: (mark("more dice, any face"), mark("more dice may be of any face")),
        },
    ),
    "wild_ones": RuleOption(mark("Wild ones"), _switch(mark("ones are wild"), mark("ones are not wild"))),
    "ones_may_open": RuleOption(
        mark("Open with ones"),
        _switch(mark("you may open with ones"), mark("no one may open with ones")),
    ),
    "ones_rank": RuleOption(
        mark("Bids of ones"),
        {
            OnesRank.DOUBLE: (mark("count double"), mark("bids of ones count double")),
            OnesRank.HIGHEST: (mark("beat sixes"), mark("bids of ones beat sixes")),
            OnesRank.LOWEST: (mark("lowest face"), mark("ones are the lowest face in bids")),
        },
    ),
    "palifico": RuleOption(
        mark_in_context("option", "Palifico"),
        _switch(mark("with palifico"), mark("no palifico")),
    ),
    "palifico_every_round": RuleOption(
        mark("Always palifico"),
        _switch(mark("every round is palifico"), mark("palifico only with the last die")),
    ),
    "palifico_once": RuleOption(
        mark("Palifico once a game"),
        _switch(mark("palifico once a game"), mark("palifico more than once")),
    ),
    "palifico_with_two_players": RuleOption(
        mark("Palifico, two left"),
        _switch(mark("palifico also with two players left"), mark("no palifico with two players left")),
    ),
    "palifico_face_change": RuleOption(
        mark("Palifico: free face"),
        _switch(mark("one-die players may change the palifico face"), mark("palifico face locked for all")),
    ),
    "calza": RuleOption(mark_in_context("option", "Calza"), _switch(mark("with calza"), mark("no calza"))),
    "calza_by": RuleOption(
        mark("Who says calza"),
        {
            CalzaBy.ANYONE_BUT_BIDDER: (mark("all but the bidder"), mark("calza by anyone but the bidder")),
            CalzaBy.BYSTANDERS: (mark("only out of turn"), mark("calza only when it is not your turn")),
            CalzaBy.ON_TURN: (mark("whoever's turn it is"), mark("calza on your turn only")),
        },
    ),
    "calza_in_palifico": RuleOption(
        mark("Calza in palifico"),
        _switch(mark("calza also in palifico"), mark("no calza in palifico")),
    ),
    "calza_with_two_players": RuleOption(
        mark("Calza, two left"),
        _switch(mark("calza also with two players left"), mark("no calza with two players left")),
    ),
    "calza_costs_others": RuleOption(
        mark("Calza costs others"),
        _switch(mark("an exact calza costs all others a die"), mark("an exact calza wins a die back")),
    ),
    "lost_dice": RuleOption(
        mark("Dice left"),
        {
            LostDice.HIDDEN: (
                mark_in_context("dice left", "secret"),
                mark("no one sees how many dice the others have"),
            ),
            LostDice.VISIBLE: (mark_in_context("dice left", "all see them"), mark("all see how many dice are left")),
        },
    ),
    "out_of_turn_dudo": RuleOption(
        mark("Dudo out of turn"), _switch(mark("anyone may say dudo at any time"), mark("dudo on your turn only"))
    ),
    "lose_by_difference": RuleOption(
        mark("Lose several dice"),
        _switch(mark("lose as many dice as the bid was off by"), mark("lose one die at a time")),
    ),
    "sudden_death": RuleOption(
        mark("Out at one loss"),
        _switch(mark("one lost round and you are out"), mark("dice are lost one by one")),
    ),
    "double_dudo": RuleOption(
        mark("Double dudo"),
        _switch(mark("a wrong dudo costs two dice"), mark("a wrong dudo costs one die")),
    ),
    "first_out_wins": RuleOption(
        mark("First out wins"),
        _switch(mark("the first player without dice wins"), mark("the last player with dice wins")),
    ),
    "reverse_after_call": RuleOption(
        mark("Change of direction"),
        _switch(mark("one round goes down the list, the next one up"), mark("every round goes down the list")),
    ),
    "reroll_after_bid": RuleOption(
        mark("Roll after a bid"),
        _switch(mark("after a bid you may show dice and roll the rest"), mark("no one rolls after a bid")),
    ),
}


def option_label(name: str, w: Catalogue) -> str:
    """Return the short name of an option, for a button or a list."""
    return w.context_say("option", "Rulebook") if name == "preset" else w.marked(OPTIONS[name].label)


def option_value_label(name: str, value: object, w: Catalogue) -> str:
    """Return an option's value in a word or two."""
    if name == "preset":
        return preset_label(str(value), w)
    values = OPTIONS[name].values
    return w.marked(values[value][0]) if value in values else str(value)


def switched_on(name: str, w: Catalogue) -> str:
    """Return how the game is played with a switch on, or nothing for an option that is no switch."""
    values = OPTIONS[name].values
    return w.marked(values[True][1]) if True in values else ""


# How rules differ


def options_differing(rules: Rules, w: Catalogue) -> list[str]:
    """Return the differences between a table and its rulebook, a few words for each that matters."""
    return option_differences(rules, book_of(rules), w)


def option_differences(rules: Rules, other: Rules, w: Catalogue, *, told: Collection[str] = ()) -> list[str]:
    """Return the differences between two sets of rules that matter, a few words for each: how the first one plays.

    `told`: the options that another line tells.
    """
    played = with_effect(rules)
    differing = (name for name in OPTIONS if name in played and name not in told)
    return [_in_a_phrase(OPTIONS[name], played[name], w) for name in differing if played[name] != getattr(other, name)]


# Twists

_BEFORE_TWISTS: Final = Rules(calza_by=CalzaBy.ON_TURN)
"""Rules that every twist changes, for its words."""


def twist_label(twist: str, w: Catalogue) -> str:
    """Return a twist, as on a button."""
    value, label = TWISTS[twist][twist], option_label(twist, w)
    named = w.say("{option}: {value}", option=label, value=option_value_label(twist, value, w))
    return label if value is True else named


def twist_phrase(twist: str, w: Catalogue) -> str:
    """Return how the game is played with a twist: the last of the rules that it sets, which needs the others."""
    return option_differences(_BEFORE_TWISTS.with_options(**TWISTS[twist]), _BEFORE_TWISTS, w)[-1]


def twist_explained(twist: str, w: Catalogue) -> str:
    """Return a twist in words for people who have not played with it."""
    rules = _BEFORE_TWISTS.with_options(**TWISTS[twist])
    match twist:
        case "palifico_every_round":
            return " ".join(palifico_sentences(rules, w)[:2])
        case "calza" | "calza_costs_others":
            return " ".join(calza_sentences(rules, w)[:2])
        case _:
            phrase = twist_phrase(twist, w)
            return phrase[:1].upper() + phrase[1:] + "."


def _in_a_phrase(option: RuleOption, value: object, w: Catalogue) -> str:
    if isinstance(value, int) and value not in option.values:
        return w.count(*option.number, value)
    return w.marked(option.values[value][1])
