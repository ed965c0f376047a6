"""Docstrings as the reference shows them: examples as code, and no member that is not public."""

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\n).*)*", re.MULTILINE)


class Docstrings(griffe.Extension):
    """Puts each example between fences, and hides each member whose docstring begins with *Not public*."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of an object, where it has one."""
        if obj.docstring is not None:
            obj.docstring.value = EXAMPLE.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)

    def on_class(self, *, cls: griffe.Class, **_: Any) -> None:
        """Hide the members of a class that are not public."""
        for name, member in list(cls.members.items()):
            if member.docstring is not None and member.docstring.value.startswith("Not public"):
                cls.del_member(name)
