// The panel where pages are opened: paste, drop, samples. Inspect and Compare share it.
import { html, useEffect, useRef, useState } from "./preact.js";
import { call } from "./api.js";
import { notifyError } from "./notices.js";
import { listOpenPages, openFiles, openText, readDrop, readFileList, remember } from "./open_files.js";
import { Spinner } from "./ui.js";

// `onOpen(pages)` is called with the pages that were opened. `hint` says what files are for in this view.
export function OpenPanel({ onOpen, hint, children }) {
  const [samples, setSamples] = useState([]);
  const [work, setWork] = useState(""); // what is going on
  const [isOver, setOver] = useState(false);
  const pages = listOpenPages();

  useEffect(() => {
    call("/desk/api/samples").then(setSamples, notifyError);
  }, []);
  const run = async (label, promise) => {
    setWork(label);
    try {
      const opened = await promise;
      if (opened.length) onOpen(opened);
    } catch (error) {
      notifyError(error);
    }
    setWork("");
  };
  const open = (files) => run("Opening files", openFiles(files, (done, all) => setWork(`Opened ${done} of ${all} files`)));
  useEffect(() => {
    // Files may be dropped anywhere in the window.
    const over = (event) => {
      event.preventDefault();
      setOver(event.type === "dragover");
    };
    const drop = (event) => {
      over(event);
      readDrop(event.dataTransfer).then(open, notifyError);
    };
    const listeners = [["dragover", over], ["dragleave", over], ["drop", drop]];
    for (const [name, listener] of listeners) addEventListener(name, listener);
    return () => listeners.forEach(([name, listener]) => removeEventListener(name, listener));
  });
  const submit = (event) => {
    event.preventDefault();
    const text = new FormData(event.target).get("text");
    if (text.trim()) run("Opening the page", openText(text).then((page) => [page]));
  };
  return html`<div class="open-panel">
    <form class="card open-form ${isOver ? "over" : ""}" onSubmit=${submit}>
      <label for="open-text"><b>Paste an address or HTML</b>, or drop files here</label>
      <${PasteField} />
      <div class="row wrap">
        <button class="primary" disabled=${Boolean(work)}>Open</button>
        <${FileButton} label="Choose files" onFiles=${open} />
        <${FileButton} label="Choose a folder" isFolder onFiles=${open} />
        ${work && html`<${Spinner} label=${work} />`}
      </div>
      <p class="note">${hint}</p>
    </form>
    ${children}
    <section>
      <h2>Sample pages</h2>
      <ul class="page-cards">
        ${samples.map(
          (page) => html`<li key=${page.id}>
            <button class="page-card" onClick=${() => onOpen(remember([page]))}>
              <b>${page.name.replace(".html", "")}</b><span>${page.description}</span>
            </button>
          </li>`,
        )}
      </ul>
    </section>
    ${pages.length > 0 &&
    html`<section>
      <h2>Open pages</h2>
      <ul class="page-list">
        ${pages.slice(-30).reverse().map(
          (page) => html`<li key=${page.id}><button class="link" onClick=${() => onOpen([page])}>${page.name}</button></li>`,
        )}
      </ul>
    </section>`}
  </div>`;
}

// Enter opens an address; in pasted HTML it is a line break.
function PasteField() {
  const submitAddress = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.target.value.includes("<")) {
      event.preventDefault();
      event.target.form.requestSubmit();
    }
  };
  return html`<textarea id="open-text" name="text" rows="3" spellcheck=${false} onKeyDown=${submitAddress}
    placeholder="https://example.org/story, or <html>..."></textarea>`;
}

function FileButton({ label, isFolder = false, onFiles }) {
  const input = useRef(null);
  const change = (event) => {
    const files = readFileList(event.target.files);
    event.target.value = "";
    if (files.length) onFiles(files);
  };
  return html`<button type="button" onClick=${() => input.current.click()}>${label}</button>
    <input ref=${input} type="file" multiple hidden webkitdirectory=${isFolder} onChange=${change} aria-label=${label} tabindex="-1" />`;
}
