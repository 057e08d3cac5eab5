"""Lines that tell by their words, or by what the page declares, whether they are part of the text.

Promos, notices, credits, by-lines and biographies between paragraphs are not; a dateline, the declared standfirst and
the footnotes are. Each function returns blocks and their new roles: they are rows of the list in `corrections.py`. On
pages labelled in our convention, at least nine of ten lines that a pattern finds are as it says (docs/lab/fusion.md).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from broadsheet.blocks import CONTENT_ROLES, Role, role_of_content, tags
from broadsheet.text import compile_later, fold_words

if TYPE_CHECKING:
    from broadsheet.article.corrections import Draft

_LINE_ROLES = frozenset((Role.BODY, Role.QUOTE))
_MAX_PROMO_CHARS = 250
_MAX_MARK_PLACE = 45  # of the colon after "Read also"
_MAX_NOTICE_CHARS = 400
_MAX_NOTICE_SCORE = 0.9985  # nearly no notice has a higher one, and two of five blocks have
_MAX_CAPTION_CHARS = 350
_MAX_CREDIT_CHARS = 80  # at the end of a caption
_MAX_BYLINE_CHARS = 80
_MAX_DATELINE_CHARS = 40
_MAX_ABOUT_CHARS = 80
_MAX_ABOUT_BLOCKS = 8  # from the heading to the end
_FIRST_BLOCKS, _LAST_BLOCKS = 3, 4  # where by-lines and biographies stand
_MIN_STANDFIRST_CHARS = 30
_MAX_BLOCKS_ABOVE = 12  # of the text, below the headline
_MAX_NOTES = 500
_MAX_NOTE_BLOCKS = 20  # a longer one is a section

_PROMO = compile_later(
    r"[\W_]{0,3}(?:(?:read|see|watch) (?:also|more|next|now)|(?:also|must) (?:read|see|watch)|see it now|read this|"
    r"related(?: (?:stor(?:y|ies)|articles?|reading|posts?|content|coverage))?|(?:required|recommended) reading|"
    r"more(?: on this)?|also|don.t miss|you may also like|in case you missed it|learn more|up next|editor.s pick|"
    r"trending|lesen sie (?:auch|mehr|hier)|auch interessant|mehr zum thema|(?:à )?lire (?:aussi|également)|voir aussi|"
    r"leer (?:también|más)|(?:lea|lee|ver) también|te puede interesar|(?:leggi|guarda) anche|"
    r"(?:leia|veja) (?:também|mais)|lees ook|les (?:også|mer)|läs (?:också|mer)|læs også|"
    r"(?:czytaj|zobacz) (?:też|także|również)|чита(?:йте|ть) также|смотрите также|baca juga|ayrıca okuyun|"
    r"διαβάστε (?:επίσης|ακόμα)|阅读更多|相关阅读|延伸阅读|関連記事|อ่านเพิ่มเติม)\s?[:：|»]",
    re.IGNORECASE,
)
# A word of each notice, by which most texts are ruled out; then the notices.
_NOTICE_WORDS = (
    "newsletter", "inbox", "mission", "pensation", "iginally ", "ontact the", "diting by", "reserved", "editor.",
    "tributed ", "hosted by", "archived", "inted with", "ollow ", "irst pub",
)  # fmt: skip
_NOTICE = compile_later(
    r"(?:sign up|subscribe)\b[^.?!]{0,60}\b"
    r"(?:(?:our|my|the|free|daily|weekly|\w+.s)\b[^.?!]{0,30}\bnewsletters?\b|inbox)|"
    r"\binbox\b.{0,120}\b(?:sign up|subscribe)\b|"
    r"\b(?:with|get|to) our (?:\w+ ){0,3}newsletter|delivered (?:right |straight |directly )?to your inbox|"
    r"\b(?:we|site|page|publication|company) (?:may|might|will|can) (?:also )?(?:receive|earn|get|collect)s? "
    r"(?:an? )?(?:\w+ )?(?:compensation|commission)|^\W*to contact the (?:reporter|editor|author)|"
    r"^©.{0,60}all rights reserved|^this is an archived|^this content is hosted by|\bwas the editor\.$|"
    r"\bcontributed to this (?:report|story|article)\W*$|"
    r"^information for this (?:report|story|article) was|reprinted with permission|"
    r"^\W*(?:additional |with )?(?:reporting|writing|editing) by\b.{0,120}\bediting by|"
    r"^\W*this (?:article|story|post|piece) (?:was )?(?:originally|first) (?:appeared|published)|"
    r"(?:enjoyed|like) this (?:post|article)\b.{0,80}\b(?:subscribe|follow)|"
    r"^\W*follow (?:us|me|him|her|them)\b.{0,40}\bon (?:Twitter|Facebook)",
    re.IGNORECASE,
)
_SENTENCE_ENDS = frozenset('.!?:;…。！？,"”“»’')  # a caption with a credit seldom ends so
_AGENCY = r"(?:Getty Images|Shutterstock|REUTERS|Reuters|AFP|AP|Alamy|iStock|Unsplash|EPA|dpa|Bloomberg)"
_PICTURE = (
    r"(?:(?:[Pp]hoto|[Ii]mage) credit|[Pp]hoto|PHOTO|[Ff]oto|FOTO|[Ii]mage|IMAGE|[Pp]icture|[Bb]ild|[Cc]redit|CREDIT|"
    r"Crédit)s?"
)
_CREDIT = compile_later(
    rf"\((?:\(?[cC]\) ?|© ?|{_PICTURE}\b ?(?:by|:|/|©|courtesy)?)[^()]{{2,60}}\)\.?$|\([cC]\) [^.:()]{{2,40}}$|"
    rf"(?:^|[.!?”\"’)|] ){_PICTURE}(?: by |: ?| ?/ ?| ?© ?)(?![^ ]*//)[^.:|]{{2,50}}\.?$|"
    rf"\| (?:[^|.:]{{2,50}}[/ ])?{_AGENCY}\.?$|(?<=[^\W\d])/{_AGENCY}\.?$|^© ?[^.©]{{2,50}}\.?$|"
    r"[(（][^()（）]{0,14}(?:摄|攝|图片|圖片)[)）]$|^[^()]{0,20}[/／] ?[^()]{2,12}摄$"
)
_NAME = r"[^\W\d_a-z][^\W\d_]*\.?(?:[-'’ ](?:(?:de|van|von|der|la|bin|al) )*[^\W\d_a-z][^\W\d_]*\.?){1,4}"
_ANY_NAME = compile_later(_NAME)
_BYLINE = compile_later(
    r"\W{0,2}(?:[Bb]y|BY|[Vv]on|[Pp]ar|[Pp]or|[Dd]oor|(?:[Ww]ritten|[Ww]ords|[Ss]tory|[Tt]ext) by|[Tt]exte?:)"
    rf" (?:{_NAME})(?:(?:, | and | & | und | et | y ){_NAME}){{0,3}}\W{{0,2}}"
)
_BIOGRAPHY = compile_later(
    rf"(?:About the [Aa]uthor|Biography|Dr|Prof)?\W{{0,3}}\s?{_NAME}(?:, [^.]{{2,60}},)?\s"
    r"(?:is|was|are|has|writes|works|worked|covers|holds|teaches|lives|est|ist|es|è|er|är)\s"
)
_ABOUT = ("About ", "ABOUT ", "Über ", "À propos d", "Acerca de ", "Sobre ")
_SUBJECT = compile_later(r"(?:the |die |das |de la |la |le )?[^\W\d_a-z][^.!?:]{2,60}")
_DATELINE = compile_later(
    r"[^\W\d_](?:[^\W\d_]|[ .,'’()/-]){2,38}?(?: ?[–—-]{1,2}| \((?:dpa|AP|AFP|Reuters|[a-z]{3,5})\))\W{0,3}"
)


def find_promos(draft: Draft) -> dict[int, Role]:
    """Find lines that lead elsewhere ("Read also: ..."), by their first words and the mark after them."""
    texts, roles = draft.blocks.text, draft.labels.roles
    return {
        block: Role.BOILERPLATE
        for block in draft.content
        if len(text := texts[block]) <= _MAX_PROMO_CHARS
        and _has_mark(text)
        and roles[block] is not Role.TABLE
        and _PROMO.match(text)
    }


def _has_mark(text: str) -> bool:
    start = text[:_MAX_MARK_PLACE]
    return ":" in start or "|" in start or "»" in start or "：" in start


def find_notices(draft: Draft) -> dict[int, Role]:
    """Find notices of the site: newsletters, commissions, contacts, editors."""
    texts, content = draft.blocks.text, draft.content
    roles, scores = draft.labels.roles, draft.labels.scores
    max_score = _MAX_NOTICE_SCORE if draft.labels.threshold is not None else 1.0
    short = [
        block
        for block in content
        if scores[block] <= max_score and len(texts[block]) <= _MAX_NOTICE_CHARS and roles[block] in _LINE_ROLES
    ]
    joined = "\n".join([texts[block] for block in short])
    if not any(word in joined for word in _NOTICE_WORDS):  # most pages
        return {}
    return {block: Role.BOILERPLATE for block in short if _NOTICE.search(texts[block])}


def find_credited_captions(draft: Draft) -> dict[int, Role]:
    """Find captions that are paragraphs, by the credit at their end."""
    texts, roles = draft.blocks.text, draft.labels.roles
    return {
        block: Role.CAPTION
        for block in draft.content
        if len(text := texts[block]) <= _MAX_CAPTION_CHARS
        and text[-1] not in _SENTENCE_ENDS
        and roles[block] in _LINE_ROLES
        and _CREDIT.search(text, max(len(text) - _MAX_CREDIT_CHARS, 0))
    }


def find_bylines(draft: Draft) -> dict[int, Role]:
    """Find by-lines above the text and signatures below it, which begin with "by", and biographies of the authors."""
    texts, content = draft.blocks.text, draft.content
    if len(content) <= _FIRST_BLOCKS:
        return {}
    changes = {
        block: Role.BYLINE
        for block in (*content[:_FIRST_BLOCKS], content[-1])
        if len(texts[block]) <= _MAX_BYLINE_CHARS and _BYLINE.fullmatch(texts[block])
    }
    for block in content[-_LAST_BLOCKS:]:
        match = _BIOGRAPHY.match(texts[block]) if draft.labels.roles[block] is Role.BODY else None
        # The names of the authors take longer to find than all other notices.
        if match and _ANY_NAME.search(match[0]) and any(name in match[0] for name in _list_authors(draft)):
            changes[block] = Role.BOILERPLATE
    return changes


def _list_authors(draft: Draft) -> tuple[str, ...]:
    authors = draft.fields.authors
    return tuple(name for name in authors.value if " " in name) if authors else ()


def find_portraits(draft: Draft) -> dict[int, Role]:
    """Find what a press release says at its end about the company: from the heading "About the company" on."""
    texts, content = draft.blocks.text, draft.content
    if draft.labels.is_article is False:
        return {}
    for place in range(max(len(content) - _MAX_ABOUT_BLOCKS, len(content) // 2, _FIRST_BLOCKS), len(content)):
        text = texts[content[place]]
        if text.startswith(_ABOUT) and len(text) < _MAX_ABOUT_CHARS:
            start = next(len(word) for word in _ABOUT if text.startswith(word))
            below = texts[content[place + 1]] if place + 1 < len(content) else ""
            if _SUBJECT.fullmatch(text, start) and _names_subject(below, text[start:]):
                return dict.fromkeys(content[place:], Role.BOILERPLATE)
    return {}


def _names_subject(paragraph: str, subject: str) -> bool:
    """Tell whether the paragraph below the heading begins with the company that the heading names."""
    name = next((word for word in subject.split() if word[:1].isupper()), "")
    return bool(name) and name in paragraph[:_MAX_ABOUT_CHARS]


def find_datelines(draft: Draft) -> dict[int, Role]:
    """Find the place before the first paragraph: "WASHINGTON —"."""
    block = draft.content[0] - 1 if draft.content else -1
    if block < 0 or draft.labels.roles[block] is Role.TITLE or draft.blocks.has(block, tags.HIDDEN):
        return {}
    text = draft.blocks.text[block]
    is_dateline = len(text) <= _MAX_DATELINE_CHARS and _DATELINE.fullmatch(text)
    return {block: Role.BODY} if is_dateline else {}


def find_standfirst(draft: Draft) -> dict[int, Role]:
    """Find the standfirst that the page declares as its description, unless the text has it."""
    content, texts, roles = draft.content, draft.blocks.text, draft.labels.roles
    first = content[0] if content else 0
    candidates = [
        block
        for block in range(max(first - _MAX_BLOCKS_ABOVE, 0), first)
        if len(texts[block]) >= _MIN_STANDFIRST_CHARS - 2
        and roles[block] is not Role.TITLE
        and not draft.blocks.has(block, tags.HIDDEN)
    ]
    description = draft.fields.description if candidates else None
    if description is None or len(description.value) < _MIN_STANDFIRST_CHARS:
        return {}
    chars = len(description.value)
    for block in candidates:
        if abs(len(texts[block]) - chars) <= 2:
            words = fold_words(texts[block])
            if words == fold_words(description.value) and not any(
                fold_words(texts[other]).startswith(words[:60]) for other in content[:6]
            ):
                return {block: Role.BODY}
    return {}


def find_footnotes(draft: Draft) -> dict[int, Role]:
    """Find the footnotes that superscript links of the text lead to."""
    nodes = draft.nodes
    if not nodes.rows["sup"] or draft.labels.is_article is False:
        return {}
    targets = set(islice(_list_targets(draft), _MAX_NOTES))
    if not targets:
        return {}
    rows = nodes.attrs.rows_with("id")
    names = nodes.attrs.get_all(rows, "id")
    notes = [_find_note(draft, row) for row, name in zip(rows, names, strict=True) if name in targets]
    return {
        block: role_of_content(draft.blocks, block)
        for note in notes
        for block in note
        if draft.labels.roles[block] is not Role.TITLE and not draft.blocks.has(block, tags.HIDDEN)
    }


def _list_targets(draft: Draft) -> Iterator[str]:
    """Yield the ids that superscript links of the text lead to."""
    nodes, blocks, roles = draft.nodes, draft.blocks, draft.labels.roles
    for row in nodes.rows["sup"]:
        block = bisect_right(blocks.first, row) - 1
        if block < 0 or row > blocks.last[block] or roles[block] not in CONTENT_ROLES:
            continue
        for link in (nodes.parent[row], *range(row + 1, min(nodes.end[row], row + 4))):
            if nodes.tag[link] == "a" and (address := nodes.attr(link, "href")).startswith("#"):
                yield address[1:]


def _find_note(draft: Draft, row: int) -> range:
    """Return the blocks of a note in the second half of the page's text. Its element may be an empty anchor."""
    nodes, first = draft.nodes, draft.blocks.first
    if nodes.tag[row] == "a" or nodes.end[row] - row < 2:
        row = next((above for above in nodes.ancestors(row) if nodes.tag[above] in tags.CONTAINERS), row)
    start, stop = bisect_left(first, row), bisect_left(first, nodes.end[row])
    return range(start, stop) if stop - start <= _MAX_NOTE_BLOCKS and start > draft.content[-1] // 2 else range(0)
