// The page table: all pages that were opened together, extracted one after another. Address: #/inspect/set/COLLECTION
import { html, useEffect, useMemo, useRef, useState } from "../lib/preact.js";
import { call } from "../lib/api.js";
import { useKeys } from "../lib/keys.js";
import { count, fixed, StatusChip } from "../lib/labels.js";
import { remember } from "../lib/open_files.js";
import { EmptyState } from "../lib/ui.js";
import { useData } from "../lib/use_data.js";

const ROW_HEIGHT = 38; // as in style.css: only the rows in view are drawn
const MARGIN = 10; // rows above and below
const COLUMNS = [
  ["title", "Title", (row) => (row.title ?? row.name).toLowerCase()],
  ["site", "Site", (row) => row.site ?? ""],
  ["status", "Status", (row) => row.status ?? "~"],
  ["confidence", "Confidence", (row) => row.confidence ?? 2],
  ["doubt", "Doubt", (row) => 1 - (row.exactness ?? 2), "Probability that the text is not right to the word"],
  ["date", "Date", (row) => row.date ?? ""],
  ["words", "Words", (row) => row.words ?? -1],
];
const loaded = new Map(); // collection -> rows: the way back to the table must not extract again

const left = new Map(); // collection -> the state in which the table was left

export function PageTable({ id, query: given, navigate }) {
  const query = Object.keys(given).length ? given : (left.get(id) ?? {});
  const { data: collection, error } = useData(`/desk/api/collections/${id}`);
  const { rows, failure } = useRows(id, collection);
  const [search, setSearch] = useState(query.q ?? "");
  const [cursor, setCursor] = useState(Number(query.at ?? 0));
  const sort = query.sort ?? "";
  const shown = useMemo(() => sortRows(rows.filter((row) => matches(row, search, query.status)), sort), [rows, search, query.status, sort]);
  const at = Math.min(cursor, Math.max(shown.length - 1, 0));
  const set = (changes) => navigate({ view: "inspect", parts: ["set", id], query: { ...query, ...changes } }, { isMinor: true });
  const open = (index) => {
    const row = shown[index];
    if (!row) return;
    left.set(id, { ...query, q: search, at: index });
    set({ q: search, at: index });
    remember(shown, true); // the order in which [ and ] go through the pages
    navigate({ view: "inspect", parts: [row.id], query: { url: row.url, set: id } });
  };
  const move = (change) => setCursor(Math.min(Math.max(at + change, 0), shown.length - 1));
  const field = useRef(null);
  const box = useRef(null);
  useKeys("Pages", {
    j: [() => move(1), "Next page"],
    k: [() => move(-1), "Previous page"],
    ArrowDown: [() => move(1)],
    ArrowUp: [() => move(-1)],
    PageDown: [() => move(15), "Fifteen pages on"],
    PageUp: [() => move(-15), "Fifteen pages back"],
    Home: [() => setCursor(0), "First page"],
    End: [() => setCursor(shown.length - 1), "Last page"],
    Enter: [() => open(at), "Open the page"],
    "/": [() => field.current.focus(), "Search"],
    s: [() => set({ sort: nextSort(sort) }), "Sort by the next column"],
    c: [() => navigate({ view: "compare", parts: ["set", id] }), "Compare methods on these pages"],
    o: [() => navigate({ view: "inspect" }), "Open other pages"],
  });
  const range = useVisibleRows(box, shown.length, at);
  if (error) {
    return html`<${EmptyState} title="These pages are not open any more"><p>${error.message}</p><a class="button" href="#/inspect">Open pages</a><//>`;
  }
  const all = collection?.pages.length ?? 0;
  const done = rows.filter((row) => row.status).length;
  const statuses = [...new Set(rows.map((row) => row.status).filter(Boolean))].sort();
  const [column, direction] = readSort(sort);
  return html`<div class="inspect">
    <div class="toolbar">
      <a class="button" href="#/inspect" title="Open other pages (o)">Open</a>
      <h1 class="page-name">${collection?.name ?? "Pages"}</h1>
      <span class="with-label" role="status">${done < all ? `${done.toLocaleString("en")} of ${count(all, "page")} extracted` : shown.length < all ? `${shown.length.toLocaleString("en")} of ${count(all, "page")}` : count(all, "page")}</span>
      ${done < all && !failure && html`<progress max=${all} value=${done} aria-label="Progress"></progress>`}
      <span class="spacer"></span>
      <input ref=${field} class="search" type="search" placeholder="Search" aria-label="Search in title, name and site" value=${search}
        onInput=${(event) => (setSearch(event.target.value), setCursor(0))} onKeyDown=${(event) => event.key === "Enter" && event.target.blur()} />
      <select aria-label="Status" onChange=${(event) => (set({ status: event.target.value, q: search }), setCursor(0))}>
        <option value="">All statuses</option>
        ${[...statuses, ...(rows.some((row) => row.copy_of) ? ["duplicate"] : [])].map((name) => html`<option value=${name} selected=${name === query.status}>${name.replace("_", " ")}</option>`)}
      </select>
      <a class="button" href="#/compare/set/${id}">Compare</a>
    </div>
    ${failure && html`<p class="failure" role="alert">${failure.message}</p>`}
    <div class="table-box" ref=${box} tabindex="0" role="region" aria-label="Pages">
      <table class="page-table" aria-rowcount=${shown.length + 1}>
        <thead><tr>${COLUMNS.map(
          ([name, label, , meaning]) => html`<th class="col-${name}" title=${meaning} aria-sort=${name === column ? (direction > 0 ? "ascending" : "descending") : undefined}>
            <button class="sort" onClick=${() => set({ sort: name === column && direction > 0 ? `-${name}` : name })}>${label}${name === column ? (direction > 0 ? " ↑" : " ↓") : ""}</button></th>`,
        )}</tr></thead>
        <tbody>
          ${range.first > 0 && html`<tr aria-hidden="true" style=${{ height: `${range.first * ROW_HEIGHT}px` }}></tr>`}
          ${shown.slice(range.first, range.last).map((row, place) => html`<${Row} key=${row.id} row=${row} index=${range.first + place} isChosen=${range.first + place === at} onOpen=${open} />`)}
          ${range.last < shown.length && html`<tr aria-hidden="true" style=${{ height: `${(shown.length - range.last) * ROW_HEIGHT}px` }}></tr>`}
        </tbody>
      </table>
      ${all > 0 && shown.length === 0 && html`<p class="note pad">No page matches.</p>`}
    </div>
  </div>`;
}

