"""The table as cards for the bot's page: the fields of telegram_bot/notices/card_types.py that the page reads."""

import time
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import perudo_core as core

NAMES = ("You", "🤖 Ana", "🤖 Bo", "🤖 Cy")
YOU = 0
Fields: TypeAlias = dict[str, Any]
ONE = "1\ufe0f\u20e3"


def table_cards(state: core.State, step: int, suggested: core.Call | None) -> Iterator[Fields]:
    """Yield the round and your hand, or the end of the game; `suggested` is a good call, if it is your turn."""
    if state.outcome is not None:
        places = sorted(_seats(state), key=lambda seat: int(seat["place"]))
        yield _card(state, "over", "over", winner_name=places[0]["name"]) | {"seats": places}
        return
    legal, bid = core.legal_calls(state), state.current_bid
    least = _pair(core.smallest_raise(state))
    raises = [_pair(call) for call in legal if isinstance(call, core.Bid)]
    turn: Fields = {"step": step, "round": state.round, "raises": raises}
    ones = "counts as any face" if state.ones_are_wild else "is only a one"
    facts = [f"{state.total_dice} dice", f"{ONE} {ones}"]
    palifico = "Palifico: the face stays!" if state.palifico is not None else ""
    more: Fields = {"turn": state.turn, "bids": _bids(state.bids), "start": least, "shown": []}
    text = f"{NAMES[bid.seat]}: {bid}" if bid else ""
    yield _card(state, "table", "round", text=text, facts=facts, palifico=palifico, dudo=[], calza=[], **turn, **more)
    may = {"may_dudo": core.Dudo(YOU) in legal, "may_calza": core.Calza(YOU) in legal, "on_turn": suggested is not None}
    start = _pair(suggested) if isinstance(suggested, core.Bid) else least
    hand = {"deal": state.round, "dice": state.dice[YOU], "start": start, "tip": _tip(state), "tip_shows_dice": True}
    yield _card(state, "hand", "hand", **turn, **may, **hand) | {"lane": "private"}


def end_cards(before: core.State, call: core.Call, events: Iterable[core.Event], after: core.State) -> Iterator[Fields]:
    """Yield the end of a round, if there is one: the call, and all dice."""
    changes: dict[int, int] = {}
    for event in events:
        match event:
            case core.DiceLost(seat, amount):
                changes[seat] = -amount
            case core.DieRegained(seat, amount):
                changes[seat] = amount
            case core.Revealed():
                revealed = event
    if isinstance(call, core.Bid):
        return
    bid, missing = revealed.bid, revealed.bid.quantity - revealed.matching
    end = {"round": before.round, "call": str(call), "caller": call.seat, "bid": _bids([bid])[0]}
    yield _card(after, "end", "call", text=f"{NAMES[call.seat]} → {NAMES[bid.seat]}", bids=_bids(before.bids), **end)
    verdict = f"{missing} short!" if missing > 0 else f"{-missing} too many!" if missing else "Exactly right!"
    if missing <= 0 and isinstance(call, core.Dudo):
        verdict = "The bid holds!"
    dice = {"dice": revealed.dice, "count": revealed.matching, "ones_wild": revealed.ones_are_wild}
    follows = {
        "changes": [{"seat": seat, "dice": dice} for seat, dice in changes.items()],
        "lines": [{"seat": seat, "text": _change(seat, dice)} for seat, dice in changes.items()],
        "out": [seat for seat in changes if not after.dice_counts[seat]],
        "next_opener": None if after.is_terminal else after.opener,
        "next_palifico": after.palifico is not None,
    }
    yield _card(after, "end", "reveal", verdict=verdict, bids=_bids(before.bids), **end, **dice, **follows)


def _card(state: core.State, slot: str, card: str, **fields: Any) -> Fields:
    about = {"slot": slot, "card": card, "lane": "public", "at": time.time(), "text": "", "seats": _seats(state)}
    return about | fields


def _seats(state: core.State) -> list[Fields]:
    places = state.outcome.placements if state.outcome else (None,) * len(NAMES)
    seats = enumerate(zip(NAMES, state.dice_counts, places, strict=True))
    return [
        {"player": seat + 1, "name": name, "colour": seat, "dice": dice, "out": not dice, "place": place}
        for seat, (name, dice, place) in seats
    ]


def _pair(bid: core.Bid | None) -> tuple[int, int] | None:
    return None if bid is None else (bid.quantity, bid.face)


def _bids(bids: Iterable[core.Bid]) -> list[dict[str, int]]:
    return [{"seat": bid.seat, "quantity": bid.quantity, "face": bid.face} for bid in bids]


def _change(seat: int, dice: int) -> str:
    you, other = ("lose a die", "loses a die") if dice < 0 else ("win a die back", "wins a die back")
    return f"You {you}." if seat == YOU else f"{NAMES[seat]} {other}."


def _tip(state: core.State) -> str:
    bid = state.current_bid
    if state.turn != YOU:
        return ""
    if bid is None:
        return "How many dice of one face lie under all cups? Bid."
    return f"Chance that this bid is true: {float(core.bid_odds(core.observe(state, YOU), bid).holds):.0%}"
