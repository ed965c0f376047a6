"""The rights of the admins and the permissions of the other members of a group, in the words of the Bot API."""

from collections.abc import Collection
from dataclasses import dataclass

Flags = dict[str, bool]

ADMIN_RIGHTS = (
    "can_manage_chat",
    "can_delete_messages",
    "can_manage_video_chats",
    "can_restrict_members",
    "can_promote_members",
    "can_change_info",
    "can_invite_users",
    "can_post_stories",
    "can_edit_stories",
    "can_delete_stories",
    "can_send_welcome_messages",
)
"""The rights that admins have of any chat."""
GROUP_RIGHTS = ("can_pin_messages", "can_manage_topics", "can_manage_tags")
CHANNEL_RIGHTS = ("can_post_messages", "can_edit_messages", "can_manage_direct_messages")
GIVEN_RIGHTS = frozenset(
    [
        "can_manage_chat",
        "can_delete_messages",
        "can_restrict_members",
        "can_promote_members",
        "can_change_info",
        "can_invite_users",
        "can_pin_messages",
        "can_manage_topics",
        "can_manage_tags",
        "can_post_messages",
        "can_edit_messages",
    ]
)
"""The rights that the owner gives to whom they make an admin."""
PERMISSIONS = (
    "can_send_messages",
    "can_send_audios",
    "can_send_documents",
    "can_send_photos",
    "can_send_videos",
    "can_send_video_notes",
    "can_send_voice_notes",
    "can_send_polls",
    "can_send_other_messages",
    "can_add_web_page_previews",
    "can_react_to_messages",
    "can_edit_tag",
    "can_change_info",
    "can_invite_users",
    "can_pin_messages",
    "can_manage_topics",
)
"""The permissions of the other members."""


def admin_rights(kind: str, given: Collection[str] = GIVEN_RIGHTS) -> Flags:
    """Return the rights of an admin in this kind of chat, true where they are given."""
    special = CHANNEL_RIGHTS if kind == "channel" else GROUP_RIGHTS
    return {right: right in given for right in (*ADMIN_RIGHTS, *special)}


@dataclass(slots=True)
class Restriction:
    """The permissions that are left to a person, and until when; 0 is for ever."""

    permissions: Flags
    until: int = 0


SENT_AS: dict[str, str] = {
    "photo": "photos",
    "animation": "animations",
    "voice": "voice notes",
    "document": "documents",
    "video": "videos",
    "video_note": "video notes",
    "audio": "music",
    "sticker": "stickers",
}
"""The noun for each kind of media."""
_NEEDED = {
    "photos": "can_send_photos",
    "videos": "can_send_videos",
    "video notes": "can_send_video_notes",
    "voice notes": "can_send_voice_notes",
    "music": "can_send_audios",
    "documents": "can_send_documents",
    "polls": "can_send_polls",
    "animations": "can_send_other_messages",
    "stickers": "can_send_other_messages",
    "dice": "can_send_other_messages",
    "games": "can_send_other_messages",
}


def permission_to_send(noun: str) -> str:
    """Return the permission that a member of a group needs to send this kind of message."""
    return _NEEDED.get(noun, "can_send_messages")
