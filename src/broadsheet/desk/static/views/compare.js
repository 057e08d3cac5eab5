// Compare: several methods, weights or other extractors on one page or on a collection.
// Addresses: #/compare/page/PAGE?by=KEYS and #/compare/set/COLLECTION?by=KEYS&sort=ORDER
import { html, useState } from "../lib/preact.js";
import { call } from "../lib/api.js";
import { notifyError } from "../lib/notices.js";
import { makeCollection } from "../lib/open_files.js";
import { OpenPanel } from "../lib/open_panel.js";
import { EmptyState, Spinner } from "../lib/ui.js";
import { useData } from "../lib/use_data.js";
import { CollectionComparison } from "./compare_set.js";
import { PageComparison } from "./compare_page.js";

const DEFAULT_KEYS = ["fusion", "stadynot"];

export function View({ route, navigate }) {
  const [kind, id] = route.parts;
  const { data: contenders, error } = useData("/desk/api/contenders");
  const keys = route.query.by ? route.query.by.split(",") : DEFAULT_KEYS;
  const set = (changes, options) => navigate({ ...route, query: { ...route.query, ...changes } }, options);
  if (!id) return html`<${Start} navigate=${navigate} />`;
  if (error) return html`<p class="failure">${error.message}</p>`;
  const picker = html`<${ContenderPicker} contenders=${contenders} keys=${keys} onChange=${(next) => set({ by: next.join(",") }, { isMinor: true })} />`;
  const Comparison = kind === "set" ? CollectionComparison : PageComparison;
  return html`<${Comparison} key=${id} id=${id} keys=${keys} picker=${picker} query=${route.query} set=${set} navigate=${navigate} />`;
}

function Start({ navigate }) {
  const [isBusy, setBusy] = useState(false);
  const openSet = (pages, name) =>
    makeCollection(pages, name).then((collection) => navigate({ view: "compare", parts: ["set", collection.id] }), notifyError);
  const open = (pages) =>
    pages.length === 1 ? navigate({ view: "compare", parts: ["page", pages[0].id] }) : openSet(pages, `${pages.length} pages`);
  const openSamples = async () => {
    setBusy(true);
    await call("/desk/api/samples").then((pages) => openSet(pages, "Sample pages"), notifyError);
    setBusy(false);
  };
  return html`<div class="start">
    <h1>Compare methods on your pages</h1>
    <${OpenPanel} onOpen=${open}
      hint="One page is compared block by block, several as a collection. For scores, drop JSON Lines with html and text, or a folder with html/ and txt/.">
      <section class="card pad row wrap">
        <span><b>No pages yet?</b> The samples have the text that should be extracted, so methods get scores.</span>
        <span class="spacer"></span><button class="primary" onClick=${openSamples} disabled=${isBusy}>Compare on the samples</button>
      </section>
    <//>
  </div>`;
}

const KIND_LABELS = { method: "Methods", weights: "Own weights", peer: "Other extractors" };

function ContenderPicker({ contenders, keys, onChange }) {
  if (!contenders) return html`<${Spinner} label="Looking for methods and other extractors" />`;
  const toggle = (key) => onChange(keys.includes(key) ? keys.filter((other) => other !== key) : [...keys, key]);
  const kinds = Object.keys(KIND_LABELS).filter((kind) => contenders.some((row) => row.kind === kind));
  const listKind = (kind) => {
    const rows = contenders.filter((row) => row.kind === kind);
    const boxes = rows.map(
      (row) => html`<label key=${row.key} title=${row.description} class="pick ${keys.includes(row.key) ? "on" : ""}">
        <input type="checkbox" checked=${keys.includes(row.key)} onChange=${() => toggle(row.key)} />${row.key}
      </label>`,
    );
    if (kind !== "peer") return html`<fieldset key=${kind}><legend>${KIND_LABELS[kind]}</legend>${boxes}</fieldset>`;
    const isOpen = rows.some((row) => keys.includes(row.key));
    return html`<details key=${kind} open=${isOpen}><summary>${KIND_LABELS[kind]} (${rows.length})</summary><fieldset>${boxes}</fieldset></details>`;
  };
  return html`<div class="picker">${kinds.map(listKind)}</div>`;
}

export function ChooseMore() {
  return html`<${EmptyState} isPart title="Choose two methods or more"><p>Tick them above. The first one is the reference.</p><//>`;
}
