"""Members of groups, their rights and invitations; the title, photo and permissions of a group; channels."""

from typing import Any

from telegram_sandbox import Chat
from tests.telegram_sandbox.browsing import PIXEL
from tests.telegram_sandbox.conftest import Play, cannot

MUTED = {"can_send_messages": False}
EVERYTHING = dict.fromkeys(["can_send_polls", "can_send_other_messages", "can_add_web_page_previews"], True) | {
    f"can_{name}": True
    for name in ["react_to_messages", "edit_tag", "change_info", "invite_users", "pin_messages", "manage_topics"]
}
SETTINGS = {"bot_is_admin": True}


async def standing(play: Play, name: str) -> Any:
    return await play.ok("getChatMember", chat_id=play.group, user_id=play.id(name))


async def on(play: Play, name: str, method: str, **params: Any) -> None:
    await play.ok(method, chat_id=play.group, user_id=play.id(name), **params)


async def test_a_restricted_person_is_silent_until_the_time_is_over(play: Play) -> None:
    await play.ok("getUpdates", allowed_updates=["chat_member"])
    bo, group = play.user("Bo"), play.chat
    until = play.sandbox.world.clock.unix() + 3600
    await on(play, "Bo", "restrictChatMember", permissions=MUTED, until_date=until)
    found = await standing(play, "Bo")
    assert (found["status"], found["is_member"], found["until_date"]) == ("restricted", True, until)
    (change,) = [update["chat_member"] for update in await play.updates()]
    assert change["from"]["id"] == play.sandbox.world.settings.bot_id
    assert change["new_chat_member"]["can_send_messages"] is False
    await cannot(bo.send("hello", group), "Bo has no permission can_send_messages in Friends")
    await bo.leave(group)
    assert (await standing(play, "Bo"))["is_member"] is False
    await bo.join(group)
    await play.pass_time(3601)
    await bo.send("hello", group)
    assert (await standing(play, "Bo"))["status"] == "member"


async def test_permissions_bring_others_unless_they_are_independent(play: Play) -> None:
    bo, group = play.user("Bo"), play.chat
    stickers = {"permissions": {"can_send_other_messages": True}}
    await on(play, "Bo", "restrictChatMember", **stickers)
    await bo.send_photo(PIXEL, group)
    await on(play, "Bo", "restrictChatMember", **stickers, use_independent_chat_permissions=True)
    await bo.send_sticker(PIXEL, group)
    await cannot(bo.send_photo(PIXEL, group), "no permission can_send_photos")
    await on(play, "Bo", "restrictChatMember", permissions=EVERYTHING)
    assert (await standing(play, "Bo"))["status"] == "member"


async def test_a_ban_ends_by_itself_where_it_has_an_end_or_by_the_bot(play: Play) -> None:
    bo, group = play.user("Bo"), play.chat
    now = play.sandbox.world.clock.unix
    await play.ok("getUpdates", allowed_updates=["chat_member"])
    await play.refuses("banChatMember", "can't remove chat owner", chat_id=play.group, user_id=play.id("Ana"))
    await on(play, "Bo", "banChatMember", until_date=now() + 60)
    (update,) = await play.updates()
    assert update["chat_member"]["new_chat_member"]["status"] == "kicked"
    await cannot(bo.join(group), "Bo is banned from Friends")
    await play.pass_time(61)
    await bo.join(group)
    await on(play, "Bo", "banChatMember", until_date=now() + 5)
    found = await standing(play, "Bo")
    assert (found["status"], found["until_date"]) == ("kicked", 0), "less than 30 seconds is for ever"
    await on(play, "Bo", "unbanChatMember")
    await bo.join(play.chat)
    assert (await standing(play, "Bo"))["status"] == "member"


