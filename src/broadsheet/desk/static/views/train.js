// Retrain: fine-tune the method on the project's labels, see before and after, and use the new weights or not.
import { html, useEffect, useRef, useState } from "../lib/preact.js";
import { call, download } from "../lib/api.js";
import { useKeys } from "../lib/keys.js";
import { count, fixed } from "../lib/labels.js";
import { notifyError } from "../lib/notices.js";
import { NoProject, PROJECT, useProject } from "../lib/project.js";
import { formatHash } from "../lib/router.js";
import { EmptyState, Spinner } from "../lib/ui.js";
import { useData } from "../lib/use_data.js";

const POLL_MS = 1000;
const MIN_TO_TELL = 6; // pages that must all change the same way before a change is significant
// What the log says when a step is finished.
const STEPS = [
  ["Read the pages", /pages with gold text/],
  ["Learn", /^wrote /m],
  ["Compare old and new weights", null], // the run is finished, too
];

export function View() {
  const [version, setVersion] = useState(0);
  const project = useProject(version);
  const runs = useData(project.data ? `${PROJECT}/runs?v=${version}` : null, { keeps: true });
  const agreement = useData(project.data ? `${PROJECT}/runs/agreement` : null);
  const renew = () => setVersion((number) => number + 1);
  const act = (path, values = {}) => call(`${PROJECT}/runs${path}`, { json: values }).then(renew, (error) => (notifyError(error), renew()));
  const running = runs.data?.find(({ status }) => status === "running");
  const isRefreshing = project.data?.refresh.is_running;
  useEffect(() => {
    if (!isRefreshing) return undefined;
    const timer = setTimeout(renew, POLL_MS);
    return () => clearTimeout(timer);
  }, [project.data]);
  const canStart = project.data && project.data.articles >= project.data.min_articles && !running;
  useKeys("Retrain", { r: [() => canStart && act(""), "Start a retraining"] });

  if (project.error || project.missing) return html`<${NoProject} project=${project} onOpened=${renew} />`;
  if (!runs.data) return html`<${Spinner} label="Loading the project" />`;
  const [newest, ...older] = runs.data;
  return html`<div class="column">
    <section class="card padded">
      <h1>Learn from your labels</h1>
      <${Readiness} project=${project.data} />
      <div class="row wrap">
        <button class="primary" disabled=${!canStart} onClick=${() => act("")}>Retrain <kbd>r</kbd></button>
        <button disabled=${!project.data.done} onClick=${() => call(`${PROJECT}/export`).then((text) => download(text, "labels.jsonl"), notifyError)}>Download labels</button>
        <span class="note">Takes seconds to minutes. Nothing changes until you choose the new weights.</span>
      </div>
      <${Agreement} rows=${agreement.data} />
      <${InUse} project=${project.data} onShipped=${() => act("/0/use")} />
    </section>
    ${running && html`<${Running} run=${running} onEnd=${renew} onCancel=${() => act(`/${running.id}/cancel`)} />`}
    ${newest && !running && html`<${Result} run=${newest} project=${project.data} act=${act} />`}
    ${!newest && html`<${EmptyState} isPart title="No retraining yet"><p>The figures before and after will be here, with their intervals.</p><//>`}
    ${older.length > 0 &&
    html`<section class="card padded"><h2>Earlier</h2>${older.map((run) => html`<details key=${run.id}>
      <summary>Run ${run.id}: ${describeRun(run)}</summary><${Result} run=${run} project=${project.data} act=${act} isInner=${true} />
    </details>`)}</section>`}
  </div>`;
}

function Readiness({ project }) {
  const { articles, min_articles: needed, advised_articles: advised } = project;
  if (articles >= advised) return html`<p>${count(articles, "article")} ${articles === 1 ? "is" : "are"} done. About four fifths of them are learned. The others are held out, to measure the change.</p>`;
  return html`<p>${articles} of about ${advised} articles are done. <a href=${formatHash({ view: "correct" })}>Correct more pages</a> first.
      ${articles < needed ? `Retraining needs ${needed} at least, and with fewer than ${advised}` : `Retraining works with ${needed}, but with fewer than ${advised}`} it cannot show that anything is better.</p>
    <progress max=${advised} value=${articles} aria-label="Labelled articles"></progress>`;
}

// How far people agree on the pages that two of them have accepted.
function Agreement({ rows }) {
  if (!rows?.length) return null;
  return html`<ul class="note plain">${rows.map(({ people, pages, blocks, agreement, kappa }) => html`<li key=${people.join()}>
    ${people.join(" and ")} have both accepted ${count(pages, "page")}: they agree on ${fixed(100 * agreement, 1)} % of ${count(blocks, "block")}${kappa === null ? "" : ` (Cohen’s kappa ${fixed(kappa)})`}.</li>`)}</ul>`;
}

function InUse({ project, onShipped }) {
  const { default_run: run, refresh } = project;
  return html`<p class="note">
    ${run === null
      ? "The shipped weights are in use."
      : html`The weights of run ${run} are in use: <code>broadsheet extract PAGE --weights ${project.name}/weights</code> <button class="link" onClick=${onShipped}>Use the shipped weights</button>`}
    ${refresh.is_running && html`<span role="status"> Extracting page ${refresh.done + 1} of ${refresh.total} again …</span>`}
    ${refresh.error && html`<span class="bad"> ${refresh.error}</span>`}
  </p>`;
}

function Running({ run, onEnd, onCancel }) {
  const [log, setLog] = useState("");
  const [seconds, setSeconds] = useState(0);
  const end = useRef(null);
  useEffect(() => {
    const started = Date.parse(run.started_at);
    const poll = async () => {
      try {
        const current = await call(`${PROJECT}/runs/${run.id}`);
        setLog(current.log);
        setSeconds(Math.max(0, Math.round((Date.now() - started) / 1000)));
        if (current.status !== "running") onEnd();
      } catch (error) {
        notifyError(error);
      }
    };
    poll();
    const timer = setInterval(poll, POLL_MS);
    return () => clearInterval(timer);
  }, [run.id]);
  useEffect(() => end.current?.scrollIntoView({ block: "nearest" }), [log]);
  const reached = STEPS.filter(([, pattern]) => pattern?.test(log)).length;
  return html`<section class="card padded" aria-label="Retraining">
    <div class="row"><${Spinner} label=${`Run ${run.id}: learning from ${count(run.pages, "article")}, ${seconds} s`} />
      <button onClick=${onCancel}>Cancel</button></div>
    <progress max=${STEPS.length} value=${reached + measureLearning(log, reached)} aria-label="Progress"></progress>
    <ol class="steps">${STEPS.map(([label], step) => html`<li aria-current=${step === reached ? "step" : undefined} class=${step < reached ? "is-done" : ""}>${label}</li>`)}</ol>
    <pre class="log" tabindex="0" aria-label="Log">${log}<span ref=${end}></span></pre>
  </section>`;
}

// The share of the epochs that are finished, while networks learn.
function measureLearning(log, reached) {
  const [network] = [...log.matchAll(/^network (\d+) of (\d+)/gm)].slice(-1);
  const [epoch] = [...log.matchAll(/^epoch (\d+) of (\d+)/gm)].slice(-1);
  if (reached !== 1 || !network || !epoch) return 0;
  return (network[1] - 1 + epoch[1] / epoch[2]) / network[2];
}

function describeRun({ status, pages, started_at: at, is_default: isDefault }) {
  return `${isDefault ? "in use" : status === "done" ? "finished" : status}, ${count(pages, "article")}, ${new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}`;
}

function Result({ run, act, isInner = false }) {
  const hasLearned = !run.comparison || run.comparison.measures.some(({ change }) => change !== 0);
  const canDecide = run.status === "done" && hasLearned;
  const body = html`
    ${!isInner && html`<h2>Run ${run.id}</h2>`}
    <p class="note">${describeRun(run)}</p>
    ${run.error && html`<p class="bad">${run.error}</p>`}
    ${!hasLearned && html`<p><b>Nothing was learned:</b> the new weights extract the held-out pages as before. Label pages that the method gets wrong, and more of them.</p>`}
    ${run.comparison && html`<${Comparison} comparison=${run.comparison} />`}
    <div class="row wrap">
      ${canDecide && !run.is_default && html`<button class="primary" onClick=${() => act(`/${run.id}/use`)}>Use these weights</button>`}
      ${canDecide && !run.is_default && html`<button onClick=${() => act(`/${run.id}/discard`)}>Discard</button>`}
      <${Log} run=${run} />
    </div>`;
  return isInner ? body : html`<section class="card padded result">${body}</section>`;
}

function Log({ run }) {
  const [isOpen, setOpen] = useState(false);
  const { data } = useData(isOpen ? `${PROJECT}/runs/${run.id}` : null);
  return html`<details onToggle=${(event) => setOpen(event.target.open)}><summary class="note">Log</summary>
    <pre class="log" tabindex="0" aria-label="Log">${data?.log ?? ""}</pre></details>`;
}

// Measures before and after, with the 95 % interval of the change drawn on one scale.
function Comparison({ comparison }) {
  const { measures, pages } = comparison;
  const reach = Math.max(0.02, ...measures.flatMap(({ low, high }) => [Math.abs(low), Math.abs(high)]));
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Measures before and after"><table class="comparison">
    <caption class="note">On ${count(pages, "page")} that ${pages === 1 ? "was" : "were"} held out.${pages < MIN_TO_TELL ? ` With fewer than ${MIN_TO_TELL} of them, no change can be told from chance: label more pages.` : ""}</caption>
    <thead><tr><th>Measure</th><th class="num">Before</th><th class="num">After</th><th class="num">Change</th><th>95 % interval</th><th></th></tr></thead>
    <tbody>${measures.map(
      (row) => html`<tr>
        <th scope="row">${row.label}</th><td class="num">${fixed(row.before, 3)}</td><td class="num">${fixed(row.after, 3)}</td>
        <td class="num ${verdictOf(row)}">${sign(row.change)}</td>
        <td class="interval"><${Interval} row=${row} reach=${reach} /> <span class="note">${sign(row.low)} to ${sign(row.high)}</span></td>
        <td class="note">${row.is_significant ? (row.change > 0 ? "better" : "worse") : row.pages < MIN_TO_TELL ? "too few pages" : "no clear change"}</td>
      </tr>`,
    )}</tbody>
  </table></div>`;
}

const sign = (value) => `${value > 0 ? "+" : value < 0 ? "−" : "±"}${Math.abs(value).toFixed(3)}`;
const verdictOf = ({ change, is_significant: isSignificant }) => (!isSignificant ? "" : change > 0 ? "good" : "bad");

function Interval({ row, reach }) {
  const x = (value) => 66 + (58 * value) / reach;
  return html`<svg width="132" height="14" role="img" aria-label=${`${sign(row.low)} to ${sign(row.high)}`} class=${verdictOf(row)}>
    <line x1="66" x2="66" y1="0" y2="14" class="zero" />
    <line x1=${x(row.low)} x2=${x(row.high)} y1="7" y2="7" class="range" /><circle cx=${x(row.change)} cy="7" r="3.5" />
  </svg>`;
}
