"""Search a trie of spellings for the labels that a sound supports. Pure: a function reads the sound.

The function reads paths of tokens. It is the expensive part, so few paths are read: the likeliest place first, several
at a time, each extended to a whole spelling, because a path's reading scores every place along it. The search drops a
place far behind the best label, and ends when it has read enough.
"""

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias

from telegram_bot.voice.calls import Node
from telegram_bot.voice.meanings import Label

Path: TypeAlias = tuple[int, ...]


class LogProbs(Protocol):
    """The log-probability of each token as the next one: a list, or an array."""

    def __getitem__(self, token: int, /) -> float:
        """Return the log-probability of one token."""


Read: TypeAlias = Callable[[Sequence[Path]], Sequence[Sequence[LogProbs]]]
"""For each path the log-probabilities at its beginning, after its first token, … and after its last."""

PRUNE: Final = 8.0
"""How far behind the best label, or the likeliest place, a place may be, as a logarithm."""


@dataclass(frozen=True, slots=True)
class Width:
    """The limits of a search."""

    beam: int = 4
    """Paths that are read at the same time."""
    paths: int = 16
    """Paths in all."""
    prune: float = PRUNE


@dataclass(slots=True)
class _Search:
    read: Read
    end: int
    width: Width
    known: dict[Path, LogProbs] = field(default_factory=dict)
    scores: dict[Label, float] = field(default_factory=dict)
    waiting: list[tuple[float, Path, Node]] = field(default_factory=list)
    paths: int = 0


def search(root: Node, read: Read, end: int, width: Width | None = None) -> tuple[dict[Label, float], int]:
    """Return each reached label's log-probability, summed over its spellings, and how many paths were read.

    Args:
        root: the trie.
        read: returns the log-probabilities along paths.
        end: the token that ends a text.
        width: how much may be read.
    """
    state = _Search(read, end, width or Width())
    heapq.heappush(state.waiting, (0.0, (), root))
    while batch := _next(state):
        unread = [each for each in batch if each[1] not in state.known]
        allowed = unread[: state.width.paths - state.paths]
        _read(state, allowed)
        for minus, path, node in batch:
            if path in state.known:
                _expand(state, -minus, path, node)
    return state.scores, state.paths


def _next(state: _Search) -> list[tuple[float, Path, Node]]:
    """Return the likeliest places worth reading: all scored ones, or as many as are read at once."""
    batch: list[tuple[float, Path, Node]] = []
    unread = 0
    best = max((*state.scores.values(), -state.waiting[0][0] if state.waiting else -math.inf), default=-math.inf)
    while state.waiting and -state.waiting[0][0] >= best - state.width.prune:
        if state.waiting[0][1] not in state.known:
            if unread == state.width.beam or state.paths + unread == state.width.paths:
                break
            unread += 1
        batch.append(heapq.heappop(state.waiting))
        if len(state.known) == 0:
            break
    return batch


def _read(state: _Search, places: Sequence[tuple[float, Path, Node]]) -> None:
    if not places:
        return
    favourite = max(state.scores, key=state.scores.__getitem__, default=None)
    paths = [(*path, *_likely_rest(node, favourite)) if path else () for _, path, node in places]
    state.paths += len(paths)
    for path, along in zip(paths, state.read(paths), strict=True):
        for size, logprobs in enumerate(along):
            state.known.setdefault(path[:size], logprobs)


def _likely_rest(node: Node, favourite: Label | None) -> Path:
    """Return tokens from a place to the end of a spelling, of the favourite label if one begins here."""
    rest: list[int] = []
    while node.children and not node.ends:
        token, node = next(
            ((token, child) for token, child in node.children.items() if favourite in child.labels),
            next(iter(node.children.items())),
        )
        rest.append(token)
    return tuple(rest)


def _expand(state: _Search, score: float, path: Path, node: Node) -> None:
    logprobs = state.known[path]
    if node.ends:
        ended = score + float(logprobs[state.end])
        for label in node.ends:
            state.scores[label] = _add(state.scores.get(label, -math.inf), ended)
    for token, child in node.children.items():
        heapq.heappush(state.waiting, (-(score + float(logprobs[token])), (*path, token), child))


def _add(one: float, other: float) -> float:
    """Return the logarithm of a sum."""
    high, low = max(one, other), min(one, other)
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))
