// Marks of roles, statuses and confidences.
import { html } from "./preact.js";
import { colourOf } from "./roles.js";

export function RoleChip({ role }) {
  return html`<span class="chip role" style=${{ "--role": colourOf(role) }}>${role}</span>`;
}

export function StatusChip({ status, title }) {
  const kind = status === "ok" ? "good" : status === "failed" || status === "timeout" ? "bad" : "warn";
  return html`<span class="chip ${kind}" title=${title}>${status.replace("_", " ")}</span>`;
}

export const percent = (value) => `${Math.round(100 * value)} %`;
export const fixed = (value, digits = 2) => (value === null || value === undefined ? "–" : value.toFixed(digits));
export const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
