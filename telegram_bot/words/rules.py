"""Rules in words, from the values of their options: as sentences, as labels, and as differences of two sets."""

from dataclasses import fields

from perudo_core import PRESETS, CalzaBy, LostDice, OpenerMethod, PlainRaise, Rules
from telegram_bot.words.catalogue import Catalogue


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
        case "palifico" if not somebody_can_be_palifico(rules):
            played = rules.with_options(palifico=True, starting_dice=2, sudden_death=False)
            unplayed = rules.with_options(palifico=False)
            return [palifico_sentences(played, w)[0], *palifico_sentences(unplayed, w)]
        case "palifico":
            return palifico_sentences(rules, w)
        case "ones":
            return ones_sentences(rules, w)
        case "pass":
            return [w.say("No one can pass."), w.say("Bid higher, or say dudo if you doubt the bid.")]
        case "same":
            return [w.say("The same bid again does not count."), w.say("Bid higher, or say dudo if you doubt the bid.")]
        case _:
            return _dudo(rules, w)


def somebody_can_be_palifico(rules: Rules) -> bool:
    """Return True if palifico can happen: a player must be able to drop to one die during the game."""
    return rules.palifico and rules.starting_dice > 1 and not rules.sudden_death


def _aim(rules: Rules, w: Catalogue) -> list[str]:
    return [
        w.count("Everyone has one die under a cup.", "Everyone starts with {n} dice under a cup.", rules.starting_dice),
        w.say("Each round all roll and look at their own dice only."),
        w.say("The last player with dice wins."),
        _seats(rules, w),
    ]


def _seats(rules: Rules, w: Catalogue) -> str:
    if rules.max_seats is None:
        return w.count("For {n} player or more.", "For {n} players or more.", rules.min_seats)
    if rules.max_seats == rules.min_seats:
        return w.count("For {n} player.", "For {n} players.", rules.min_seats)
    return w.count("For {least} to {n} player.", "For {least} to {n} players.", rules.max_seats, least=rules.min_seats)


def _opening(rules: Rules, w: Catalogue) -> list[str]:
    match rules.opener:
        case OpenerMethod.RANDOM:
            first = w.say("Chance picks who opens the game.")
        case OpenerMethod.HIGHEST_DIE:
            first = w.say("To see who opens the game, each rolls one die: the highest opens, ties roll again.")
        case OpenerMethod.HIGHEST_SUM:
            first = w.say("To see who opens the game, each rolls two dice: the highest sum opens, ties roll again.")
    if rules.sudden_death:
        return [first, w.say("When a player is out, the next player to the left opens.")]
    return [
        first,
        w.say("Whoever loses a die opens the next round; if it was the last one, the next player to the left does."),
    ]


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
        case PlainRaise.ANY_HIGHER | PlainRaise.ONES_HIGHEST:
            how = w.say(
                "Raise the number on any face, or the face at the same number. "
                "After 5 fours: 6 twos or 5 fives, but not 4 sixes."
            )
    return [bid, turn, how]


def ones_sentences(rules: Rules, w: Catalogue) -> list[str]:
    """Return whether ones are wild, how to bid on them, and whether to open with them."""
    if not rules.wild_ones:
        return [w.say("Ones are not wild: they are the lowest face, a face like any other.")]
    if rules.ones_may_open:
        opening = w.say("You may open a round with ones.")
    elif somebody_can_be_palifico(rules):
        opening = w.say("No one opens a round with ones, except a palifico round.")
    else:
        opening = w.say("No one opens a round with ones.")
    wild = w.say("Ones are wild: they count for whatever face was bid.")
    if rules.plain_raise is PlainRaise.ONES_HIGHEST:
        highest = w.say("Ones are the highest face: after 5 sixes, 5 ones; after 5 ones, 6 twos.")
        return [wild, highest, opening]
    return [
        wild,
        w.say("You may go to ones with half the number, rounded up: after 7 fours, 4 ones or more."),
        w.say(
            "After ones, bid more ones, or another face with twice the number plus "
            "one: after 4 ones, 5 ones or 9 fours."
        ),
        opening,
    ]


