"""How each type of notice is sent: one row in one table, which the documents print."""

import ast
from pathlib import Path
from typing import get_args

from telegram_bot.service import notices, posting
from test_support import delivery_page

ROOT = Path(__file__).parents[3]


def test_each_type_of_notice_has_exactly_one_row() -> None:
    union, _ = get_args(notices.Notice)
    assert set(posting.POLICIES) == set(get_args(union))
    tree = ast.parse(Path(posting.__file__).read_text(encoding="utf-8"))
    (table,) = [
        node.value for node in tree.body if isinstance(node, ast.AnnAssign) and "POLICIES" in ast.dump(node.target)
    ]
    assert isinstance(table, ast.Dict)
    assert len(table.keys) == len(posting.POLICIES), "none is written twice"


def test_the_documents_print_the_table() -> None:
    """`python -m test_support.delivery_page` writes it again."""
    assert (ROOT / delivery_page.PAGE).read_text(encoding="utf-8") == delivery_page.page(ROOT)
