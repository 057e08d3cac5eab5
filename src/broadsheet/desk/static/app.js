// The shell: navigation, theme, keyboard help, token, and the view that the address names.
import { html, render, useEffect, useErrorBoundary, useLayoutEffect, useState } from "./lib/preact.js";
import { onTokenNeeded } from "./lib/api.js";
import { EVERYWHERE, handleKey, listKeys, useKeys } from "./lib/keys.js";
import { Notices } from "./lib/notices.js";
import { formatHash, navigate, useRoute } from "./lib/router.js";
import { Dialog, EmptyState, Key, Spinner } from "./lib/ui.js";
import { VIEWS } from "./registry.js";

function App() {
  const route = useRoute();
  const view = VIEWS.find(({ name }) => name === route.view) ?? VIEWS[0];
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [answerToken, setAnswerToken] = useState(null); // resolves the promise of a request that needs the token

  useLayoutEffect(() => {
    onTokenNeeded(() => new Promise((resolve) => setAnswerToken(() => resolve)));
    document.addEventListener("keydown", handleKey);
    return () => document.removeEventListener("keydown", handleKey);
  }, []);
  useEffect(() => {
    document.title = `${view.label} · Broadsheet desk`;
  }, [view]);
  const jumps = VIEWS.map(({ name, label, key }) => [`g ${key}`, [() => navigate({ view: name }), label]]);
  useKeys(EVERYWHERE, {
    "?": [() => setHelpOpen(true), "This help"],
    ...Object.fromEntries(jumps),
    "g t": [switchTheme, "Light or dark"],
  });

  const close = (token) => {
    answerToken(token);
    setAnswerToken(null);
  };
  return html`
    <a class="skip" href="#main" onClick=${focusMain}>Skip to the content</a>
    <header class="masthead">
      <a class="brand" href=${formatHash({ view: VIEWS[0].name })}>Broadsheet</a>
      <nav aria-label="Views">
        ${VIEWS.map(
          ({ name, label }) =>
            html`<a href=${formatHash({ view: name })} aria-current=${name === view.name ? "page" : undefined}>${label}</a>`,
        )}
      </nav>
      <div class="tools">
        <button class="icon" onClick=${switchTheme} aria-label="Light or dark" title="Light or dark">◐</button>
        <button class="icon" onClick=${() => setHelpOpen(true)} aria-label="Keyboard help" title="Keyboard help (?)">?</button>
      </div>
    </header>
    <main id="main" tabindex="-1"><${LoadedView} key=${view.name} view=${view} route=${route} /></main>
    ${isHelpOpen && html`<${Help} onClose=${() => setHelpOpen(false)} />`}
    ${answerToken && html`<${TokenDialog} onAnswer=${close} />`}
    <${Notices} />
  `;
}

function LoadedView({ view, route }) {
  const [View, setView] = useState(null);
  const [loadError, setLoadError] = useState(null);
  const [viewError] = useErrorBoundary((error) => console.error(error));
  useEffect(() => {
    view.load().then((module) => setView(() => module.View), setLoadError);
  }, [view]);
  const error = loadError ?? viewError;
  if (error) {
    return html`<${EmptyState} title="This view failed">
      <p>${error.message}</p><button onClick=${() => location.reload()}>Reload</button>
    <//>`;
  }
  return View ? html`<${View} route=${route} navigate=${navigate} />` : html`<${Spinner} label="Loading" />`;
}

function Help({ onClose }) {
  return html`<${Dialog} title="Keyboard" onClose=${onClose}>
    <div class="key-groups">
      ${listKeys().map(
        ({ title, rows }) => html`<section>
          <h3>${title}</h3>
          <dl class="keys">${rows.map(([names, text]) => html`<dt>${names.map((name) => html`<${Key} name=${name} /> `)}</dt><dd>${text}</dd>`)}</dl>
        </section>`,
      )}
    </div>
  <//>`;
}

function TokenDialog({ onAnswer }) {
  const submit = (event) => {
    event.preventDefault();
    onAnswer(new FormData(event.target).get("token").trim() || null);
  };
  return html`<${Dialog} title="This service needs a token" onClose=${() => onAnswer(null)}>
    <form onSubmit=${submit} class="row">
      <input name="token" type="password" aria-label="Token" autocomplete="current-password" />
      <button class="primary">Continue</button>
    </form>
    <p class="note">It is kept until this tab is closed.</p>
  <//>`;
}

function switchTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  localStorage.setItem("broadsheet.theme", root.dataset.theme);
  dispatchEvent(new Event("themechange"));
}

function focusMain(event) {
  event.preventDefault(); // the hash of the address is the state of the desk
  document.getElementById("main").focus();
}

render(html`<${App} />`, document.getElementById("app"));
