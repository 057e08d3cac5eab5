// Keyboard commands. A view registers its keys with useKeys; the help dialog lists all that are active.
import { useLayoutEffect } from "./preact.js";

export const EVERYWHERE = "Everywhere"; // the title of the keys of the shell

const active = []; // of {title, keys}; later entries come first
let prefix = ""; // the first key of a sequence such as "g i"
let prefixTimer = 0;

// Register keys while a component is shown. `keys` maps a key, or two separated by a space, to [function, description].
export function useKeys(title, keys) {
  const entry = { title, keys };
  // As soon as the component is drawn: a key that is pressed before a later effect would get the old functions.
  useLayoutEffect(() => {
    active.push(entry);
    return () => active.splice(active.indexOf(entry), 1);
  });
}

// List the active keys: [{title, rows: [[keys, description]]}], those of the view first.
export function listKeys() {
  const groups = new Map();
  for (const { title, keys } of active) groups.set(title, { ...groups.get(title), ...keys });
  return [...groups]
    .map(([title, keys]) => ({ title, rows: listRows(keys) }))
    .sort((left, right) => (left.title === EVERYWHERE) - (right.title === EVERYWHERE));
}

function listRows(keys) {
  const rows = new Map(); // description -> keys
  for (const [key, [, text]] of Object.entries(keys)) if (text) rows.set(text, [...(rows.get(text) ?? []), key]);
  return [...rows].map(([text, names]) => [names, text]);
}

// Handle an event of the keyboard. Frames pass theirs on, because events do not cross documents.
export function handleKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event)) return;
  if (document.querySelector("dialog[open]")) return; // the keys of the dialog: Escape closes it
  const key = prefix ? `${prefix} ${event.key}` : event.key;
  const command = find(key);
  const isPrefix = !prefix && active.some(({ keys }) => Object.keys(keys).some((name) => name.startsWith(`${key} `)));
  setPrefix(isPrefix && !command ? event.key : "");
  if (!command) return;
  event.preventDefault();
  command[0](event);
}

function find(key) {
  for (const { keys } of [...active].reverse()) if (Object.hasOwn(keys, key)) return keys[key];
  return undefined;
}

function setPrefix(key) {
  clearTimeout(prefixTimer);
  prefix = key;
  if (key) prefixTimer = setTimeout(() => (prefix = ""), 1500);
}

function isTyping(event) {
  const element = event.target;
  if (!element?.closest) return false;
  if (event.key === "Escape") return false;
  if (element.closest("input:not([type=checkbox]), textarea, select, [contenteditable=true]")) return true;
  // Enter and the space bar press a focused button or link.
  return (event.key === "Enter" || event.key === " ") && Boolean(element.closest("button, a, summary"));
}
