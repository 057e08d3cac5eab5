// The panels of Inspect beside the page: article, fields, list of blocks.
import { html, useEffect, useMemo, useRef, useState } from "../lib/preact.js";
import { count, RoleChip } from "../lib/labels.js";
import { download } from "../lib/api.js";
import { notify } from "../lib/notices.js";
import { BOILERPLATE } from "../lib/roles.js";
import { Meter, Spinner } from "../lib/ui.js";

const MAX_SHOWN_BLOCKS = 400;
const MIN_FOLDED = 4; // fewer blocks of boilerplate in a row are shown

export function ArticlePanel({ result }) {
  const body = useRef(null);
  const value = (name) => result.fields?.find((field) => field.name === name)?.value;
  useEffect(() => {
    // The HTML of an article has only known elements and http addresses (output/as_html.py). Links open outside.
    for (const link of body.current?.querySelectorAll("a[href]") ?? []) {
      link.target = "_blank";
      link.rel = "noopener noreferrer";
    }
  }, [result]);
  const facts = [value("authors")?.join(", "), formatDate(value("date")), value("site_name")].filter(Boolean);
  return html`<article class="article">
    ${result.status !== "ok" && html`<p class="callout">${describeStatus(result)}</p>`}
    <h1>${value("title") ?? "No title"}</h1>
    <p class="facts">${facts.join(" · ")}</p>
    ${result.html
      ? html`<div ref=${body} class="article-body" dangerouslySetInnerHTML=${{ __html: result.html }}></div>`
      : html`<p class="note">There is no article text.</p>`}
    <footer class="row wrap note">
      <span>${count(result.text.length, "character")}</span>
      ${result.comment_count > 0 && html`<span>${count(result.comment_count, "comment")} kept apart</span>`}
      <span>${Math.round(result.ms)} ms</span>
      ${result.text && html`<button onClick=${() => copyText(result.text)}>Copy the text</button><button onClick=${() => download(result.text, "article.txt")}>Download</button>`}
    </footer>
  </article>`;
}

// The article as Markdown or JSON, or the code that extracts this page; to copy and to download.
export function SourcePanel({ kind, formats, page, by }) {
  if (formats.error) return html`<p class="failure" role="alert">${formats.error.message}</p>`;
  if (kind !== "code" && !formats.data) return html`<${Spinner} label="Extracting" />`;
  const parts = {
    markdown: () => [["", formats.data.markdown, "article.md"]],
    json: () => [["", JSON.stringify(formats.data.record, null, 2), "article.json"]],
    code: () => writeCode(page, by),
  }[kind]();
  return html`<div class="sources">${parts.map(
    ([title, text, file]) => html`<section key=${title}>
      <div class="row">${title && html`<h2>${title}</h2>`}<span class="spacer"></span>
        <button onClick=${() => copyText(text)}>Copy</button>${file && html`<button onClick=${() => download(text, file)}>Download</button>`}</div>
      <pre tabindex="0" aria-label=${title || file}>${text}</pre>
    </section>`,
  )}</div>`;
}

