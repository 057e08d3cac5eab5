// One block in Inspect: its text and place, its label by every method, and the features with the most influence.
import { html } from "../lib/preact.js";
import { percent, RoleChip } from "../lib/labels.js";
import { BOILERPLATE, CONTENT_ROLES } from "../lib/roles.js";
import { Key, Meter, Spinner } from "../lib/ui.js";

export function BlockPanel({ number, block, by, roles, scores, opinions, reasons, isLoading, onStep }) {
  if (!block) {
    return html`<div class="pad"><p>Choose a block: click on the page, or press <${Key} name="j" /> and <${Key} name="k" />.</p>
      <p class="note">This shows the label by every method, and the reasons.</p></div>`;
  }
  const role = roles[number] ?? BOILERPLATE;
  const facts = [
    `${block.text.length} characters`,
    `${percent(block.link_share)} in links`,
    ...(block.is_hidden ? ["hidden on the page"] : []),
  ];
  return html`<div class="block-panel">
    <header class="row"><${RoleChip} role=${role} /><${Meter} value=${scores[number] ?? 0} label="score" />
      <span class="spacer"></span>
      <button onClick=${() => onStep(-1)} aria-label="Previous block">↑</button><button onClick=${() => onStep(1)} aria-label="Next block">↓</button>
    </header>
    <blockquote class="block-quote">${block.text}</blockquote>
    <p class="note">${facts.join(" · ")}</p>
    <p class="note path">${block.path}</p>
    <h2>Labels by method</h2>
    ${opinions ? html`<${Opinions} opinions=${opinions} number=${number} by=${by} />` : isLoading && html`<${Spinner} label="Asking all methods" />`}
    <h2>Why ${role}</h2>
    <${Reasons} number=${number} role=${role} by=${by} reasons=${reasons} />
  </div>`;
}

function Opinions({ opinions, number, by }) {
  return html`<table class="opinions">
    <thead><tr><th>Method</th><th>Role</th><th>Score</th></tr></thead>
    <tbody>
      ${opinions.map(
        (result) => html`<tr key=${result.key} class=${result.key === by ? "current" : ""}>
          <th scope="row">${result.key}</th>
          ${result.error
            ? html`<td colspan="2" class="note">${result.error}</td>`
            : html`<td><${RoleChip} role=${result.roles[number] ?? BOILERPLATE} /></td>
                <td><${Meter} value=${result.scores[number] ?? 0} label="score" /></td>`}
        </tr>`,
      )}
    </tbody>
  </table>`;
}

function Reasons({ number, role, by, reasons }) {
  // Boilerplate has no score of its own: its reasons are those for and against article text.
  const aim = role === BOILERPLATE || CONTENT_ROLES.has(role) ? "article text" : `the role ${role}`;
  const { data, error, isLoading } = reasons;
  if (error) return html`<p class="note">${error.message}. The table above is all that ${by} tells of a block.</p>`;
  if (isLoading || !data) return html`<${Spinner} label="Computing the reasons" />`;
  const rows = data[number] ?? [];
  if (!rows.length) return html`<p class="note">No single group of features changes the score by much, because several of them carry the same information.</p>`;
  const scale = Math.max(1, ...rows.map(({ effect }) => Math.abs(effect)));
  return html`<div class="reasons">${rows.map((row) => html`<${Reason} key=${row.feature} row=${row} scale=${scale} />`)}</div>
    <p class="note">Green speaks for ${aim}, red against it. A bar is the change of the log-odds if these features had their mean of
      the training pages. Bars do not add up to the score; later steps, such as keeping lists whole, have no bars.</p>`;
}

function Reason({ row, scale }) {
  const width = `${(50 * Math.min(1, Math.abs(row.effect) / scale)).toFixed(1)}%`;
  const style = row.effect > 0 ? { left: "50%", width } : { right: "50%", width };
  return html`<div class="reason">
    <b>${row.feature}</b>
    <span class="reason-bar"><i class=${row.effect > 0 ? "for" : "against"} style=${style}></i></span>
    <span class="num">${row.effect > 0 ? "+" : "−"}${Math.abs(row.effect).toFixed(1)}</span>
  </div>`;
}
