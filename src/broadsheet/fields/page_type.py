"""The type of the page: article, live_blog, question, recipe, video, forum, product, listing, documentation, ...

A type that the page declares counts first, then one that the method has learned. Otherwise the verdict of the method
tells articles from other pages.
"""

from __future__ import annotations

from broadsheet.fields.evidence import Evidence
from broadsheet.fields.value import FieldValue
from broadsheet.page.metadata import is_article_type

ARTICLE, OTHER = "article", "other"
_MAIN_PROPERTIES = ("", "mainEntity", "mainEntityOfPage", "@graph")
_DECLARED_CONFIDENCE = 0.9  # set by hand
_METHOD_CONFIDENCE = 0.9  # set by hand
_LEARNED_CONFIDENCE = 0.75  # precision of a learned type on wcxb
# schema.org types in lower case, the most specific first: a recipe is often declared beside an article.
_TYPES = {
    "liveblogposting": "live_blog",
    "qapage": "question",
    "question": "question",
    "recipe": "recipe",
    "discussionforumposting": "forum",
    "product": "product",
    "productgroup": "product",
    "apireference": "documentation",
    "techarticle": "documentation",
    "service": "service",
    "searchresultspage": "listing",
    "itemlist": "listing",
    "collectionpage": "collection",
}
_OPENGRAPH_TYPES = {"product": "product", "product.item": "product", "og:product": "product", "article": ARTICLE}
_LISTS = ("listing", "collection")  # many articles have a list of other articles


def find_page_type(evidence: Evidence) -> FieldValue[str] | None:
    """Find the type that the page declares, otherwise that of the method, or whether it takes it for an article."""
    is_article = evidence.labels.is_article
    declared = _find_declared(evidence, is_article=is_article is not False)
    if declared:
        return declared
    if evidence.labels.page_type:
        return FieldValue(evidence.labels.page_type, "method", _LEARNED_CONFIDENCE)
    if is_article is None:
        return None
    return FieldValue(ARTICLE if is_article else OTHER, "method", _METHOD_CONFIDENCE)


def _find_declared(evidence: Evidence, *, is_article: bool) -> FieldValue[str] | None:
    metadata = evidence.metadata
    items = (item for item in metadata.json_ld.items if item.parent_property in _MAIN_PROPERTIES)
    json_ld_types = {name for item in items for name in item.types}
    microdata_types = {item.type for item in metadata.microdata if item.type}
    for source, names in (("json-ld", json_ld_types), ("microdata", microdata_types)):
        folded = {name.lower() for name in names}
        if "faqpage" in folded:  # questions of a list, often below an article
            folded -= {"question"}
        types = [page_type for name, page_type in _TYPES.items() if name in folded]
        types = [page_type for page_type in types if not (is_article and page_type in _LISTS)]
        if not types and is_article and any(map(is_article_type, names)):
            types = [ARTICLE]
        if types:
            return FieldValue(types[0], source, _DECLARED_CONFIDENCE)
    for name in metadata.meta_texts("og:type"):
        name = name.strip().lower()
        if name.startswith("video"):
            return FieldValue("video", "opengraph", _DECLARED_CONFIDENCE)
        if (page_type := _OPENGRAPH_TYPES.get(name)) and (is_article or page_type != ARTICLE):
            return FieldValue(page_type, "opengraph", _DECLARED_CONFIDENCE)
    return None
