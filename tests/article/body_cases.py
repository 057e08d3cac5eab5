"""Bodies: a page, and what it becomes in each format.

`python tests/article/test_bodies.py` writes the expected texts again; read the difference before you commit it.
"""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    """A row."""

    name: str
    page: str
    text: str
    markdown: str
    html: str
    tei: str


CASES = (
    Case(
        "image",
        "<p>The first paragraph of the story.</p><p><img src=a.jpg alt='A bridge'></p><p>The second paragraph of the story.</p>",
        (
            'The first paragraph of the story.\n'
            'The second paragraph of the story.'
        ),
        (
            'The first paragraph of the story.\n'
            '\n'
            '![A bridge](https://example.org/news/a.jpg)\n'
            '\n'
            'The second paragraph of the story.'
        ),
        (
            '<p>The first paragraph of the story.</p>\n'
            '<figure>\n'
            '<img src="https://example.org/news/a.jpg" alt="A bridge">\n'
            '</figure>\n'
            '<p>The second paragraph of the story.</p>'
        ),
        (
            '<p>The first paragraph of the story.</p>\n'
            '<figure><graphic url="https://example.org/news/a.jpg"/><figDesc>A bridge</figDesc></figure>\n'
            '<p>The second paragraph of the story.</p>'
        ),
    ),
    Case(
        "image with caption and credit",
        "<p>One.</p><figure><img src=/a.jpg alt='Hills'><figcaption>The valley. Photo: Ann Li</figcaption></figure><p>Two.</p>",
        (
            'One.\n'
            'Two.'
        ),
        (
            'One.\n'
            '\n'
            '![The valley.](https://example.org/a.jpg "Ann Li")\n'
            '\n'
            'Two.'
        ),
        (
            '<p>One.</p>\n'
            '<figure>\n'
            '<img src="https://example.org/a.jpg" alt="Hills">\n'
            '<figcaption>The valley. <small>Ann Li</small></figcaption>\n'
            '</figure>\n'
            '<p>Two.</p>'
        ),
        (
            '<p>One.</p>\n'
            '<figure><graphic url="https://example.org/a.jpg"/><head>The valley.</head><figDesc>Hills</figDesc><note type="credit">Ann Li</note></figure>\n'
            '<p>Two.</p>'
        ),
    ),
    Case(
        "credit in an element",
        "<p>One.</p><figure><img src=/a.jpg><figcaption>The valley <span class=credit>© Ann Li</span></figcaption></figure><p>Two.</p>",
        (
            'One.\n'
            'Two.'
        ),
        (
            'One.\n'
            '\n'
            '![The valley](https://example.org/a.jpg "Ann Li")\n'
            '\n'
            'Two.'
        ),
        (
            '<p>One.</p>\n'
            '<figure>\n'
            '<img src="https://example.org/a.jpg" alt="">\n'
            '<figcaption>The valley <small>Ann Li</small></figcaption>\n'
            '</figure>\n'
            '<p>Two.</p>'
        ),
        (
            '<p>One.</p>\n'
            '<figure><graphic url="https://example.org/a.jpg"/><head>The valley</head><note type="credit">Ann Li</note></figure>\n'
            '<p>Two.</p>'
        ),
    ),
    Case(
        "lazy image and its fallback",
        "<p>One.</p><img src='data:image/gif;base64,R0' data-src=/a.jpg><noscript><img src=/a.jpg?w=9></noscript><p>Two.</p>",
        (
            'One.\n'
            'Two.'
        ),
        (
            'One.\n'
            '\n'
            '![](https://example.org/a.jpg)\n'
            '\n'
            'Two.'
        ),
        (
            '<p>One.</p>\n'
            '<figure>\n'
            '<img src="https://example.org/a.jpg" alt="">\n'
            '</figure>\n'
            '<p>Two.</p>'
        ),
        (
            '<p>One.</p>\n'
            '<figure><graphic url="https://example.org/a.jpg"/></figure>\n'
            '<p>Two.</p>'
        ),
    ),
    Case(
        "fallback only",
        "<p>One.</p><img src='data:image/gif;base64,R0'><noscript><img src=/a.jpg></noscript><p>Two.</p>",
        (
            'One.\n'
            'Two.'
        ),
        (
            'One.\n'
            '\n'
            '![](https://example.org/a.jpg)\n'
            '\n'
            'Two.'
        ),
        (
            '<p>One.</p>\n'
            '<figure>\n'
            '<img src="https://example.org/a.jpg" alt="">\n'
            '</figure>\n'
            '<p>Two.</p>'
        ),
        (
            '<p>One.</p>\n'
            '<figure><graphic url="https://example.org/a.jpg"/></figure>\n'
            '<p>Two.</p>'
        ),
    ),
    Case(
        "picture with sources",
        "<p>One.</p><picture><source srcset='/s.webp 300w, /l.webp 900w'><img src='data:image/gif;base64,R0' alt=Hills></picture><p>Two.</p>",
        (
            'One.\n'
            'Two.'
        ),
        (
            'One.\n'
            '\n'
            '![Hills](https://example.org/l.webp)\n'
            '\n'
            'Two.'
        ),
        (
            '<p>One.</p>\n'
            '<figure>\n'
            '<img src="https://example.org/l.webp" alt="Hills">\n'
            '</figure>\n'
            '<p>Two.</p>'
        ),
        (
            '<p>One.</p>\n'
            '<figure><graphic url="https://example.org/l.webp"/><figDesc>Hills</figDesc></figure>\n'
            '<p>Two.</p>'
        ),
    ),
    Case(
        "icons, portraits, teasers and advertisements are left out",
        "<p>One.</p><img src=/i.png width=16><img src=/spacer.gif><div class=author><img src=/p.jpg></div><div class='off'><a href=/b><img src=/t.jpg></a><p><a href=/b>Another story of today</a></p></div><div class=ad><img src=/ad.jpg></div><p>Two.</p>",
        (
            'One.\n'
            'Two.'
        ),
        (
            'One.\n'
            '\n'
            'Two.'
        ),
        (
            '<p>One.</p>\n'
            '<p>Two.</p>'
        ),
        (
            '<p>One.</p>\n'
            '<p>Two.</p>'
        ),
    ),
    Case(
        "lead image between headline and text",
        "<figure class=off><img src=/a.jpg><figcaption>The valley</figcaption></figure><p>One.</p>",
        "One.",
        (
            '![The valley](https://example.org/a.jpg)\n'
            '\n'
            'One.'
        ),
        (
            '<figure>\n'
            '<img src="https://example.org/a.jpg" alt="">\n'
            '<figcaption>The valley</figcaption>\n'
            '</figure>\n'
            '<p>One.</p>'
        ),
        (
            '<figure><graphic url="https://example.org/a.jpg"/><head>The valley</head></figure>\n'
            '<p>One.</p>'
        ),
    ),
    Case(
        "image in a list item",
        "<ul><li>One<br><img src=/a.jpg></li><li>Two</li></ul>",
        (
            '- One\n'
            '- Two'
        ),
        (
            '- One\n'
            '\n'
            '  ![](https://example.org/a.jpg)\n'
            '\n'
            '- Two'
        ),
        (
            '<ul>\n'
            '<li><p>One</p>\n'
            '<figure>\n'
            '<img src="https://example.org/a.jpg" alt="">\n'
            '</figure></li>\n'
            '<li>Two</li>\n'
            '</ul>'
        ),
        '<list rend="bulleted"><item><p>One</p><figure><graphic url="https://example.org/a.jpg"/></figure></item><item>Two</item></list>',
    ),
    Case(
        "several images with one caption",
        "<p>One.</p><figure><img src=/a.jpg><img src=/b.jpg><figcaption>The valley</figcaption></figure><p>Two.</p>",
        (
            'One.\n'
            'Two.'
        ),
        (
            'One.\n'
            '\n'
            '![](https://example.org/a.jpg)\n'
            '\n'
            '![The valley](https://example.org/b.jpg)\n'
            '\n'
            'Two.'
        ),
        (
            '<p>One.</p>\n'
            '<figure>\n'
            '<img src="https://example.org/a.jpg" alt="">\n'
            '</figure>\n'
            '<figure>\n'
            '<img src="https://example.org/b.jpg" alt="">\n'
            '<figcaption>The valley</figcaption>\n'
            '</figure>\n'
            '<p>Two.</p>'
        ),
        (
            '<p>One.</p>\n'
            '<figure><graphic url="https://example.org/a.jpg"/></figure>\n'
            '<figure><graphic url="https://example.org/b.jpg"/><head>The valley</head></figure>\n'
            '<p>Two.</p>'
        ),
    ),
    Case(
        "text that looks like markup in a caption",
        '<p>One.</p><figure><img src=\'/a_(1).jpg\'><figcaption>A [b] *c* &lt;d&gt; "e"</figcaption></figure><p>Two.</p>',
        (
            'One.\n'
            'Two.'
        ),
        (
            'One.\n'
            '\n'
            '![A \\[b\\] \\*c\\* \\<d> "e"](https://example.org/a_\\(1\\).jpg)\n'
            '\n'
            'Two.'
        ),
        (
            '<p>One.</p>\n'
            '<figure>\n'
            '<img src="https://example.org/a_(1).jpg" alt="">\n'
            '<figcaption>A [b] *c* &lt;d&gt; &quot;e&quot;</figcaption>\n'
            '</figure>\n'
            '<p>Two.</p>'
        ),
        (
            '<p>One.</p>\n'
            '<figure><graphic url="https://example.org/a_(1).jpg"/><head>A [b] *c* &lt;d&gt; "e"</head></figure>\n'
            '<p>Two.</p>'
        ),
    ),
    Case(
        "frame with a video",
        "<p>One.</p><iframe src='https://www.youtube.com/embed/abcdefghijk?rel=0' title='How it was built'></iframe><p>Two.</p>",
        (
            'One.\n'
            'Two.'
        ),
        (
            'One.\n'
            '\n'
            '[▶](https://www.youtube.com/watch?v=abcdefghijk "How it was built")\n'
            '\n'
            'Two.'
        ),
        (
            '<p>One.</p>\n'
            '<figure>\n'
            '<a href="https://www.youtube.com/watch?v=abcdefghijk">How it was built</a>\n'
            '</figure>\n'
            '<p>Two.</p>'
        ),
        (
            '<p>One.</p>\n'
            '<figure type="video"><p><ref target="https://www.youtube.com/watch?v=abcdefghijk">How it was built</ref></p></figure>\n'
            '<p>Two.</p>'
        ),
    ),
    Case(
        "frames that are not content",
        "<p>One.</p><iframe src='https://ads.example/x'></iframe><iframe src='https://www.facebook.com/plugins/like.php'></iframe><p>Two.</p>",
        (
            'One.\n'
            'Two.'
        ),
        (
            'One.\n'
            '\n'
            'Two.'
        ),
        (
            '<p>One.</p>\n'
            '<p>Two.</p>'
        ),
        (
            '<p>One.</p>\n'
            '<p>Two.</p>'
        ),
    ),
    Case(
        "video with a preview",
        "<p>One.</p><video poster=/p.jpg><source src=/v.mp4>No video?</video><p>Two.</p>",
        (
            'One.\n'
            'Two.'
        ),
        (
            'One.\n'
            '\n'
            '[![](https://example.org/p.jpg)](https://example.org/v.mp4)\n'
            '\n'
            'Two.'
        ),
        (
            '<p>One.</p>\n'
            '<figure>\n'
            '<a href="https://example.org/v.mp4"><img src="https://example.org/p.jpg" alt=""></a>\n'
            '</figure>\n'
            '<p>Two.</p>'
        ),
        (
            '<p>One.</p>\n'
            '<figure type="video"><graphic url="https://example.org/p.jpg"/><p><ref target="https://example.org/v.mp4">https://example.org/v.mp4</ref></p></figure>\n'
            '<p>Two.</p>'
        ),
    ),
    Case(
        "embedded post that is kept",
        "<p>One.</p><blockquote class=twitter-tweet><p>Rain at last</p>- Ann (@ann) <a href='https://twitter.com/ann/status/1'>May 1</a></blockquote><p>Two.</p>",
        (
            'One.\n'
            'Rain at last\n'
            '- Ann (@ann) May 1\n'
            'Two.'
        ),
        (
            'One.\n'
            '\n'
            '> Rain at last\n'
            '>\n'
            '> \\- Ann (@ann) [May 1](https://twitter.com/ann/status/1)\n'
            '\n'
            'Two.'
        ),
        (
            '<p>One.</p>\n'
            '<blockquote>\n'
            '<p>Rain at last</p>\n'
            '<p>- Ann (@ann) <a href="https://twitter.com/ann/status/1">May 1</a></p>\n'
            '</blockquote>\n'
            '<p>Two.</p>'
        ),
        (
            '<p>One.</p>\n'
            '<quote><p>Rain at last</p><p>- Ann (@ann) <ref target="https://twitter.com/ann/status/1">May 1</ref></p></quote>\n'
            '<p>Two.</p>'
        ),
    ),
    Case(
        "embedded post that is not kept",
        "<p>One.</p><div class=off><blockquote class=twitter-tweet><p>Rain at last</p><a href='https://twitter.com/ann/status/1'>May 1</a></blockquote></div><p>Two.</p>",
        (
            'One.\n'
            'Two.'
        ),
        (
            'One.\n'
            '\n'
            '[↗](https://twitter.com/ann/status/1 "Rain at last May 1")\n'
            '\n'
            'Two.'
        ),
        (
            '<p>One.</p>\n'
            '<figure>\n'
            '<a href="https://twitter.com/ann/status/1">Rain at last May 1</a>\n'
            '</figure>\n'
            '<p>Two.</p>'
        ),
        (
            '<p>One.</p>\n'
            '<figure type="post"><p><ref target="https://twitter.com/ann/status/1">Rain at last May 1</ref></p></figure>\n'
            '<p>Two.</p>'
        ),
    ),
    Case(
        "exponent",
        "<p>About 10<sup>6</sup> cells per m<sup>2</sup>, or 10<sup>-3</sup>.</p>",
        "About 10^6 cells per m^2, or 10^-3.",
        "About 10<sup>6</sup> cells per m<sup>2</sup>, or 10<sup>-3</sup>.",
        "<p>About 10<sup>6</sup> cells per m<sup>2</sup>, or 10<sup>-3</sup>.</p>",
        '<p>About 10<hi rend="sup">6</hi> cells per m<hi rend="sup">2</hi>, or 10<hi rend="sup">-3</hi>.</p>',
    ),
    Case(
        "ordinals are words",
        "<p>The 20<sup>th</sup> of May, le 1<sup>er</sup> mai.</p>",
        "The 20th of May, le 1er mai.",
        "The 20<sup>th</sup> of May, le 1<sup>er</sup> mai.",
        "<p>The 20<sup>th</sup> of May, le 1<sup>er</sup> mai.</p>",
        '<p>The 20<hi rend="sup">th</hi> of May, le 1<hi rend="sup">er</hi> mai.</p>',
    ),
    Case(
        "subscript",
        "<p>CO<sub>2</sub> and 2<sub>10</sub> and x<sub>i</sub>.</p>",
        "CO2 and 2_10 and xi.",
        "CO<sub>2</sub> and 2<sub>10</sub> and x<sub>i</sub>.",
        "<p>CO<sub>2</sub> and 2<sub>10</sub> and x<sub>i</sub>.</p>",
        '<p>CO<hi rend="sub">2</hi> and 2<hi rend="sub">10</hi> and x<hi rend="sub">i</hi>.</p>',
    ),
    Case(
        "footnote marks",
        "<p>As noted<sup>1</sup> and said.<sup>2</sup> Also here<sup><a href='#n3'>3</a></sup> and there<a href='#n4'><sup>b</sup></a>, twice<sup>[5]</sup>.</p>",
        "As noted[1] and said.[2] Also here[3] and there[b], twice[5].",
        'As noted<sup>1</sup> and said.<sup>2</sup> Also here<sup>3</sup> and there<sup>b</sup>, twice<sup>\\[5\\]</sup>.',
        "<p>As noted<sup>1</sup> and said.<sup>2</sup> Also here<sup>3</sup> and there<sup>b</sup>, twice<sup>[5]</sup>.</p>",
        '<p>As noted<hi rend="sup">1</hi> and said.<hi rend="sup">2</hi> Also here<hi rend="sup">3</hi> and there<hi rend="sup">b</hi>, twice<hi rend="sup">[5]</hi>.</p>',
    ),
    Case(
        "deleted text",
        "<p>It costs <del>20</del> <ins>15</ins> euros, <s>not</s>withstanding.</p>",
        "It costs ~~20~~ 15 euros, ~~not~~withstanding.",
        "It costs ~~20~~ 15 euros, <del>not</del>withstanding.",
        "<p>It costs <del>20</del> 15 euros, <del>not</del>withstanding.</p>",
        "<p>It costs <del>20</del> 15 euros, <del>not</del>withstanding.</p>",
    ),
    Case(
        "definitions",
        "<dl><dt>Sluice</dt><dd>A gate for water.</dd><dt>Weir</dt><dt>Dam</dt><dd>A wall.</dd><dd><p>Also a name.</p><p>Of a place.</p></dd></dl>",
        (
            'Sluice\n'
            '  A gate for water.\n'
            'Weir\n'
            'Dam\n'
            '  A wall.\n'
            '  Also a name.\n'
            '  Of a place.'
        ),
        (
            '- **Sluice**\n'
            '\n'
            '  A gate for water.\n'
            '\n'
            '- **Weir\\\n'
            '  Dam**\n'
            '\n'
            '  A wall.\n'
            '\n'
            '  Also a name.\n'
            '\n'
            '  Of a place.'
        ),
        (
            '<dl>\n'
            '<dt>Sluice</dt>\n'
            '<dd>A gate for water.</dd>\n'
            '<dt>Weir<br>Dam</dt>\n'
            '<dd>A wall.</dd>\n'
            '<dd><p>Also a name.</p>\n'
            '<p>Of a place.</p></dd>\n'
            '</dl>'
        ),
        '<list type="gloss"><label>Sluice</label><item>A gate for water.</item><label>Weir<lb/>Dam</label><item><p>A wall.</p><p>Also a name.</p><p>Of a place.</p></item></list>',
    ),
    Case(
        "ordered list",
        "<ol><li>Boil.</li><li>Stir.</li></ol>",
        (
            '1. Boil.\n'
            '2. Stir.'
        ),
        (
            '1. Boil.\n'
            '2. Stir.'
        ),
        (
            '<ol>\n'
            '<li>Boil.</li>\n'
            '<li>Stir.</li>\n'
            '</ol>'
        ),
        '<list rend="numbered"><item>Boil.</item><item>Stir.</item></list>',
    ),
    Case(
        "ordered list that begins with 4",
        "<ol start=4><li>Boil.</li><li>Stir.</li></ol>",
        (
            '4. Boil.\n'
            '5. Stir.'
        ),
        (
            '4. Boil.\n'
            '5. Stir.'
        ),
        (
            '<ol start="4">\n'
            '<li>Boil.</li>\n'
            '<li>Stir.</li>\n'
            '</ol>'
        ),
        '<list rend="numbered"><item n="4">Boil.</item><item n="5">Stir.</item></list>',
    ),
    Case(
        "ordered list with a value",
        "<ol><li value=7>Boil.</li><li>Stir.</li></ol>",
        (
            '7. Boil.\n'
            '8. Stir.'
        ),
        (
            '7. Boil.\n'
            '8. Stir.'
        ),
        (
            '<ol start="7">\n'
            '<li>Boil.</li>\n'
            '<li>Stir.</li>\n'
            '</ol>'
        ),
        '<list rend="numbered"><item n="7">Boil.</item><item n="8">Stir.</item></list>',
    ),
    Case(
        "ordered list whose text has numbers",
        "<ol><li>1. Boil.</li><li>2. Stir.</li></ol>",
        (
            '- 1. Boil.\n'
            '- 2. Stir.'
        ),
        (
            '1. 1\\. Boil.\n'
            '2. 2\\. Stir.'
        ),
        (
            '<ol>\n'
            '<li>1. Boil.</li>\n'
            '<li>2. Stir.</li>\n'
            '</ol>'
        ),
        '<list rend="numbered"><item>1. Boil.</item><item>2. Stir.</item></list>',
    ),
    Case(
        "nested lists",
        "<ol><li>Mix<ul><li>flour</li><li>salt<ol start=3><li>fine</li></ol></li></ul></li><li>Bake</li></ol>",
        (
            '1. Mix\n'
            '  - flour\n'
            '  - salt\n'
            '    3. fine\n'
            '2. Bake'
        ),
        (
            '1. Mix\n'
            '   - flour\n'
            '\n'
            '   - salt\n'
            '\n'
            '     3. fine\n'
            '2. Bake'
        ),
        (
            '<ol>\n'
            '<li>Mix\n'
            '<ul>\n'
            '<li>flour</li>\n'
            '<li>salt\n'
            '<ol start="3">\n'
            '<li>fine</li>\n'
            '</ol></li>\n'
            '</ul></li>\n'
            '<li>Bake</li>\n'
            '</ol>'
        ),
        '<list rend="numbered"><item><p>Mix</p><list rend="bulleted"><item>flour</item><item><p>salt</p><list rend="numbered"><item n="3">fine</item></list></item></list></item><item>Bake</item></list>',
    ),
    Case(
        "list directly in a list",
        "<ul><li>One</li><ul><li>Inner</li></ul><li>Two</li></ul>",
        (
            '- One\n'
            '  - Inner\n'
            '- Two'
        ),
        (
            '- One\n'
            '  - Inner\n'
            '- Two'
        ),
        (
            '<ul>\n'
            '<li>One\n'
            '<ul>\n'
            '<li>Inner</li>\n'
            '</ul></li>\n'
            '<li>Two</li>\n'
            '</ul>'
        ),
        '<list rend="bulleted"><item><p>One</p><list rend="bulleted"><item>Inner</item></list></item><item>Two</item></list>',
    ),
    Case(
        "code with a language",
        (
            "<pre><code class='language-python hljs'>if a &lt; b:\n"
            '    print(1)</code></pre>'
        ),
        (
            'if a < b:\n'
            '    print(1)'
        ),
        (
            '```python\n'
            'if a < b:\n'
            '    print(1)\n'
            '```'
        ),
        (
            '<pre><code class="language-python">if a &lt; b:\n'
            '    print(1)</code></pre>'
        ),
        (
            '<p><code lang="python" xml:space="preserve">if a &lt; b:\n'
            '    print(1)</code></p>'
        ),
    ),
    Case(
        "code with a language around it",
        "<div class='highlight highlight-source-js'><pre>let a = `b`;</pre></div>",
        "let a = `b`;",
        (
            '```js\n'
            'let a = `b`;\n'
            '```'
        ),
        '<pre><code class="language-js">let a = `b`;</code></pre>',
        '<p><code lang="js" xml:space="preserve">let a = `b`;</code></p>',
    ),
    Case(
        "code of lines",
        "<pre><div>one</div><div>  two</div></pre>",
        (
            'one\n'
            '  two'
        ),
        (
            '```\n'
            'one\n'
            '  two\n'
            '```'
        ),
        (
            '<pre><code>one\n'
            '  two</code></pre>'
        ),
        (
            '<p><code xml:space="preserve">one\n'
            '  two</code></p>'
        ),
    ),
    Case(
        "code in text",
        "<p>Call <code>f(x)</code> now.</p>",
        "Call f(x) now.",
        "Call `f(x)` now.",
        "<p>Call <code>f(x)</code> now.</p>",
        "<p>Call <code>f(x)</code> now.</p>",
    ),
    Case(
        "table with header and spans",
        "<table><caption>Votes by year</caption><thead><tr><td>Year</td><td colspan=2>Votes</td></tr></thead><tr><td rowspan=2>2023</td><td>Yes</td><td>11</td></tr><tr><td>No</td><td>4</td></tr></table>",
        (
            'Votes by year\n'
            'Year | Votes |\n'
            '2023 | Yes | 11\n'
            '| No | 4'
        ),
        (
            'Votes by year\n'
            '\n'
            '| Year | Votes |  |\n'
            '| --- | --- | --- |\n'
            '| 2023 | Yes | 11 |\n'
            '|  | No | 4 |'
        ),
        (
            '<table>\n'
            '<caption>Votes by year</caption>\n'
            '<tr><th>Year</th><th colspan="2">Votes</th></tr>\n'
            '<tr><td rowspan="2">2023</td><td>Yes</td><td>11</td></tr>\n'
            '<tr><td>No</td><td>4</td></tr>\n'
            '</table>'
        ),
        '<table><head>Votes by year</head><row><cell role="label">Year</cell><cell role="label" cols="2">Votes</cell></row><row><cell rows="2">2023</cell><cell>Yes</cell><cell>11</cell></row><row><cell>No</cell><cell>4</cell></row></table>',
    ),
    Case(
        "table with row headers",
        "<table><tr><th>Height</th><td>3 m</td></tr><tr><th>Width</th><td>9 | 10 m</td></tr></table>",
        (
            'Height | 3 m\n'
            'Width | 9 | 10 m'
        ),
        (
            '|  |  |\n'
            '| --- | --- |\n'
            '| Height | 3 m |\n'
            '| Width | 9 \\| 10 m |'
        ),
        (
            '<table>\n'
            '<tr><th>Height</th><td>3 m</td></tr>\n'
            '<tr><th>Width</th><td>9 | 10 m</td></tr>\n'
            '</table>'
        ),
        '<table><row><cell role="label">Height</cell><cell>3 m</cell></row><row><cell role="label">Width</cell><cell>9 | 10 m</cell></row></table>',
    ),
    Case(
        "table kept whole",
        "<table><tr><th>Year</th><th>Votes</th></tr><tr><td>2023</td><td class=off>4</td></tr></table>",
        (
            'Year | Votes\n'
            '2023 | 4'
        ),
        (
            '| Year | Votes |\n'
            '| --- | --- |\n'
            '| 2023 | 4 |'
        ),
        (
            '<table>\n'
            '<tr><th>Year</th><th>Votes</th></tr>\n'
            '<tr><td>2023</td><td>4</td></tr>\n'
            '</table>'
        ),
        '<table><row><cell role="label">Year</cell><cell role="label">Votes</cell></row><row><cell>2023</cell><cell>4</cell></row></table>',
    ),
    Case(
        "list kept whole",
        "<ul><li>The first item of the list</li><li class=off>Second</li></ul>",
        (
            '- The first item of the list\n'
            '- Second'
        ),
        (
            '- The first item of the list\n'
            '- Second'
        ),
        (
            '<ul>\n'
            '<li>The first item of the list</li>\n'
            '<li>Second</li>\n'
            '</ul>'
        ),
        '<list rend="bulleted"><item>The first item of the list</item><item>Second</item></list>',
    ),
    Case(
        "table dropped whole",
        "<p>One.</p><table><tr><th class=off>Yesterday</th><th class=off>Tomorrow</th></tr><tr><td class=off>Sunny</td><td>4</td></tr></table>",
        "One.",
        "One.",
        "<p>One.</p>",
        "<p>One.</p>",
    ),
    Case(
        "code of a widget",
        '<p>One.</p><p>&lt;iframe src="https://example.org/w"&gt;&lt;/iframe&gt;</p><p>Two.</p>',
        (
            'One.\n'
            'Two.'
        ),
        (
            'One.\n'
            '\n'
            'Two.'
        ),
        (
            '<p>One.</p>\n'
            '<p>Two.</p>'
        ),
        (
            '<p>One.</p>\n'
            '<p>Two.</p>'
        ),
    ),
    Case(
        "headings without text",
        "<p>One.</p><h2>Empty</h2><h2>Full</h2><h3>Inner</h3><p>Two.</p><h2>Related</h2>",
        (
            'One.\n'
            'Full\n'
            'Inner\n'
            'Two.'
        ),
        (
            'One.\n'
            '\n'
            '## Full\n'
            '\n'
            '### Inner\n'
            '\n'
            'Two.'
        ),
        (
            '<p>One.</p>\n'
            '<h2>Full</h2>\n'
            '<h3>Inner</h3>\n'
            '<p>Two.</p>'
        ),
        (
            '<p>One.</p>\n'
            '<div>\n'
            '<head>Full</head>\n'
            '<div>\n'
            '<head>Inner</head>\n'
            '<p>Two.</p>\n'
            '</div>\n'
            '</div>'
        ),
    ),
    Case(
        "heading above an image",
        "<p>One.</p><h2>First look</h2><img src=/a.jpg><h2>Second</h2><p>Two.</p>",
        (
            'One.\n'
            'First look\n'
            'Second\n'
            'Two.'
        ),
        (
            'One.\n'
            '\n'
            '## First look\n'
            '\n'
            '![](https://example.org/a.jpg)\n'
            '\n'
            '## Second\n'
            '\n'
            'Two.'
        ),
        (
            '<p>One.</p>\n'
            '<h2>First look</h2>\n'
            '<figure>\n'
            '<img src="https://example.org/a.jpg" alt="">\n'
            '</figure>\n'
            '<h2>Second</h2>\n'
            '<p>Two.</p>'
        ),
        (
            '<p>One.</p>\n'
            '<div>\n'
            '<head>First look</head>\n'
            '<figure><graphic url="https://example.org/a.jpg"/></figure>\n'
            '</div>\n'
            '<div>\n'
            '<head>Second</head>\n'
            '<p>Two.</p>\n'
            '</div>'
        ),
    ),
    Case(
        "quote with a heading and a list",
        "<blockquote><h3>What she said</h3><p>Rain.</p><ul><li>Snow</li></ul></blockquote>",
        (
            'What she said\n'
            'Rain.\n'
            '- Snow'
        ),
        (
            '> ### What she said\n'
            '>\n'
            '> Rain.\n'
            '>\n'
            '> - Snow'
        ),
        (
            '<blockquote>\n'
            '<h3>What she said</h3>\n'
            '<p>Rain.</p>\n'
            '<ul>\n'
            '<li>Snow</li>\n'
            '</ul>\n'
            '</blockquote>'
        ),
        '<quote><ab type="head">What she said</ab><p>Rain.</p><list rend="bulleted"><item>Snow</item></list></quote>',
    ),
    Case(
        "formatting",
        "<p><b>Rome:</b>here is <i>the <b>big</b></i> <a href='/x_(y)'>news</a>, 5 &lt; 6 &amp; *so* on.</p>",
        "Rome:here is the big news, 5 < 6 & *so* on.",
        '**Rome**:here is _the_ **_big_** [news](https://example.org/x_\\(y\\)), 5 \\< 6 & \\*so\\* on.',
        '<p><strong>Rome:</strong>here is <em>the</em> <strong><em>big</em></strong> <a href="https://example.org/x_(y)">news</a>, 5 &lt; 6 &amp; *so* on.</p>',
        '<p><hi rend="bold">Rome:</hi>here is <hi rend="italic">the</hi> <hi rend="bold"><hi rend="italic">big</hi></hi> <ref target="https://example.org/x_(y)">news</ref>, 5 &lt; 6 &amp; *so* on.</p>',
    ),
    Case(
        "paragraphs separated by breaks",
        "<div>One.<br><br>Two,<br>three.</div>",
        (
            'One.\n'
            'Two,\n'
            'three.'
        ),
        (
            'One.\n'
            '\n'
            'Two,\\\n'
            'three.'
        ),
        (
            '<p>One.</p>\n'
            '<p>Two,<br>three.</p>'
        ),
        (
            '<p>One.</p>\n'
            '<p>Two,<lb/>three.</p>'
        ),
    ),
)