async def test_an_admin_of_the_bot_has_a_part_of_its_rights_and_a_title(play: Play) -> None:
    group = play.chat
    await play.ok("setChatPermissions", chat_id=play.group, permissions=MUTED)
    await on(play, "Bo", "promoteChatMember", can_delete_messages=True, can_manage_topics=False)
    await on(play, "Bo", "setChatAdministratorCustomTitle", custom_title="Referee")
    found = await standing(play, "Bo")
    assert (found["status"], found["custom_title"], found["can_be_edited"]) == ("administrator", "Referee", True)
    assert (found["can_delete_messages"], found["can_manage_chat"], found["can_pin_messages"]) == (True, True, False)
    await play.user("Bo").send("order!", group)
    await cannot(play.user("Cy").send("no", group), "Cy has no permission")
    rights = ["can_promote_members", "can_restrict_members"]
    await play.act("POST", f"/chats/{play.group}/bot", status="administrator", rights=rights)
    here, bo, owner = {"chat_id": play.group}, play.id("Bo"), play.id("Ana")
    await play.refuses(
        "promoteChatMember",
        ({"user_id": play.id("Cy"), "can_pin_messages": True}, "RIGHT_FORBIDDEN"),
        ({"user_id": owner}, "can't remove chat owner"),
        ({"user_id": 5}, "PARTICIPANT_ID_INVALID"),
        **here,
    )
    await on(play, "Bo", "promoteChatMember")
    assert (await standing(play, "Bo"))["status"] == "member"
    await play.act("POST", f"/chats/{play.group}/admins", user_id=bo, admin=True)
    await play.refuses("promoteChatMember", "CHAT_ADMIN_REQUIRED", **here, user_id=bo)
    admin = "user is an administrator of the chat"
    await play.refuses("restrictChatMember", admin, **here, user_id=bo, permissions=MUTED)
    await play.refuses(
        "setChatAdministratorCustomTitle",
        ({"user_id": owner}, "only the owner can edit their custom title"),
        ({"user_id": play.id("Cy")}, "user is not an administrator"),
        ({"user_id": bo}, "not enough rights to change custom title of the user"),
        **here,
        custom_title="x",
    )


async def test_the_bot_needs_the_right_for_each_change(play: Play) -> None:
    await play.act("POST", f"/chats/{play.group}/bot", status="administrator", rights=["can_manage_chat"])
    where = {"chat_id": play.group, "user_id": play.id("Bo"), "permissions": MUTED, "custom_title": "x", "title": "y"}
    refusals = {
        "banChatMember": "not enough rights to restrict/unrestrict chat member",
        "restrictChatMember": "not enough rights to restrict/unrestrict chat member",
        "promoteChatMember": "not enough rights",
        "setChatPermissions": "not enough rights to change chat permissions",
        "setChatTitle": "not enough rights to change chat title",
        "setChatDescription": "not enough rights to set chat description",
        "deleteChatPhoto": "not enough rights to change chat photo",
        "setChatMemberTag": "CHAT_ADMIN_REQUIRED",
        "unpinAllChatMessages": "not enough rights to manage pinned messages in the chat",
    }
    for method, words in refusals.items():
        await play.refuses(method, ({}, words), **where)
    private = where | {"chat_id": play.id("Ana")}
    await play.refuses("setChatTitle", "can't change private chat title", **private)
    await play.refuses("setChatPermissions", "can't change private chat permissions", **private)
    kinds = {
        "unbanChatMember": "for supergroup and channel chats only",
        "promoteChatMember": "for supergroup and channel chats only",
        "restrictChatMember": "only for supergroups",
        "setChatMemberTag": "only for groups and supergroups",
    }
    for method, words in kinds.items():
        await play.refuses(method, f"method is available {words}", **private)
    await play.refuses("banChatMember", "can't ban members in private chats", **private)
    await play.refuses("leaveChat", "can't leave private chats", **private)
    basic = play.sandbox.add_group("Old", [play.user("Ana"), play.user("Bo")], kind="group")
    play.bot_is("administrator", basic)
    where["chat_id"] = basic.id
    await play.refuses("restrictChatMember", "method is available only for supergroups", **where)


async def test_a_plain_member_is_told_which_kind_of_message_is_not_permitted(play: Play) -> None:
    await play.ok("setChatPermissions", chat_id=play.group, permissions={"can_send_messages": True})
    same = MUTED | {"can_send_messages": True}
    await play.refuses("setChatPermissions", "CHAT_NOT_MODIFIED", chat_id=play.group, permissions=same)
    play.bot_is("member")
    await play.send("text")
    await play.refuses("createChatInviteLink", "not enough rights to manage chat invite link", chat_id=play.group)
    refused = await play.refused("sendDice", chat_id=play.group)
    assert refused == (400, "Bad Request: not enough rights to send dice to the chat")


