// Short messages at the edge of the window.
import { html, useEffect, useState } from "./preact.js";

const SECONDS = 7;
let listener = null;
let lastId = 0;

// Show a message. `kind` is "info" or "error".
export function notify(text, kind = "info") {
  listener?.({ id: ++lastId, text, kind });
}

export function notifyError(error) {
  if (error.name !== "AbortError") notify(error.message, "error");
}

export function Notices() {
  const [notices, setNotices] = useState([]);
  useEffect(() => {
    const remove = (id) => setNotices((list) => list.filter((notice) => notice.id !== id));
    listener = (notice) => {
      setNotices((list) => [...list.filter(({ kind }) => kind === "error").slice(-1), notice]);
      setTimeout(() => remove(notice.id), SECONDS * 1000);
    };
    return () => (listener = null);
  }, []);
  return html`<div class="notices" role="status" aria-live="polite">
    ${notices.map((notice) => html`<p key=${notice.id} class="notice ${notice.kind}">${notice.text}</p>`)}
  </div>`;
}
