// The page of the bookmarklet: opens the page that was sent, when the user clicks the button.
import { call } from "./lib/api.js";
import { formatHash } from "./lib/router.js";

const button = document.getElementById("open");

async function open() {
  button.disabled = true;
  const address = document.getElementById("address").textContent;
  const url = /^https?:/.test(address) ? address : undefined;
  const html = document.getElementById("page").value;
  try {
    const page = await call("/desk/api/pages", { method: "POST", json: { html, url } });
    location.replace(`/${formatHash({ view: "inspect", parts: [page.id], query: { url } })}`);
  } catch (error) {
    document.getElementById("message").textContent = error.message;
    button.disabled = false;
  }
}

// The button is disabled in the page: a click before this script has loaded would be lost.
if (button) {
  button.addEventListener("click", open);
  button.disabled = false;
  button.focus();
}
