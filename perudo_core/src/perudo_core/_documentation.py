"""Restores the documentation of compiled classes, which mypyc drops."""

import ast
import inspect
import sys
from pathlib import Path

__all__ = ["restore_documentation"]


def restore_documentation(cls: type) -> None:
    """Take a compiled class's docstring and the Python code of its public methods from the source next to the module.

    `help`, `inspect.signature`, `inspect.getsource` and `doctest` then work as for a class that is not compiled.
    Compiled code still calls the compiled methods. Without the source the class stays as it is.
    """
    module = sys.modules[cls.__module__]
    source = Path(module.__file__ or "").parent / f"{cls.__module__.rpartition('.')[2]}.py"
    if module.__file__ == str(source) or not source.exists():
        return
    tree = ast.parse(source.read_bytes())
    tree.body = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == cls.__name__]
    names = dict(vars(module))
    exec(compile(tree, str(source), "exec"), names)  # noqa: S102 - the package's own source
    documented = names[cls.__name__]
    cls.__doc__ = documented.__doc__
    cls.__signature__ = inspect.signature(documented)  # type: ignore[attr-defined]
    for name, member in vars(documented).items():
        if not name.startswith("_") or name == "__firstlineno__":
            setattr(cls, name, member)
    module.__file__ = str(source)
