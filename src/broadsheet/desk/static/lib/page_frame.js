// A page in a frame, with its blocks coloured by role. The server has removed scripts and addresses from `source`
// (desk/page_view.py). The sandbox has no allow-scripts, so nothing of the page can run; allow-same-origin lets this
// module read clicks and set attributes. Never add allow-scripts: both together would give the page full access.
import { html, useEffect, useRef, useState } from "./preact.js";
import { handleKey } from "./keys.js";
import { BOILERPLATE, CONTENT_ROLES, ROLES, shadeOf } from "./roles.js";

// The colour of a role lies over the background of the page, so that white text on a dark header stays readable.
const MIN_FOLDED = 3; // blocks of boilerplate in a row, in the readable view
const OVERLAY = `
[data-block] { cursor: pointer; --c: 120 118 112; --a: .1; }
${ROLES.map((role) => `[data-role="${role}"] { --c: ${shadeOf(role)}; }`).join("\n")}
html:not([data-plain]) [data-role] { background-image: linear-gradient(rgb(var(--c) / var(--a)) 0 0) !important; box-shadow: -5px 0 0 rgb(var(--c) / .9) !important; }
html:not([data-plain]) :is(td, th, li, dd, button)[data-role]:not([data-role="${BOILERPLATE}"]) { box-shadow: inset 3px 0 0 rgb(var(--c) / .9) !important; }
html[data-readable] body { max-width: 46em !important; margin: 24px auto !important; padding: 0 20px !important; font: 16.5px/1.6 Charter, Georgia, serif !important; }
html[data-readable] :is([data-folded], li:has(> [data-folded]:only-child), bs-media, img, hr) { display: none !important; }
bs-fold { display: none; }
html[data-readable] bs-fold { display: block; cursor: pointer; margin: 10px 0; padding: 4px 10px; border: 1px dashed #8888; border-radius: 6px; font: 13px/1.5 sans-serif; color: #595651; }
html:not([data-plain]) bs-text[data-role] { box-shadow: inset 0 -2px 0 rgb(var(--c) / .85) !important; }
html:not([data-plain]) [data-role="${BOILERPLATE}"] { box-shadow: none !important; }
[data-block]:hover { outline: 1px dashed rgb(var(--c)) !important; outline-offset: 1px; }
[data-differs] { outline: 2px dotted #d0620a !important; outline-offset: 1px; }
[data-block][data-selected] { outline: 3px solid #1d4ed8 !important; outline-offset: 2px; }
`;

// `roles` and `scores` have an item for each block. `selected` is a block or a list of blocks. `differs` is a set of
// blocks to mark. `start` is the block that is shown first. `isReadable` folds boilerplate. `onPick(block, event)` is called for a click, `onSweep(blocks)` when several are dragged over.
export function PageFrame({ source, roles = [], scores = [], selected, differs, start, isPlain = false, isReadable = false, onPick, onSweep, title }) {
  const frame = useRef(null);
  const handlers = useRef({});
  const wasPicked = useRef(false); // the selection comes from a click in the frame, so it is in view
  const [root, setRoot] = useState(null); // the <html> of the page, once it is loaded
  handlers.current = { onPick, onSweep };

  const prepare = () => {
    const page = frame.current?.contentDocument;
    if (!page?.documentElement || !page.querySelector("meta[http-equiv]")) return; // about:blank before the page
    const style = page.createElement("style");
    style.textContent = OVERLAY;
    page.head.append(style);
    addListeners(page, handlers, wasPicked);
    setRoot(page.documentElement);
  };

  useEffect(() => {
    if (!root) return;
    root.toggleAttribute("data-plain", isPlain);
    for (const element of root.querySelectorAll("[data-block]")) {
      const block = Number(element.dataset.block);
      element.dataset.role = roles[block] ?? "";
      element.style.setProperty("--a", computeAlpha(roles[block], scores[block] ?? 0).toFixed(3));
      element.toggleAttribute("data-differs", Boolean(differs?.has(block)));
    }
  }, [root, roles, scores, differs, isPlain]);

  useEffect(() => {
    if (!root) return;
    root.toggleAttribute("data-readable", isReadable);
    if (isReadable && roles.length) fold(root, roles);
    if (start !== undefined && ![selected ?? []].flat().length) {
      root.querySelector(`[data-block="${Number(start)}"]`)?.scrollIntoView({ block: "start" });
      root.ownerDocument.defaultView.scrollBy(0, -24);
    }
  }, [root, isReadable, roles, start]);

  useEffect(() => {
    if (!root) return;
    for (const element of root.querySelectorAll("[data-selected]")) element.removeAttribute("data-selected");
    const blocks = [selected ?? []].flat();
    const elements = blocks.flatMap((block) => [...root.querySelectorAll(`[data-block="${Number(block)}"]`)]);
    for (const element of elements) element.setAttribute("data-selected", "");
    if (elements.length && !wasPicked.current) show(elements[0]);
    wasPicked.current = false;
  }, [root, String(selected)]);

  return html`<iframe
    ref=${frame}
    class="page-frame"
    title=${title ?? "The page"}
    sandbox="allow-same-origin"
    referrerpolicy="no-referrer"
    srcdoc=${source}
    onLoad=${prepare}
  ></iframe>`;
}

