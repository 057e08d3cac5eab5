"""The articles in a real browser: its parser must find nothing active in them.

All articles are put into one page, which is loaded by Chromium without network. A script of that page looks at the tree.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.fuzz.protocol import Failure

_SECONDS = 600
_PAGE = """<!DOCTYPE html><meta charset=utf-8><title>safe</title>
<script>
const problems = [];
function fuzz() {{ problems.push([-1, "a script ran"]); }}
window.alert = window.confirm = window.prompt = window.open = fuzz;
</script>
{articles}
<script>
const allowed = new Set(("P H1 H2 H3 H4 H5 H6 PRE CODE BLOCKQUOTE OL UL LI DL DT DD TABLE CAPTION TBODY TR TD TH BR " +
  "STRONG EM SUP SUB DEL A FIGURE IMG FIGCAPTION SMALL").split(" "));
const attributes = new Set(["A href", "IMG src", "IMG alt", "OL start", "CODE class",
  "TD colspan", "TD rowspan", "TH colspan", "TH rowspan"]);
window.addEventListener("load", () => {{
  for (const article of document.querySelectorAll("body > div[data-seed]")) {{
    const seed = Number(article.dataset.seed);
    for (const element of article.querySelectorAll("*")) {{
      if (!allowed.has(element.tagName)) problems.push([seed, "<" + element.tagName + ">"]);
      for (const attribute of element.attributes)
        if (!attributes.has(element.tagName + " " + attribute.name)) problems.push([seed, attribute.name]);
      // The protocol of an address that the browser cannot read is ":".
      if (element.tagName === "A" && !/^(https?|mailto)?:$/.test(element.protocol)) problems.push([seed, element.href]);
    }}
  }}
  const seeds = document.querySelectorAll("body > div[data-seed]").length;
  for (const entry of performance.getEntriesByType("resource"))
    if (entry.initiatorType !== "img") problems.push([-1, "request " + entry.name]);
  const result = document.createElement("output");
  result.textContent = "RESULT" + JSON.stringify([seeds, problems.slice(0, 20)]) + "END";
  document.body.replaceChildren(result);
}});
</script>"""


def check_articles(chromium: str, articles: Mapping[int, str]) -> list[Failure]:
    """Load articles, by seed, in Chromium; return what is active in them."""
    parts = [f'<div data-seed="{seed}">{html}</div>' for seed, html in articles.items()]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "articles.html"
        path.write_text(_PAGE.format(articles="\n".join(parts)), encoding="utf-8")
        command = [
            chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder}/profile", "--timeout=300000",
            "--dump-dom", path.as_uri(),
        ]  # fmt: skip
        answer = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    match = re.search(r"RESULT(.*)END", answer.stdout, re.DOTALL)
    if match is None:
        return [Failure(-1, "browser", f"no answer from Chromium: {answer.stderr[-200:]}")]
    count, problems = json.loads(match[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    failures = [Failure(seed, "browser", problem) for seed, problem in problems]
    if count != len(articles):
        failures.append(Failure(-1, "browser", f"{count} of {len(articles)} articles are in place"))
    return failures
