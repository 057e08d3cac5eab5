// Open pages: pasted text, dropped files and folders. Lists of open pages are kept for this tab.
import { call } from "./api.js";
import { count } from "./labels.js";
import { notify } from "./notices.js";

const KEY = "broadsheet.pages";
const MAX_LISTED = 2000;
const PARALLEL = 4;

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
  const queue = [...sources.entries()];
  let done = 0;
  const openOne = async ([index, file]) => {
    try {
      if (!file.blob.size) throw new Error("the file is empty");
      let opened = await call(`/desk/api/files?name=${encodeURIComponent(file.path)}`, { body: file.blob });
      const text = opened.length === 1 && texts.get(nameOf(file));
      if (text) opened = [await call(`/desk/api/pages/${opened[0].id}/gold`, { body: text.blob })];
      pages[index] = opened;
    } catch (error) {
      if (error.code === 0 || error.code === 503) throw error;
      notify(`${file.path}: ${error.message}`, "error");
    }
    done += 1;
    onProgress(done, sources.length);
  };
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) await openOne(next);
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  if (!sources.length) notify("There are no pages among these files. The desk opens HTML, MHTML, WARC, WACZ, ZIP, tar and JSON Lines.", "error");
  const opened = new Map(pages.flat().map((page) => [page.id, page])); // a page that is there twice is opened once
  const copies = pages.flat().length - opened.size;
  if (copies) notify(`${count(copies, "file")} left out: equal to another one.`);
  return remember([...opened.values()]);
}

// Put pages together, so that a link can name them. Return the collection.
export function makeCollection(pages, name) {
  return call("/desk/api/collections", { json: { name, pages: pages.map(({ id }) => id) } });
}

export function listOpenPages() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY)) ?? [];
  } catch {
    return [];
  }
}

// Add pages to the list of open pages; `isAll` replaces the list.
export function remember(pages, isAll = false) {
  const ids = new Set(pages.map(({ id }) => id));
  const others = (isAll ? [] : listOpenPages()).filter(({ id }) => !ids.has(id));
  try {
    sessionStorage.setItem(KEY, JSON.stringify([...others, ...pages.map(({ id, name, url }) => ({ id, name, url }))].slice(-MAX_LISTED)));
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
