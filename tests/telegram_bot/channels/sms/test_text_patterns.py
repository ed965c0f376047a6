"""What ends all texts, in whatever words, and what a machine wrote; talk that contains the words is talk."""

from __future__ import annotations

import pytest

from telegram_bot.channels.sms.text_patterns import OptOut, is_automatic, read_opt_out
from tests.telegram_bot.channels.sms.conftest import phrases

STOPPED = [
    *phrases("""
        STOP, never text me again! | Stop nunca más mensajes | stop pas de sms | STOP | stop.
        STOP texting me. Sent from my phone | stop grazie | stop svp | stop por favor | stop maar | stop thanks | STOPP
        stopp bitte | arrêter | arrêtez | arrête | baja | afmelden | disiscrivimi | désabonner | désabonnez-moi
        Stop!!! | STOPALL | stop all | unsubscribe | UNSUBSCRIBE me please | cancel | CANCEL my subscription | End
        quit | QUIT Regards, Bob | revoke | OPTOUT | opt-out | ARRÊT | ARRET SVP | please stop | Please, stop!
        per favore stop | stop je ne veux pas de messages | STOP non voglio più messaggi | Stop no quiero más mensajes
        stop ik wil dit niet | Stop, I don't want this | STOP au 36111 | stop it please | stop it
        Stop the messages or I call the police | don't text me again | no more texts | unsubscribe me | ne m'écris plus
        darme de baja | quiero darme de baja | meld me af | schrijf me uit | ik wil me afmelden | geen berichten meer
        non scrivermi più | basta messaggi | no me escribas más | stop alsjeblieft | hola, baja por favor | R4 STOP
        stop niet meer sturen | Stop. 5x4 | arrête de m'écrire | arrêtez d'envoyer des sms | baja gracias | 🛑 STOP | 🛑
        🛑🛑🛑 | S T O P | s.t.o.p. | S-T-O-P! | s_t_o_p | E N D | b a s t a | basta | Basta così! | basta, grazie
        ferma
        fermati | smettila | para | ¡Basta ya! | ça suffit | assez | genoeg | hou op | enough | sTOp | stop sms
        Afmelden aub | please unsubscribe | plus de sms merci | stoppen aub | STOP!Sent from my Galaxy
        CANCEL I hate this | arretez les messages svp
    """),
    "QUIT\nBob",
    "STOP\n-- \nSent from my iPhone",
    '"STOP"',
    "🛑\ufe0f!",
]
TALK = phrases("""
    don't stop now | non stop | nonstop | no paramos | stop het maar niet | the end | 5x4 | we can't stop here
    unstoppable | Stoppato ieri | stopping by later | I won't stop | never stop | niet stoppen | arrête jamais
    arrête pas | n'arrête pas | non fermarti | la baja | abajo | por la baja | bajar | stop niet | trending
    quite good | quitting time | ending | cancelled | no voy a parar | the bus stop | bus stop | we stoppen niet
    stop nooit | stop pas | fermo | basta un cinque | basta, cinque assi | para mi es tu turno | genoeg vijven
    assez de cinq | don't quit | cinque assi | let's not stop
""")
ASKED = phrases("""
    stop bluffing | Stop it, you liar | quit bluffing | arrête de mentir | Cancel that, 5x4 | end of the month
    stop lying | baja un poco la apuesta | stop met liegen | cancel it
""")


@pytest.mark.parametrize(("texts", "expected"), [(STOPPED, OptOut.YES), (TALK, OptOut.NO), (ASKED, OptOut.PERHAPS)])
def test_what_ends_all_texts(texts: list[str], expected: OptOut) -> None:
    assert {text: read_opt_out(text) for text in texts} == dict.fromkeys(texts, expected)


MACHINES = phrases("""
    Automatic reply: I am out of the office until Monday and will reply then.
    I'm driving right now - I'll get back to you later. | Your message was not delivered to +393471234567.
    Message could not be delivered: the subscriber is unavailable.
    FreeMsg: Msg&Data rates may apply. Reply STOP to cancel. | This number does not accept incoming messages.
    You have 2 missed calls from +44 7400 123401 | Your verification code is 482913
    Can't talk right now. I'll call you back. | You have 1 new voicemail. Dial 121.
    This mailbox is not monitored. Please do not reply. | Text STOP to 60777 to end
    Risposta automatica: sono in ferie fino al 20 agosto | Sto guidando, ti richiamo
    Messaggio non consegnato al destinatario | TIM: hai una chiamata persa dal 3471234567
    Il tuo credito residuo e' di 3,20 euro | Non rispondere a questo messaggio
    Réponse automatique : je suis absent du bureau jusqu'à lundi | Je conduis, je vous rappelle plus tard
    Votre message n'a pas pu être délivré | Message non remis au destinataire | Orange: vous avez 1 appel en absence
    Promo -20% ! STOP au 36111 | Respuesta automática: estoy de vacaciones hasta el lunes
    Estoy conduciendo, luego te llamo | El mensaje no se ha podido entregar | Mensaje no entregado al destinatario
    Movistar: tiene una llamada perdida | Su saldo es de 3 euros
    Automatisch antwoord: ik ben op vakantie tot maandag | Ik zit in de auto, ik bel je zo
    Je bericht kon niet worden bezorgd | Uw bericht is niet afgeleverd aan de ontvanger
    KPN: u heeft een gemiste oproep | Ik ben aan het rijden, later
""")
PEOPLE = phrases("""
    5x4, and I will reply faster next time | Dudo! I am driving, so be quick | 5x4 | dudo | STOP | JOIN ABC234 Ana
    five fours please | I call liar, that was never five | my dice are terrible today | who is playing?
    when do we start the game | I am on holiday! | call me when it's my turn | you are lying again, Bo
    quanti dadi ho? | ci sei ancora? | sono al mare | penso che sia un bluff | je ne sais pas quoi dire
    il me reste deux dés | tu mens comme toujours | no tengo ni idea | cinco cuatros por favor | estoy en casa
    ik heb geen idee | hoeveel stenen heb ik | ik geloof je niet | what does calza mean? | QUIET from 22 to 8
    NEW Gran | LINK 234567 | your turn, not mine | no, I will not say it | sono alla terza partita
""")


def test_machines_are_told_from_people() -> None:
    assert [text for text in MACHINES if not is_automatic(text)] == []
    assert [text for text in PEOPLE if is_automatic(text)] == []
