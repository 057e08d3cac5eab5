"""An output format of your own: articles as BibTeX entries."""

import re

import broadsheet


def write_bibtex(article: broadsheet.Article) -> str:
    """Write an article as an entry; fields without a value are left out."""
    fields = {
        "title": article.title,
        "author": " and ".join(article.authors),
        "date": article.date.date().isoformat() if article.date else None,
        "journal": article.site_name,
        "url": article.url,
    }
    lines = [
        f"  {name} = {{{escape(value)}}}," for name, value in fields.items() if value
    ]
    return "\n".join([f"@article{{{make_key(article)},", *lines, "}"])


def make_key(article: broadsheet.Article) -> str:
    """Make a key of the first author, the year and the first word of the title."""
    parts = [
        article.authors[0].split()[-1] if article.authors else "",
        article.title or "",
    ]
    name, word = ((re.findall(r"\w+", part.lower()) or [""])[0] for part in parts)
    return f"{name}{article.date.year if article.date else ''}{word}"


def escape(text: str) -> str:
    """Escape the characters that are special in TeX."""
    return re.sub(r"([&%$#_{}])", r"\\\1", text.replace("\\", ""))
