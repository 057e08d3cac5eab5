// Open pages: pasted text, dropped files and folders. Lists of open pages are kept for this tab.
import { call } from "./api.js";
import { notify } from "./notices.js";

const KEY = "broadsheet.pages";
const MAX_LISTED = 500;

export const openAddress = (url) => call("/desk/api/pages", { json: { url } }).then((page) => remember([page])[0]);
export const openHtml = (html) => call("/desk/api/pages", { json: { html } }).then((page) => remember([page])[0]);

export function isAddress(text) {
  return /^https?:\/\/\S+$/i.test(text.trim()) || /^[\w-]+(\.[\w-]+)+(:\d+)?([/?#]\S*)?$/.test(text.trim());
}

// Open an address or HTML, whichever the text is.
export async function openText(text) {
  const trimmed = text.trim();
  if (isAddress(trimmed)) return openAddress(/^https?:/i.test(trimmed) ? trimmed : `https://${trimmed}`);
  if (!text.includes("<")) throw new Error("This is neither an address nor HTML. An address starts with https:");
  return openHtml(text);
}

// Open files: pages, archives, JSON Lines. A text file with the name of a page, beside it or in txt/ beside html/, is
// the text that is expected. `onProgress(done, all)` is called after each file. Return the pages.
export async function openFiles(files, onProgress = () => {}) {
  const texts = new Map(files.filter(isText).map((file) => [nameOf(file), file]));
  const sources = files.filter((file) => !isText(file) && !isOther(file));
  const pages = [];
  for (const [index, file] of sources.entries()) {
    try {
      if (!file.blob.size) throw new Error("the file is empty");
      let opened = await call(`/desk/api/files?name=${encodeURIComponent(file.path)}`, { body: file.blob });
      const text = opened.length === 1 && texts.get(nameOf(file));
      if (text) opened = [await call(`/desk/api/pages/${opened[0].id}/gold`, { body: text.blob })];
      pages.push(...opened);
    } catch (error) {
      if (error.code === 0 || error.code === 503) throw error;
      notify(`${file.path}: ${error.message}`, "error");
    }
    onProgress(index + 1, sources.length);
  }
  if (!sources.length) notify("There are no pages among these files. The desk opens HTML, MHTML, WARC, WACZ, ZIP, tar and JSON Lines.", "error");
  return remember(pages);
}

export function listOpenPages() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY)) ?? [];
  } catch {
    return [];
  }
}

export function remember(pages) {
  const ids = new Set(pages.map(({ id }) => id));
  const others = listOpenPages().filter(({ id }) => !ids.has(id));
  try {
    sessionStorage.setItem(KEY, JSON.stringify([...others, ...pages].slice(-MAX_LISTED)));
  } catch {
    // The list is a convenience; without room for it the pages still open.
  }
  return pages;
}

// The files of a drop, with those in folders: [{path, blob}].
export async function readDrop(dataTransfer) {
  const entries = [...dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return readFileList(dataTransfer.files);
  return (await Promise.all(entries.map(readEntry))).flat();
}

export function readFileList(list) {
  return [...list].map((blob) => ({ path: blob.webkitRelativePath || blob.name, blob }));
}

async function readEntry(entry) {
  if (entry.isFile) {
    const blob = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [{ path: entry.fullPath.replace(/^\//, ""), blob }];
  }
  const reader = entry.createReader();
  const children = [];
  for (;;) {
    const part = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!part.length) break;
    children.push(...part); // the browser gives at most 100 at a time
  }
  return (await Promise.all(children.map(readEntry))).flat();
}

const isText = ({ path }) => /\.txt$/i.test(path);
const isOther = ({ path }) => /(^|\/)\.|\.(css|js|mjs|map|png|jpe?g|gif|webp|svg|ico|woff2?|ttf|pdf|md|py|csv|tsv|log)$/i.test(path);
const nameOf = ({ path }) => path.replace(/(^|\/)(html|txt)\//, "$1").replace(/\.[a-z]+$/i, "").toLowerCase();
