// One page in Compare: a summary of each extraction, and the blocks side by side with differences highlighted.
import { html, useState } from "../lib/preact.js";
import { useKeys } from "../lib/keys.js";
import { fixed, StatusChip } from "../lib/labels.js";
import { Meter, Spinner } from "../lib/ui.js";
import { useData } from "../lib/use_data.js";
import { ChooseMore } from "./compare.js";

export function PageComparison({ id, keys, picker, query, set, navigate }) {
  const view = useData(`/desk/api/pages/${id}/view`);
  const by = keys.map(encodeURIComponent).join(",");
  const { data, error, isLoading } = useData(keys.length ? `/desk/api/pages/${id}/extractions?by=${by}` : null, { keeps: true });
  const onlyDiffering = query.all !== "yes";
  useKeys("Compare", {
    d: [() => set({ all: onlyDiffering ? "yes" : undefined }, { isMinor: true }), "Only differences, or all blocks"],
    i: [() => navigate({ view: "inspect", parts: [id] }), "Inspect this page"],
    o: [() => navigate({ view: "compare" }), "Other pages"],
    ...(query.set && { u: [() => navigate({ view: "compare", parts: ["set", query.set], query: { by: query.by } }), "Back to the collection"] }),
  });
  const failure = view.error ?? error;
  return html`<div class="compare">
    <div class="toolbar">
      ${query.set
        ? html`<a class="button" href="#/compare/set/${query.set}${query.by ? `?by=${query.by}` : ""}">← Collection</a>`
        : html`<a class="button" href="#/compare">Open</a>`}
      <h1 class="page-name">${data?.page.name ?? "Page"}</h1>
      ${data && html`<span class="with-label"><span class="wide-only">disagreement </span><${Meter} value=${data.disagreement} label="disagreement" /></span>`}
      <span class="spacer"></span>
      <button aria-pressed=${onlyDiffering} onClick=${() => set({ all: onlyDiffering ? "yes" : undefined }, { isMinor: true })}>Only differences</button>
      <a class="button" href="#/inspect/${id}">Inspect</a>
    </div>
    <div class="compare-content">
      ${picker}
      ${failure && html`<p class="failure">${failure.message}</p>`}
      ${keys.length < 2 ? html`<${ChooseMore} />` : null}
      ${isLoading && html`<${Spinner} label="Extracting" />`}
      ${data && view.data && keys.length > 0 &&
      html`<${SummaryTable} data=${data} /><${BlockTable} data=${data} blocks=${view.data.blocks} onlyDiffering=${onlyDiffering} id=${id} />`}
    </div>
  </div>`;
}

