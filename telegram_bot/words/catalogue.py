"""The catalogue of all sentences that players read, in each language.

The English sentence is the key: `catalogue.say("{name} rolls", name=…)`. Translations are plain gettext files,
`locale/<language>/LC_MESSAGES/perudo.po`, compiled in memory at their first use: a new file is a new language. A
sentence without a translation, or with damaged placeholders, is said in English.

`say` inserts values unchanged: a caller that writes HTML escapes them first.
"""

import gettext
import io
import logging
import re
from collections.abc import Iterable, Sequence
from copy import copy
from decimal import Decimal
from functools import cache, lru_cache
from pathlib import Path
from string import Formatter
from typing import Final, Literal, Self

from babel import Locale
from babel.lists import format_list
from babel.messages.catalog import Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from telegram_bot.storage.models import DiceStyle
from telegram_bot.words.language_files import GRAMMARS, read_grammar
from telegram_bot.words.languages import ENGLISH, Sentence, nearest_language

DOMAIN: Final = "perudo"
LOCALE_DIR: Final = Path(__file__).with_name("locale")
FEATURES_DIR: Final = Path(__file__).parents[1] / "features"

_log = logging.getLogger(__name__)
_WILL_NOT_FORMAT: Final = (LookupError, ValueError, TypeError, AttributeError)


def feature_locales() -> list[Path]:
    """Return the folders with the translations of each feature's own sentences."""
    return sorted(FEATURES_DIR.glob("*/locale"))


def po_path(language: str, folder: Path = LOCALE_DIR) -> Path:
    """Return the file with the translations of one language."""
    return folder / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def _languages(folder: Path) -> tuple[str, ...]:
    found = {path.parent.parent.name for path in folder.glob(f"*/LC_MESSAGES/{DOMAIN}.po")}
    return (ENGLISH, *sorted(found - {ENGLISH}))


LANGUAGES: Final[tuple[str, ...]] = _languages(LOCALE_DIR)
"""The languages that have a catalogue, English first."""


def best_match(language: str | None, available: Iterable[str]) -> str:
    """Return the available language nearest to an IETF code such as "it-IT", else English."""
    return nearest_language(language, available) or ENGLISH


def mark_plural(singular: str, plural: str) -> tuple[str, str]:
    """Mark the two forms of a sentence in a table, for a later `Catalogue.count`."""
    return singular, plural


def placeholders(text: str) -> frozenset[str] | None:
    """Return the placeholders of a sentence, for example {"name", "n"}, or None if formatting it would be unsafe."""
    found = set()
    try:
        for _, name, spec, conversion in Formatter().parse(text):
            if name is None:
                continue
            if not name.isidentifier():  # also refuses {0}, {} and {name.attribute}
                return None
            found.add(name + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else ""))
    except ValueError:
        return None
    return frozenset(found)


def damaged(message: Message) -> bool:
    """Return True if a translation has other placeholders than its English sentence.

    A plural form may omit the number ("no dice", "one die"), but no other placeholder.
    """
    if not message.id or not message.string:
        return False
    sources = [message.id] if isinstance(message.id, str) else list(message.id)
    forms = [message.string] if isinstance(message.string, str) else list(message.string)
    if isinstance(message.string, str) == message.pluralizable:
        return True  # a plural with one form for all, or a plain sentence with several
    open_in_source: set[str] = set()
    for source in sources:
        open_in_source |= placeholders(source) or frozenset()
    needed = open_in_source - {"n"} if message.pluralizable else open_in_source
    for form in forms:
        if not form:
            continue  # not translated yet: gettext falls back to English
        gaps = placeholders(form)
        if gaps is None or not needed <= gaps <= open_in_source:
            return True
    return False


def _compile(path: Path, language: str) -> gettext.NullTranslations:
    try:
        with path.open("rb") as file:
            catalog = read_po(file, locale=language, domain=DOMAIN)
        for message in [message for message in catalog if message.id]:
            if damaged(message) or not message.string or (message.pluralizable and not all(message.string)):
                catalog.delete(message.id, message.context)
        compiled = io.BytesIO()
        write_mo(compiled, catalog)
        compiled.seek(0)
        return gettext.GNUTranslations(compiled)
    except Exception:  # noqa: BLE001 - a translator's slip must not stop a game
        _log.exception("catalogue of %s is unreadable, English is used", language)
        return gettext.NullTranslations()