def _dudo(rules: Rules, w: Catalogue) -> list[str]:
    sentences = [w.say("Dudo doubts the last bid, and all dice are shown.")]
    if rules.sudden_death:
        sentences.append(
            w.say("If there are at least as many as bid, the doubter is out of the game; if fewer, the bidder is.")
        )
    elif rules.lose_by_difference:
        sentences += [
            w.say("If there are at least as many as bid, the doubter loses; if fewer, the bidder does."),
            w.say("The loser gives up as many dice as the bid was off by, and always at least one."),
        ]
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
        return [w.say("Calza is not played at this table.")]
    sentences = [w.say("Calza says that the last bid is exactly right.")]
    if rules.sudden_death:
        sentences.append(w.say("If it is, nothing is lost; if not, the caller is out of the game."))
    else:
        sentences.append(
            w.say(
                "If it is, the caller wins a lost die back, up to {most}; if not, the caller loses one.",
                most=rules.starting_dice,
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
    if not rules.calza_in_palifico and somebody_can_be_palifico(rules):
        sentences.append(w.say("There is no calza in a palifico round."))
    if not rules.calza_with_two_players or rules.calza_by is CalzaBy.BYSTANDERS:
        sentences.append(w.say("There is no calza once only two players are left."))
    return sentences


def palifico_sentences(rules: Rules, w: Catalogue) -> list[str]:
    """Return the beginning of a palifico round, and its differences."""
    if not rules.palifico:
        return [w.say("Palifico is not played at this table.")]
    if not somebody_can_be_palifico(rules):
        return []
    sentences = [w.say("Whoever drops to one die is palifico and opens a palifico round.")]
    if rules.wild_ones:
        sentences.append(w.say("In that round ones are not wild, and you may open with them."))
    sentences.append(w.say("The face stays as it was opened: only the number rises."))
    if rules.palifico_face_change:
        sentences.append(w.say("Another player with one die may change the face. Ones are then the lowest face."))
    if rules.palifico_once:
        sentences.append(w.say("Each player is palifico once a game at most."))
    if not rules.palifico_with_two_players:
        sentences.append(w.say("There is no palifico round once only two players are left."))
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


def option_label(name: str, w: Catalogue) -> str:
    """Return the short name of an option, for a button or a list."""
    return {
        "preset": w.context_say("option", "Rulebook"),
        "min_seats": w.say("Fewest players"),
        "max_seats": w.say("Most players"),
        "starting_dice": w.say("Dice each"),
        "opener": w.say("First to open"),
        "plain_raise": w.context_say("option", "Raises"),
        "wild_ones": w.say("Wild ones"),
        "ones_may_open": w.say("Open with ones"),
        "palifico": w.context_say("option", "Palifico"),
        "palifico_once": w.say("Palifico once a game"),
        "palifico_with_two_players": w.say("Palifico, two left"),
        "palifico_face_change": w.say("Palifico: free face"),
        "calza": w.context_say("option", "Calza"),
        "calza_by": w.say("Who says calza"),
        "calza_in_palifico": w.say("Calza in palifico"),
        "calza_with_two_players": w.say("Calza, two left"),
        "lost_dice": w.say("Dice left"),
        "out_of_turn_dudo": w.say("Dudo out of turn"),
        "lose_by_difference": w.say("Lose several dice"),
        "sudden_death": w.say("Out at one loss"),
    }[name]


def option_value_label(name: str, value: object, w: Catalogue) -> str:
    """Return an option's value in a word or two."""
    if name == "preset":
        return preset_label(str(value), w)
    if isinstance(value, bool):
        return w.context_say("option", "on") if value else w.context_say("option", "off")
    if value is None:
        return w.say("no limit")
    words: dict[tuple[str, object], str] = {
        ("opener", OpenerMethod.RANDOM): w.context_say("option", "random"),
        ("opener", OpenerMethod.HIGHEST_DIE): w.say("highest die"),
        ("opener", OpenerMethod.HIGHEST_SUM): w.say("highest sum of two"),
        ("plain_raise", PlainRaise.ONE_THING): w.say("number or face"),
        ("plain_raise", PlainRaise.NO_DECREASE): w.say("number, face or both"),
        ("plain_raise", PlainRaise.ANY_HIGHER): w.say("more dice, any face"),
        ("plain_raise", PlainRaise.ONES_HIGHEST): w.say("ones beat sixes"),
        ("calza_by", CalzaBy.ANYONE_BUT_BIDDER): w.say("all but the bidder"),
        ("calza_by", CalzaBy.BYSTANDERS): w.say("only out of turn"),
        ("calza_by", CalzaBy.ON_TURN): w.say("whoever's turn it is"),
        ("lost_dice", LostDice.HIDDEN): w.context_say("dice left", "secret"),
        ("lost_dice", LostDice.VISIBLE): w.context_say("dice left", "all see them"),
    }
    return words.get((name, value), str(value))


# How rules differ


def options_differing(rules: Rules, w: Catalogue) -> list[str]:
    """Return the differences between a table and its rulebook, a few words for each that matters."""
    return differences(rules, Rules.preset(rules.book) if rules.book in PRESETS else Rules(), w)


def differences(rules: Rules, other: Rules, w: Catalogue) -> list[str]:
    """Return the differences between two sets of rules that matter, a few words for each: how the first one plays."""
    return [
        _in_a_phrase(field.name, getattr(rules, field.name), w)
        for field in fields(rules)
        if field.compare and getattr(rules, field.name) != getattr(other, field.name) and _has_effect(field.name, rules)
    ]


def with_effect(rules: Rules) -> dict[str, object]:
    """Return the options that can change a game under these rules: equal options make equal games."""
    return {
        field.name: getattr(rules, field.name)
        for field in fields(rules)
        if field.compare and _has_effect(field.name, rules)
    }


def is_offered(name: str, rules: Rules) -> bool:
    """Return True if the lobby offers an option: only if it can change the game."""
    match name:
        case "palifico":
            return rules.starting_dice > 1 and not rules.sudden_death
        case "lose_by_difference":
            return not rules.sudden_death
        case "sudden_death":
            return not rules.lose_by_difference
        case _:
            return _has_effect(name, rules)


def _has_effect(name: str, rules: Rules) -> bool:
    if name.startswith("palifico_"):
        return somebody_can_be_palifico(rules)
    if name == "calza_in_palifico":
        return rules.calza and somebody_can_be_palifico(rules)
    if name.startswith("calza_"):
        return rules.calza
    return name != "ones_may_open" or rules.wild_ones


def _in_a_phrase(name: str, value: object, w: Catalogue) -> str:
    if isinstance(value, bool):
        return _on_or_off(name, value, w)
    if isinstance(value, int):
        match name:
            case "starting_dice":
                return w.count("{n} die each", "{n} dice each", value)
            case "min_seats":
                return w.count("at least {n} player", "at least {n} players", value)
            case "max_seats":
                return w.count("at most {n} player", "at most {n} players", value)
    words: dict[tuple[str, object], str] = {
        ("max_seats", None): w.say("any number of players"),
        ("opener", OpenerMethod.RANDOM): w.say("chance picks who opens"),
        ("opener", OpenerMethod.HIGHEST_DIE): w.say("the highest die opens"),
        ("opener", OpenerMethod.HIGHEST_SUM): w.say("the highest sum of two dice opens"),
        ("plain_raise", PlainRaise.ONE_THING): w.say("raise the number or the face, not both"),
        ("plain_raise", PlainRaise.NO_DECREASE): w.say("raise the number, the face or both"),
        ("plain_raise", PlainRaise.ANY_HIGHER): w.say("more dice may be of any face"),
        ("plain_raise", PlainRaise.ONES_HIGHEST): w.say("more dice may be of any face, ones beat sixes"),
        ("calza_by", CalzaBy.ANYONE_BUT_BIDDER): w.say("calza by anyone but the bidder"),
        ("calza_by", CalzaBy.BYSTANDERS): w.say("calza only when it is not your turn"),
        ("calza_by", CalzaBy.ON_TURN): w.say("calza on your turn only"),
        ("lost_dice", LostDice.HIDDEN): w.say("no one sees how many dice the others have"),
        ("lost_dice", LostDice.VISIBLE): w.say("all see how many dice are left"),
    }
    return words[name, value]


def _on_or_off(name: str, on: bool, w: Catalogue) -> str:
    when_on, when_off = {
        "wild_ones": (w.say("ones are wild"), w.say("ones are not wild")),
        "ones_may_open": (w.say("you may open with ones"), w.say("no one may open with ones")),
        "palifico": (w.say("with palifico"), w.say("no palifico")),
        "palifico_once": (w.say("palifico once a game"), w.say("palifico more than once")),
        "palifico_with_two_players": (
            w.say("palifico also with two players left"),
            w.say("no palifico with two players left"),
        ),
        "palifico_face_change": (
            w.say("one-die players may change the palifico face"),
            w.say("palifico face locked for all"),
        ),
        "calza": (w.say("with calza"), w.say("no calza")),
        "calza_in_palifico": (w.say("calza also in palifico"), w.say("no calza in palifico")),
        "calza_with_two_players": (w.say("calza also with two players left"), w.say("no calza with two players left")),
        "out_of_turn_dudo": (w.say("anyone may say dudo at any time"), w.say("dudo on your turn only")),
        "lose_by_difference": (w.say("lose as many dice as the bid was off by"), w.say("lose one die at a time")),
        "sudden_death": (w.say("one lost round and you are out"), w.say("dice are lost one by one")),
    }[name]
    return when_on if on else when_off
