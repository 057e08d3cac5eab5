"""Emoji and formulas that a page shows with elements."""

from __future__ import annotations

import time

import pytest

from broadsheet.page import read_page

KATEX = (
    "<span class=katex><span class=katex-mathml><math><mi>x</mi></math></span>"
    "<span class=katex-html aria-hidden=true><span>y</span></span></span>"
)
DIFFERENCE = (
    "<mo>(</mo><mi>a</mi><mo>+</mo><mi>b</mi><mo>)</mo><mo>-</mo><mo>(</mo><mi>c</mi><mo>+</mo><mi>d</mi><mo>)</mo>"
)


def read_runs(html: str) -> list[str]:
    nodes = read_page(html).nodes
    return ["".join(nodes.text[row] for row in rows) for _, rows, _, _ in nodes.runs]


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<p>We won <img class=emoji alt=🎉 src=/e.png> again<img alt='❤️'></p>", ["We won 🎉 again❤️"]),
        ("<p>Two <a href=/><img alt=' 👩‍💻 '></a></p>", ["Two 👩‍💻"]),
        ("<p>Flag <img alt=🇫🇷><img alt=1️⃣></p>", ["Flag 🇫🇷1️⃣"]),
        ("<p>One <img alt='😀 smiles'> <img alt=©> <img alt=é> <img alt> <img></p>", ["One     "]),
        ("<p>One</p><p><img alt=😀></p><div><p>Two</p><img alt=😀></div>", ["One", "Two"]),
    ],
)
def test_emoji_in_text(html: str, texts: list[str]) -> None:
    assert read_runs(html) == texts


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("<mi>E</mi>\n<mo>=</mo>\n<mi>m</mi><msup> <mi>c</mi> <mn>2</mn> </msup>", "E = mc^2"),
        ("<mrow><mo>-</mo><mi>x</mi><mo>+</mo><mn>1</mn></mrow>", "-x + 1"),
        ("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac>", "(a + b)/2"),
        ("<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt><mroot><mi>x</mi><mn>3</mn></mroot>", "√(x + 1) x^(1/3)"),
        ("<msub><mi>a</mi><mi>i</mi></msub><msubsup><mi>b</mi><mi>i</mi><mn>2</mn></msubsup>", "a_i b_i^2"),
        ("<msup><mi>f</mi><mo>′</mo></msup><mo>&#x2061;</mo><mo>(</mo><mi>x</mi><mo>,</mo><mi>y</mi><mo>)</mo>", "f′(x, y)"),
        (
            "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>",
            "∑_(i = 1)^n i",
        ),
        ("<mover><mi>x</mi><mo>¯</mo></mover><mi>sin</mi><mi>x</mi>", "x¯ sin x"),
        ("<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd></mtr></mtable>", "1, 2; 3"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced><mtext>if</mtext><mi>y</mi>", "(a, b) if y"),
        ("<semantics><mi>x</mi><annotation encoding=application/x-tex>\\chi</annotation></semantics>", "$\\chi$"),
        (f"<mfrac><mrow>{DIFFERENCE}</mrow><mn>2</mn></mfrac>", "((a + b) - (c + d))/2"),
        (f"<msqrt>{DIFFERENCE}</msqrt>", "√((a + b) - (c + d))"),
        ("<msup><mrow></mrow><mn>14</mn></msup><mi>C</mi>", "^14 C"),
        ("<mn>5</mn><mfrac><mn>1</mn><mn>2</mn></mfrac>", "5 1/2"),
        ("<mstyle><mfrac><mn>1</mn><mn>2</mn></mfrac></mstyle><mi>x</mi>", "1/2 x"),
        ("<mn>3.5</mn><mi>x</mi><mrow><mi>y</mi></mrow><mi>z</mi>", "3.5xyz"),
        ("<mtext>if <script>run()</script><style>i {}</style><i>a</i></mtext>", "if a"),
        ("<msup><mi>x</mi></msup>", "x"),
        ("x", "x"),
        ("", ""),
    ],
)  # fmt: skip
def test_formula_in_text(formula: str, text: str) -> None:
    assert read_runs(f"<p>Let <math>{formula}</math>, say.</p>") == [f"Let {text}, say."]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<script type=math/tex>\\frac{a}{b}</script>", "$\\frac{a}{b}$"),
        ("<span class=MathJax>a/b</span><script type='math/tex; mode=display'>a</script>", "$$a$$"),
        ("<img class=latex src=f.png alt='x^2'>", "$x^2$"),
        ("<script type=math/tex></script><script>run()</script><img class=latex>", ""),
        ("<q>no other way</q>", "“no other way”"),
        ("<q><i>no</i> <q>way</q></q>", "“no “way””"),
        ("<q>„kein Weg“</q>", "„kein Weg“"),
        ("<q></q>", ""),
    ],
)
def test_tex_of_scripts_and_images_and_quotation_marks(html: str, text: str) -> None:
    assert read_runs(f"<p>Let {html}, say.</p>") == [f"Let {text}, say."]


def test_formula_that_is_shown_as_html_is_not_doubled() -> None:
    assert read_runs(f"<p>Let {KATEX} be.</p>") == ["Let y be."]


def test_formula_that_is_hidden_is_not_text() -> None:
    assert read_runs("<p>Let <span style='display:none'><math><mi>x</mi></math></span> be.</p>") == ["Let  be."]


@pytest.mark.parametrize(
    "html",
    [
        "<p>a<math>" + "<mrow>" * 50_000 + "<mi>x",
        "<p>a" + "<math><mi>x</mi></math>" * 10_000,
        "<p>a" + "<img alt=😀>" * 10_000,
        f"<p>a<i aria-hidden=true>{'<b> </b>' * 10_000}</i><span>{'<math><mi>x</mi></math>' * 10_000}</span>",
    ],
    ids=["deep", "formulas", "emoji", "beside hidden text"],
)
def test_many_symbols_take_little_time(html: str) -> None:
    began = time.process_time()
    assert read_runs(html)[0][0] == "a"
    assert time.process_time() - began < 3


def test_emoji_in_deep_elements_take_little_time() -> None:
    def time_page(depth: int) -> float:
        began = time.process_time()
        assert "😀" in read_runs("<p>a" + "<i>" * depth + "<img alt=😀>" * 20_000)[0]
        return time.process_time() - began

    assert time_page(480) < 2 * time_page(1) + 0.1  # four times, if the ancestors of each image are searched


TEX = "<annotation encoding='application/x-tex'>\\frac{a_1}{b^2}</annotation>"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (f"<math><semantics><mi>x</mi>{TEX}</semantics></math>", "$\\frac{a_1}{b^2}$"),
        (f"<math display=block><semantics><mi>x</mi>{TEX}</semantics></math>", "$$\\frac{a_1}{b^2}$$"),
        (KATEX.replace("<mi>x</mi>", f"<semantics><mi>x</mi>{TEX}</semantics>"), "$\\frac{a_1}{b^2}$"),
    ],
)
def test_formula_that_states_its_tex(html: str, text: str) -> None:
    assert read_runs(f"<p>Let {html} be.</p>") == [f"Let {text} be."]


def test_readings_of_characters_are_not_inside_words() -> None:
    assert read_runs("<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>字です</p>") == ["漢字です"]
