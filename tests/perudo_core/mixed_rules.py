"""Any mix of options, without those that contradict each other."""

from typing import Any

from hypothesis import strategies as st

from perudo_core import PRESETS, Rules, RulesError

SWITCHES = tuple(name for name, row in Rules.options().items() if isinstance(row.default, bool))
ANY_SWITCHES = st.fixed_dictionaries({}, optional={name: st.booleans() for name in SWITCHES})


def mixed(book: Rules, options: dict[str, Any]) -> Rules:
    try:
        return book.with_options(**options)
    except RulesError:
        contradicting = [name for name, row in Rules.options().items() if row.contradicts]
        return book.with_options(**options | dict.fromkeys((*contradicting, "extra_die"), False))


def mixes(**options: st.SearchStrategy[Any]) -> st.SearchStrategy[Rules]:
    """Rules of any book and house; `options` draw those that are no switches."""
    return st.builds(
        lambda preset, drawn, switches: mixed(Rules.preset(preset), {"max_seats": None} | drawn | switches),
        st.sampled_from(PRESETS),
        st.fixed_dictionaries({}, optional=options),
        ANY_SWITCHES,
    )
