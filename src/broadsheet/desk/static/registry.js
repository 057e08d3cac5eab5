// The views of the desk, in the order of the navigation. A view is a module in views/ that exports one component `View`.
// Its properties: `route` ({view, parts, query}) and `navigate` (see lib/router.js). `key` is pressed after g.
export const VIEWS = [
  { name: "inspect", label: "Inspect", key: "i", load: () => import("./views/inspect.js") },
  { name: "compare", label: "Compare", key: "c", load: () => import("./views/compare.js") },
  { name: "correct", label: "Correct", key: "e", load: () => import("./views/correct.js") },
  { name: "train", label: "Retrain", key: "r", load: () => import("./views/train.js") },
  { name: "watch", label: "Sites", key: "w", load: () => import("./views/watch.js") },
];
