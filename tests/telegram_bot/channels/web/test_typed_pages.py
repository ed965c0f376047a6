"""A page knows the fields of each card, as Python's types define them."""

from pathlib import Path

from test_support.typed_pages import TYPESCRIPT, errors_in, lay_out


def test_a_misspelt_field_of_a_card_fails_lint(tmp_path: Path) -> None:
    assert TYPESCRIPT.is_file(), "run .ci/node-parts first (make test does)"
    lay_out(tmp_path)
    page = tmp_path / "parts.js"
    page.write_text(page.read_text(encoding="utf-8").replace("round.facts", "round.facs"), encoding="utf-8")
    assert "'facs' does not exist on type 'RoundCard'" in errors_in(tmp_path)
