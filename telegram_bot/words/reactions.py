"""What computer players say at the end of a round, each by its character."""

from __future__ import annotations

from perudo_core.agents import Character
from telegram_bot.tables.result_views import Reaction, ReactionTo, RevealView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.phrases import name_of

LOUD = frozenset({Character.BOLD, Character.TRICKSTER})
"""Characters that say more than is wise."""


def reaction_line(view: RevealView, reaction: Reaction, w: Catalogue) -> str:
    """A computer player's word: its name, and one of the sentences for what happened to it."""
    seat = view.seats[reaction.seat]
    loud = seat.computer is not None and seat.computer.character in LOUD
    said = _sentences(reaction.to, w, loud=loud)
    return f"{name_of(seat)}: <i>{said[reaction.variant % len(said)]}</i>"


def _sentences(to: ReactionTo, w: Catalogue, *, loud: bool) -> tuple[str, ...]:
    return {
        (ReactionTo.BLUFF_HELD, True): (w.say("Never doubt me. Well, do!"), w.say("Ha! I had almost nothing.")),
        (ReactionTo.BLUFF_HELD, False): (w.say("Phew, thank you all."), w.say("I hoped that you had some.")),
        (ReactionTo.LOST_DIE, True): (w.say("I will be back for that one!"), w.say("I did that on purpose.")),
        (ReactionTo.LOST_DIE, False): (w.say("Oh well, my mistake."), w.say("I should have known.")),
        (ReactionTo.OUT, True): (w.say("Out already? I want a rematch!"), w.say("You will miss me.")),
        (ReactionTo.OUT, False): (w.say("Well played, everybody."), w.say("I will watch from here.")),
        (ReactionTo.WON, True): (w.say("Was there ever any doubt?"), w.say("Who is next?")),
        (ReactionTo.WON, False): (w.say("That was close. Thank you!"), w.say("A good game, all of you.")),
    }[to, loud]
