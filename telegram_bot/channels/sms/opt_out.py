"""Tell whether a text asks for no more texts, in the carriers' words or in a person's own.

The rule, which `docs/sms/README.md` tells operators:

* A text that begins with STOP, or with a word that means nothing else, is STOP, whatever stands behind it. A greeting
  or a please in front does not count.
* The other words of the carriers (END, QUIT, CANCEL ...) and their sisters begin everyday sentences as well. Such a
  text is STOP if nothing but a request or a signature follows, or if the word alone is in capitals.
* What talks of the game ("stop bluffing", "quit lying") is asked about. Nobody who may have said STOP is shown dice.
* A text that denies the word ("stop het maar niet") or that only contains it ("non stop") is talk.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from telegram_bot.words.parsing.normalize import comparison_key, normalize

LONGEST_READ: Final = 200
"""How many letters of a text are searched: what asks for no more texts begins with it."""


CARRIERS_WORDS: Final = frozenset(
    {
        *("stop", "stopall", "unsubscribe", "cancel", "end", "quit", "revoke", "optout"),
        *("start", "unstop", "yes", "help", "info"),
    }
)
"""The texts that a gateway such as Twilio answers itself. What is longer it leaves to the bot."""


class OptOut(StrEnum):
    """Whether a text asks for no more texts."""

    YES = "yes"
    PERHAPS = "perhaps"
    NO = "no"


def read_opt_out(text: str) -> OptOut:
    """Whether the text is STOP in anybody's words."""
    sentence = re.split(r"[.!?;\n\r]|\s-- ?", _ROUND.sub("", text[:LONGEST_READ].lstrip(_BEFORE)), maxsplit=1)[0]
    said = _OPENER.sub("", plain_words(sentence))
    if _PHRASE.fullmatch(said):
        return OptOut.YES
    strong = _STRONG.match(said)
    found = strong or _SISTER.match(said)
    rest = "" if found is None else said[found.end() :]
    if found is None or _DENIED.match(rest):
        return OptOut.NO
    if strong is not None:
        return OptOut.PERHAPS if _GAME.search(rest) else OptOut.YES
    return OptOut.YES if _PLEA.fullmatch(rest) or _alone_in_capitals(sentence) else OptOut.PERHAPS


def plain_words(sentence: str) -> str:
    """Words in small letters without accents, with one space between them and no commas or apostrophes."""
    return " ".join(re.findall(r"[^\W_]+", comparison_key(normalize(sentence)).replace("'", " ")))


def _alone_in_capitals(sentence: str) -> bool:
    """Whether the first word is in capitals, as the bot's texts show it, and the others are not."""
    first, _, rest = sentence.strip().partition(" ")
    return first.isupper() and not rest.isupper()


def _any_of(*alternatives: str) -> str:
    return "(?:" + "|".join(alternatives) + r")(?!\S)"


_BEFORE: Final = "\"'“”„«»()[]<>*#.,:;!?¡¿- \t\r\n"
_ROUND: Final = re.compile(r"^r\d{1,4}[\s:.,]+", re.IGNORECASE)
"""The bot's texts begin with the round, and so may an answer."""

_STRONG: Final = re.compile(
    _any_of(
        "stop+",
        "stop ?all",
        "unsubscribe",
        "opt ?out",
        "desabonner",
        "desabonne[sz]?(?: moi)?",
        "desabonnement",
        "desinscri(?:re|ption|vez moi|s moi)",
        "disiscriv(?:imi|etemi|ermi|ere)",
        "afmeld(?:en|ing)",
        "uitschrijven",
        "desuscribi(?:r|rme)",
        "desuscribeme",
        "da(?:r|rme|me|dme) de baja",
    )
)
_SISTER: Final = re.compile(
    _any_of("cancel", "end", "quit", "revoke", "arret", "arrete[rsz]?(?: vous)?", "stoppen", "baja")
)

_OPENER: Final = re.compile(
    "^(?:"
    + _any_of(
        "please|pls|plz|just|ok|okay|hi|hello|hey|svp|stp|s il (?:vous|te) plait|bonjour|per (?:favore|piacere)|ciao",
        "por favor|hola|alsjeblieft|alstublieft|aub|hallo|graag",
    )
    + r"\s*)+"
)

