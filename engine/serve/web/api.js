// The server's API. Paths are relative, so that a prefix (--api-prefix) goes along.

const name = "llamakit-key";

// A link of --share brings the key in its fragment, which is not sent anywhere; it does not stay in the address bar.
const shared = new URLSearchParams(location.hash.slice(1)).get("key");
if (shared) {
  localStorage.setItem(name, shared);
  history.replaceState(null, "", location.pathname);
}

export const setKey = (key) => localStorage.setItem(name, key);

// Refused is the error of a request whose key is missing or wrong.
export class Refused extends Error {}

async function request(path, options = {}) {
  const key = localStorage.getItem(name);
  const headers = { "Content-Type": "application/json", ...(key && { Authorization: `Bearer ${key}` }) };
  const response = await fetch(path, { ...options, headers });
  if (response.ok) return response;
  const body = await response.json().catch(() => null);
  const message = body?.error?.message ?? `${response.status} ${response.statusText}`;
  throw response.status === 401 ? new Refused(message) : new Error(message);
}

export const get = async (path) => (await request(path)).json();

// stream yields the chunks of a chat completion.
export async function* stream(body, signal) {
  const response = await request("v1/chat/completions", { method: "POST", signal, body: JSON.stringify({ ...body, stream: true }) });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error("the connection broke before the answer ended");
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith("data: ")) continue; // comments keep the connection alive
      const data = line.slice(6);
      if (data === "[DONE]") return;
      const chunk = JSON.parse(data);
      if (chunk.error) throw new Error(chunk.error.message);
      yield chunk;
    }
  }
}
