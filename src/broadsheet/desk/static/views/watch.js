// Sites: the sites of the project over time. Confidence, missing fields, and drift of the layout.
import { html, useState } from "../lib/preact.js";
import { count, fixed } from "../lib/labels.js";
import { AddPages, NoProject, PROJECT, useProject } from "../lib/project.js";
import { formatHash } from "../lib/router.js";
import { TimeChart } from "../lib/time_chart.js";
import { EmptyState, Meter, Spinner } from "../lib/ui.js";
import { useData } from "../lib/use_data.js";

export function View({ route, navigate }) {
  const [version, setVersion] = useState(0);
  const project = useProject(version);
  const { data: sites, error } = useData(project.data ? `${PROJECT}/health?v=${version}` : null, { keeps: true });
  const renew = () => setVersion((number) => number + 1);
  if (project.error || project.missing) return html`<${NoProject} project=${project} onOpened=${renew} />`;
  if (error) return html`<p class="failure" role="alert">${error.message}</p>`;
  if (!sites) return html`<${Spinner} label="Loading the sites" />`;
  if (!sites.length) {
    return html`<${EmptyState} title="No sites yet">
      <p>Add new pages of your sites from time to time. Each page is a point in time, so you can see when a site has changed and the quality has dropped.</p>
      <${AddPages} onAdded=${renew} />
    <//>`;
  }
  const chosen = route.query.site === undefined && sites.length === 1 ? sites[0] : sites.find((site) => keyOf(site) === route.query.site);
  return html`<div class="column wide">
    <header><h1>Your sites over time</h1>
      <p class="note">Add new pages of your sites from time to time: a change of a site shows as lower confidence, missing fields, or drift of the layout. Choose a site to see its pages.</p></header>
    <div class="scroll card" tabindex="0" role="region" aria-label="Sites"><table class="sites">
      <thead><tr><th>Site</th><th class="num">Pages</th><th title="Mean of the newest pages">Confidence</th><th title="Confidence of all pages, the oldest first">Over time</th>
        <th title="Fields that the newest pages lack">Missing fields</th><th class="num" title="Share of the earlier layout that the newest page lacks">Drift</th></tr></thead>
      <tbody>${sites.map((site) => html`<${SiteRow} key=${site.host} site=${site} isChosen=${site === chosen}
        onChoose=${() => navigate({ view: "watch", query: { site: site === chosen ? NO_SITE : keyOf(site) } })} />`)}</tbody>
    </table></div>
    ${chosen && html`<${SiteDetails} site=${chosen} />`}
    <${AddPages} onAdded=${renew} isSmall=${true} />
  </div>`;
}

const nameOf = (site) => site.host || "unknown site";
const keyOf = (site) => site.host || "unknown"; // in the address of the view
const NO_SITE = "none";

function SiteRow({ site, isChosen, onChoose }) {
  const recent = site.measurements.slice(-site.recent);
  const names = [...new Set(recent.flatMap((page) => page.missing))];
  const missing = names.map((name) => [name, recent.filter((page) => page.missing.includes(name)).length]);
  const drift = recent.at(-1)?.drift;
  return html`<tr aria-selected=${isChosen}>
    <th scope="row"><button class="link" onClick=${onChoose} aria-expanded=${isChosen}>${nameOf(site)}</button></th>
    <td class="num">${site.measurements.length}</td>
    <td><${Meter} value=${site.confidence} label="confidence" /></td>
    <td><${TimeChart} points=${toPoints(site, "confidence")} label="confidence" isSmall=${true} /></td>
    <td>${missing.length ? missing.map(([name, number]) => html`<span class="chip">${name} ${number}/${recent.length}</span> `) : html`<span class="note">none</span>`}</td>
    <td class="num">${drift === null || drift === undefined ? html`<span class="note">–</span>` : html`<span class=${drift >= site.max_drift ? "bad" : ""}>${fixed(drift)}</span>`}</td>
  </tr>
  ${site.warnings.length > 0 && html`<tr class="warning-row" aria-selected=${isChosen}><td colspan="6">${site.warnings.map((warning) => html`<p>⚠ ${warning[0].toUpperCase() + warning.slice(1)}</p>`)}</td></tr>`}`;
}

function SiteDetails({ site }) {
  return html`<section class="card padded">
    <h2>${nameOf(site)}</h2>
    <div class="charts">
      <figure><figcaption>Confidence</figcaption><${TimeChart} points=${toPoints(site, "confidence")} label="confidence" /></figure>
      <figure><figcaption>Drift of the layout <span class="note">above the line, a page has another layout</span></figcaption>
        <${TimeChart} points=${toPoints(site, "drift")} label="drift" limit=${site.max_drift} /></figure>
    </div>
    <h3>Newest pages</h3>
    <div class="scroll" tabindex="0" role="region" aria-label="Newest pages"><table><thead><tr><th>Page</th><th>Seen</th><th class="num">Confidence</th><th class="num">Drift</th><th>Status</th><th>Missing</th></tr></thead>
      <tbody>${site.measurements.slice(-20).reverse().map(
        (page) => html`<tr><td><a href=${formatHash({ view: "correct", parts: [page.page] })}>${page.name}</a></td>
          <td>${page.seen_at.slice(0, 10)}</td><td class="num">${fixed(page.confidence)}</td><td class="num">${fixed(page.drift)}</td>
          <td>${page.status.replace("_", " ")}</td><td>${page.missing.join(", ") || "–"}</td></tr>`,
      )}</tbody></table></div>
    <p class="note">${count(site.measurements.length, "page")} in all. In the charts, each point is a page, the oldest first.</p>
  </section>`;
}

const toPoints = (site, name) =>
  site.measurements.filter((page) => page[name] !== null).map((page) => ({ time: Date.parse(page.seen_at), value: page[name], title: `${page.seen_at.slice(0, 10)} ${page.name}` }));
