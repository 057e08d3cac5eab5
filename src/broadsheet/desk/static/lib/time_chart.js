// A chart of values from 0 to 1, page by page in the order of time. Pages are often added many at a time, so the distance
// between points is the same for all.
import { html } from "./preact.js";

// `points` are {time (ms), value, title}, the earliest first. `limit` is drawn as a line. A small chart has no axes.
export function TimeChart({ points, label, limit, isSmall = false }) {
  if (!points.length) return html`<span class="note">no values yet</span>`;
  const [width, height, left, bottom] = isSmall ? [120, 28, 3, 3] : [380, 150, 30, 22];
  const [first, last] = [points[0].time, points.at(-1).time];
  const share = (index) => (points.length > 1 ? index / (points.length - 1) : 0.5);
  const x = (index) => left + 4 + share(index) * (width - left - 10);
  const y = (value) => 6 + (1 - value) * (height - bottom - 8);
  const path = points.map((point, index) => `${index ? "L" : "M"}${x(index).toFixed(1)} ${y(point.value).toFixed(1)}`).join("");
  const range = `${label}, ${points.length} pages, last ${points.at(-1).value.toFixed(2)}`;
  const day = (time) => new Date(time).toISOString().slice(0, 10);
  return html`<svg class="time-chart" viewBox="0 0 ${width} ${height}" width=${isSmall ? width : "100%"} height=${isSmall ? height : undefined} role="img" aria-label=${range}>
    ${!isSmall && [0, 0.5, 1].map((value) => html`<g class="axis"><line x1=${left} x2=${width} y1=${y(value)} y2=${y(value)} /><text x=${left - 6} y=${y(value) + 4} text-anchor="end">${value}</text></g>`)}
    ${limit !== undefined && html`<line class="limit" x1=${left} x2=${width} y1=${y(limit)} y2=${y(limit)} />`}
    <path d=${path} />
    ${(!isSmall || points.length < 25) && points.map((point, index) => html`<circle cx=${x(index)} cy=${y(point.value)} r=${isSmall ? 1.8 : 3.2}><title>${point.title}: ${point.value.toFixed(2)}</title></circle>`)}
    ${!isSmall && html`<g class="axis"><text x=${left} y=${height - 4}>${day(first)}</text>${day(last) !== day(first) && html`<text x=${width} y=${height - 4} text-anchor="end">${day(last)}</text>`}</g>`}
  </svg>`;
}
