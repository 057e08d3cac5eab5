// Inspect: a page as it looks, with its blocks coloured by role, beside the article, its fields and the reasons.
// Addresses: #/inspect/PAGE?by=METHOD&block=NUMBER&tab=NAME&set=COLLECTION, and #/inspect/set/COLLECTION (pages.js)
import { html, useEffect, useMemo, useState } from "../lib/preact.js";
import { useKeys } from "../lib/keys.js";
import { count, percent, RoleChip, StatusChip } from "../lib/labels.js";
import { listOpenPages, makeCollection, openAddress } from "../lib/open_files.js";
import { OpenPanel } from "../lib/open_panel.js";
import { notifyError } from "../lib/notices.js";
import { PageFrame } from "../lib/page_frame.js";
import { BOILERPLATE, colourOf, CONTENT_ROLES, ROLES } from "../lib/roles.js";
import { parseHash } from "../lib/router.js";
import { EmptyState, Meter, Spinner, Tabs } from "../lib/ui.js";
import { useData } from "../lib/use_data.js";
import { Tour } from "../lib/tour.js";
import { BlockPanel } from "./inspect_block.js";
import { PageTable } from "./pages.js";
import { ArticlePanel, BlocksPanel, FieldsPanel, hasValue, SourcePanel } from "./inspect_panels.js";

const NARROW = matchMedia("(max-width: 900px)");

export function View({ route, navigate }) {
  const [pageId] = route.parts;
  if (pageId === "set") return html`<${PageTable} key=${route.parts[1]} id=${route.parts[1]} query=${route.query} navigate=${navigate} />`;
  if (pageId) return html`<${Inspector} key=${pageId} pageId=${pageId} route=${route} navigate=${navigate} />`;
  const open = (pages) => {
    const [page] = pages;
    if (pages.length === 1) return navigate({ view: "inspect", parts: [page.id], query: { url: page.url } });
    return makeCollection(pages, count(pages.length, "page")).then(({ id }) => navigate({ view: "inspect", parts: ["set", id] }), notifyError);
  };
  return html`<div class="start">
    <h1>See what Broadsheet extracts, and why</h1>
    <${Tour} />
    <${OpenPanel} onOpen=${open} hint="HTML pages, MHTML, WARC, WACZ, ZIP or tar files, or JSON Lines with html. Files and text stay on this machine." />
  </div>`;
}

