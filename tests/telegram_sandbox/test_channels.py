"""Channels: admins post in their name, the others read, and the bot is an admin or absent."""

from telegram_sandbox import Chat
from tests.telegram_sandbox.conftest import Play, cannot

KINDS = ["channel_post", "edited_channel_post", "message_reaction_count", "my_chat_member", "chat_member", "message"]


async def channel(play: Play) -> Chat:
    await play.ok("getUpdates", allowed_updates=KINDS)
    return play.sandbox.add_group("News", [play.user(name) for name in ("Ana", "Bo")], "channel", username="dice_news")


async def test_posts_are_the_channels_own(play: Play) -> None:
    news, ana = await channel(play), play.user("Ana")
    assert (await play.heard("my_chat_member"))["new_chat_member"]["can_post_messages"] is True
    said = await ana.send("Five sixes!", news)
    post = await play.heard("channel_post")
    assert ("from" in post, post["sender_chat"]["username"]) == (False, "dice_news")
    await ana.edit(said, "Six sixes!")
    assert (await play.heard("edited_channel_post"))["text"] == "Six sixes!"
    sent = await play.ok("sendMessage", chat_id="@Dice_News", text="More")
    assert (sent["chat"]["type"], sent["message_id"]) == ("channel", said.message_id + 1)
    await play.ok("editMessageText", chat_id=news.id, message_id=said.message_id, text="Seven sixes!")
    await cannot(play.user("Bo").send("Never!", news), "only admins post in News")
    forwarded = await play.ok("forwardMessage", chat_id=play.group, from_chat_id=news.id, message_id=said.message_id)
    origin = forwarded["forward_origin"]
    assert (origin["type"], origin["chat"]["id"], origin["message_id"]) == ("channel", news.id, said.message_id)
    again = {"chat_id": play.group, "from_chat_id": play.group, "message_id": forwarded["message_id"]}
    assert (await play.ok("forwardMessage", **again))["forward_origin"]["type"] == "channel"


async def test_nobody_is_told_who_reacts_joins_or_leaves(play: Play) -> None:
    news, bo, lee = await channel(play), play.user("Bo"), play.sandbox.add_person("Lee")
    post = await play.ok("sendMessage", chat_id=news.id, text="Five sixes!")
    await play.updates()
    for emoji in ("👍", "🔥"):
        await bo.react(bo.messages(news)[-1], emoji)
    counts = [update["message_reaction_count"]["reactions"] for update in await play.updates()]
    assert counts[-1] == [{"type": {"type": "emoji", "emoji": "🔥"}, "total_count": 1}]
    await lee.join(news)
    assert (await play.heard("chat_member"))["new_chat_member"]["status"] == "member"
    await play.ok("banChatMember", chat_id=news.id, user_id=lee.id)
    assert [message.text for message in bo.messages(news)] == [post["text"]]


async def test_the_bot_is_an_admin_or_absent(play: Play) -> None:
    news = await channel(play)
    here = f"/chats/{news.id}/bot"
    await play.act("POST", here, 400, status="member")
    await play.ok("promoteChatMember", chat_id=news.id, user_id=play.id("Bo"), can_post_messages=True)
    await play.user("Bo").send("I may", news)
    assert len(await play.ok("getChatAdministrators", chat_id=news.id)) == 3
    why = "because users will not be able to use the button without knowing bot's username"
    for kind in ("switch_inline_query", "switch_inline_query_current_chat"):
        markup = {"inline_keyboard": [[{"text": "x", kind: "dice"}]]}
        words = f"can't use {kind} button in a channel chat, {why}"
        await play.refuses("sendMessage", words, chat_id=news.id, text="x", reply_markup=markup)
    refused = await play.refused("sendMessage", chat_id=news.id, text="x", reply_markup={"keyboard": [["x"]]})
    assert refused[1].endswith("inline keyboard expected")
    poll = {"question": "Who?", "options": ["Ana"], "is_anonymous": False}
    await play.refuses("sendPoll", (poll, "non-anonymous polls can't be sent to channel chats"), chat_id=news.id)
    await play.act("POST", here, status="administrator", rights=["can_manage_chat"])
    sent = {"chat_id": news.id, "message_id": 1}
    await play.refuses("sendMessage", ({"text": "x"}, "need administrator rights in the channel chat"), **sent)
    await play.refuses("pinChatMessage", "need administrator rights in the channel chat", **sent)
    await play.refuses("setChatPermissions", ({"permissions": {}}, "can't change channel chat permissions"), **sent)
    await play.act("POST", here, status="kicked")
    assert await play.refused("getChat", chat_id=news.id) == (403, "Forbidden: bot was kicked from the channel chat")
