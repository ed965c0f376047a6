"""The parameters of each Bot API method that the sandbox answers, in the order of Telegram's documentation."""

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    InstanceOf,
    StrictBool,
    StrictInt,
    StrictStr,
    Tag,
    ValidationInfo,
    field_validator,
    model_validator,
)

from telegram_sandbox.http_parameters import UploadedFile
from telegram_sandbox.model import Json
from telegram_sandbox.request_values import read_field

T = TypeVar("T")
ChatId = int | str
File = InstanceOf[UploadedFile] | str
"""An upload, or the file_id of a file that Telegram has."""
BY_TYPE = "by type"
WITHOUT_EFFECT = "without effect"
ForSomeTypes = Annotated[T | None, BY_TYPE]
"""A field that Telegram reads in objects of some types only, so that null is nothing."""
WithoutEffect = Annotated[T | None, WITHOUT_EFFECT]
"""A field that Telegram reads and the sandbox does not keep."""


class Part(BaseModel):
    """A JSON object inside a request, which is read as strictly as the server does; unknown fields are kept."""

    model_config = ConfigDict(extra="allow", coerce_numbers_to_str=True)

    @field_validator("*", mode="before")
    @classmethod
    def _read(cls, value: Any, info: ValidationInfo) -> Any:
        field = cls.model_fields[info.field_name or ""]
        if value is None and BY_TYPE in field.metadata:
            return None
        return read_field(info.field_name or "", field.annotation, value)


class OwnPart(Part):
    """A part of which the sandbox keeps nothing: other fields than these have no effect."""


class Flags(Part):
    """A part whose fields are true or false."""

    __pydantic_extra__: dict[str, StrictBool]


def of_one_kind(button: Json, kinds: Iterable[str], unless_empty: Iterable[str]) -> Json:
    """Return a button with the first of these kinds alone: Telegram reads no further."""
    given = (kind for kind in kinds if kind in button and (kind not in unless_empty or button[kind] not in ("", False)))
    first = next(given, None)
    return {name: value for name, value in button.items() if name == first or name not in kinds}


class MentionedUser(Part):
    id: int


class MessageEntity(Part):
    type: str
    offset: int
    length: int
    url: ForSomeTypes[str] = None
    user: ForSomeTypes[MentionedUser] = None
    custom_emoji_id: ForSomeTypes[str] = None
    unix_time: ForSomeTypes[int] = None


class CopyTextButton(Part):
    text: str


class WebAppInfo(Part):
    url: str


class LoginUrl(Part):
    url: str
    forward_text: str | None = None
    bot_username: str | None = None
    request_write_access: bool | None = None


class ChosenChat(Part):
    query: str | None = None
    allow_user_chats: bool | None = None
    allow_bot_chats: bool | None = None
    allow_group_chats: bool | None = None
    allow_channel_chats: bool | None = None


KINDS = (
    "url",
    "callback_data",
    "callback_game",
    "pay",
    "switch_inline_query",
    "switch_inline_query_chosen_chat",
    "switch_inline_query_current_chat",
    "login_url",
    "web_app",
    "copy_text",
    "disabled",
)
"""The kinds of inline buttons, in the order in which Telegram looks for them: the first one is the button's."""
REPLY_KINDS = ("request_contact", "request_location", "request_poll", "web_app", "request_users", "request_chat")
"""The same for buttons of reply keyboards."""


class InlineKeyboardButton(Part):
    text: str
    url: str | None = None
    callback_data: str | None = None
    copy_text: CopyTextButton | None = None
    disabled: Json | None = None
    login_url: LoginUrl | None = None
    pay: Any = None
    web_app: WebAppInfo | None = None
    switch_inline_query: str | None = None
    switch_inline_query_current_chat: str | None = None
    switch_inline_query_chosen_chat: ChosenChat | None = None
    icon_custom_emoji_id: str | None = None
    style: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _of_one_kind(cls, given: Any) -> Any:
        return of_one_kind(given, KINDS, ("url", "callback_data")) if isinstance(given, dict) else given


class InlineKeyboardMarkup(Part):
    inline_keyboard: list[list[InlineKeyboardButton]]


