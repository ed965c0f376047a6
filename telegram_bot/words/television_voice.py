"""The voice of the television: what its characters say about what everybody has seen.

No phrase tells anything about the dice: the page chooses it by the number of the round.
"""

from telegram_bot.words.catalogue import Catalogue


def host_phrases(w: Catalogue) -> dict[str, str]:
    """Return the phrases by character, moment and number, as `voice_dry_dudo_0`, the names to be filled by the page.

    A call is `right` or `wrong`; `final` is the last duel and match point.
    """
    name = "{name}"
    phrases = {
        "dry": {
            "dudo": (w.say("Someone has doubts."), w.say("Dudo. Of course.")),
            "calza": (w.say("Exactly that many. We'll see."),),
            "right": (w.say("Correct. How tiresome."), w.say("Well. Someone can count.")),
            "wrong": (w.say("No. Sadly, no."), w.say("The dice disagree.")),
            "falls": (w.say("{name} is out. The rest of us have things to do.", name=name),),
            "final": (w.say("Two left. Try to look calm."),),
            "palifico": (w.say("Palifico. What could go wrong?"),),
            "won": (w.say("{name} wins. Someone had to.", name=name),),
        },
        "grand": {
            "dudo": (w.say("Ladies and gentlemen: a doubt!"), w.say("A challenge! Hold on to your cups!")),
            "calza": (w.say("To the very die! What courage!"),),
            "right": (w.say("Magnificent! A nose of gold!"), w.say("And the truth comes to light!")),
            "wrong": (w.say("Alas! The dice have spoken!"), w.say("A tragedy in one act!")),
            "falls": (w.say("Farewell, brave {name}!", name=name),),
            "final": (w.say("The final duel! Songs will be sung of this!"),),
            "palifico": (w.say("Silence in the hall! Palifico!"),),
            "won": (w.say("All rise for {name}, ruler of the cups!", name=name),),
        },
        "cheeky": {
            "dudo": (w.say("Ooh, someone smells a fib!"), w.say("Liar, liar? Let's have a look!")),
            "calza": (w.say("Bang on, you say? Show me!"),),
            "right": (w.say("Told you so!"), w.say("Nailed it!")),
            "wrong": (w.say("Oops!"), w.say("Well, that was brave.")),
            "falls": (w.say("Bye-bye, {name}! You can hold my popcorn.", name=name),),
            "final": (w.say("Two left, and one of them is about to cry!"),),
            "palifico": (w.say("Palifico! Now it gets weird."),),
            "won": (w.say("{name} wins! We'll never hear the end of it.", name=name),),
        },
    }
    return {
        f"voice_{character}_{moment}_{number}": phrase
        for character, moments in phrases.items()
        for moment, said in moments.items()
        for number, phrase in enumerate(said)
    }
