"""The title and the deed of each achievement."""

from telegram_bot.words.catalogue import Catalogue


def achievement_words(w: Catalogue) -> dict[str, tuple[str, str]]:
    """Title and deed of each achievement, by its key."""
    return {
        "first_win": (w.say("Beginner's luck"), w.say("won a first game")),
        "unharmed": (w.say("Teflon"), w.say("won without losing a die")),
        "comeback": (w.say("Back from the dead"), w.say("won after being down to one die")),
        "photo_finish": (w.say("Photo finish"), w.say("won with one die left")),
        "three_in_a_row": (w.say("Hat-trick"), w.say("won three games in a row")),
        "five_in_a_row": (w.say("Runaway train"), w.say("won five games in a row")),
        "rain_at_last": (w.say("Rain at last"), w.say("won after ten games without a win")),
        "honest": (w.say("Honest soul"), w.say("won without a single bluff")),
        "born_liar": (w.say("Born liar"), w.say("won, and half of the bids were bluffs")),
        "pacifist": (w.say("Pacifist"), w.say("won without ever doubting anyone")),
        "autopilot": (w.say("Autopilot"), w.say("won while the bot played some turns")),
        "poker_face": (w.say("Poker face"), w.say("bluffed five times in a game, never caught")),
        "tall_tale": (w.say("Tall tale"), w.say("got away with a bluff of eight dice")),
        "pants_on_fire": (w.say("Pants on fire"), w.say("was caught with a bid four dice too high")),
        "on_the_dot": (w.say("On the dot"), w.say("two doubted bids in a game held exactly")),
        "word_of_honour": (w.say("Word of honour"), w.say("doubted four times in a game, and never lied")),
        "lie_detector": (w.say("Lie detector"), w.say("doubted four times in a game, always right")),
        "fine_nose": (w.say("Fine nose"), w.say("smelled a rat at the very first bid")),
        "by_a_hair": (w.say("By a hair"), w.say("caught three bids that were one die short")),
        "trust_issues": (w.say("Trust issues"), w.say("doubted four true bids in a game")),
        "way_off": (w.say("Way off"), w.say("doubted a bid with three dice to spare")),
        "bullseye": (w.say("Bullseye"), w.say("called an exact calza")),
        "robin_hood": (w.say("Robin Hood"), w.say("called two exact calzas in a game")),
        "blind_archer": (w.say("Blind archer"), w.say("missed three calzas in a game")),
        "lizard": (w.say("Lizard"), w.say("grew two lost dice back in a game")),
        "five_alike": (w.say("Five alike"), w.say("rolled five dice of one face")),
        "bouncer": (w.say("Bouncer"), w.say("showed three players the door")),
        "snowball": (w.say("Snowball"), w.say("lost a die in four rounds in a row")),
        "fortress": (w.say("Fortress"), w.say("eight rounds in a row without losing a die")),
        "auction": (w.say("Going, going, gone"), w.say("ended a round of twelve bids")),
        "marathon": (w.say("Marathon"), w.say("played a game of 25 rounds")),
        "early_night": (w.say("Early night"), w.say("first one out at a table of four or more")),
        "wooden_spoon": (w.say("Wooden spoon"), w.say("came last three times in a row")),
        "regular": (w.say("The usual, please"), w.say("played ten games")),
        "furniture": (w.say("Part of the furniture"), w.say("played a hundred games")),
    }
