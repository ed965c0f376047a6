"""Let MaskablePPO of sb3-contrib learn in `perudo_core.gymnasium`: `.ci/run test-training`."""

import sys
from typing import Final

import gymnasium
from sb3_contrib import MaskablePPO

CALLS: Final = 4_096
GAMES: Final = 300
LEAST_SHARE: Final = 0.75
"""The share of games against a player who draws evenly from the legal calls. One who learns nothing wins half."""


def main() -> int:
    """Train, then play; return the exit status."""
    env = gymnasium.make("perudo_core.gymnasium:Perudo-v1")
    model = MaskablePPO("MultiInputPolicy", env, n_steps=1_024, batch_size=256, seed=1)
    before = games_won(model, env)
    model.learn(CALLS)
    after = games_won(model, env)
    print(f"MaskablePPO won {after} of {GAMES} games after {CALLS} calls, and {before} before.")  # noqa: T201 - the result
    return int(not before < LEAST_SHARE * GAMES <= after)


def games_won(model: MaskablePPO, env: gymnasium.Env[dict[str, object], int]) -> int:
    """Play with the calls that the model draws, and return how many games it won."""
    won = 0
    for seed in range(GAMES):
        seen, _ = env.reset(seed=seed)
        is_over = False
        while not is_over:
            call, _ = model.predict(seen, action_masks=env.get_wrapper_attr("action_masks")())
            seen, reward, is_over, *_ = env.step(int(call))
        won += float(reward) > 0
    return won


if __name__ == "__main__":
    sys.exit(main())