class _Elision:
    """The words that lose their vowel before some values, as a language's file lists them: "la table d'Ana"."""

    def __init__(self, words: Iterable[str], before: str) -> None:
        self._words: Final = re.compile(rf"\b({'|'.join(words)}) ((?:<\w+>)*)\{{(\w+)\}}", re.IGNORECASE)
        self._before: Final = re.compile(before, re.IGNORECASE)

    def shortened(self, sentence: str, values: dict[str, str]) -> str:
        """Return the sentence with the short form of each such word."""

        def shorten(found: re.Match[str]) -> str:
            word, markup, name = found.groups()
            return f"{word[:-1]}'{markup}{{{name}}}" if self._before.match(values.get(name, "")) else found[0]

        return self._words.sub(shorten, sentence)


class Catalogue:
    """The sentences of one language, in which dice are written in one style."""

    dice_style = DiceStyle.KEYCAPS
    plain_ones = False
    """Whether a 1 is a *one* without a sign of its own, whatever the rulebook calls it: so on pages, which draw it."""

    def __init__(self, language: str, *, folder: Path = LOCALE_DIR) -> None:
        self.language = language
        rule = read_grammar(language).get("elision") if language in GRAMMARS else None
        self._elision = None if rule is None else _Elision(**rule)
        self._translations = gettext.NullTranslations()
        for locale in (folder, *feature_locales()):
            path = po_path(language, locale)
            if path.exists():
                self._translations.add_fallback(_compile(path, language))

    def with_dice(self, style: DiceStyle) -> Self:
        """Return the same sentences with dice in another style."""
        other = copy(self)
        other.dice_style = style
        return other

    def with_plain_ones(self) -> Self:
        """Return the same sentences in which a 1 is a *one*."""
        other = copy(self)
        other.plain_ones = True
        return other

    def say(self, message: str, /, **values: str) -> str:
        """Return a sentence in this language. `message` is the English sentence, with placeholders such as {name}."""
        return self._fill(self._translations.gettext(message) if message else "", message, values)

    def count(self, singular: str, plural: str, n: int, /, **values: str) -> str:
        """Return a sentence about a number of things; {n} is that number."""
        translated = self._translations.ngettext(singular, plural, n)
        return self._fill(translated, singular if n == 1 else plural, {"n": str(n), **values})

    def listed(self, parts: Sequence[str], style: Literal["standard", "or"] = "standard") -> str:
        """Return parts as a list within a sentence: `Ana, Bo, and Cy`."""
        return format_list(parts, style, locale=self.language.replace("-", "_"))

    def form_of(self, decimal: float) -> int:
        """Return 1 if a number with one decimal takes the singular in this language, "1,5 dé", otherwise 2."""
        language = Locale.parse(self.language, sep="-" if "-" in self.language else "_")
        return 1 if language.plural_form(Decimal(f"{decimal:.1f}")) == "one" else 2

    def context_say(self, context: str, message: str, /, **values: str) -> str:
        """Return a short word with several meanings; the context, such as "button", shows translators which one."""
        return self._fill(self._translations.pgettext(context, message), message, values)

    def marked(self, sentence: Sentence, /) -> str:
        """Return a marked sentence in this language."""
        return self.say(sentence) if isinstance(sentence, str) else self.context_say(*sentence)

    def _fill(self, translated: str, english: str, values: dict[str, str]) -> str:
        if translated != english:
            try:
                return (self._elision.shortened(translated, values) if self._elision else translated).format(**values)
            except _WILL_NOT_FORMAT:
                _log.exception("translation to %s does not fit: %r", self.language, english)
        return english.format(**values)

    def __repr__(self) -> str:
        return f"Catalogue({self.language!r})"


_loaded = cache(Catalogue)


@cache
def _in_style(language: str, dice_style: DiceStyle) -> Catalogue:
    return _loaded(language).with_dice(dice_style)


def own_name(language: str) -> str:
    """Return a language's name in that language, as it is written within a sentence: "français", "English"."""
    return Locale.parse(language, sep="-" if "-" in language else "_").get_display_name() or language


def language_names() -> dict[str, str]:
    """Return each language's own name, as a choice shows it."""
    return {language: own_name(language).capitalize() for language in LANGUAGES}


@lru_cache(1000)  # with a limit: the codes are strangers' input
def catalogue(language: str | None, dice_style: DiceStyle = DiceStyle.KEYCAPS) -> Catalogue:
    """Return the catalogue nearest to a language code of Telegram ("it", "pt-br"), else the English one."""
    return _in_style(best_match(language, LANGUAGES), dice_style)