// The same extraction from Python, a terminal and over HTTP.
function writeCode(page, by) {
  const url = page?.url;
  const file = page?.name.replace(/^.*\//, "") || "page.html";
  const isDefault = by === "fusion";
  const method = isDefault ? "" : `, method=${JSON.stringify(by)}`;
  const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const python = url
    ? `import broadsheet\n\narticle = broadsheet.extract_url(${JSON.stringify(url)}${method})\nprint(article.title, article.date, article.confidence)\nprint(article.text)`
    : `from pathlib import Path\n\nimport broadsheet\n\narticle = broadsheet.extract(Path(${JSON.stringify(file)}).read_bytes()${method})\nprint(article.title, article.date, article.confidence)\nprint(article.text)`;
  const shell = `broadsheet extract ${quote(url ?? file)}${isDefault ? "" : ` --method ${by}`} --format json`;
  const options = isDefault ? "" : `?method=${encodeURIComponent(by)}`;
  const curl = url
    ? `curl ${location.origin}/v1/extract-url -H 'Content-Type: application/json' \\\n  -d ${quote(JSON.stringify({ url, ...(isDefault ? {} : { options: { method: by } }) }))}`
    : `curl ${quote(`${location.origin}/v1/extract${options}`)} -H 'Content-Type: text/html' \\\n  --data-binary @${quote(file)}`;
  return [["Python", python], ["Command line", shell], ["HTTP", curl]];
}

const copyText = (text) => navigator.clipboard.writeText(text).then(() => notify("It is in the clipboard."));

function describeStatus({ meaning, reason, advice }) {
  const text = `${reason || meaning}${advice ? `; ${advice}` : ""}.`;
  return text[0].toUpperCase() + text.slice(1);
}

export function FieldsPanel({ fields }) {
  return html`<table class="fields">
    <thead><tr><th>Field</th><th>Value</th><th>Source</th><th>Confidence</th></tr></thead>
    <tbody>
      ${fields.map(
        ({ name, value, source, confidence }) => html`<tr key=${name} class=${hasValue(value) ? "" : "none"}>
          <th scope="row">${name.replace("_", " ")}</th>
          <td>${hasValue(value) ? formatValue(name, value) : "not found"}</td>
          <td>${hasValue(value) ? source : ""}</td>
          <td>${hasValue(value) && confidence !== null ? html`<${Meter} value=${confidence} label="confidence" />` : ""}</td>
        </tr>`,
      )}
    </tbody>
  </table>`;
}

export const hasValue = (value) => value !== null && value !== undefined && value !== "" && !(Array.isArray(value) && !value.length);

function formatValue(name, value) {
  if (name.startsWith("date")) return formatDate(value);
  if (!Array.isArray(value)) return String(value);
  if (typeof value[0] !== "object") return value.join(", ");
  return `${value[0].url}${value.length > 1 ? `, ${value.length - 1} more` : ""}`;
}

function formatDate(value) {
  return value ? String(value).replace(/T00:00:00$/, "").replace("T", " ").replace(/:00(?=[+Z]|$)/, "") : "";
}

// All blocks in order. Boilerplate is folded; blocks where methods differ are marked.
export function BlocksPanel({ blocks, roles, scores, selected, differing, onPick }) {
  const [unfolded, setUnfolded] = useState(new Set());
  const [limit, setLimit] = useState(MAX_SHOWN_BLOCKS);
  const list = useRef(null);
  const groups = useMemo(() => groupBlocks(blocks, roles), [blocks, roles]);
  useEffect(() => {
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [selected]);
  const isOpen = ({ first, last, isFolded }) => !isFolded || unfolded.has(first) || (selected >= first && selected <= last && selected !== null);
  return html`<div class="blocks" ref=${list}>
    ${groups.slice(0, limit).map((group) =>
      isOpen(group)
        ? group.numbers.map((number) => html`<${BlockRow} key=${number} number=${number} text=${blocks[number].text} role=${roles[number]}
            score=${scores[number]} isHidden=${blocks[number].is_hidden} isDiffering=${differing.has(number)} isSelected=${number === selected} onPick=${onPick} />`)
        : html`<button key=${`fold${group.first}`} class="fold" onClick=${() => setUnfolded(new Set([...unfolded, group.first]))}>
            ${count(group.numbers.length, "block")} of boilerplate <span class="cut">${group.numbers.map((number) => blocks[number].text).join(" / ")}</span>
          </button>`,
    )}
    ${groups.length > limit && html`<button class="fold" onClick=${() => setLimit(limit + MAX_SHOWN_BLOCKS)}>Show more</button>`}
    ${blocks.length === 0 && html`<p class="note pad">The page has no visible text.</p>`}
  </div>`;
}

function BlockRow({ number, text, role, score, isHidden, isDiffering, isSelected, onPick }) {
  return html`<button class="block-row" aria-current=${isSelected ? "true" : undefined} onClick=${() => onPick(number)}>
    <span class="block-role"><${RoleChip} role=${role ?? BOILERPLATE} /></span>
    <span class="block-text">${text}${isHidden && html` <i class="note">hidden</i>`}${isDiffering && html` <i class="differs">methods differ</i>`}</span>
    <span class="block-score">${(score ?? 0).toFixed(2)}</span>
  </button>`;
}

function groupBlocks(blocks, roles) {
  const groups = [];
  blocks.forEach((_, number) => {
    const isBoilerplate = (roles[number] ?? BOILERPLATE) === BOILERPLATE;
    const group = groups.at(-1);
    if (group && isBoilerplate && group.isBoilerplate) group.numbers.push(number);
    else groups.push({ isBoilerplate, numbers: [number] });
  });
  return groups.map(({ isBoilerplate, numbers }) => ({
    numbers,
    first: numbers[0],
    last: numbers.at(-1),
    isFolded: isBoilerplate && numbers.length >= MIN_FOLDED,
  }));
}