class KeyboardRequest(Part):
    request_id: int
    max_quantity: int | None = None
    user_is_bot: bool | None = None
    user_is_premium: bool | None = None
    chat_is_channel: bool | None = None
    chat_is_forum: bool | None = None
    chat_has_username: bool | None = None
    chat_is_created: bool | None = None
    bot_is_member: bool | None = None
    request_name: bool | None = None
    request_title: bool | None = None
    request_username: bool | None = None
    request_photo: bool | None = None


class KeyboardButton(Part):
    text: str
    request_contact: bool | None = None
    request_location: bool | None = None
    request_poll: Json | None = None
    request_users: KeyboardRequest | None = None
    request_chat: KeyboardRequest | None = None
    web_app: WebAppInfo | None = None
    icon_custom_emoji_id: str | None = None
    style: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _of_one_kind(cls, given: Any) -> Any:
        return of_one_kind(given, REPLY_KINDS, REPLY_KINDS[:2]) if isinstance(given, dict) else given


class ReplyKeyboardMarkup(Part):
    keyboard: list[list[KeyboardButton | StrictStr]]
    is_persistent: bool | None = None
    resize_keyboard: bool | None = None
    one_time_keyboard: bool | None = None
    input_field_placeholder: str | None = None
    selective: bool | None = None


class ReplyKeyboardRemove(Part):
    remove_keyboard: bool
    selective: bool | None = None


class ForceReply(Part):
    force_reply: bool
    input_field_placeholder: str | None = None
    selective: bool | None = None


ReplyMarkup = InlineKeyboardMarkup | ReplyKeyboardMarkup | ReplyKeyboardRemove | ForceReply


class ReplyParameters(OwnPart):
    message_id: int | None = None
    chat_id: ChatId | None = None
    allow_sending_without_reply: bool | None = None
    quote: str | None = None
    quote_parse_mode: str | None = None
    quote_entities: list[MessageEntity] | None = None
    quote_position: int | None = None
    ephemeral_message_id: int | None = None
    checklist_task_id: WithoutEffect[int] = None
    poll_option_id: WithoutEffect[str] = None


class EphemeralMessageParameters(OwnPart):
    receiver_user_id: int
    callback_query_id: str | None = None
    replace_callback_query_message: bool | None = None


class LinkPreviewOptions(Part):
    is_disabled: bool | None = None
    url: str | None = None
    prefer_small_media: bool | None = None
    prefer_large_media: bool | None = None
    show_above_text: bool | None = None


class BotCommand(Part):
    command: str
    description: str


class BotCommandScope(Part):
    type: str
    chat_id: ForSomeTypes[ChatId] = None
    user_id: ForSomeTypes[int] = None


class MenuButton(Part):
    type: str
    text: ForSomeTypes[str] = None
    web_app: ForSomeTypes[WebAppInfo] = None


class Reaction(Part):
    type: str
    emoji: ForSomeTypes[str] = None


class InputMedia(OwnPart):
    type: str
    media: File
    has_spoiler: bool | None = None
    show_caption_above_media: bool | None = None
    caption: str | None = None
    parse_mode: str | None = None
    caption_entities: list[MessageEntity] | None = None
    duration: ForSomeTypes[int] = None
    width: ForSomeTypes[int] = None
    height: ForSomeTypes[int] = None
    performer: ForSomeTypes[str] = None
    title: ForSomeTypes[str] = None


class MaskPosition(OwnPart):
    point: str
    x_shift: float
    y_shift: float
    scale: float


class InputSticker(OwnPart):
    sticker: File
    emoji_list: list[str]
    format: str | None = None
    mask_position: ForSomeTypes[MaskPosition] = None


class InputPollOption(OwnPart):
    text: str
    text_parse_mode: WithoutEffect[str] = None


class InputRichMessage(OwnPart):
    html: str | None = None
    markdown: str | None = None
    blocks: list[Json] | None = None
    is_rtl: bool | None = None


class LabeledPrice(Part):
    label: str
    amount: int


class ShippingOption(Part):
    id: str
    title: str
    prices: list[LabeledPrice]


class ChatPermissions(Flags):
    pass


class ChatAdministratorRights(Flags):
    pass


class InlineQueryResultsButton(Part):
    text: str
    start_parameter: str | None = None


