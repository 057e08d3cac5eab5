// A collection in Compare: means, charts, and the pages with the most disagreement or the least confidence first.
import { html, useEffect, useMemo, useState } from "../lib/preact.js";
import { call } from "../lib/api.js";
import { BarChart, Histogram, Scatter } from "../lib/charts.js";
import { useKeys } from "../lib/keys.js";
import { fixed } from "../lib/labels.js";
import { EmptyState, Meter, Spinner } from "../lib/ui.js";
import { useData } from "../lib/use_data.js";
import { ChooseMore } from "./compare.js";

const PARALLEL = 2;
const MAX_SHOWN = 200;
const ORDERS = [
  ["disagreement", "most disagreement", (row) => -row.disagreement],
  ["confidence", "lowest confidence", (row) => row.confidence ?? 1],
  ["f1", "lowest F1", (row) => row.f1 ?? 1],
  ["name", "name", (row) => row.page.name],
];

export function CollectionComparison({ id, keys, picker, query, set, navigate }) {
  const { data: collection, error } = useData(`/desk/api/collections/${id}`);
  const { rows, done, failure } = useExtractions(collection?.pages, keys);
  const order = ORDERS.find(([name]) => name === query.sort) ?? ORDERS[0];
  const sorted = useMemo(() => [...rows].sort((left, right) => compareValues(order[2](left), order[2](right))), [rows, order]);
  const [cursor, setCursor] = useState(0);
  const open = (row) => row && navigate({ view: "compare", parts: ["page", row.page.id], query: { by: query.by, set: id } });
  const move = (change) => setCursor((at) => Math.min(Math.max(at + change, 0), Math.max(sorted.length - 1, 0)));
  useKeys("Compare", {
    j: [() => move(1), "Next page of the list"],
    k: [() => move(-1), "Previous page"],
    ArrowDown: [() => move(1), "Next page of the list"],
    ArrowUp: [() => move(-1), "Previous page"],
    Enter: [() => open(sorted[cursor]), "Open the page"],
    s: [() => set({ sort: ORDERS[(ORDERS.indexOf(order) + 1) % ORDERS.length][0] }, { isMinor: true }), "Sort in another order"],
    o: [() => navigate({ view: "compare" }), "Other pages"],
  });
  if (error) {
    return html`<${EmptyState} title="This collection is not open any more"><p>${error.message}</p><a class="button" href="#/compare">Open pages</a><//>`;
  }
  const all = collection?.pages.length ?? 0;
  return html`<div class="compare">
    <div class="toolbar">
      <a class="button" href="#/compare">Open</a><h1 class="page-name">${collection?.name ?? "Collection"}</h1>
      <span class="with-label" role="status">${done} of ${all} pages</span>
      ${done < all && html`<progress max=${all} value=${done} aria-label="Progress"></progress>`}
      <span class="spacer"></span>
      <label class="with-label">sort by
        <select value=${order[0]} onChange=${(event) => set({ sort: event.target.value }, { isMinor: true })}>
          ${ORDERS.map(([name, label]) => html`<option value=${name} selected=${name === order[0]}>${label}</option>`)}
        </select>
      </label>
    </div>
    <div class="compare-content">
      ${picker}
      ${failure && html`<p class="failure">${failure.message}</p>`}
      ${keys.length < 2 && html`<${ChooseMore} />`}
      ${!rows.length && !failure && keys.length > 0 && html`<${Spinner} label="Extracting the first pages" />`}
      ${rows.length > 0 && html`<${Overview} rows=${rows} keys=${keys} onOpen=${open} /><${PageTable} rows=${sorted} keys=${keys} cursor=${cursor} onOpen=${open} />`}
    </div>
  </div>`;
}

// Extract all pages with all keys, two at a time. Results come one by one.
function useExtractions(pages, keys) {
  const [state, setState] = useState({ rows: [], done: 0, failure: null });
  useEffect(() => {
    setState({ rows: [], done: 0, failure: null });
    if (!pages?.length || !keys.length) return undefined;
    const controller = new AbortController();
    const queue = [...pages];
    const work = async () => {
      for (let page = queue.shift(); page && !controller.signal.aborted; page = queue.shift()) {
        const path = `/desk/api/pages/${page.id}/extractions?by=${keys.map(encodeURIComponent).join(",")}`;
        const answer = await call(path, { signal: controller.signal });
        setState((last) => ({ ...last, rows: [...last.rows, makeRow(page, answer)], done: last.done + 1 }));
      }
    };
    const stop = (failure) => failure.name !== "AbortError" && setState((last) => ({ ...last, failure }));
    Promise.all(Array.from({ length: PARALLEL }, work)).catch(stop);
    return () => controller.abort();
  }, [pages, keys.join(",")]);
  return state;
}

function makeRow(page, { results, disagreement }) {
  const confidences = results.map((result) => result.confidence).filter((value) => typeof value === "number");
  const scores = results.map((result) => result.gold?.f1).filter((value) => typeof value === "number");
  return {
    page,
    results,
    disagreement,
    confidence: confidences.length ? Math.min(...confidences) : null,
    f1: scores.length ? Math.min(...scores) : null,
  };
}