function Inspector({ pageId, route, navigate }) {
  const { query } = route;
  const by = query.by ?? "fusion";
  const isNarrow = useNarrow();
  const [isPlain, setPlain] = useState(false);
  const [readable, setReadable] = useState(null); // null: if the page has lost its style sheets
  const view = useData(`/desk/api/pages/${pageId}/view`);
  const extraction = useData(`/desk/api/pages/${pageId}/extractions/${encodeURIComponent(by)}`, { keeps: true });
  const own = useData("/desk/api/contenders?peers=false").data ?? [];
  const page = useData(`/desk/api/pages/${pageId}`).data;
  const keys = own.map(({ key }) => encodeURIComponent(key)).join(",");
  const opinions = useData(extraction.data && keys ? `/desk/api/pages/${pageId}/extractions?by=${keys}` : null);

  const formats = useData(["markdown", "json"].includes(query.tab) ? `/desk/api/pages/${pageId}/formats/${encodeURIComponent(by)}` : null);
  const wantsReasons = query.tab === "block" && query.block !== undefined && extraction.data;
  const reasons = useData(wantsReasons ? `/desk/api/pages/${pageId}/reasons/${encodeURIComponent(by)}` : null);

  const blocks = view.data?.blocks ?? [];
  const roles = extraction.data?.roles ?? [];
  const selected = query.block === undefined || !(Number(query.block) < blocks.length) ? null : Number(query.block);
  const differing = useMemo(() => findDiffering(opinions.data), [opinions.data]);
  const isReadable = readable ?? Boolean(view.data?.is_bare);
  const headline = roles.indexOf("title") >= 0 ? roles.indexOf("title") : roles.findIndex((role) => CONTENT_ROLES.has(role));
  const tab = query.tab ?? (isNarrow ? "page" : "article");

  // Keys may be pressed faster than the page is drawn again, so the address is read at once.
  const set = (changes) => {
    const now = parseHash(location.hash);
    navigate({ ...now, query: { ...now.query, ...changes } }, { isMinor: true });
  };
  const select = (block) => set({ block: block ?? undefined, tab: block === null || isNarrow ? query.tab : "block" });
  const step = (change, list = null) => {
    const candidates = list ?? blocks.map((_, index) => index);
    const { block: now } = parseHash(location.hash).query;
    const next = change > 0
      ? candidates.find((block) => block > Number(now ?? -1))
      : candidates.findLast((block) => block < Number(now ?? blocks.length));
    if (next !== undefined) select(next);
  };
  const inText = roles.map((role, index) => (role === BOILERPLATE ? -1 : index)).filter((index) => index >= 0);
  const openPages = useMemo(listOpenPages, []);
  const place = openPages.findIndex(({ id }) => id === pageId);
  const turnPage = (change) => {
    const next = openPages[place + change];
    if (next) navigate({ view: "inspect", parts: [next.id], query: { by: query.by, url: next.url, set: query.set } });
  };
  const switchMethod = () => {
    const index = own.findIndex(({ key }) => key === by);
    if (own.length) set({ by: own[(index + 1) % own.length].key });
  };
  const compare = () => navigate({ view: "compare", parts: ["page", pageId] });
  useKeys("Inspect", {
    j: [() => step(1), "Next block"],
    k: [() => step(-1), "Previous block"],
    ArrowDown: [() => step(1), "Next block"],
    ArrowUp: [() => step(-1), "Previous block"],
    l: [() => step(1, inText), "Next block that is not boilerplate"],
    h: [() => step(-1, inText), "Previous block that is not boilerplate"],
    n: [() => step(1, [...differing]), "Next block where methods differ"],
    N: [() => step(-1, [...differing]), "Previous block where methods differ"],
    m: [switchMethod, "Next method"],
    a: [() => set({ tab: "article" }), "Article"],
    f: [() => set({ tab: "fields" }), "Fields"],
    b: [() => set({ tab: "blocks" }), "Blocks"],
    w: [() => set({ tab: "block" }), "Why: the chosen block"],
    z: [() => setReadable(!isReadable), "Readable: without boilerplate, or the page as it is"],
    x: [() => setPlain(!isPlain), "Colours on or off"],
    c: [compare, "Compare methods on this page"],
    "]": [() => turnPage(1), "Next open page"],
    "[": [() => turnPage(-1), "Previous open page"],
    o: [() => navigate({ view: "inspect", parts: query.set ? ["set", query.set] : [] }), query.set ? "All pages" : "Open another page"],
    Escape: [() => set({ block: undefined, tab: query.tab === "block" ? undefined : query.tab }), "No block"],
  });

  const error = view.error ?? extraction.error;
  if (error?.code === 404) return html`<${LostPage} url=${query.url} navigate=${navigate} message=${error.message} />`;
  const tabs = [
    ...(isNarrow ? [["page", "Page"]] : []),
    ["article", "Article"],
    ["fields", "Fields", extraction.data?.fields?.filter(({ value }) => hasValue(value)).length],
    ["markdown", "Markdown"],
    ["json", "JSON"],
    ["code", "Code"],
    ["blocks", "Blocks", blocks.length || undefined],
    ["block", selected === null || isNarrow ? "Why" : `Block ${selected}`],
  ];
  const isPageShown = !isNarrow || tab === "page";
  const scores = extraction.data?.scores ?? [];
  const panels = {
    article: () => html`<${ArticlePanel} result=${extraction.data} />`,
    fields: () => html`<${FieldsPanel} fields=${extraction.data?.fields ?? []} />`,
    ...Object.fromEntries(["markdown", "json", "code"].map((kind) => [kind, () => html`<${SourcePanel} kind=${kind} formats=${formats} page=${page} by=${by} />`])),
    blocks: () => html`<${BlocksPanel} blocks=${blocks} roles=${roles} scores=${scores} selected=${selected} differing=${differing} onPick=${select} />`,
    block: () => html`<${BlockPanel} number=${selected} block=${blocks[selected]} by=${by} roles=${roles} scores=${scores}
      opinions=${opinions.data?.results} reasons=${reasons} isLoading=${opinions.isLoading} onStep=${step} />`,
  };
  return html`<div class="inspect">
    <${Toolbar} set=${query.set} place=${place} pages=${openPages.length} onTurn=${turnPage} name=${page?.name ?? query.url ?? "page"} by=${by} own=${own} result=${extraction.data} isLoading=${extraction.isLoading}
      isPlain=${isPlain} isReadable=${isReadable} onReadable=${() => setReadable(!isReadable)} onMethod=${(key) => set({ by: key })} onCompare=${compare} onPlain=${() => setPlain(!isPlain)} />
    <div class="inspect-body">
      <section class="page-pane" hidden=${!isPageShown} aria-label="Page">
        ${view.error && html`<${Failure} error=${view.error} />`}
        ${view.isLoading && html`<${Spinner} label="Reading the page" />`}
        ${view.data &&
        html`<${PageFrame} source=${view.data.html} roles=${roles} scores=${scores} selected=${selected} isPlain=${isPlain} isReadable=${isReadable} start=${headline < 0 ? undefined : headline}
          onPick=${select} title="The page with its blocks" />`}
        <${Legend} roles=${roles} />
        ${isNarrow && selected !== null && html`<${BlockStrip} block=${blocks[selected]} role=${roles[selected]}
          score=${scores[selected]} onDetails=${() => set({ tab: "block" })} />`}
      </section>
      <section class="side-pane" aria-label="Results">
        <${Tabs} items=${tabs} chosen=${tab} onChoose=${(name) => set({ tab: name })} label="Results" />
        <div class="side-content" tabindex="0" role="region" aria-label="Result" hidden=${isNarrow && tab === "page"}>
          ${extraction.error && html`<${Failure} error=${extraction.error} />`}
          ${extraction.isLoading && !extraction.data && html`<${Spinner} label="Extracting" />`}
          ${extraction.data && panels[tab]?.()}
        </div>
      </section>
    </div>
  </div>`;
}