class InputTextMessageContent(OwnPart):
    message_text: str
    parse_mode: str | None = None
    entities: list[MessageEntity] | None = None
    link_preview_options: LinkPreviewOptions | None = None


def _kind_of_content(given: Any) -> str:
    return "other" if isinstance(given, dict) and "message_text" not in given else "text"


class InlineQueryResult(Part):
    type: str
    id: str
    title: ForSomeTypes[str] = None
    description: ForSomeTypes[str] = None
    input_message_content: (
        Annotated[
            Annotated[InputTextMessageContent, Tag("text")] | Annotated[Json, Tag("other")],
            Discriminator(_kind_of_content),
        ]
        | None
    ) = None
    reply_markup: InlineKeyboardMarkup | None = None
    caption: str | None = None
    parse_mode: str | None = None
    caption_entities: list[MessageEntity] | None = None


class Method(BaseModel):
    """A request; Telegram ignores parameters that a method does not have."""


class InChat(Method):
    chat_id: ChatId


class ToMessage(InChat):
    message_id: int


class ToTopic(InChat):
    message_thread_id: int


class Localised(Method):
    language_code: str | None = None


# Updates


class GetUpdates(Method):
    offset: int | None = None
    limit: int | None = None
    timeout: int | None = None
    allowed_updates: list[str] | None = None


class SetWebhook(Method):
    url: str = ""
    certificate: File | None = None
    max_connections: int | None = None
    allowed_updates: list[str] | None = None
    drop_pending_updates: bool | None = None
    secret_token: str | None = None


class DeleteWebhook(Method):
    drop_pending_updates: bool | None = None


class GetWebhookInfo(Method):
    pass


# Messages


class Sending(InChat):
    """The parameters of all methods that send a message; `kind` names the right that the bot needs."""

    kind: ClassVar[str] = "text messages"
    message_thread_id: int | None = None
    disable_notification: bool | None = None
    protect_content: bool | None = None
    message_effect_id: str | None = None
    reply_parameters: ReplyParameters | None = None
    reply_markup: ReplyMarkup | None = None
    ephemeral_message_parameters: EphemeralMessageParameters | None = None
    receiver_user_id: int | None = None
    callback_query_id: str | None = None
    allow_sending_without_reply: bool | None = None
    reply_to_message_id: int | None = None
    link_preview_options: LinkPreviewOptions | None = None
    disable_web_page_preview: bool | None = None


class Captioned(Sending):
    caption: str | None = None
    parse_mode: str | None = None
    caption_entities: list[MessageEntity] | None = None


class CaptionedAbove(Captioned):
    show_caption_above_media: bool | None = None


class Covered(CaptionedAbove):
    has_spoiler: bool | None = None


class GetMe(Method):
    pass


class Close(Method):
    pass


class LogOut(Method):
    pass


class GetMyDefaultAdministratorRights(Method):
    for_channels: bool | None = None


class SetMyDefaultAdministratorRights(GetMyDefaultAdministratorRights):
    rights: ChatAdministratorRights | None = None


class SetMyProfilePhoto(Method):
    pass


class RemoveMyProfilePhoto(Method):
    pass


class SendMessage(Sending):
    text: str
    parse_mode: str | None = None
    entities: list[MessageEntity] | None = None


class ForwardMessage(Sending):
    from_chat_id: ChatId
    message_id: int


class ForwardMessages(Sending):
    from_chat_id: ChatId
    message_ids: list[int]


class CopyMessage(CaptionedAbove):
    from_chat_id: ChatId
    message_id: int


class CopyMessages(Sending):
    from_chat_id: ChatId
    message_ids: list[int]
    remove_caption: bool | None = None


class SendPhoto(Covered):
    photo: File


class SendAudio(Captioned):
    audio: File
    duration: int | None = None
    performer: str | None = None
    title: str | None = None


class SendDocument(Captioned):
    document: File


class SendVideo(Covered):
    video: File
    duration: int | None = None
    width: int | None = None
    height: int | None = None


class SendAnimation(Covered):
    animation: File
    duration: int | None = None
    width: int | None = None
    height: int | None = None


class SendVoice(Captioned):
    voice: File
    duration: int | None = None


