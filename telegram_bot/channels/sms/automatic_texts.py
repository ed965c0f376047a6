"""Recognize texts that no person wrote: replies of absent people's phones, and notices of networks and services.

Whoever answers them begins a conversation of two machines. Senders without a telephone number (short codes, names) are
refused before: see `numbers`.
"""

from __future__ import annotations

import re
from typing import Final

from telegram_bot.channels.sms.opt_out import OptOut, plain_words, read_opt_out

MIN_WORDS: Final = 3
"""Shorter texts are what players write."""

_ENGLISH: Final = (
    r"out of (?:the )?office",
    r"auto(?:matic|mated)? ?(?:reply|response|message|text)",
    r"i (?:am|m) (?:currently )?driving",
    r"(?:will|ll) (?:reply|respond|get back to you|call you back)",
    r"can t talk (?:right )?now",
    r"do not reply|please do ?n(?:o|t)t? reply|not monitored|noreply",
    r"(?:message|text|sms) (?:was |has |could )?not(?: be| been)? (?:sent|delivered)",
    r"(?:could|can) ?not be delivered|undeliver\w+|delivery (?:failed|failure|status|report)",
    r"failed to (?:send|deliver)",
    r"(?:is|are) (?:unable to receive|not able to receive|not in service|no longer in service|not a valid)",
    r"does not accept (?:incoming )?(?:texts|messages|sms)",
    r"missed calls?|tried to call you|voice ?mail",
    r"(?:verification|security|login|confirmation) code|code is \d{4,}|one time pass\w+",
    r"(?:reply|text|send) stop to|(?:msg|message) (?:and )?data rates|freemsg|free msg",
    r"your (?:balance|data allowance|plan|top up)",
)
_ITALIAN: Final = (
    r"(?:risposta|messaggio|sms) automatic[oa]",
    r"(?:sono|siamo) (?:in ferie|in vacanza|in riunione|fuori (?:sede|ufficio)|assente)|sto guidando|sono alla guida",
    r"(?:messaggio|sms) non (?:e stato )?(?:consegnato|recapitato|inviato)|mancata consegna",
    r"impossibile (?:inviare|recapitare)",
    r"non rispondere a questo|segreteria telefonica|chiamat[ae] pers[ae]|ti ha (?:chiamato|cercato)|codice di verifica",
    r"(?:rispondi|invia|scrivi|manda) stop|credito residuo|la tua offerta|numero (?:chiamato|selezionato)",
)
_FRENCH: Final = (
    r"(?:reponse|message|sms) automatique",
    r"absente? du bureau|en conges?\b|je suis (?:en vacances|en reunion|au volant|absente?)|je conduis",
    r"(?:message|sms|texto) non (?:delivre|remis|distribue|envoye)",
    r"n a (?:pas )?pu etre (?:delivre|remis|distribue|envoye)",
    r"echec (?:de (?:la |l )?)?(?:envoi|remise|distribution)|ne pas repondre|ne repondez pas",
    r"appels? (?:en absence|manques?)|messagerie vocale|messages? voca\w+|code de (?:verification|validation)",
    r"stop (?:au|par sms) \d+|envoye[rz] stop|credit restant|votre forfait",
)
_SPANISH: Final = (
    r"(?:respuesta|mensaje|sms) automatic[oa]",
    r"fuera de la oficina|estoy (?:de vacaciones|conduciendo|en una reunion|ausente)",
    r"(?:mensaje|sms) no (?:entregado|enviado)|no (?:se )?(?:pudo|ha podido) (?:ser )?(?:entrega|envia)\w+",
    r"no respond(?:a|as|er) a este|llamadas? perdidas?|buzon de voz|te ha llamado|codigo de (?:verificacion|seguridad)",
    r"(?:envia|responde|manda) (?:stop|baja)|(?:tu|su) saldo",
)
_DUTCH: Final = (
    r"automatisch(?:e)? (?:antwoord|bericht|reactie|sms)",
    r"ik ben (?:afwezig|(?:met|op) vakantie|aan het rijden|in vergadering)|afwezigheids\w+|ik zit in de auto",
    r"(?:bericht|sms) (?:is |kon )?niet (?:worden )?(?:afgeleverd|bezorgd|verzonden)",
    r"niet (?:op dit bericht|beantwoorden)|gemiste? oproep(?:en)?|heeft (?:je|u) gebeld|verificatiecode",
    r"(?:sms|stuur|antwoord) stop (?:naar|om)|(?:je|uw) (?:beltegoed|databundel)",
)
_AUTOMATIC: Final = re.compile(rf"\b(?:{'|'.join((*_ENGLISH, *_ITALIAN, *_FRENCH, *_SPANISH, *_DUTCH))})(?!\w)")


def is_automatic(text: str) -> bool:
    """Whether a machine wrote the text."""
    words = plain_words(text)
    found = words.count(" ") >= MIN_WORDS - 1 and _AUTOMATIC.search(words) is not None
    return found and read_opt_out(text) is OptOut.NO