async def test_the_tag_of_a_member_and_title_description_and_photo_of_the_group(play: Play) -> None:
    await on(play, "Bo", "setChatMemberTag", tag="champion")
    assert (await standing(play, "Bo"))["tag"] == "champion"
    await play.refuses(
        "setChatMemberTag",
        ({"tag": "x" * 17}, "TAG_INVALID"),
        ({"tag": "⭐"}, "TAG_EMOJI_NOT_ALLOWED"),
        chat_id=play.group,
        user_id=play.id("Bo"),
    )
    await on(play, "Bo", "setChatMemberTag")
    assert "tag" not in await standing(play, "Bo")
    here = {"chat_id": play.group}
    await play.ok("setChatTitle", **here, title=" Dice club ")
    await play.refuses("setChatTitle", "title must be non-empty", ({"title": " "}, "title must be non-empty"), **here)
    await play.ok("setChatDescription", **here, description="We bluff")
    await play.refuses("setChatDescription", ({"description": "We bluff"}, "chat description is not modified"), **here)
    await play.ok("setChatPhoto", **here, photo=PIXEL)
    chat = await play.ok("getChat", **here)
    assert (chat["title"], chat["description"]) == ("Dice club", "We bluff")
    big = chat["photo"]["big_file_id"]
    assert await play.file(big) == PIXEL
    await play.ok("deleteChatPhoto", **here)
    await play.refuses("deleteChatPhoto", "CHAT_NOT_MODIFIED", **here)
    await play.refuses("setChatPhoto", ({"photo": big}, "can't use file of type Photo as ChatPhoto"), **here)
    assert "photo" not in await play.ok("getChat", **here)
    told = [one["service"] for one in (await play.state())["messages"]]
    assert told == ["renamed the group to Dice club", "changed the group's photo", "removed the group's photo"]


SETTINGS = {"bot_is_admin": True}


async def link_of(play: Play, **params: Any) -> dict[str, Any]:
    made: dict[str, Any] = await play.ok("createChatInviteLink", chat_id=play.group, **params)
    return made


async def test_a_link_leads_in_until_it_is_used_up_expired_revoked_or_replaced_by_a_new_primary(play: Play) -> None:
    await play.ok("getUpdates", allowed_updates=["chat_member"])
    lee, kim, group = play.sandbox.add_person("Lee"), play.sandbox.add_person("Kim"), play.group
    link = (await link_of(play, name="For one", member_limit=1))["invite_link"]
    assert (await lee.follow_invite(link)).id == group
    (change,) = [update["chat_member"] for update in await play.updates()]
    assert (change["from"]["id"], change["invite_link"]["name"]) == (lee.id, "For one")
    await cannot(kim.follow_invite(link), "too many people")
    edit = {"chat_id": group, "invite_link": link}
    soon = play.sandbox.world.clock.unix() + 60
    edited = await play.ok("editChatInviteLink", **edit, expire_date=soon)
    assert (edited["expire_date"], "member_limit" in edited) == (soon, False)
    await play.pass_time(61)
    await cannot(kim.follow_invite(link), "has expired")
    assert (await play.ok("revokeChatInviteLink", **edit))["is_revoked"]
    await play.refuses("revokeChatInviteLink", "INVITE_HASH_EXPIRED", **edit)
    await cannot(kim.follow_invite("https://t.me/+x"), "leads nowhere")
    here = {"chat_id": play.group}
    first = await play.ok("exportChatInviteLink", **here)
    assert (await play.ok("getChat", **here))["invite_link"] == first
    second = await play.ok("exportChatInviteLink", **here)
    await cannot(play.sandbox.add_person("Lee").follow_invite(first), "has expired")
    assert (await play.ok("revokeChatInviteLink", **here, invite_link=second))["is_primary"]
    assert (await play.ok("getChat", **here))["invite_link"] not in (first, second)


async def test_a_request_is_approved_once_or_declined(play: Play) -> None:
    lee, kim, here = play.sandbox.add_person("Lee"), play.sandbox.add_person("Kim"), {"chat_id": play.group}
    link = (await link_of(play, creates_join_request=True))["invite_link"]
    asked = await play.act("POST", "/invitations", **{"from": lee.id, "link": link})
    assert (asked["id"], lee.id in asked["members"]) == (play.group, False)
    (request,) = [update["chat_join_request"] for update in await play.updates()]
    assert (request["from"]["id"], request["user_chat_id"]) == (lee.id, lee.id)
    assert request["invite_link"]["pending_join_request_count"] == 1
    await play.send("Why?", lee.id)
    await play.ok("approveChatJoinRequest", **here, user_id=lee.id)
    assert lee.id in play.chat.members
    await play.refuses("approveChatJoinRequest", "USER_ALREADY_PARTICIPANT", **here, user_id=lee.id)
    await kim.follow_invite(link)
    await play.pass_time(301)
    assert (await play.refused("sendMessage", chat_id=kim.id, text="Why?"))[0] == 403
    await play.ok("declineChatJoinRequest", **here, user_id=kim.id)
    await play.refuses("declineChatJoinRequest", "HIDE_REQUESTER_MISSING", **here, user_id=kim.id)
    await play.ok("banChatMember", **here, user_id=kim.id)
    await cannot(kim.follow_invite(link), "banned")


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