class SendVideoNote(Sending):
    video_note: File
    duration: int | None = None
    length: int | None = None


class SendSticker(Sending):
    sticker: File
    emoji: str | None = None


class SendMediaGroup(Sending):
    reply_markup: ClassVar[None] = None  # type: ignore[misc]
    """An album has no keyboard."""
    media: list[InputMedia]


class SendLocation(Sending):
    kind = "locations"
    latitude: float
    longitude: float
    horizontal_accuracy: float | None = None
    live_period: int | None = None
    heading: int | None = None
    proximity_alert_radius: int | None = None


class SendVenue(Sending):
    kind = "venues"
    latitude: float
    longitude: float
    title: str
    address: str


class SendContact(Sending):
    kind = "contacts"
    phone_number: str
    first_name: str
    last_name: str | None = None
    vcard: str | None = None


class SendPoll(Sending):
    kind = "polls"
    question: str = ""
    options: list[InputPollOption | str]
    is_anonymous: bool | None = None
    type: str | None = None
    allows_multiple_answers: bool | None = None
    allows_revoting: bool | None = None
    correct_option_id: int | None = None
    correct_option_ids: list[StrictInt] | None = None
    question_parse_mode: str | None = None
    question_entities: list[MessageEntity] | None = None
    explanation: str | None = None
    explanation_parse_mode: str | None = None
    explanation_entities: list[MessageEntity] | None = None
    open_period: int | None = None
    close_date: int | None = None
    is_closed: bool | None = None


class InvoiceTerms(Method):
    """The parameters of an invoice."""

    title: str
    description: str
    payload: str
    currency: str
    prices: list[LabeledPrice]
    provider_token: str | None = None
    need_name: bool | None = None
    need_phone_number: bool | None = None
    need_email: bool | None = None
    need_shipping_address: bool | None = None
    is_flexible: bool | None = None


class SendGame(Sending):
    kind = "games"
    game_short_name: str = ""


class OfGame(Method):
    user_id: int
    chat_id: ChatId | None = None
    message_id: int | None = None
    inline_message_id: str | None = None


class SetGameScore(OfGame):
    score: int = 0
    force: bool | None = None
    disable_edit_message: bool | None = None
    edit_message: bool | None = None


class GetGameHighScores(OfGame):
    pass


class SendInvoice(Sending, InvoiceTerms):
    kind = "invoices"
    start_parameter: str | None = None


class CreateInvoiceLink(InvoiceTerms):
    pass


class AnswerShippingQuery(Method):
    shipping_query_id: str
    ok: bool = False
    shipping_options: list[ShippingOption] | None = None
    error_message: str | None = None


class AnswerPreCheckoutQuery(Method):
    pre_checkout_query_id: str
    ok: bool = False
    error_message: str | None = None


class RefundStarPayment(Method):
    user_id: int
    telegram_payment_charge_id: str


class GetMyStarBalance(Method):
    pass


class GetStarTransactions(Method):
    offset: int | None = None
    limit: int | None = None


class GetAvailableGifts(Method):
    pass


class SendGift(Method):
    user_id: int | None = None
    chat_id: ChatId | None = None
    gift_id: str = ""
    text: str | None = None
    text_parse_mode: str | None = None
    text_entities: list[MessageEntity] | None = None


class GetUserGifts(Method):
    user_id: int
    limit: int | None = None
    offset: str | None = None


class GetChatGifts(InChat):
    limit: int | None = None
    offset: str | None = None


class VerifyUser(Method):
    user_id: int


class VerifyChat(InChat):
    pass


class RemoveUserVerification(VerifyUser):
    pass


class RemoveChatVerification(VerifyChat):
    pass


class StopPoll(ToMessage):
    reply_markup: ReplyMarkup | None = None


class SendDice(Sending):
    kind = "dice"
    emoji: str | None = None


class SendChatAction(InChat):
    action: str


class SendMessageDraft(InChat):
    pass


class SendRichMessage(Sending):
    rich_message: InputRichMessage


class SendRichMessageDraft(InChat):
    rich_message: InputRichMessage


class SetMessageReaction(ToMessage):
    reaction: list[Reaction] | None = None


