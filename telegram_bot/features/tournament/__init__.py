"""A tournament of a group: several tables at once in private, stage by stage, and a grand final in the group."""

from pathlib import Path
from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.tournament import cards, keys, list_requests, pictures, requests, words
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
from telegram_bot.features.tournament.pruning import prune
from telegram_bot.features.tournament.stages import DICE_SEEN, dice_seen, follow
from telegram_bot.features.tournament.tables import Entrant
from telegram_bot.operations.forget import NamingNotices
from telegram_bot.presentation.features import FeatureCard, PagePart, Presentation

_NEWS: Final = FeatureCard("note", cards.news_card)
_STAGE: Final = FeatureCard("stage", cards.stage_card)
_TOURNAMENT: Final = Presentation(
    TournamentNotice,
    words.tournament_lines,
    keys=keys.tournament_keys,
    card=FeatureCard("panel", cards.tournament_card),
)
_TELEVISED_ROUND: Final = Presentation(
    TelevisedRoundNotice,
    words.televised_lines,
    card=FeatureCard("televised", cards.televised_round_card),
)
_TELEVISED_REVEAL: Final = Presentation(
    TelevisedRevealNotice,
    words.televised_lines,
    card=FeatureCard("televised_end", cards.televised_reveal_card),
)
_STAGE_RESULT: Final = Presentation(StageResultNotice, words.stage_result_lines, card=_STAGE)
_PLACE: Final = Presentation(PlaceNotice, words.place_lines, card=_NEWS)
_BRACKET: Final = Presentation(
    BracketNotice,
    words.bracket_lines,
    picture=pictures.bracket_picture_of,
    keys=keys.bracket_keys,
    card=_NEWS,
)
_SEALS: Final = Presentation(SealsNotice, words.seals_lines)
_DICE_FILE: Final = Presentation(
    DiceFileNotice,
    words.dice_file_lines,
)
_HURRY: Final = Presentation(HurryNotice, words.hurry_lines, card=_NEWS)
_ENTRANTS: Final = Presentation(
    EntrantsNotice,
    words.entrants_lines,
    keys=keys.entrants_keys,
)
_ANSWER: Final = Presentation(TournamentAnswerNotice, words.answer_lines, card=_NEWS)

FEATURE: Final = Feature(
    "tournament",
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
        _TOURNAMENT,
        _TELEVISED_ROUND,
        _TELEVISED_REVEAL,
        _STAGE_RESULT,
        _PLACE,
        _BRACKET,
        _SEALS,
        _DICE_FILE,
        _HURRY,
        _ENTRANTS,
        _ANSWER,
    ),
    page=PagePart(Path(__file__).with_name("static")),
    rows={Entrant: "a place in {} tournament(s)"},
    naming=NamingNotices(lists_naming, chats_naming, show_again),
    announce=follow,
    lists=join_lists,
    timers={DICE_SEEN: dice_seen},
    prune=prune,
)
