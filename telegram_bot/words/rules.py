"""Rules in words, from the values of their options: as sentences, as labels, and how two sets of them differ."""

from dataclasses import fields

from perudo_core import PRESETS, CalzaBy, LostDice, OpenerMethod, PlainRaise, Rules
from telegram_bot.words.catalogue import Catalogue


def rules_text(rules: Rules, catalogue: Catalogue) -> list[str]:
    """The rules of a table: a short paragraph for each subject, in the order in which a newcomer asks."""
    paragraphs = [
        _aim(rules, catalogue),
        _opening(rules, catalogue),
        _raising(rules, catalogue),
        ones_sentences(rules, catalogue),
        _dudo(rules, catalogue),
        calza_sentences(rules, catalogue),
        palifico_sentences(rules, catalogue),
        _lost_dice(rules, catalogue),
    ]
    return [" ".join(sentences) for sentences in paragraphs if sentences]


def sentences_about(word: str, rules: Rules, catalogue: Catalogue) -> list[str]:
    """What a word of the game means; of what is not played at this table only what it is."""
    match word:
        case "calza" if not rules.calza:
            played = rules.with_options(calza=True)
            return [*calza_sentences(played, catalogue)[:2], *calza_sentences(rules, catalogue)]
        case "calza":
            return calza_sentences(rules, catalogue)
        case "palifico" if not somebody_can_be_palifico(rules):
            played = rules.with_options(palifico=True, starting_dice=2, sudden_death=False)
            unplayed = rules.with_options(palifico=False)
            return [palifico_sentences(played, catalogue)[0], *palifico_sentences(unplayed, catalogue)]
        case "palifico":
            return palifico_sentences(rules, catalogue)
        case "ones":
            return ones_sentences(rules, catalogue)
        case _:
            return _dudo(rules, catalogue)


def somebody_can_be_palifico(rules: Rules) -> bool:
    """Whether palifico can happen: a player must be able to drop to one die during the game."""
    return rules.palifico and rules.starting_dice > 1 and not rules.sudden_death


def _aim(rules: Rules, catalogue: Catalogue) -> list[str]:
    return [
        catalogue.count(
            "Everyone has one die under a cup.", "Everyone starts with {n} dice under a cup.", rules.starting_dice
        ),
        catalogue.say("Each round all roll and look at their own dice only."),
        catalogue.say("The last player with dice wins."),
        _seats(rules, catalogue),
    ]


def _seats(rules: Rules, catalogue: Catalogue) -> str:
    if rules.max_seats is None:
        return catalogue.count("For {n} player or more.", "For {n} players or more.", rules.min_seats)
    if rules.max_seats == rules.min_seats:
        return catalogue.count("For {n} player.", "For {n} players.", rules.min_seats)
    return catalogue.count(
        "For {least} to {n} player.", "For {least} to {n} players.", rules.max_seats, least=rules.min_seats
    )


def _opening(rules: Rules, catalogue: Catalogue) -> list[str]:
    match rules.opener_method:
        case OpenerMethod.RANDOM:
            first = catalogue.say("Chance picks who opens the game.")
        case OpenerMethod.HIGHEST_DIE:
            first = catalogue.say("To see who opens the game, each rolls one die: the highest opens, ties roll again.")
        case OpenerMethod.HIGHEST_SUM:
            first = catalogue.say(
                "To see who opens the game, each rolls two dice: the highest sum opens, ties roll again."
            )
    if rules.sudden_death:
        return [first, catalogue.say("After a player is out, the next to the left opens.")]
    return [
        first,
        catalogue.say(
            "Whoever loses a die opens the next round; if it was the last one, the next player to the left does."
        ),
    ]


def _raising(rules: Rules, catalogue: Catalogue) -> list[str]:
    bid = catalogue.say("A bid says how many dice of one face lie under all the cups together, such as 5 fours.")
    turn = catalogue.say("In turn each player bids higher or says dudo.")
    match rules.plain_raise:
        case PlainRaise.ONE_THING:
            how = catalogue.say(
                "Raise one thing only: the number on the same face, or the face at the same number. "
                "After 5 fours: 7 fours or 5 fives, but not 6 fives."
            )
        case PlainRaise.NO_DECREASE:
            how = catalogue.say(
                "Raise the number on the same face, or go to a higher face with the same number or more. "
                "After 5 fours: 9 fours, 5 sixes or 6 fives, but not 6 threes."
            )
        case PlainRaise.ANY_HIGHER | PlainRaise.ONES_HIGHEST:
            how = catalogue.say(
                "Raise the number on any face, or the face at the same number. "
                "After 5 fours: 6 twos or 5 fives, but not 4 sixes."
            )
    return [bid, turn, how]