_COURTESIES: Final = (
    "please|pls|plz|thanks?|thank you|thx|ty|svp|stp|s il (?:vous|te) plait|merci|grazie|per (?:favore|piacere)",
    "por favor|gracias|alsjeblieft|alstublieft|aub|graag|bedankt|dank(?: je| u)?(?: wel)?|maar",
)
_TEXTS: Final = (
    "texts?|texting|texted|sms|messag(?:es?|ing)|send(?:ing)?|writing|contacting|notifications|subscription|service",
    "ecrire|envoyer|textos?|abonnement|messaggi|scriver(?:e|mi)|mandarmi|inviarmi|abbonamento|iscrizione",
    "mensajes?|escribirme|enviarme|mandarme|suscripcion|berichten|smsen|sturen|sms en|sms jes|met|dienst",
)
_SMALL: Final = (
    "me|us|all|everything|now|immediately|today|these|the|your|my|to|from|with|again|any ?more|forever|stop",
    "moi|m|d|de|des|les|ces|vos|tout|tous|maintenant|mi|i|gli|di|con|tutto|tutti|adesso|ora|subito",
    "los|todo|todos|ya|ahora|mij|mijn|je|het|alles|alle|nu",
)
_PLEA: Final = re.compile(rf"(?:\s*{_any_of(*_COURTESIES, *_TEXTS, *_SMALL)})*")
"""What may follow a word that begins everyday sentences as well."""
_THANKS: Final = rf"(?:\s+{_any_of(*_COURTESIES)})*"

_PHRASES: Final = (
    r"(?:i (?:want|would like|d like) to )?(?:unsubscribe|opt out)(?: me)?",
    r"(?:opt me out|remove me|take me off)(?: (?:from |of )?(?:this|the|your) list)?",
    r"no more (?:texts|messages|sms)",
    r"(?:do not|don t|dont|never) (?:text|message|write|contact)(?: to)? me(?: again| any ?more)?",
    "leave me alone",
    r"je veux (?:me desabonner|arreter|stopper)",
    r"(?:me|se) desabonner",
    r"ne m ecri(?:s|vez) plus",
    "plus de (?:sms|messages|textos)",
    r"(?:fous|laisse[sz]?)(?: moi)? (?:moi )?(?:la paix|tranquille)",
    r"voglio (?:disiscrivermi|cancellarmi)",
    r"(?:cancella(?:te)?mi|rimuovi(?:te)?mi|togli(?:ete)?mi)(?: dalla lista)?",
    "(?:basta|niente piu|non voglio(?: piu)?(?: ricevere)?) (?:messaggi|sms)",
    r"(?:non|smett(?:ila|i|etela) di|basta) (?:mi )?(?:scriver(?:mi|e)|scrivetemi|mandarmi)(?: messaggi)?(?: piu)?",
    r"quiero (?:dar(?:me)? de baja|desuscribirme)",
    r"no (?:me )?(?:escrib|mand|envi)[a-z]+ mas(?: mensajes| sms)?",
    "(?:basta de|no mas|no quiero(?: recibir)? mas) (?:mensajes|sms)",
    r"(?:deja|dejen|dejad|para|paren|parad) de (?:escribirme|enviarme|mandarme)(?: mensajes| sms)?",
    r"(?:meld me|schrijf me) (?:maar )?(?:af|uit)",
    r"ik wil (?:me (?:afmelden|uitschrijven)|stoppen)",
    "geen (?:sms|berichten|smsjes|sms jes) meer",
    r"(?:stuur|schrijf|sms|bericht) (?:me|mij) (?:niet|niks|geen (?:sms|berichten)) meer",
    r"hou(?:d)? op met (?:sms|smsen|sms en|berichten|schrijven)(?: sturen)?",
    "laat me met rust",
)
"""Whole sentences that ask for no more texts without one of the words."""
_PHRASE: Final = re.compile(f"(?:{'|'.join(_PHRASES)}){_THANKS}")

_DENIED: Final = re.compile(
    r"(?: (?:het|dit|dat|nu|er|maar|nog|toch|mee|daar|it|now|that))*"
    r" (?:niet|nooit|not|never|pas|jamais|mai|nunca)(?! (?:meer|more|plus|any ?more)\b)(?!\S)"
)
"""Behind the word, that it is not meant: "stop het maar niet", "arrête jamais"."""

_GAME: Final = re.compile(
    r"\b(?:bluff\w*|liar|liars|lying|lies|cheat\w*|dudo|calza|menteu\w*|menti\w*|mens|bugiard\w*|barare|bara|imbroglio\w*"
    r"|trich\w*|trampas?|farole\w*|lieg\w*|leugena\w*)\b"
)
"""Words of the game, as in "stop lying", "stop it, you liar"."""
