"""The bot is killed again and again in mid-game. Every move that was accepted counts, once."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.harness import Answer, Setting
from tests.end_to_end.party import BID_LABEL, Offer, Party, derive, shown_rounds

if TYPE_CHECKING:
    from tests.end_to_end.conftest import OpenWorld

CUTS = 8


@pytest.mark.parametrize("seed", [1, 2])
async def test_no_accepted_move_is_lost_or_doubled(open_world: OpenWorld, seed: int) -> None:
    rng = random.Random(seed)
    async with open_world(Setting(plan={"clock": {"seconds": 0}})) as world:
        # A send under way when the power goes may have arrived or not: it is not blindly repeated.
        world.expect_sending("^unknown: None", must=False)
        world.expect_error("message is not modified", must=False)
        world.expect_error("query is too old", must=False)
        world.expect_log("a tap was answered too late", must=False)
        people = world.some("Ana", "Bo", "Cy")
        party = await Party(world, world.group, people, rng).seat()
        accepted: list[tuple[int, str]] = []
        asked_again = 0
        running = asyncio.Event()
        running.set()

        async def cut_the_power() -> None:
            for _ in range(CUTS):
                await asyncio.sleep(rng.uniform(0.0, 0.6))
                running.clear()
                await world.kill()
                await world.restart()
                running.set()

        async def move() -> bool:
            nonlocal asked_again
            try:
                offer = await party.next_offer(within=3)
            except AssertionError:
                # The keyboard was on its way when the power went: people ask for it.
                await running.wait()
                asked_again += 1
                await asyncio.gather(*(person.say("/dice") for person in people))
                await people[0].say("/status", world.group)
                return True
            if offer is None:
                return False
            await tap(offer)
            return True

        async def tap(offer: Offer) -> None:
            bids = [button for button in offer.message.flat if BID_LABEL.fullmatch(button.text)]
            dudo = offer.message.button("Dudo")
            button = dudo if dudo and (not bids or rng.random() < 0.35) else rng.choice(bids[:4])
            assert button is not None
            assert button.data is not None
            queries = [
                await offer.person.press(offer.message, button.data, late=True) for _ in range(rng.choice((1, 1, 2)))
            ]
            party.steps.add(offer.step)
            answers: list[Answer] = []
            for query in queries:
                try:
                    answers.append(await offer.person.answer_to(query, within=6))
                except AssertionError:
                    continue  # counted or not, the answer was lost
            done = [answer.text for answer in answers if answer.text.startswith(("You bid", "Dudo!"))]
            assert len(done) <= 1, "one tap of two at most"
            assert all(
                answer.text.startswith(("You bid", "Dudo!", "That counted already", "That was for an earlier"))
                for answer in answers
            ), answers
            accepted.extend((offer.step, text) for text in done)

        cutting = asyncio.create_task(cut_the_power())
        async with asyncio.timeout(150):
            while await move() or not cutting.done():
                if party.over() is not None and cutting.done():
                    break
                if party.over() is not None:
                    await asyncio.sleep(0.1)
            await cutting
        await world.settled(within=40)

        derived = derive(world, party.table)
        actions = party.actions()
        for step, told in accepted:
            action = actions[step]
            if told.startswith("You bid"):
                assert action["type"] == "bid"
                mark = f"{action['quantity']} × {'⚀⚁⚂⚃⚄⚅'[action['face'] - 1]}"
                assert told == f"You bid {mark}."
            else:
                assert action["type"] == "dudo"
        causes = [
            cause
            for cause, action in world.rows("SELECT cause, action FROM game_action WHERE table_id = ?", party.table)
            if '"roll"' not in action and '"opener_draw"' not in action
        ]
        assert len(set(causes)) == len(causes), "no cause acted twice"
        assert all(cause.startswith("telegram:") for cause in causes)
        assert set(party.steps) >= set(range(len(actions))), "nothing was played that nobody tapped"
        assert len(derived.placings) == 3
        assert len(accepted) >= len(actions) // 2
        shown = shown_rounds(world, world.group, party.began)
        assert all(one in derived.rounds for one in shown)
        print(f"{len(actions)} moves, {len(accepted)} answered, {asked_again} times asked for the keyboard")
