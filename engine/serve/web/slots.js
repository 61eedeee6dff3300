// The slot view: what the server is doing, a row a slot.

import { get } from "./api.js";

const columns = ["slot", "state", "prompt", "computed", "cached", "answer", "left"];

function row(tag, cells) {
  const tr = document.createElement("tr");
  for (const cell of cells) tr.append(Object.assign(document.createElement(tag), { textContent: cell }));
  return tr;
}

function cells(slot) {
  const next = slot.next_token?.[0];
  const state = slot.is_processing ? (next?.n_decoded > 0 ? "answer" : "prompt") : "idle";
  const left = slot.is_processing && next?.n_remain >= 0 ? next.n_remain : "";
  return [slot.id, state, slot.n_prompt_tokens ?? "", slot.n_prompt_tokens_processed ?? "", slot.n_prompt_tokens_cache ?? "", next?.n_decoded ?? "", left];
}

// watch redraws the view every second while it is shown.
export async function watch(view) {
  while (!view.hidden) {
    try {
      const slots = await get("slots");
      const table = document.createElement("table");
      table.append(row("th", columns), ...slots.map((s) => row("td", cells(s))));
      view.replaceChildren(table);
    } catch (e) {
      view.textContent = e.message;
    }
    await new Promise((after) => setTimeout(after, 1000));
  }
}
