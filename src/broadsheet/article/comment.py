"""Comment: a reader's comment on an article."""

from __future__ import annotations

from datetime import datetime
from typing import Self


class Comment(str):
    """The text of a comment, with its author and date, and the comment that it replies to.

    A comment is a string, so that a list of comments can be joined, searched and written like a list of texts. Where
    the page does not show the structure, only the text is known.
    """

    __slots__ = ("author", "date", "reply_to")

    author: str | None
    date: datetime | None
    reply_to: int | None  # position of the comment that it replies to, in `Article.comments`

    def __new__(
        cls, text: str, author: str | None = None, date: datetime | None = None, reply_to: int | None = None
    ) -> Self:
        """Create a comment."""
        comment = super().__new__(cls, text)
        comment.author = author
        comment.date = date
        comment.reply_to = reply_to
        return comment

    @classmethod
    def of(cls, text: str) -> Comment:
        """Return a comment as it is, and a plain string as a comment without author and date."""
        return text if isinstance(text, Comment) else cls(text)

    @property
    def text(self) -> str:
        """The text as a plain string."""
        return str.__str__(self)

    def __repr__(self) -> str:
        return f"Comment({str.__repr__(self)}, author={self.author!r}, date={self.date!r}, reply_to={self.reply_to!r})"

    def __getnewargs__(self) -> tuple[str, str | None, datetime | None, int | None]:  # type: ignore[override]
        return self.text, self.author, self.date, self.reply_to

    def to_dict(self) -> dict[str, object]:
        """Return author, date, text and reply_to as JSON-ready values."""
        date = self.date.isoformat() if self.date else None
        return {"author": self.author, "date": date, "text": self.text, "reply_to": self.reply_to}