class GetUserProfilePhotos(Method):
    user_id: int


class GetFile(Method):
    file_id: str


class DeleteMessage(ToMessage):
    pass


class DeleteMessages(InChat):
    message_ids: list[int]


# Groups


class BanChatMember(InChat):
    user_id: int
    until_date: int | None = None


class UnbanChatMember(InChat):
    user_id: int
    only_if_banned: bool | None = None


class SetChatPermissions(InChat):
    permissions: ChatPermissions
    use_independent_chat_permissions: bool | None = None


class RestrictChatMember(SetChatPermissions):
    user_id: int
    until_date: int | None = None


class PromoteChatMember(InChat):
    user_id: int
    is_anonymous: bool | None = None
    can_manage_chat: bool | None = None
    can_delete_messages: bool | None = None
    can_manage_video_chats: bool | None = None
    can_restrict_members: bool | None = None
    can_promote_members: bool | None = None
    can_change_info: bool | None = None
    can_invite_users: bool | None = None
    can_post_stories: bool | None = None
    can_edit_stories: bool | None = None
    can_delete_stories: bool | None = None
    can_send_welcome_messages: bool | None = None
    can_pin_messages: bool | None = None
    can_manage_topics: bool | None = None
    can_post_messages: bool | None = None
    can_edit_messages: bool | None = None
    can_manage_direct_messages: bool | None = None
    can_manage_tags: bool | None = None


class SetChatAdministratorCustomTitle(InChat):
    user_id: int
    custom_title: str


class SetChatMemberTag(InChat):
    user_id: int
    tag: str | None = None


class SetChatTitle(InChat):
    title: str = ""


class SetChatDescription(InChat):
    description: str | None = None


class SetChatPhoto(InChat):
    photo: File


class DeleteChatPhoto(InChat):
    pass


class ExportChatInviteLink(InChat):
    pass


class CreateChatInviteLink(InChat):
    name: str | None = None
    expire_date: int | None = None
    member_limit: int | None = None
    creates_join_request: bool | None = None


class EditChatInviteLink(CreateChatInviteLink):
    invite_link: str


class RevokeChatInviteLink(InChat):
    invite_link: str


class ApproveChatJoinRequest(InChat):
    user_id: int


class DeclineChatJoinRequest(InChat):
    user_id: int


class PinChatMessage(ToMessage):
    pass


class UnpinChatMessage(InChat):
    message_id: int | None = None


class UnpinAllChatMessages(InChat):
    pass


class LeaveChat(InChat):
    pass


class GetChat(InChat):
    pass


class GetChatAdministrators(InChat):
    pass


class GetChatMemberCount(InChat):
    pass


class GetChatMember(InChat):
    user_id: int


class GetUserChatBoosts(InChat):
    user_id: int


class CreateForumTopic(InChat):
    name: str


class EditForumTopic(ToTopic):
    name: str | None = None


class CloseForumTopic(ToTopic):
    pass


class ReopenForumTopic(ToTopic):
    pass


class DeleteForumTopic(ToTopic):
    pass


class UnpinAllForumTopicMessages(ToTopic):
    pass


class EditGeneralForumTopic(InChat):
    name: str


class CloseGeneralForumTopic(InChat):
    pass


class ReopenGeneralForumTopic(InChat):
    pass


class HideGeneralForumTopic(InChat):
    pass


class UnhideGeneralForumTopic(InChat):
    pass


class UnpinAllGeneralForumTopicMessages(InChat):
    pass


# The bot


class AnswerCallbackQuery(Method):
    callback_query_id: str
    text: str | None = None
    show_alert: bool | None = None
    url: str | None = None


class Scoped(Localised):
    scope: BotCommandScope | None = None


class SetMyCommands(Scoped):
    commands: list[BotCommand] = []


class DeleteMyCommands(Scoped):
    pass


class GetMyCommands(Scoped):
    pass


class SetMyName(Localised):
    name: str | None = None


class GetMyName(Localised):
    pass


class SetMyDescription(Localised):
    description: str | None = None


class GetMyDescription(Localised):
    pass


class SetMyShortDescription(Localised):
    short_description: str | None = None


class GetMyShortDescription(Localised):
    pass