// Fold runs of boilerplate: each is one line that can be unfolded.
function fold(root, roles) {
  for (const line of root.querySelectorAll("bs-fold")) line.remove();
  for (const element of root.querySelectorAll("[data-folded]")) element.removeAttribute("data-folded");
  let run = [];
  const close = () => {
    const blocks = new Set(run.map(({ dataset }) => dataset.block)).size;
    if (blocks >= MIN_FOLDED) {
      const [first, elements] = [run[0], run];
      const line = root.ownerDocument.createElement("bs-fold");
      line.textContent = `${blocks} blocks of boilerplate`;
      line.addEventListener("click", (event) => {
        event.stopPropagation();
        for (const element of elements) element.removeAttribute("data-folded");
        line.remove();
      });
      (first.closest("ul, ol, table, nav, header") ?? first).before(line);
      for (const element of elements) element.setAttribute("data-folded", "");
    }
    run = [];
  };
  for (const element of root.querySelectorAll("[data-block]")) {
    if (roles[Number(element.dataset.block)] === BOILERPLATE) run.push(element);
    else close();
  }
  close();
}

function computeAlpha(role, score) {
  if (CONTENT_ROLES.has(role)) return 0.08 + 0.2 * score;
  return role === BOILERPLATE ? 0.05 + 0.3 * score : 0.2;
}

function addListeners(page, handlers, wasPicked) {
  let start = null; // the block where a drag began
  let end = null;
  const find = (event) => {
    const element = event.target.closest?.("[data-block]");
    return element ? Number(element.dataset.block) : null;
  };
  page.addEventListener("click", (event) => {
    if (!event.target.closest?.("summary")) event.preventDefault();
    wasPicked.current = true;
    handlers.current.onPick?.(find(event), event);
  });
  page.addEventListener("submit", (event) => event.preventDefault());
  page.addEventListener("dragstart", (event) => event.preventDefault());
  page.addEventListener("pointerdown", (event) => {
    if (!handlers.current.onSweep) return;
    start = end = find(event);
    if (start !== null) event.preventDefault(); // no selection of text
  });
  page.addEventListener("pointerover", (event) => {
    if (start !== null) end = find(event) ?? end;
  });
  page.addEventListener("pointerup", () => {
    if (start !== null && end !== start) {
      const [first, last] = [Math.min(start, end), Math.max(start, end)];
      handlers.current.onSweep?.(Array.from({ length: last - first + 1 }, (_, index) => first + index));
    }
    start = end = null;
  });
  page.addEventListener("keydown", handleKey);
}

function show(element) {
  for (let outer = element.parentElement; outer; outer = outer.parentElement) if (outer.tagName === "DETAILS") outer.open = true;
  element.scrollIntoView({ block: "center", inline: "nearest" });
}
