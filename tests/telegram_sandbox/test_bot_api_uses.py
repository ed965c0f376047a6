"""The count of the methods that public bots use."""

from pathlib import Path

from test_support.bot_api_uses import table


def test_a_method_counts_once_for_each_bot_that_names_it_in_any_spelling(tmp_path: Path) -> None:
    sources = {
        "echo/bot.py": "await bot.send_message(1)\nawait bot.send_message(2)\nbot.send_checklist(3)\nfile.close()",
        "shop/src/Bot.cs": "await client.SendMessage(chat, text);",
        "shop/node_modules/library/api.js": "this.call('sendGame')",
        "shop/README.md": "It calls sendGame.",
    }
    for name, text in sources.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert table([tmp_path / "echo", tmp_path / "shop"]).splitlines() == [
        "They name 2 methods, of which the sandbox answers 1.",
        "",
        "| method | bots | sandbox |",
        "| --- | --: | --- |",
        "| `sendMessage` | 2 | answers |",
        "| `sendChecklist` | 1 | refuses |",
    ]
