import json
from collections.abc import Callable

import pytest

from broadsheet.fields import Fields, Image

TEXT = "<p>The first paragraph of the story begins here.</p>"
URL = "https://example.org/news/a"


@pytest.mark.parametrize(
    ("html", "images"),
    [
        ("<meta property=og:image content=/a.jpg>" + TEXT, (Image("https://example.org/a.jpg"),)),
        (
            "<meta property=og:image content=//cdn.example/a.jpg><meta property=og:image:alt content='A bridge'>"
            + TEXT,
            (Image("https://cdn.example/a.jpg", None, "A bridge"),),
        ),
        (TEXT + "<img src=a.jpg alt='A bridge'>" + TEXT, (Image("https://example.org/news/a.jpg", None, "A bridge"),)),
        ("<base href=/b/>" + TEXT + "<img src=a.jpg>" + TEXT, (Image("https://example.org/b/a.jpg"),)),
        (
            TEXT
            + "<figure><a><img src=data:x data-src=/a.jpg></a><figcaption>The  bridge</figcaption></figure>"
            + TEXT,
            (Image("https://example.org/a.jpg", "The bridge"),),
        ),
        (
            TEXT + "<figure><img src=/a.jpg><figcaption>The bridge. Photo: Jane Doe/EXA</figcaption></figure>" + TEXT,
            (Image("https://example.org/a.jpg", "The bridge.", None, "Jane Doe/EXA"),),
        ),
        (
            TEXT
            + "<figure><img src=/a.jpg><figcaption>The bridge <span class=img-credit>© EXA</span></figcaption></figure>"
            + TEXT,
            (Image("https://example.org/a.jpg", "The bridge", None, "EXA"),),
        ),
        (
            TEXT + "<figure><img src=/a.jpg><figcaption>Jane Doe (left) Photo: EXA</figcaption></figure>" + TEXT,
            (Image("https://example.org/a.jpg", "Jane Doe (left)", None, "EXA"),),
        ),
        (
            TEXT + "<figure><img src=/a.jpg><figcaption>The bridge (Photo: EXA)</figcaption></figure>" + TEXT,
            (Image("https://example.org/a.jpg", "The bridge", None, "EXA"),),
        ),
        (
            TEXT
            + "<figure><img src=/a.jpg><figcaption>A bridge. <i class=credit></i>Photo: EXA</figcaption></figure>"
            + TEXT,
            (Image("https://example.org/a.jpg", "A bridge.", None, "EXA"),),
        ),
        (TEXT + "<img srcset='/s.jpg 300w, /l.jpg 900w'>" + TEXT, (Image("https://example.org/l.jpg"),)),
        (TEXT + "<img srcset='/l.jpg 900w, /s.jpg 300w'>" + TEXT, (Image("https://example.org/l.jpg"),)),
        (TEXT + "<img srcset='/s.jpg, /l.jpg 1.5x,/m.jpg 1x'>" + TEXT, (Image("https://example.org/l.jpg"),)),
        (TEXT + "<img srcset='/a.jpg, /b.jpg'>" + TEXT, (Image("https://example.org/a.jpg"),)),
        (TEXT + "<img srcset=' , ,'>" + TEXT, None),
        (
            TEXT
            + "<img srcset='https://c.example/w_800,c_fill/a.jpg 800w, https://c.example/w_400,c_fill/a.jpg 400w'>"
            + TEXT,
            (Image("https://c.example/w_800,c_fill/a.jpg"),),
        ),
        (TEXT + """<img data-srcset='{"300":"https://c.example/a.jpg"}'>""" + TEXT, None),
        # an image in two places is listed once
        (
            "<meta property=og:image content=/a.jpg?w=9>" + TEXT + "<img src=/a.jpg?w=1 alt=A>" + TEXT,
            (Image("https://example.org/a.jpg?w=9", None, "A"),),
        ),
        # not images of the article
        (TEXT + "<img src=/a.jpg width=1 height=1>" + TEXT, None),
        (TEXT + "<img src=/img/spacer.gif>" + TEXT, None),
        (TEXT + "<img src=data:image/png;base64,xx><img><img src>" + TEXT, None),
        (TEXT + "<img src=javascript:x>" + TEXT, None),
        ("<img src=/top.jpg>" + TEXT + TEXT + "<img src=/bottom.jpg>", None),
    ],
)
def test_images(read: Callable[..., Fields], html: str, images: tuple[Image, ...] | None) -> None:
    field_value = read(html, URL).images
    assert (field_value and field_value.value) == images


def test_images_in_json_ld(read: Callable[..., Fields]) -> None:
    image: list[object] = [
        {"@type": "ImageObject", "url": "/a.jpg", "caption": "A"},
        "https://example.org/b.jpg",
        None,
        3,
        {"url": {}},
    ]
    article = json.dumps({"@type": "Article", "image": image})
    images = read(f'<script type="application/ld+json">{article}</script>{TEXT}', URL).images
    assert images is not None
    assert images.value == (Image("https://example.org/a.jpg", "A"), Image("https://example.org/b.jpg"))
    assert images.source == "json-ld"


def test_number_of_images_is_bounded(read: Callable[..., Fields]) -> None:
    images = read(TEXT + "".join(f"<img src=/{n}.jpg>" for n in range(500)) + TEXT, URL).images
    assert images is not None
    assert len(images.value) == 30
