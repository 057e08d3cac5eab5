// Correct: set the roles of blocks and the fields of the project's pages. Every change is saved at once.
import { html, useEffect, useMemo, useRef, useState } from "../lib/preact.js";
import { call } from "../lib/api.js";
import { useKeys } from "../lib/keys.js";
import { count, fixed, percent, RoleChip } from "../lib/labels.js";
import { notify, notifyError } from "../lib/notices.js";
import { PageFrame } from "../lib/page_frame.js";
import { AddPages, LeaveTrial, NoProject, PROJECT, SavedMark, saveLabels, useProject } from "../lib/project.js";
import { BOILERPLATE, LABELS } from "../lib/roles.js";
import { formatHash } from "../lib/router.js";
import { EmptyState, Meter, Spinner, Tabs } from "../lib/ui.js";
import { useData } from "../lib/use_data.js";

const SOURCES = { label: "set by hand", site: "from corrections of other pages", method: "suggested by the method" };
const HINT = matchMedia("(hover: none)").matches ? "Tap a block of the page." : "Choose a block: click it, or press j. Drag over several.";
const NO_BLOCK = { start: -1, end: -1 };
const DOUBTFUL = [0.05, 0.95]; // scores between these are worth a look
const DOUBLE_PRESS = 300; // milliseconds: Enter so soon after the last page is a second press of it

export function View({ route, navigate }) {
  const [version, setVersion] = useState(0); // counts changes of the queue
  const project = useProject(version);
  const queue = useData(project.data ? `${PROJECT}/queue?v=${version}` : null, { keeps: true });
  const [id] = route.parts;
  const first = queue.isLoading ? undefined : queue.data?.queue[0]?.hash; // not that of the queue before the last change
  useEffect(() => {
    if (!id && first) navigate({ view: "correct", parts: [first] }, { isMinor: true });
  }, [id, first]);
  const renew = () => setVersion((number) => number + 1);

  if (project.error || project.missing) return html`<${NoProject} project=${project} onOpened=${renew} />`;
  if (!project.data || !queue.data || (!id && queue.isLoading)) return html`<${Spinner} label="Loading the project" />`;
  if (!project.data.pages) {
    return html`<${EmptyState} title="Add pages of your sites">
      <p>Check the labels of the method page by page, and correct the wrong ones. The most informative pages come first. A correction changes the other pages of its site at once.</p>
      <${AddPages} onAdded=${renew} />
    <//>`;
  }
  const side = html`<${Queue} project=${project.data} queue=${queue.data} chosen=${id} onChange=${renew} />`;
  if (!id) {
    return html`<div class="correct is-finished">${side}<${EmptyState} title="All pages are done">
      ${project.data.articles >= project.data.min_articles
        ? html`<p>Add more pages, or <a href=${formatHash({ view: "train" })}>retrain</a>: the method then learns from your corrections.</p>`
        : html`<p>Add more pages. Retraining needs ${project.data.min_articles} articles; ${project.data.articles} are done.</p>`}
      <${AddPages} onAdded=${renew} />
    <//></div>`;
  }
  return html`<${Editor} key=${id} id=${id} queue=${queue.data} side=${side} navigate=${navigate} onChange=${renew} />`;
}