def ones_sentences(rules: Rules, catalogue: Catalogue) -> list[str]:
    """Whether ones are wild, how to bid on them, and whether to open with them."""
    if not rules.wild_ones:
        return [catalogue.say("Ones are not wild: they are the lowest face, a face like any other.")]
    if rules.ones_may_open:
        opening = catalogue.say("You may open a round with ones.")
    elif somebody_can_be_palifico(rules):
        opening = catalogue.say("Nobody opens a round with ones, except a palifico round.")
    else:
        opening = catalogue.say("Nobody opens a round with ones.")
    wild = catalogue.say("Ones are wild: they count for whatever face was bid.")
    if rules.plain_raise is PlainRaise.ONES_HIGHEST:
        highest = catalogue.say("Ones are the highest face: after 5 sixes, 5 ones; after 5 ones, 6 twos.")
        return [wild, highest, opening]
    return [
        wild,
        catalogue.say("You may go to ones with half the number, rounded up: after 7 fours, 4 ones or more."),
        catalogue.say(
            "After ones, bid more ones, or another face with twice the number plus "
            "one: after 4 ones, 5 ones or 9 fours."
        ),
        opening,
    ]


def _dudo(rules: Rules, catalogue: Catalogue) -> list[str]:
    sentences = [
        catalogue.say("Dudo doubts the last bid, and all dice are shown."),
    ]
    if rules.sudden_death:
        sentences.append(
            catalogue.say(
                "If there are at least as many as bid, the doubter is out of the game; if fewer, the bidder is."
            )
        )
    elif rules.lose_by_difference:
        sentences += [
            catalogue.say("If there are at least as many as bid, the doubter loses; if fewer, the bidder does."),
            catalogue.say("The loser gives up as many dice as the bid was off by, and always at least one."),
        ]
    else:
        sentences.append(
            catalogue.say("If there are at least as many as bid, the doubter loses a die; if fewer, the bidder does.")
        )
    if rules.out_of_turn_dudo:
        sentences.append(catalogue.say("Anyone but the bidder may say dudo at any time."))
    else:
        sentences.append(catalogue.say("Only the player whose turn it is may say dudo."))
    return sentences


def calza_sentences(rules: Rules, catalogue: Catalogue) -> list[str]:
    """What calza is, and what it brings; then who may say it, and when."""
    if not rules.calza:
        return [catalogue.say("Calza is not played at this table.")]
    sentences = [catalogue.say("Calza says that the last bid is exactly right.")]
    if rules.sudden_death:
        sentences.append(catalogue.say("If it is, nothing is lost; if not, the caller is out of the game."))
    else:
        sentences.append(
            catalogue.say(
                "If it is, the caller wins a lost die back, up to {most}; if not, the caller loses one.",
                most=rules.starting_dice,
            )
        )
    sentences.append(catalogue.say("The caller opens the next round."))
    match rules.calza_by:
        case CalzaBy.ANYONE_BUT_BIDDER:
            sentences.append(catalogue.say("Anyone but the bidder may say it."))
        case CalzaBy.BYSTANDERS:
            sentences.append(catalogue.say("Anyone may say it, but not the bidder nor the player whose turn it is."))
        case CalzaBy.ON_TURN:
            sentences.append(catalogue.say("Only the player whose turn it is may say it."))
    if not rules.calza_in_palifico and somebody_can_be_palifico(rules):
        sentences.append(catalogue.say("There is no calza in a palifico round."))
    if not rules.calza_with_two_players or rules.calza_by is CalzaBy.BYSTANDERS:
        sentences.append(catalogue.say("There is no calza once only two players are left."))
    return sentences


def palifico_sentences(rules: Rules, catalogue: Catalogue) -> list[str]:
    """When a palifico round comes, and what is different in it."""
    if not rules.palifico:
        return [catalogue.say("Palifico is not played at this table.")]
    if not somebody_can_be_palifico(rules):
        return []
    sentences = [catalogue.say("Whoever drops to one die is palifico and opens a palifico round.")]
    if rules.wild_ones:
        sentences.append(catalogue.say("In that round ones are not wild, and you may open with them."))
    sentences.append(catalogue.say("The face stays as it was opened: only the number rises."))
    if rules.palifico_face_change:
        sentences.append(
            catalogue.say("Another player with one die may change the face. Ones are then the lowest face.")
        )
    if rules.palifico_once:
        sentences.append(catalogue.say("Each player is palifico once a game at most."))
    if not rules.palifico_with_two_players:
        sentences.append(catalogue.say("There is no palifico round once only two players are left."))
    return sentences


