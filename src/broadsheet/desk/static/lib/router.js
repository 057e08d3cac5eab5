// The state of the desk in the hash of the address: #/view/part/part?name=value. So every state can be linked to.
import { useLayoutEffect, useState } from "./preact.js";

export function parseHash(hash) {
  const [path, search = ""] = hash.replace(/^#\/?/, "").split("?");
  const [view = "", ...parts] = path.split("/").filter(Boolean).map(decode);
  return { view, parts, query: Object.fromEntries(new URLSearchParams(search)) };
}

export function formatHash({ view, parts = [], query = {} }) {
  const values = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const search = new URLSearchParams(values).toString();
  return `#/${[view, ...parts].map(encodeURIComponent).join("/")}${search ? `?${search}` : ""}`;
}

// Go to another state. `isMinor` replaces the entry of the history: the back button must not step through every block.
export function navigate(route, { isMinor = false } = {}) {
  const hash = formatHash(route);
  if (hash === location.hash) return;
  history[isMinor ? "replaceState" : "pushState"](null, "", hash);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

export function useRoute() {
  const [route, setRoute] = useState(() => parseHash(location.hash));
  useLayoutEffect(() => {
    const update = () => setRoute(parseHash(location.hash));
    addEventListener("hashchange", update);
    addEventListener("popstate", update);
    return () => {
      removeEventListener("hashchange", update);
      removeEventListener("popstate", update);
    };
  }, []);
  return route;
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
