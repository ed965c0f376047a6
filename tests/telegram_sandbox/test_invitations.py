"""Invite links of the bot, and the requests to join of those who follow one."""

from typing import Any

from tests.telegram_sandbox.conftest import Play, cannot

SETTINGS = {"bot_is_admin": True}


async def link_of(play: Play, **params: Any) -> dict[str, Any]:
    made: dict[str, Any] = await play.ok("createChatInviteLink", chat_id=play.group, **params)
    return made


async def test_a_link_leads_in_until_it_is_used_up_expired_or_revoked(play: Play) -> None:
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


async def test_a_new_primary_link_takes_the_place_of_the_earlier_one(play: Play) -> None:
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


async def test_a_plain_member_makes_no_link(play: Play) -> None:
    play.bot_is("member")
    await play.refuses("createChatInviteLink", "not enough rights to manage chat invite link", chat_id=play.group)
