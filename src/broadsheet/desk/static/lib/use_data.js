// Load values from the service while a component is shown.
import { useEffect, useState } from "./preact.js";
import { call } from "./api.js";

// Load the JSON of an address; null loads nothing. Return {data, error, isLoading}. A later address cancels the
// earlier request; until its answer comes, the earlier data are returned if `keeps` is true.
export function useData(path, { keeps = false, delay = 0 } = {}) {
  const [state, setState] = useState({ path: null, data: null, error: null });
  useEffect(() => {
    if (!path) return undefined;
    const controller = new AbortController();
    const load = () =>
      call(path, { signal: controller.signal }).then(
        (data) => setState({ path, data, error: null }),
        (error) => error.name !== "AbortError" && setState({ path, data: null, error }),
      );
    const timer = setTimeout(load, delay);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [path]);
  const isCurrent = state.path === path;
  return {
    data: path && (isCurrent || keeps) ? state.data : null,
    error: isCurrent ? state.error : null,
    isLoading: Boolean(path) && !isCurrent,
  };
}
