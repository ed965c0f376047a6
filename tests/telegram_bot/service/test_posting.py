"""How each type of notice is sent: one row in one table, which the documents print."""

import ast
from pathlib import Path
from typing import get_args

from telegram_bot.service import notices, posting


def test_each_type_of_notice_has_exactly_one_row() -> None:
    kinds = {*get_args(notices.BaseNotice), *notices.FEATURE_NOTICES.values()}
    assert set(posting.POLICIES) == kinds
    tree = ast.parse(Path(posting.__file__).read_text(encoding="utf-8"))
    (table,) = [node for node in ast.walk(tree) if isinstance(node, ast.Dict) and "TableNotice" in ast.dump(node)]
    assert len(table.keys) == len(get_args(notices.BaseNotice)), "none is written twice"
