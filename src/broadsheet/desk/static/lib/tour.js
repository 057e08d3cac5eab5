// The first steps, until they are dismissed.
import { html, useState } from "./preact.js";

const KEY = "broadsheet.tour";
const STEPS = [
  ["Open a page", html`Choose a sample below, paste an address, or drop saved pages.`],
  ["See why", html`Blocks are coloured by role. Click one to see its label by every method and the reasons. <a href="#/compare">Compare</a> shows where methods differ.`],
  ["Make it better", html`<a href="#/correct">Correct</a> what is wrong on a few pages of a site. Its other pages improve at once; <a href="#/train">Retrain</a> learns from all of them.`],
];

export function Tour() {
  const [isShown, setShown] = useState(localStorage.getItem(KEY) !== "done");
  if (!isShown) return null;
  const close = () => {
    localStorage.setItem(KEY, "done");
    setShown(false);
  };
  return html`<section class="tour" aria-label="First steps">
    <ol>${STEPS.map(([title, text]) => html`<li><b>${title}</b><span>${text}</span></li>`)}</ol>
    <button class="icon" onClick=${close} aria-label="Hide the first steps">×</button>
  </section>`;
}
