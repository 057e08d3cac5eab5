// Requests to the service. An error is an ApiError with one line for the user.
export class ApiError extends Error {
  constructor(message, code) {
    super(message);
    this.code = code; // the HTTP status; 0 if there was no answer
  }
}

// The desk is opened with a secret in its address. It is kept for all tabs of this origin, and leaves the address bar.
const KEY = "broadsheet.token";
const given = new URLSearchParams(location.search).get("token");
if (given) {
  localStorage.setItem(KEY, given);
  history.replaceState(null, "", location.pathname + location.hash);
}

let askForToken = async () => null;

// Set the function that asks the user for the token of the service. It returns a promise of the token or null.
export function onTokenNeeded(ask) {
  askForToken = ask;
}

// Send a request and return the parsed answer. `json` is a value to send, `body` anything that fetch accepts.
export async function call(path, { method, json, body, headers = {}, signal } = {}) {
  const content = json === undefined ? body : JSON.stringify(json);
  const options = { method: method ?? (content === undefined ? "GET" : "POST"), body: content, signal };
  const type = json === undefined ? {} : { "Content-Type": "application/json" };
  let response = await send(path, { ...options, headers: { ...type, ...headers } });
  if (response.status === 401) {
    const token = await askForToken();
    if (token) sessionStorage.setItem(KEY, token);
    if (token) response = await send(path, { ...options, headers: { ...type, ...headers } });
    if (response.status === 401) [sessionStorage, localStorage].forEach((storage) => storage.removeItem(KEY));
  }
  return read(response);
}

// Downloads must carry the token, which a link cannot.
export function download(text, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text]));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

async function send(path, options) {
  const token = sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);
  const headers = token ? { ...options.headers, Authorization: `Bearer ${token}` } : options.headers;
  try {
    return await fetch(path, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("The service does not answer. Is it still running?", 0);
  }
}

async function read(response) {
  const isJson = (response.headers.get("Content-Type") ?? "").startsWith("application/json");
  const answer = isJson ? await response.json() : await response.text();
  if (!response.ok) throw new ApiError(answer?.error ?? `The service answered ${response.status}.`, response.status);
  return answer;
}