def _lost_dice(rules: Rules, catalogue: Catalogue) -> list[str]:
    match rules.lost_dice:
        case LostDice.HIDDEN:
            return [catalogue.say("Nobody is shown how many dice the others have left.")]
        case LostDice.VISIBLE:
            return [catalogue.say("Everybody sees how many dice each player has left.")]


def preset_label(preset_id: str, catalogue: Catalogue) -> str:
    """The short name of a rulebook."""
    return {
        "box_2009": catalogue.say("2009 edition"),
        "italian_box": catalogue.say("Italian edition"),
        "aces": catalogue.say("Aces (English)"),
        "azteca": catalogue.context_say("rulebook", "Azteca"),
        "french_guide": catalogue.say("French guide"),
    }.get(preset_id) or catalogue.say("House rules")


def option_label(name: str, catalogue: Catalogue) -> str:
    """The short name of an option, for a button or a list."""
    return {
        "preset": catalogue.context_say("option", "Rulebook"),
        "min_seats": catalogue.say("Fewest players"),
        "max_seats": catalogue.say("Most players"),
        "starting_dice": catalogue.say("Dice each"),
        "opener_method": catalogue.say("First to open"),
        "plain_raise": catalogue.context_say("option", "Raises"),
        "wild_ones": catalogue.say("Wild ones"),
        "ones_may_open": catalogue.say("Open with ones"),
        "palifico": catalogue.context_say("option", "Palifico"),
        "palifico_once": catalogue.say("Palifico once a game"),
        "palifico_with_two_players": catalogue.say("Palifico, two left"),
        "palifico_face_change": catalogue.say("Palifico: free face"),
        "calza": catalogue.context_say("option", "Calza"),
        "calza_by": catalogue.say("Who says calza"),
        "calza_in_palifico": catalogue.say("Calza in palifico"),
        "calza_with_two_players": catalogue.say("Calza, two left"),
        "lost_dice": catalogue.say("Dice left"),
        "out_of_turn_dudo": catalogue.say("Dudo out of turn"),
        "lose_by_difference": catalogue.say("Lose several dice"),
        "sudden_death": catalogue.say("Out at one loss"),
    }[name]


def option_value_label(name: str, value: object, catalogue: Catalogue) -> str:
    """An option's value in a word or two."""
    if name == "preset":
        return preset_label(str(value), catalogue)
    if isinstance(value, bool):
        return catalogue.context_say("option", "on") if value else catalogue.context_say("option", "off")
    if value is None:
        return catalogue.say("no limit")
    words: dict[tuple[str, object], str] = {
        ("opener_method", OpenerMethod.RANDOM): catalogue.context_say("option", "random"),
        ("opener_method", OpenerMethod.HIGHEST_DIE): catalogue.say("highest die"),
        ("opener_method", OpenerMethod.HIGHEST_SUM): catalogue.say("highest sum of two"),
        ("plain_raise", PlainRaise.ONE_THING): catalogue.say("number or face"),
        ("plain_raise", PlainRaise.NO_DECREASE): catalogue.say("number, face or both"),
        ("plain_raise", PlainRaise.ANY_HIGHER): catalogue.say("more dice, any face"),
        ("plain_raise", PlainRaise.ONES_HIGHEST): catalogue.say("ones beat sixes"),
        ("calza_by", CalzaBy.ANYONE_BUT_BIDDER): catalogue.say("all but the bidder"),
        ("calza_by", CalzaBy.BYSTANDERS): catalogue.say("those not on turn"),
        ("calza_by", CalzaBy.ON_TURN): catalogue.say("whoever's turn it is"),
        ("lost_dice", LostDice.HIDDEN): catalogue.context_say("dice left", "secret"),
        ("lost_dice", LostDice.VISIBLE): catalogue.context_say("dice left", "all see them"),
    }
    return words.get((name, value), str(value))


# How rules differ


def options_differing(rules: Rules, catalogue: Catalogue) -> list[str]:
    """The differences between a table and its rulebook, a few words for each difference that matters."""
    return differences(rules, Rules.preset(rules.preset) if rules.preset in PRESETS else Rules(), catalogue)


