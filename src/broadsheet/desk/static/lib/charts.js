// Charts as SVG, in the colours of the theme. No library is needed for these few kinds.
import { html } from "./preact.js";

const WIDTH = 400; // of the drawing, in the units of the text size

// Horizontal bars with their values. `rows`: [{label, value, low, high, text}], values from 0 to `max`; `low` and
// `high` draw an interval.
export function BarChart({ rows, max = 1, title }) {
  const step = 30;
  const left = 104;
  const span = WIDTH - left - 54;
  const at = (value) => left + (span * Math.min(Math.max(value, 0), max)) / max;
  return html`<figure class="chart">
    <figcaption>${title}</figcaption>
    <svg viewBox="0 0 ${WIDTH} ${rows.length * step + 6}" role="img" aria-label=${describe(title, rows)}>
      ${rows.map(
        ({ label, value, low, high, text }, index) => html`<g transform="translate(0 ${index * step})">
          <text x=${left - 10} y="19" text-anchor="end" class="name">${cut(label, 14)}</text>
          <rect class="track" x=${left} y="8" width=${span} height="14" rx="3" />
          <rect class="bar s${index % 8}" x=${left} y="8" width=${Math.max(at(value) - left, 1)} height="14" rx="3"><title>${label}: ${text}</title></rect>
          ${low !== undefined && html`<path class="interval" d="M${at(low)} 15H${at(high)}" />`}
          <text x=${WIDTH - 44} y="19">${text}</text>
        </g>`,
      )}
    </svg>
  </figure>`;
}

// Counts of values from 0 to 1 in `bins` classes.
export function Histogram({ values, bins = 10, title, xLabel }) {
  const counts = Array(bins).fill(0);
  for (const value of values) counts[Math.min(bins - 1, Math.max(0, Math.floor(value * bins)))] += 1;
  const highest = Math.max(1, ...counts);
  const [height, base] = [196, 150];
  const step = WIDTH / bins;
  return html`<figure class="chart">
    <figcaption>${title}</figcaption>
    <svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label=${`${title}: ${counts.join(", ")}`}>
      ${counts.map((number, index) => {
        const size = (number / highest) * (base - 24);
        return html`<g>
          <rect class="bar" x=${index * step + 2} y=${base - size} width=${step - 4} height=${Math.max(size, 1)} rx="3">
            <title>${(index / bins).toFixed(2)} to ${((index + 1) / bins).toFixed(2)}: ${number}</title>
          </rect>
          ${number > 0 && html`<text x=${(index + 0.5) * step} y=${base - size - 5} text-anchor="middle">${number}</text>`}
        </g>`;
      })}
      ${[0, 0.5, 1].map((value) => html`<text x=${value * WIDTH} y=${height - 28} text-anchor=${["start", "middle", "end"][value * 2]}>${value}</text>`)}
      <text x=${WIDTH / 2} y=${height - 6} text-anchor="middle">${xLabel}</text>
    </svg>
  </figure>`;
}

// Points from 0 to 1 on both axes. `points`: [{x, y, label, onPick}].
export function Scatter({ points, xLabel, yLabel, title }) {
  const [size, pad] = [230, 44];
  const span = size - pad - 12;
  const at = (value) => Math.min(Math.max(value, 0), 1) * span;
  return html`<figure class="chart">
    <figcaption>${title}</figcaption>
    <svg viewBox="0 0 ${WIDTH} ${size}" role="img" aria-label=${`${title}: ${points.length} pages`}>
      <g transform="translate(${(WIDTH - size) / 2} 0)">
        ${[0, 0.5, 1].map(
          (value) => html`<g>
            <path class="grid" d="M${pad} ${10 + span - at(value)}H${pad + span}M${pad + at(value)} 10V${10 + span}" />
            <text x=${pad - 8} y=${14 + span - at(value)} text-anchor="end">${value}</text>
            <text x=${pad + at(value)} y=${size - 18} text-anchor="middle">${value}</text>
          </g>`,
        )}
        <text x=${pad + span / 2} y=${size - 2} text-anchor="middle">${xLabel}</text>
        <text transform="translate(10 ${10 + span / 2}) rotate(-90)" text-anchor="middle">${yLabel}</text>
        ${points.map(
          ({ x, y, label, onPick }) => html`<circle class="dot" cx=${pad + at(x)} cy=${10 + span - at(y)} r="5" onClick=${onPick}>
            <title>${label}: ${xLabel} ${x.toFixed(2)}, ${yLabel} ${y.toFixed(2)}</title>
          </circle>`,
        )}
      </g>
    </svg>
  </figure>`;
}

const cut = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);
const describe = (title, rows) => `${title}: ${rows.map(({ label, text }) => `${label} ${text}`).join(", ")}`;