function Row({ row, index, isChosen, onOpen }) {
  const isWaiting = !row.status;
  return html`<tr aria-rowindex=${index + 2} aria-current=${isChosen ? "true" : undefined} onClick=${() => onOpen(index)}>
    <th scope="row" class="col-title" title=${row.name}><button class="link" tabindex="-1">${row.title ?? row.name}</button></th>
    <td class="col-site">${row.site}</td>
    <td class="col-status">${isWaiting ? html`<span class="note">waiting</span>` : html`<${StatusChip} status=${row.status} title=${row.meaning} />`}
      ${row.copy_of && html` <span class="chip warn" title=${`The same text as ${row.copy_of}`}>duplicate</span>`}</td>
    <td class="col-confidence num">${fixed(row.confidence)}</td>
    <td class="col-doubt num" title=${row.doubts ? `${count(row.doubts, "block")} narrowly decided` : undefined}>${isWaiting || row.exactness === null || row.exactness === undefined ? "–" : fixed(1 - row.exactness)}</td>
    <td class="col-date">${row.date ?? "–"}</td>
    <td class="col-words num">${row.words?.toLocaleString("en") ?? "–"}</td>
  </tr>`;
}

// The rows of a collection: names at once, the rest as the pages are extracted, some at a time.
function useRows(id, collection) {
  const [state, setState] = useState({ rows: loaded.get(id) ?? [], failure: null });
  useEffect(() => {
    if (!collection) return undefined;
    const controller = new AbortController();
    const rows = loaded.get(id) ?? collection.pages;
    setState({ rows, failure: null });
    const work = async () => {
      const texts = new Map(); // hash of the text -> the first page that has it
      let current = rows;
      for (let start = current.findIndex((row) => !row.status); start >= 0 && start < rows.length; ) {
        const part = await call(`/desk/api/collections/${id}/rows?start=${start}`, { signal: controller.signal });
        if (!part.length) return;
        const summaries = new Map(part.map((row) => [row.id, row]));
        current = markCopies(current.map((row) => summaries.get(row.id) ?? row), texts);
        start += part.length;
        loaded.set(id, current);
        setState({ rows: current, failure: null });
      }
    };
    work().catch((failure) => failure.name !== "AbortError" && setState((last) => ({ ...last, failure })));
    return () => controller.abort();
  }, [collection]);
  return state;
}

function markCopies(rows, texts) {
  return rows.map((row) => {
    if (!row.text_hash) return row;
    if (!texts.has(row.text_hash)) texts.set(row.text_hash, row);
    const first = texts.get(row.text_hash);
    return first.id === row.id ? row : { ...row, copy_of: first.name };
  });
}

// Which rows are in view. The cursor is kept in view.
function useVisibleRows(box, size, at) {
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(800);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const update = () => (setTop(element.scrollTop), setHeight(element.clientHeight));
    const observer = new ResizeObserver(update);
    observer.observe(element);
    element.addEventListener("scroll", update, { passive: true });
    return () => (observer.disconnect(), element.removeEventListener("scroll", update));
  }, [box.current]);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const [start, end] = [at * ROW_HEIGHT, (at + 2) * ROW_HEIGHT]; // the header covers one row
    if (start < element.scrollTop) element.scrollTop = start;
    else if (end > element.scrollTop + element.clientHeight) element.scrollTop = end - element.clientHeight;
  }, [at, size > 0]);
  const first = Math.min(Math.max(Math.floor(top / ROW_HEIGHT) - MARGIN, 0), size);
  return { first, last: Math.min(size, Math.ceil((top + height) / ROW_HEIGHT) + MARGIN) };
}

function matches(row, search, status) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const text = `${row.title ?? ""} ${row.name} ${row.site ?? ""} ${row.date ?? ""}`.toLowerCase();
  return words.every((word) => text.includes(word)) && (!status || row.status === status || (status === "duplicate" && row.copy_of));
}

const readSort = (sort) => (sort.startsWith("-") ? [sort.slice(1), -1] : [sort, 1]);

function nextSort(sort) {
  const names = ["", ...COLUMNS.map(([name]) => name)];
  return names[(names.indexOf(readSort(sort)[0]) + 1) % names.length];
}

function sortRows(rows, sort) {
  const [name, direction] = readSort(sort);
  const read = COLUMNS.find((column) => column[0] === name)?.[2];
  if (!read) return rows;
  const compare = (one, other) => (typeof one === "string" ? one.localeCompare(other) : one - other);
  return [...rows].sort((one, other) => direction * compare(read(one), read(other)));
}