def differences(rules: Rules, other: Rules, catalogue: Catalogue) -> list[str]:
    """The differences between two sets of rules that matter, a few words for each: how the first one plays."""
    return [
        _in_a_phrase(field.name, getattr(rules, field.name), catalogue)
        for field in fields(rules)
        if field.name != "based_on"
        and getattr(rules, field.name) != getattr(other, field.name)
        and _has_effect(field.name, rules)
    ]


def with_effect(rules: Rules) -> dict[str, object]:
    """The options that can change a game under these rules: two tables with the same ones play alike."""
    return {
        field.name: getattr(rules, field.name)
        for field in fields(rules)
        if field.name != "based_on" and _has_effect(field.name, rules)
    }


def is_offered(name: str, rules: Rules) -> bool:
    """Whether the lobby offers an option: only where it can change the game."""
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


def _in_a_phrase(name: str, value: object, catalogue: Catalogue) -> str:
    if isinstance(value, bool):
        return _on_or_off(name, value, catalogue)
    if isinstance(value, int):
        match name:
            case "starting_dice":
                return catalogue.count("{n} die each", "{n} dice each", value)
            case "min_seats":
                return catalogue.count("at least {n} player", "at least {n} players", value)
            case "max_seats":
                return catalogue.count("at most {n} player", "at most {n} players", value)
    words: dict[tuple[str, object], str] = {
        ("max_seats", None): catalogue.say("any number of players"),
        ("opener_method", OpenerMethod.RANDOM): catalogue.say("chance picks who opens"),
        ("opener_method", OpenerMethod.HIGHEST_DIE): catalogue.say("the highest die opens"),
        ("opener_method", OpenerMethod.HIGHEST_SUM): catalogue.say("the highest sum of two dice opens"),
        ("plain_raise", PlainRaise.ONE_THING): catalogue.say("raise the number or the face, not both"),
        ("plain_raise", PlainRaise.NO_DECREASE): catalogue.say("raise the number, the face or both"),
        ("plain_raise", PlainRaise.ANY_HIGHER): catalogue.say("more dice may be of any face"),
        ("plain_raise", PlainRaise.ONES_HIGHEST): catalogue.say("more dice may be of any face, ones beat sixes"),
        ("calza_by", CalzaBy.ANYONE_BUT_BIDDER): catalogue.say("calza by anyone but the bidder"),
        ("calza_by", CalzaBy.BYSTANDERS): catalogue.say("calza only by those not on turn"),
        ("calza_by", CalzaBy.ON_TURN): catalogue.say("calza on your turn only"),
        ("lost_dice", LostDice.HIDDEN): catalogue.say("nobody sees how many dice the others have"),
        ("lost_dice", LostDice.VISIBLE): catalogue.say("all see how many dice are left"),
    }
    return words[name, value]


def _on_or_off(name: str, on: bool, catalogue: Catalogue) -> str:
    when_on, when_off = {
        "wild_ones": (catalogue.say("ones are wild"), catalogue.say("ones are not wild")),
        "ones_may_open": (catalogue.say("you may open with ones"), catalogue.say("nobody may open with ones")),
        "palifico": (catalogue.say("with palifico"), catalogue.say("no palifico")),
        "palifico_once": (catalogue.say("palifico once a game"), catalogue.say("palifico more than once")),
        "palifico_with_two_players": (
            catalogue.say("palifico also with two players left"),
            catalogue.say("no palifico with two players left"),
        ),
        "palifico_face_change": (
            catalogue.say("one-die players may change the palifico face"),
            catalogue.say("palifico face locked for all"),
        ),
        "calza": (catalogue.say("with calza"), catalogue.say("no calza")),
        "calza_in_palifico": (catalogue.say("calza also in palifico"), catalogue.say("no calza in palifico")),
        "calza_with_two_players": (
            catalogue.say("calza also with two players left"),
            catalogue.say("no calza with two players left"),
        ),
        "out_of_turn_dudo": (catalogue.say("anyone may say dudo at any time"), catalogue.say("dudo on your turn only")),
        "lose_by_difference": (
            catalogue.say("lose as many dice as the bid was off by"),
            catalogue.say("lose one die at a time"),
        ),
        "sudden_death": (catalogue.say("one lost round and you are out"), catalogue.say("dice are lost one by one")),
    }[name]
    return when_on if on else when_off