function Toolbar({ set, place, pages, onTurn, name, by, own, result, isLoading, isPlain, isReadable, onReadable, onMethod, onCompare, onPlain }) {
  const options = own.length ? own : [{ key: by }];
  return html`<div class="toolbar">
    ${set
      ? html`<a class="button" href="#/inspect/set/${set}" title="All pages (o)">← Pages</a>`
      : html`<a class="button" href="#/inspect" title="Open another page (o)">Open</a>`}
    ${place >= 0 && pages > 1 && html`<span class="with-label"><button onClick=${() => onTurn(-1)} disabled=${place === 0} aria-label="Previous page" title="Previous page ([)">‹</button>
      ${place + 1} of ${pages}<button onClick=${() => onTurn(1)} disabled=${place === pages - 1} aria-label="Next page" title="Next page (])">›</button></span>`}
    <h1 class="page-name" title=${name}>${name}</h1>
    ${result && html`<${StatusChip} status=${result.status} title=${result.meaning} />
      <span class="with-label"><span class="wide-only">confidence </span><${Meter} value=${result.confidence ?? 0} label="confidence" /></span>`}
    ${isLoading && html`<span class="note">extracting</span>`}
    <span class="spacer"></span>
    <label class="with-label">method
      <select value=${by} onChange=${(event) => onMethod(event.target.value)}>
        ${options.map(({ key }) => html`<option value=${key} selected=${key === by}>${key}</option>`)}
      </select>
    </label>
    <button onClick=${onReadable} aria-pressed=${isReadable} title="Without boilerplate, or the page as it is (z)">Readable</button>
    <button onClick=${onPlain} aria-pressed=${!isPlain} title="Colours on or off (x)">Colours</button>
    <button onClick=${onCompare} title="Compare methods on this page (c)">Compare</button>
  </div>`;
}

function Legend({ roles }) {
  const others = ROLES.filter((role) => !CONTENT_ROLES.has(role) && roles.includes(role));
  const rows = [...(roles.some((role) => CONTENT_ROLES.has(role)) ? ["body"] : []), ...others];
  return html`<ul class="legend" aria-label="Colours">
    ${rows.map((role) => html`<li key=${role}><i style=${{ background: colourOf(role) }}></i>${role === "body" ? "article text" : role}</li>`)}
    ${rows.length > 0 && html`<li class="note">stronger colour: higher score</li>`}
  </ul>`;
}

// On a phone: the chosen block below the page.
function BlockStrip({ block, role, score, onDetails }) {
  return html`<div class="block-strip">
    <${RoleChip} role=${role ?? BOILERPLATE} /><b>${percent(score ?? 0)}</b>
    <span class="cut">${block?.text}</span><button onClick=${onDetails}>Why</button>
  </div>`;
}

function Failure({ error }) {
  return html`<p class="failure" role="alert">${error.message}</p>`;
}

// Pages are only in the memory of the service: a link to one may outlive it.
function LostPage({ url, navigate, message }) {
  const fetchAgain = () =>
    openAddress(url).then((page) => navigate({ view: "inspect", parts: [page.id], query: { url: page.url } }), notifyError);
  return html`<${EmptyState} title="This page is not open any more">
    <p>The service keeps pages in memory until it is stopped (${message}).</p>
    <div class="row wrap">
      ${url && html`<button class="primary" onClick=${fetchAgain}>Fetch ${url} again</button>`}
      <a class="button" href="#/inspect">Open a page</a>
    </div>
  <//>`;
}

function useNarrow() {
  const [isNarrow, setNarrow] = useState(NARROW.matches);
  useEffect(() => {
    const update = () => setNarrow(NARROW.matches);
    NARROW.addEventListener("change", update);
    return () => NARROW.removeEventListener("change", update);
  }, []);
  return isNarrow;
}

// The blocks that some methods put into the article and others do not, in order.
function findDiffering(opinions) {
  const kept = (opinions?.results ?? []).map((result) => result.kept).filter(Boolean);
  const blocks = [...(kept[0] ?? "")].map((_, index) => index);
  return new Set(blocks.filter((index) => kept.some((flags) => flags[index] !== kept[0][index])));
}
