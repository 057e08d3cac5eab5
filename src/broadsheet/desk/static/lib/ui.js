// Small components that all views share.
import { html, useEffect, useRef } from "./preact.js";

export function Spinner({ label }) {
  return html`<p class="spinner" role="status"><span aria-hidden="true"></span>${label}</p>`;
}

// What to do where nothing is shown yet. `isPart`: the view has a headline of its own.
export function EmptyState({ title, isPart = false, children }) {
  return html`<section class="empty-state">${isPart ? html`<h2>${title}</h2>` : html`<h1>${title}</h1>`}${children}</section>`;
}

// A bar from 0 to 1 with its value.
export function Meter({ value, label }) {
  const percent = Math.round(100 * value);
  return html`<span class="meter" role="img" aria-label=${`${label ?? "value"} ${value.toFixed(2)}`}>
    <span class="meter-bar"><i style=${{ width: `${percent}%` }}></i></span><b>${value.toFixed(2)}</b>
  </span>`;
}

export function Dialog({ title, onClose, children }) {
  const element = useRef(null);
  useEffect(() => {
    element.current.showModal();
  }, []);
  const closeOutside = (event) => event.target === element.current && onClose();
  return html`<dialog ref=${element} class="dialog" onClose=${onClose} onClick=${closeOutside} aria-label=${title}>
    <header><h2>${title}</h2><button class="icon" onClick=${onClose} aria-label="Close">×</button></header>
    ${children}
  </dialog>`;
}

// Tabs: `items` are [name, label, count] rows.
export function Tabs({ items, chosen, onChoose, label }) {
  const bar = useRef(null);
  useEffect(() => {
    const tab = bar.current.querySelector("[aria-selected=true]");
    tab?.scrollIntoView({ block: "nearest", inline: "nearest" }); // on narrow screens
  }, [chosen]);
  return html`<div ref=${bar} class="tabs" role="tablist" aria-label=${label}>
    ${items.map(
      ([name, text, count]) => html`<button role="tab" aria-selected=${name === chosen} onClick=${() => onChoose(name)}>
        ${text}${count === undefined ? null : html` <span class="count">${count}</span>`}
      </button>`,
    )}
  </div>`;
}

export function Key({ name }) {
  return html`${name.split(" ").map((part) => html`<kbd>${KEY_NAMES[part] ?? part}</kbd>`)}`;
}

const KEY_NAMES = { ArrowDown: "↓", ArrowUp: "↑", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc", Enter: "↵" };
