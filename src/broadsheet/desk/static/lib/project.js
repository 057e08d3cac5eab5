// What the views of a project share.
import { html, useLayoutEffect, useState } from "./preact.js";
import { call } from "./api.js";
import { count } from "./labels.js";
import { notify, notifyError } from "./notices.js";
import { readDrop, readFileList } from "./open_files.js";
import { EmptyState, Spinner } from "./ui.js";
import { useData } from "./use_data.js";

export const PROJECT = "/desk/api/project";

let last = Promise.resolve();
let unsaved = 0; // changes that the service has not answered yet
let hasFailed = false; // the last change was refused, or the service did not answer
const watchers = new Set();

// Send a change. Changes are sent one after another, so that they are saved in the order in which they were made.
export function saveLabels(path, values) {
  countUnsaved(1);
  const result = last.then(() => call(path, { json: values }));
  last = result.then(() => false, () => true).then((isFailure) => {
    hasFailed = isFailure;
    countUnsaved(-1);
  });
  return result;
}

function countUnsaved(change) {
  unsaved += change;
  for (const watch of watchers) watch(unsaved);
}

// Whether all changes are saved.
export function SavedMark() {
  const [number, setNumber] = useState(unsaved);
  useLayoutEffect(() => {
    watchers.add(setNumber);
    setNumber(unsaved); // it may have changed since the mark was drawn
    return () => watchers.delete(setNumber);
  }, []);
  const text = number ? "Saving …" : hasFailed ? "The last change was not saved" : "All changes saved";
  return html`<span class="note saved-mark" role="status" data-saved=${number === 0 && !hasFailed}>${text}</span>`;
}

// Load the project. `data` is null until there is one; `missing` says how it can be opened.
export function useProject(version) {
  const { data, error } = useData(`${PROJECT}?v=${version}`, { keeps: true });
  return data?.name === null ? { data: null, error: null, missing: data } : { data, error, missing: null };
}

// What to do without a project, or with one that cannot be read.
export function NoProject({ project, onOpened }) {
  const { missing, error } = project;
  const [isBusy, setBusy] = useState(false);
  if (!missing) return html`<${EmptyState} title="The project cannot be read"><p>${error.message}</p><//>`;
  const open = async (folder) => {
    setBusy(true);
    try {
      await call(`${PROJECT}/open`, { json: { folder } });
      if (!folder) await call(`${PROJECT}/samples`, { json: {} });
      onOpened();
    } catch (failure) {
      notifyError(failure);
      setBusy(false);
    }
  };
  const submit = (event) => {
    event.preventDefault();
    const folder = new FormData(event.target).get("folder").trim();
    if (folder) open(folder);
  };
  return html`<${EmptyState} title="Teach Broadsheet your sites">
    <p>A project is a folder with pages of your sites, your corrections, and the weights that are learned from them.</p>
    ${missing.can_open
      ? html`<div class="choices">
          <section class="card padded">
            <h2>Try it</h2>
            <p>Six pages of an invented newspaper. Each has two lines that are not part of the article. Retraining needs ten articles, so it is not part of the trial. The trial is deleted when the desk is stopped.</p>
            <button class="primary" disabled=${isBusy} onClick=${() => open(null)}>Try it with six sample pages</button>
          </section>
          <form class="card padded" onSubmit=${submit}>
            <h2>Your own project</h2>
            <label>Folder, new or existing<input name="folder" placeholder="my-project" required spellcheck=${false} /></label>
            <p class="note">In ${missing.folder}, or a full path.</p>
            <button disabled=${isBusy}>Open the project</button>
          </form>
        </div>
        ${isBusy && html`<${Spinner} label="Opening the project" />`}`
      : html`<p>Start the desk with one; it is created if it does not exist:</p><pre class="command">broadsheet desk --project my-project</pre>`}
  <//>`;
}

// A trial project ends with the desk. One's own can be opened instead.
export function LeaveTrial({ onOpened }) {
  const submit = (event) => {
    event.preventDefault();
    const folder = new FormData(event.target).get("folder").trim();
    if (folder) call(`${PROJECT}/open`, { json: { folder } }).then(onOpened, notifyError);
  };
  return html`<form class="leave-trial" onSubmit=${submit}>
    <p class="note">This is the trial. It is deleted when the desk is stopped.</p>
    <div class="row"><input name="folder" placeholder="my-project" aria-label="Folder of your own project, new or existing" required spellcheck=${false} />
    <button>Open your own</button></div>
  </form>`;
}

// Whether a file is hidden, or a frame that a browser saved with a page in NAME_files/.
const isPartOfPage = (path) => /(^|\/)\.|_files\//.test(path);

// Add saved pages, an address, or the sample pages to the project.
export function AddPages({ onAdded, isSmall = false }) {
  const [progress, setProgress] = useState(null); // {done, total}
  const [isOver, setOver] = useState(false);
  const addAll = async (pages) => {
    let [added, known] = [0, 0];
    for (const [done, read] of pages.entries()) {
      setProgress({ done, total: pages.length });
      try {
        const { is_new: isNew } = await call(`${PROJECT}/pages`, { json: await read() });
        if (isNew) added += 1;
        else known += 1;
      } catch (error) {
        notifyError(error);
      }
    }
    setProgress(null);
    if (added) notify(`${count(added, "page")} added.`);
    if (known) notify(`${count(known, "page")} ${known === 1 ? "is" : "are"} in the project already.`); // failures have their own lines
    onAdded();
  };
  const addFiles = (files) => {
    const pages = files.filter(({ path, blob }) => !isPartOfPage(path) && (blob.type === "text/html" || /\.x?html?$/i.test(path)));
    if (!pages.length) return notify("Only saved HTML pages can be added here; broadsheet project add reads archives too.");
    return addAll(pages.map(({ path, blob }) => async () => ({ file: await readBase64(blob), name: path })));
  };
  const submit = (event) => {
    event.preventDefault();
    const url = new FormData(event.target).get("url").trim();
    if (url) addAll([async () => ({ url })]).then(() => event.target.reset());
  };
  const drop = (event) => {
    event.preventDefault();
    setOver(false);
    readDrop(event.dataTransfer).then(addFiles, notifyError);
  };
  const addSamples = () =>
    call(`${PROJECT}/samples`, { json: {} }).then(({ added }) => {
      notify(added ? `${count(added, "sample page")} added.` : "The sample pages are in the project already.");
      onAdded();
    }, notifyError);
  if (progress) return html`<p class="note" role="status">Adding page ${progress.done + 1} of ${progress.total} …</p>`;
  return html`<div class="add-pages ${isSmall ? "is-small" : ""} ${isOver ? "is-over" : ""}" onDragOver=${(event) => (event.preventDefault(), setOver(true))}
    onDragLeave=${() => setOver(false)} onDrop=${drop}>
    <label class="button">Add files<input type="file" accept=".html,.htm,text/html" multiple class="hidden-input" onChange=${(event) => addFiles(readFileList(event.target.files))} /></label>
    <form class="row" onSubmit=${submit}><input name="url" type="url" placeholder=${isSmall ? "Address" : "https://example.org/story"} aria-label="Address to add" required /><button>Add</button></form>
    ${!isSmall && html`<p class="note">Drop saved pages or a folder here, or <button class="link" onClick=${addSamples}>add six sample pages</button>.</p>`}
  </div>`;
}

// The bytes of a file, as they are: file.text() would decode them as UTF-8, whatever the page declares.
async function readBase64(file) {
  const address = await new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
  return address.slice(address.indexOf(",") + 1);
}
