"""The mark of compiled classes that Python code may inherit from; without mypyc it has no effect."""

from typing import TYPE_CHECKING, Any

__all__ = ["mypyc_attr"]

if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr
else:

    def mypyc_attr(**_options: Any) -> Any:
        """Return a decorator that returns the class as it is."""
        return lambda cls: cls