function SummaryTable({ data }) {
  const hasGold = Boolean(data.gold_kept);
  return html`<div class="card scroll" tabindex="0" role="region" aria-label="Extractions">
    <table class="summary">
      <thead><tr><th>Extractor</th>${hasGold && html`<th>F1</th><th class="num">Precision</th><th class="num">Recall</th>`}<th>Confidence</th><th class="num">Words</th>
        <th class="text">Title</th><th>Date</th><th class="num">ms</th></tr></thead>
      <tbody>
        ${data.results.map(
          (result, index) => html`<tr key=${result.key}>
            <th scope="row"><i class="dot s${index % 8}"></i>${result.key} ${result.status && result.status !== "ok" && html`<${StatusChip} status=${result.status} title=${result.meaning} />`}</th>
            ${result.error
              ? html`<td colspan="9" class="note">${result.error}</td>`
              : html`${hasGold && html`<td>${result.gold ? html`<${Meter} value=${result.gold.f1} label="F1" />` : "–"}</td>
                    <td class="num">${fixed(result.gold?.precision)}</td><td class="num">${fixed(result.gold?.recall)}</td>`}
                  <td>${result.confidence === null ? html`<span class="note">none</span>` : html`<${Meter} value=${result.confidence} label="confidence" />`}</td>
                  <td class="num">${result.words.toLocaleString("en")}</td>
                  <td class=${differs(data.results, "title", result) ? "different" : ""}>${result.title ?? "–"}</td>
                  <td class=${differs(data.results, "date", result) ? "different" : ""}>${result.date?.slice(0, 10) ?? "–"}</td>
                  <td class="num">${Math.round(result.ms)}</td>`}
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

// Whether a value differs from that of the first extractor that has one.
function differs(results, name, result) {
  const first = results.find((row) => row[name])?.[name];
  const value = (text) => String(text ?? "").slice(0, name === "date" ? 10 : undefined).trim().toLowerCase();
  return Boolean(result[name]) && value(result[name]) !== value(first);
}

function BlockTable({ data, blocks, onlyDiffering, id }) {
  const [unfolded, setUnfolded] = useState(new Set());
  const results = data.results.filter((result) => !result.error);
  const isKept = (flags, number) => flags?.[number] === "1";
  const rows = blocks.map((block, number) => {
    const kept = results.map((result) => isKept(result.kept, number));
    const inGold = data.gold_kept ? isKept(data.gold_kept, number) : null;
    const isDiffering = kept.some((flag) => flag !== kept[0]) || (inGold !== null && kept.length > 0 && kept[0] !== inGold);
    return { number, text: block.text, kept, inGold, isDiffering };
  });
  const differing = rows.filter((row) => row.isDiffering);
  const shown = groupRows(rows.filter((row) => row.isDiffering || row.kept.some(Boolean) || row.inGold), onlyDiffering, unfolded);
  if (!results.length) return null;
  const columns = { "--columns": results.length + (data.gold_kept ? 1 : 0) };
  return html`<section>
    <p class="note">${differing.length === 0 ? "All extractions have the same blocks." : `${differing.length} of ${blocks.length} blocks differ.`}
      ${data.gold_kept ? " Red: in the extraction, but not expected. Yellow: expected, but missing." : " Blocks that only some extractors have are highlighted."}</p>
    <div class="diff card" style=${columns}>
      <div class="diff-row diff-head">
        ${data.gold_kept && html`<span>expected text</span>`}
        ${results.map((result, index) => html`<span><i class="dot s${index % 8}"></i>${result.key}</span>`)}
      </div>
      ${shown.map((row) =>
        row.folded
          ? html`<button key=${`f${row.first}`} class="fold" onClick=${() => setUnfolded(new Set([...unfolded, row.first]))}>
              ${row.folded.length === 1 ? "1 block" : `${row.folded.length} blocks`} in all texts <span class="cut">${row.folded.map(({ text }) => text).join(" / ")}</span></button>`
          : html`<div key=${row.number} class="diff-row ${row.isDiffering ? "differing" : ""}">
              ${data.gold_kept && html`<${Cell} text=${row.text} name="expected text" isKept=${row.inGold} kind="gold" />`}
              ${results.map((result, index) => html`<${Cell} text=${row.text} name=${result.key} isKept=${row.kept[index]} kind=${cellKind(row, index)}
                href=${result.roles.length > 0 && `#/inspect/${id}?by=${encodeURIComponent(result.key)}&block=${row.number}&tab=block`} />`)}
            </div>`,
      )}
    </div>
  </section>`;
}

function Cell({ text, name, isKept, kind, href }) {
  return html`<div class="diff-cell ${isKept ? "kept" : "left-out"} ${kind}" data-name=${name}>
    ${isKept ? text : html`<span class="note">${kind === "missed" ? "missed" : "not in the text"}</span>`}
    ${href && kind && html` <a class="why" href=${href}>why</a>`}
  </div>`;
}

function cellKind({ kept, inGold, isDiffering }, index) {
  if (!isDiffering) return "";
  if (inGold === null) return "differing";
  if (kept[index] === inGold) return "";
  return inGold ? "missed" : "extra";
}

// Join equal rows next to each other into one that can be unfolded, if only differences are shown.
function groupRows(rows, onlyDiffering, unfolded) {
  if (!onlyDiffering) return rows;
  const groups = [];
  for (const row of rows) {
    const last = groups.at(-1);
    if (row.isDiffering) groups.push(row);
    else if (last?.folded) last.folded.push(row);
    else groups.push({ folded: [row], first: row.number });
  }
  return groups.flatMap((group) => (group.folded && unfolded.has(group.first) ? group.folded : [group]));
}