function Overview({ rows, keys, onOpen }) {
  const means = keys.map((key) => ({ key, ...summarize(rows, key) }));
  const hasGold = means.some(({ f1 }) => f1 !== null);
  const first = keys[0];
  const points = rows.flatMap((row) => {
    const result = row.results.find(({ key }) => key === first);
    const y = hasGold ? result?.gold?.f1 : 1 - row.disagreement;
    if (typeof result?.confidence !== "number" || typeof y !== "number") return [];
    return [{ x: result.confidence, y, label: row.page.name, onPick: () => onOpen(row) }];
  });
  return html`<div class="charts">
    ${hasGold
      ? html`<${BarChart} title="Mean F1 of the text" rows=${means.map(({ key, f1, low, high }) => ({ label: key, value: f1 ?? 0, low, high, text: fixed(f1, 3) }))} />`
      : html`<${BarChart} title="Agreement with ${first}" rows=${means.map(({ key }) => agreementRow(rows, first, key))} />`}
    <${Histogram} title="Pages by disagreement" xLabel="disagreement" values=${rows.map((row) => row.disagreement)} />
    ${points.length > 0 && html`<${Scatter} title="Confidence of ${first}" xLabel="confidence" yLabel=${hasGold ? "F1" : "agreement"} points=${points} />`}
  </div>
  <div class="card scroll" tabindex="0" role="region" aria-label="Extractors"><table class="summary">
    <thead><tr><th>Extractor</th>${hasGold && html`<th>Mean F1</th><th class="num" title="Share of the pages whose text is exactly the expected one">Exact</th>`}<th>Mean confidence</th><th class="num">Words</th><th class="num">Failed</th><th class="num">Median ms</th></tr></thead>
    <tbody>${means.map(
      (row, index) => html`<tr key=${row.key}><th scope="row"><i class="dot s${index % 8}"></i>${row.key}</th>
        ${hasGold && html`<td>${row.f1 === null ? "–" : html`<${Meter} value=${row.f1} label="F1" />`}</td><td class="num">${fixed(row.exact)}</td>`}
        <td>${row.confidence === null ? html`<span class="note">none</span>` : html`<${Meter} value=${row.confidence} label="confidence" />`}</td>
        <td class="num">${Math.round(row.words).toLocaleString("en")}</td><td class="num">${row.failed}</td><td class="num">${Math.round(row.ms)}</td></tr>`,
    )}</tbody>
  </table></div>`;
}

function PageTable({ rows, keys, cursor, onOpen }) {
  return html`<div class="card scroll" tabindex="0" role="region" aria-label="Pages"><table class="summary pages">
    <thead><tr><th>Page</th><th>Disagreement</th>${keys.map((key, index) => html`<th><i class="dot s${index % 8}"></i>${key}</th>`)}</tr></thead>
    <tbody>
      ${rows.slice(0, MAX_SHOWN).map(
        (row, index) => html`<tr key=${row.page.id} aria-current=${index === cursor ? "true" : undefined}>
          <th scope="row"><button class="link" onClick=${() => onOpen(row)}>${row.page.name}</button></th>
          <td><${Meter} value=${row.disagreement} label="disagreement" /></td>
          ${keys.map((key) => html`<td>${describeResult(row.results.find((result) => result.key === key))}</td>`)}
        </tr>`,
      )}
    </tbody>
  </table>${rows.length > MAX_SHOWN && html`<p class="note pad">${rows.length - MAX_SHOWN} more pages are not shown.</p>`}</div>`;
}

function describeResult(result) {
  if (!result) return "–";
  if (result.error) return html`<span class="note" title=${result.error}>failed</span>`;
  const words = `${result.words.toLocaleString("en")} words`;
  const facts = [result.gold && `F1 ${result.gold.f1.toFixed(2)}`, typeof result.confidence === "number" && `confidence ${result.confidence.toFixed(2)}`].filter(Boolean);
  return html`${facts[0] ?? words}<br /><small class="note">${[...facts.slice(1), ...(facts[0] ? [words] : [])].join(", ")}</small>`;
}

function summarize(rows, key) {
  const results = rows.map((row) => row.results.find((result) => result.key === key)).filter(Boolean);
  const good = results.filter(({ error }) => !error);
  const scores = good.map((result) => result.gold?.f1).filter((value) => typeof value === "number");
  const spread = 1.96 * Math.sqrt(variance(scores) / Math.max(scores.length, 1));
  const f1 = scores.length ? mean(scores) : null;
  const confidences = good.map(({ confidence }) => confidence).filter((value) => typeof value === "number");
  const times = good.map(({ ms }) => ms).sort((left, right) => left - right);
  return {
    f1,
    ...(scores.length > 2 && { low: f1 - spread, high: f1 + spread }), // 95 % interval of the mean
    exact: scores.length ? mean(good.filter(({ gold }) => gold).map(({ gold }) => gold.exact)) : null,
    confidence: confidences.length ? mean(confidences) : null,
    words: mean(good.map(({ words }) => words)),
    failed: results.length - good.length,
    ms: times[Math.floor(times.length / 2)] ?? 0,
  };
}

// The mean share of blocks, by characters, on which two extractors decide alike.
function agreementRow(rows, first, key) {
  const shares = rows.flatMap((row) => {
    const [left, right] = [first, key].map((name) => row.results.find((result) => result.key === name));
    if (!left?.kept || !right?.kept) return [];
    const [both, total] = [...left.kept].reduce(
      ([same, chars], flag, index) => {
        const size = (flag === "1") + (right.kept[index] === "1");
        return [same + (size === 2 ? 2 * left.lengths[index] : 0), chars + size * left.lengths[index]];
      },
      [0, 0],
    );
    return [total ? both / total : 1];
  });
  const value = shares.length ? mean(shares) : 0;
  return { label: key, value, text: fixed(value, 3) };
}

const mean = (values) => (values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : 0);
const variance = (values) => (values.length > 1 ? values.reduce((sum, value) => sum + (value - mean(values)) ** 2, 0) / (values.length - 1) : 0);

function compareValues(left, right) {
  return typeof left === "string" ? left.localeCompare(right) : left - right;
}