class SetChatMenuButton(Method):
    chat_id: int | None = None
    menu_button: MenuButton | None = None


class GetChatMenuButton(Method):
    chat_id: int | None = None


# Edits


class Edit(Method):
    """An edit of the bot's own message, or of one that was posted via the bot."""

    chat_id: ChatId | None = None
    message_id: int | None = None
    inline_message_id: str | None = None
    reply_markup: ReplyMarkup | None = None


class EditMessageLiveLocation(Edit):
    latitude: float
    longitude: float
    horizontal_accuracy: float | None = None
    live_period: int | None = None
    heading: int | None = None
    proximity_alert_radius: int | None = None


class StopMessageLiveLocation(Edit):
    pass


class EphemeralEdit(InChat):
    """An edit of a message that one member of a group sees."""

    receiver_user_id: int
    ephemeral_message_id: int
    reply_markup: ReplyMarkup | None = None


class NewText(Method):
    text: str | None = None
    parse_mode: str | None = None
    entities: list[MessageEntity] | None = None
    link_preview_options: LinkPreviewOptions | None = None
    disable_web_page_preview: bool | None = None
    rich_message: InputRichMessage | None = None


class NewCaption(Method):
    caption: str | None = None
    show_caption_above_media: bool | None = None
    parse_mode: str | None = None
    caption_entities: list[MessageEntity] | None = None


class NewMedia(Method):
    media: InputMedia


class EditMessageText(Edit, NewText):
    pass


class EditMessageCaption(Edit, NewCaption):
    pass


class EditMessageMedia(Edit, NewMedia):
    pass


class EditMessageReplyMarkup(Edit):
    pass


class EditEphemeralMessageText(EphemeralEdit, NewText):
    pass


class EditEphemeralMessageCaption(EphemeralEdit, NewCaption):
    pass


class EditEphemeralMessageMedia(EphemeralEdit, NewMedia):
    pass


class EditEphemeralMessageReplyMarkup(EphemeralEdit):
    pass


class DeleteEphemeralMessage(InChat):
    receiver_user_id: int
    ephemeral_message_id: int


# Inline mode


class AnswerGuestQuery(Method):
    guest_query_id: str = ""
    result: InlineQueryResult


class AnswerInlineQuery(Method):
    inline_query_id: str
    results: list[InlineQueryResult] = []
    cache_time: int | None = None
    is_personal: bool | None = None
    next_offset: str | None = None
    button: InlineQueryResultsButton | None = None
    switch_pm_text: str | None = None
    switch_pm_parameter: str | None = None


# Sticker sets


class ToStickerSet(Method):
    name: str = ""


class GetStickerSet(ToStickerSet):
    pass


class GetCustomEmojiStickers(Method):
    custom_emoji_ids: list[str]


class UploadStickerFile(Method):
    user_id: int
    sticker: File
    sticker_format: str | None = None


class CreateNewStickerSet(ToStickerSet):
    user_id: int
    title: str = ""
    stickers: list[InputSticker]
    sticker_type: str | None = None
    sticker_format: str | None = None
    contains_masks: bool | None = None
    needs_repainting: bool | None = None


class AddStickerToSet(ToStickerSet):
    user_id: int
    sticker: InputSticker


class ReplaceStickerInSet(AddStickerToSet):
    old_sticker: str = ""


class SetStickerSetTitle(ToStickerSet):
    title: str = ""


class SetStickerSetThumbnail(ToStickerSet):
    user_id: int
    thumbnail: File | None = None
    format: str | None = None


class SetCustomEmojiStickerSetThumbnail(ToStickerSet):
    custom_emoji_id: str | None = None


class DeleteStickerSet(ToStickerSet):
    pass


class ToSticker(Method):
    sticker: str = ""


class DeleteStickerFromSet(ToSticker):
    pass


class SetStickerPositionInSet(ToSticker):
    position: int = -1


class SetStickerEmojiList(ToSticker):
    emoji_list: list[str]


class SetStickerKeywords(ToSticker):
    pass


class SetStickerMaskPosition(ToSticker):
    mask_position: MaskPosition | None = None


class SetChatStickerSet(InChat):
    sticker_set_name: str = ""


class DeleteChatStickerSet(InChat):
    pass