function Editor({ id, queue, side, navigate, onChange }) {
  const [page, setPage] = useState(null);
  const [error, setError] = useState(null);
  const view = useData(`${PROJECT}/pages/${id}/view`);
  const [selection, showSelection] = useState(NO_BLOCK);
  const current = useRef(NO_BLOCK); // keys may be pressed faster than the page is drawn again
  const setSelection = (next) => {
    current.current = next;
    showSelection(next);
  };
  const isAccepting = useRef(false);
  const isEager = useRef(false); // Enter was pressed before the page was shown: it is accepted as soon as it is
  const openedAt = useRef(performance.now());
  const [tab, setTab] = useState("page");
  useEffect(() => {
    call(`${PROJECT}/pages/${id}`).then(setPage, setError);
  }, [id]);
  useEffect(() => {
    if (page && isEager.current) accept();
  }, [Boolean(page)]);

  // The numbers of blocks are those of the frame; labels belong to paths.
  const paths = view.data?.paths ?? page?.blocks.map(({ path }) => path) ?? [];
  const byPath = useMemo(() => new Map(page?.blocks.map((block) => [block.path, block])), [page]);
  const blocks = useMemo(() => paths.map((path) => byPath.get(path)), [paths, byPath]);
  const roles = useMemo(() => blocks.map((block) => block?.role ?? BOILERPLATE), [blocks]);
  const scores = useMemo(() => blocks.map((block) => block?.score ?? 0), [blocks]);
  const changed = useMemo(() => new Set(blocks.flatMap((block, number) => (block?.source === "site" ? [number] : []))), [blocks]);
  const selected = listSelected(selection);

  const showSaved = (failure) => {
    notifyError(failure);
    call(`${PROJECT}/pages/${id}`).then(setPage, () => undefined); // the change was shown before it was saved
  };
  const save = (path, values) => saveLabels(`${PROJECT}/pages/${id}/${path}`, values).then(setPage, showSaved);
  const setRole = (role) => {
    const chosen = listSelected(current.current);
    const labelled = Object.fromEntries(chosen.filter((number) => blocks[number]).map((number) => [paths[number], role]));
    if (!Object.keys(labelled).length) return notify("Choose a block first: click it, or press j.");
    const relabel = (block) => (block.path in labelled ? { ...block, role, source: "label" } : block);
    setPage((old) => ({ ...old, blocks: old.blocks.map(relabel) })); // shown before it is saved
    return save("roles", { roles: labelled });
  };
  const move = (step, extends_ = false) => {
    const { start, end: last } = current.current;
    const end = Math.min(Math.max(last + step, 0), blocks.length - 1);
    setSelection({ start: extends_ && start >= 0 ? start : end, end });
  };
  const findDoubtful = () => {
    // The score of other roles, such as title, is not that of the role: it says nothing about doubt.
    const hasScore = ({ suggestion }) => suggestion === "body" || suggestion === BOILERPLATE;
    const isDoubtful = (block) => block && block.source !== "label" && (block.source === "site" || (hasScore(block) && block.score > DOUBTFUL[0] && block.score < DOUBTFUL[1]));
    const after = blocks.findIndex((block, number) => number > current.current.end && isDoubtful(block));
    const next = after < 0 ? blocks.findIndex(isDoubtful) : after;
    if (next < 0) notify("No block is doubtful.");
    else setSelection({ start: next, end: next });
  };
  const goTo = (next) => navigate({ view: "correct", parts: next ? [next] : [] });
  const goToNext = () => {
    const place = queue.queue.findIndex(({ hash }) => hash === id);
    goTo((queue.queue[place + 1] ?? queue.queue.find(({ hash }) => hash !== id))?.hash);
  };
  const accept = async (event) => {
    // Only once: a key that is held down or pressed twice, or a double click, would accept pages unseen.
    if (isAccepting.current || event?.repeat || event?.detail > 1) return;
    if (!page) return (isEager.current = performance.now() - openedAt.current > DOUBLE_PRESS);
    isAccepting.current = true;
    try {
      const answer = await saveLabels(`${PROJECT}/pages/${id}/accept`, {});
      const affected = answer.changed_pages;
      const name = isEager.current ? `Accepted ${shorten(page.name)}; u takes it back.` : "Accepted.";
      notify(affected ? `${name} Your corrections change ${count(affected, "other page")} of ${answer.host || "this site"}.` : name);
      onChange();
      goTo(answer.next);
    } catch (failure) {
      notifyError(failure);
    }
    isAccepting.current = isEager.current = false;
  };
  const undo = async () => {
    try {
      const { page: hash } = await saveLabels(`${PROJECT}/undo`, {});
      if (!hash) return notify("There is nothing to undo.");
      onChange();
      if (hash === id) setPage(await call(`${PROJECT}/pages/${id}`));
      else goTo(hash);
    } catch (failure) {
      notifyError(failure);
    }
  };
  const switchType = () => {
    if (!page) return;
    const type = page.page_type === "article" ? "other" : "article";
    setPage((old) => ({ ...old, page_type: type })); // shown before it is saved
    save("type", { page_type: type });
  };

  const roleKeys = LABELS.flatMap(({ name, keys }) => [...keys].map((key) => [key, [() => setRole(name), name]]));
  useKeys("Correct", {
    j: [() => move(1), "Next block"],
    k: [() => move(-1), "Previous block"],
    ArrowDown: [() => move(1)],
    ArrowUp: [() => move(-1)],
    J: [() => move(1, true), "Extend the selection"],
    K: [() => move(-1, true), "Extend the selection"],
    ".": [findDoubtful, "Next doubtful block"],
    Enter: [accept, "Accept the page and go to the next"],
    u: [undo, "Undo"],
    n: [goToNext, "Next page, without accepting"],
    a: [switchType, "Article or not"],
    f: [() => document.querySelector(".label-fields input")?.focus(), "Edit title, date and authors"],
    Escape: [() => (document.activeElement?.blur(), setSelection(NO_BLOCK)), "No block"],
  });
  useKeys("Roles", Object.fromEntries(roleKeys));

  if (error) return html`<div class="correct is-finished">${side}<${EmptyState} title="This page cannot be shown"><p>${error.message}</p><//></div>`;
  if (!page) return html`<div class="correct">${side}<${Spinner} label="Loading the page" /></div>`;
  const block = blocks[selection.end];
  return html`<div class="correct" data-tab=${tab}>
    ${side}
    <div class="correct-tabs">
      <${Tabs} label="Parts" chosen=${tab} onChoose=${setTab}
        items=${[["page", "Page"], ["blocks", "Blocks", blocks.length], ["fields", "Fields"], ["queue", "Queue", queue.queue.length]]} />
    </div>
    <section class="correct-page" aria-label="The page">
      <header class="page-head">
        <h1 class="page-name" title=${page.name}>${shorten(page.name)}</h1>
        ${page.is_done ? html`<span class="chip good">done</span>` : null}
        <span class="with-label">confidence <${Meter} value=${page.confidence} label="confidence" /></span>
        <span class="spacer"></span><${SavedMark} />
      </header>
      ${view.error
        ? html`<${EmptyState} title="The page cannot be drawn"><p>${view.error.message}</p><p>Its blocks can be labelled in the list.</p><//>`
        : view.data
          ? html`<${PageFrame} source=${view.data.html} roles=${roles} scores=${scores} selected=${selected} differs=${changed}
              onPick=${(number, event) => number !== null && setSelection({ start: event.shiftKey && selection.start >= 0 ? selection.start : number, end: number })}
              onSweep=${(numbers) => setSelection({ start: numbers[0], end: numbers.at(-1) })} title=${page.name} />`
          : html`<${Spinner} label="Drawing the page" />`}
      ${changed.size > 0 && html`<p class="legend"><span><i class="dotted"></i>${count(changed.size, "block")} changed by corrections of other pages. Accept the page if they are right.</span></p>`}
    </section>
    <aside class="correct-side">
      <${RoleBar} block=${block} selected=${selected} onChoose=${(role) => setRole(role)} />
      <${BlockList} blocks=${blocks} selected=${selected} onChoose=${(number) => setSelection({ start: number, end: number })} />
      <div class="side-part correct-fields">
        <${Fields} page=${page} onSave=${(values) => save("fields", values)} />
        <label class="row note"><input type="checkbox" checked=${page.page_type === "article"} onChange=${switchType} /> This page is an article</label>
      </div>
      <${Effects} page=${page} />
      <div class="actions">
        <button class="primary" onClick=${accept}>Accept and next <kbd>↵</kbd></button>
        <button onClick=${undo}>Undo <kbd>u</kbd></button>
      </div>
    </aside>
  </div>`;
}

function listSelected({ start, end }) {
  if (start < 0) return [];
  const first = Math.min(start, end);
  return Array.from({ length: Math.abs(end - start) + 1 }, (_, index) => first + index);
}

function RoleBar({ block, selected, onChoose }) {
  const hint = selected.length > 1 ? count(selected.length, "block") : block ? describeBlock(block) : HINT;
  return html`<section class="role-bar">
    <p class="note" role="status">${hint}</p>
    <div class="role-buttons">
      ${LABELS.map(
        ({ name, meaning, keys: [digit, letter] }) => html`<button title=${`${meaning} (${digit} or ${letter})`} disabled=${!selected.length}
          aria-pressed=${selected.length === 1 && block?.role === name} onClick=${() => onChoose(name)}>
          <kbd>${digit}</kbd><${RoleChip} role=${name} />
        </button>`,
      )}
    </div>
  </section>`;
}

function describeBlock({ role, source, score, suggestion }) {
  const before = source !== "method" && suggestion !== role ? `; the method said ${suggestion}` : "";
  return `${role}: ${SOURCES[source]}${source === "method" ? `, score ${fixed(score)}` : ""}${before}`;
}

// All blocks as text: for phones, for pages that cannot be drawn, and for screen readers.
function BlockList({ blocks, selected, onChoose }) {
  const list = useRef(null);
  const current = selected.at(-1) ?? -1;
  useEffect(() => {
    list.current?.children[current]?.scrollIntoView({ block: "nearest" });
  }, [current]);
  return html`<ol class="block-list correct-blocks" ref=${list} aria-label="Blocks" tabindex="0">
    ${blocks.map(
      (block, number) => html`<li key=${number}>
        <button class="block" data-source=${block?.source} aria-current=${selected.includes(number)} onClick=${() => onChoose(number)} tabindex="-1">
          <${RoleChip} role=${block?.role ?? BOILERPLATE} /><span>${block?.text.slice(0, 200) ?? ""}</span>
        </button>
      </li>`,
    )}
  </ol>`;
}

function Fields({ page, onSave }) {
  const { title, date, authors, note } = page.fields;
  const saveOne = (name, read) => (event) => {
    const value = read(event.target.value.trim());
    if (JSON.stringify(value) !== JSON.stringify(page.fields[name] ?? null)) onSave({ [name]: value });
  };
  const finish = (event) => (event.key === "Enter" || event.key === "Escape") && event.target.blur();
  const isLabelled = (name) => (page.labelled_fields.includes(name) ? "is-labelled" : "");
  const day = date?.replace("T00:00:00", "") ?? "";
  const names = (authors ?? []).join("; ");
  // The key of an input is its value: a value that was saved is drawn anew, and text in another input is kept.
  return html`<div class="label-fields" onKeyDown=${finish}>
    <label class=${isLabelled("title")}>Title<input key=${title} defaultValue=${title ?? ""} onBlur=${saveOne("title", (text) => text || null)} /></label>
    <label class=${isLabelled("date")}>Date<input key=${date} defaultValue=${day} placeholder="YYYY-MM-DD"
      onBlur=${saveOne("date", (text) => (text === day ? date : text || null))} /></label>
    <label class=${isLabelled("authors")}>Authors<input key=${names} defaultValue=${names} placeholder="A; B"
      onBlur=${saveOne("authors", (text) => text.split(";").map((name) => name.trim()).filter(Boolean))} /></label>
    <label>Note<input key=${note} defaultValue=${note ?? ""} placeholder="for yourself and others" onBlur=${saveOne("note", (text) => text || null)} /></label>
  </div>`;
}

// What the labels change on the other pages of the site.
function Effects({ page }) {
  const { effects, changed_pages: changed, other_pages: others } = page;
  if (!others) return null;
  return html`<section class="side-part effects">
    <h2>Other pages of ${page.host || "this site"}</h2>
    ${changed
      ? html`<ul>${effects.map(
          (effect) => html`<li>
            <a href=${formatHash({ view: "correct", parts: [effect.hash] })}>${shorten(effect.name)}</a>${" "}
            <span class="note">${count(effect.changed, "block")}</span>
            ${effect.examples.map(
              (example) => html`<p class="example"><span class="clip">${example.text}</span>
                <${RoleChip} role=${example.from} /> → <${RoleChip} role=${example.to} /></p>`,
            )}
          </li>`,
        )}</ul>
        ${changed > effects.length && html`<p class="note">and ${changed - effects.length} more</p>`}`
      : html`<p class="note">Corrections here change ${others === 1 ? "the other page" : `the ${others} other pages`} of this site at once.</p>`}
  </section>`;
}

let queueFilter = ""; // kept from page to page

function Queue({ project, queue, chosen, onChange }) {
  const [filter, setFilter] = useState(queueFilter);
  queueFilter = filter;
  const matches = (page) => filter.toLowerCase().split(/\s+/).every((word) => [page.name, page.host, page.note, ...(page.reasons ?? [])].join(" ").toLowerCase().includes(word));
  const [waiting, done] = [queue.queue.filter(matches), queue.done.filter(matches)];
  const link = (page, more) => html`<li key=${page.hash}>
    <a href=${formatHash({ view: "correct", parts: [page.hash] })} aria-current=${page.hash === chosen}>
      <span class="clip page-title">${shorten(page.name)}</span>${more}${page.note && html`<span class="note clip">“${page.note}”</span>`}
    </a>
  </li>`;
  return html`<nav class="correct-queue" aria-label="Pages">
    <div class="side-part">
      <h2>${project.name}</h2>
      <progress max=${project.pages} value=${project.done} aria-label="Pages that are done"></progress>
      <p class="note">${project.done} of ${count(project.pages, "page")} done</p>
      <${AddPages} onAdded=${onChange} isSmall=${true} />
    </div>
    ${project.is_trial && html`<div class="side-part"><${LeaveTrial} onOpened=${() => location.reload()} /></div>`}
    <h2 class="side-title">To correct</h2>
    ${queue.queue.length + queue.done.length > 7 && html`<div class="side-note"><input type="search" placeholder="Filter: name, site, reason, note" aria-label="Filter the pages" value=${filter} onInput=${(event) => setFilter(event.target.value)} /></div>`}
    ${!queue.queue.length && html`<p class="note side-note">All pages are done.</p>`}
    <ol>${waiting.map((page) => link(page, html`<span class="note clip" title=${page.host}>${page.host}</span><span class="note">${page.reasons.join(", ") || `confidence ${percent(page.confidence)}`}</span>`))}</ol>
    ${done.length > 0 && html`<details open=${Boolean(filter)}><summary>${count(done.length, "page")} done</summary><ol>${done.map((page) => link(page))}</ol></details>`}
  </nav>`;
}

const shorten = (name) => name.replace(/^https?:\/\/(www\.)?/, "").replace(/^.*\/(?=[^/]+\.html?$)/, "");
