"""Find the intended word of a misspelt one."""

from collections.abc import Collection, Mapping
from typing import Final, TypeVar

SHORTEST_FUZZY: Final = 4
SHORTEST_NUMBER: Final = 3
"""Numbers and faces are short words, side by side."""
_TWO_EDITS_FROM: Final = 8
_Meaning = TypeVar("_Meaning")


def closest_match(
    word: str, words: Mapping[str, _Meaning], ordinary: Collection[str], shortest: int = SHORTEST_FUZZY
) -> _Meaning | None:
    """Return the value of the word nearest to `word`, if a typing error explains the difference.

    Words of fewer than `SHORTEST_FUZZY` letters, if `shortest` allows them, only match words of the same length.
    """
    if len(word) < shortest or not word.isalpha() or word in ordinary or word in words:
        return None
    edits = 2 if len(word) >= _TWO_EDITS_FROM else 1
    near = [
        (distance, known)
        for known in words
        if known[0] == word[0]  # typing errors on the first letter are rare, and "hours" does not mean fours
        and (len(known) >= SHORTEST_FUZZY if len(word) >= SHORTEST_FUZZY else len(known) == len(word))
        and abs(len(known) - len(word)) <= edits
        and (distance := edit_distance(word, known)) <= edits
    ]
    return words[min(near)[1]] if near else None


def edit_distance(left: str, right: str) -> int:
    """Count letters left out, inserted, replaced or swapped with their neighbour."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, letter in enumerate(left, start=1):
        last, row, before_last = row, [i], before
        for j, other in enumerate(right, start=1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == right[j - 2] and left[i - 2] == other:
                cost = min(cost, before_last[j - 2] + 1)
            row.append(cost)
        before = last
    return row[-1]
