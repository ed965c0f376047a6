"""A mapping with entries of the base game and of each installed feature, filled when the process starts."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Registry(Mapping[K, V]):
    """A read-only mapping next to the code that reads it. `telegram_bot.feature.install` fills it."""

    def __init__(self, name: str, base: Mapping[K, V] | None = None) -> None:
        """Begin with `base`, the entries of the base game."""
        self.name = name
        self._base = dict(base or {})
        self._entries: dict[K, V] | None = None

    def fill(self, entries: Iterable[tuple[K, V]]) -> None:
        """Add the entries of the installed features to those of the base; from then on the registry can be read.

        Raises:
            ValueError: two entries have the same key.
        """
        filled = dict(self._base)
        for key, value in entries:
            if key in filled:
                raise ValueError(f"{self.name}: {key!r} is there twice")
            filled[key] = value
        self._entries = filled

    @property
    def _filled(self) -> dict[K, V]:
        if self._entries is None:
            raise RuntimeError(f"{self.name} cannot be read yet: telegram_bot.feature.install has not run")
        return self._entries

    def __getitem__(self, key: K) -> V:
        """Return the entry; raise KeyError if there is none, and RuntimeError before the registry is filled."""
        return self._filled[key]

    def __iter__(self) -> Iterator[K]:
        """Iterate over the keys: those of the base first, then those of each feature in its order."""
        return iter(self._filled)

    def __len__(self) -> int:
        """Count the entries."""
        return len(self._filled)
