"""A tournament of a group: several tables at once in private, stage by stage, and a grand final in the group."""

from pathlib import Path
from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.tournament import keys, list_requests, requests
from telegram_bot.features.tournament.board import chats_naming, join_lists, lists_naming, show_again
from telegram_bot.features.tournament.dice_file import CheckTournamentDice
from telegram_bot.features.tournament.notices import (
    BracketNotice,
    DiceFileNotice,
    EntrantsNotice,
    HurryNotice,
    PlaceNotice,
    SealsNotice,
    StageResultNotice,
    TelevisedRevealNotice,
    TelevisedRoundNotice,
    TournamentAnswerNotice,
    TournamentNotice,
)
from telegram_bot.features.tournament.stages import DICE_SEEN, dice_seen, follow
from telegram_bot.features.tournament.tables import Entrant, prune
from telegram_bot.operations.forget import NamingNotices
from telegram_bot.presentation.features import Extension, PagePart

_TOURNAMENT: Final = Extension(TournamentNotice, keys=keys.tournament_keys)
_BRACKET: Final = Extension(BracketNotice, keys=keys.bracket_keys)
_ENTRANTS: Final = Extension(EntrantsNotice, keys=keys.entrants_keys)

FEATURE: Final = Feature(
    "tournament",
    place=80,
    requests=(
        requests.OpenTournament,
        requests.JoinTournament,
        requests.LeaveTournament,
        requests.ChangeTournamentRules,
        requests.FillTournament,
        requests.StartTournament,
        list_requests.SeeEntrants,
        list_requests.LetIn,
        list_requests.RemoveEntrant,
        list_requests.CloseList,
        CheckTournamentDice,
    ),
    notices=(
        TournamentNotice,
        TelevisedRoundNotice,
        TelevisedRevealNotice,
        StageResultNotice,
        PlaceNotice,
        BracketNotice,
        SealsNotice,
        DiceFileNotice,
        HurryNotice,
        EntrantsNotice,
        TournamentAnswerNotice,
    ),
    extensions=(
        _TOURNAMENT,
        _BRACKET,
        _ENTRANTS,
    ),
    page=PagePart(Path(__file__).with_name("static")),
    rows={Entrant: "a place in {} tournament(s)"},
    naming=NamingNotices(lists_naming, chats_naming, show_again),
    announce=follow,
    lists=join_lists,
    timers={DICE_SEEN: dice_seen},
    prune=prune,
)
