"""Bot API methods that the sandbox accepts, and that change nothing in it."""

from typing import Any

from telegram_sandbox.bot_api.registry import accepts
from telegram_sandbox.bot_api.requests import (
    Close,
    LogOut,
    RemoveChatVerification,
    RemoveMyProfilePhoto,
    RemoveUserVerification,
    SendChatAction,
    SendMessageDraft,
    SendRichMessageDraft,
    SetMyProfilePhoto,
    VerifyChat,
    VerifyUser,
)
from telegram_sandbox.errors import bad_request
from telegram_sandbox.world import World

CHAT_ACTIONS = frozenset(
    [
        "cancel",
        "typing",
        "upload_photo",
        "record_video",
        "upload_video",
        "record_voice",
        "record_audio",
        "upload_voice",
        "upload_audio",
        "upload_document",
        "choose_sticker",
        "find_location",
        "pick_up_location",
        "record_video_note",
        "upload_video_note",
    ]
)


@accepts(SendChatAction)
def send_chat_action(world: World, request: SendChatAction) -> bool:
    """Check the action; no one sees "typing…"."""
    world.chat_to_write_in(request.chat_id)
    if request.action not in CHAT_ACTIONS:
        raise bad_request("wrong parameter action in request")
    return True


@accepts(SendMessageDraft, SendRichMessageDraft)
def send_message_draft(world: World, request: SendMessageDraft | SendRichMessageDraft) -> bool:
    """Check the chat; no one sees a message that is still being written."""
    if world.chat_to_write_in(request.chat_id).type != "private":
        raise bad_request("chat not found")
    return True


@accepts(VerifyUser, RemoveUserVerification)
def verify_user(world: World, request: VerifyUser) -> bool:
    """Check the person; no one sees a sign of verification."""
    if request.user_id not in world.people:
        raise bad_request("user not found")
    return True


@accepts(VerifyChat, RemoveChatVerification)
def verify_chat(world: World, request: VerifyChat) -> bool:
    """Check the chat; no one sees a sign of verification."""
    world.chat_known_to_bot(request.chat_id)
    return True


@accepts(Close, LogOut, SetMyProfilePhoto, RemoveMyProfilePhoto)
def accept(_world: World, _request: Any) -> bool:
    """Do nothing."""
    return True
