// What is sent with every message: a system message and sampling parameters. Those that are empty are the server's.

const name = "llamakit-settings";
const numbers = [
  ["temperature", "Temperature", 0.05], ["top_k", "Top k", 1], ["top_p", "Top p", 0.01], ["min_p", "Min p", 0.01],
  ["repeat_penalty", "Repeat penalty", 0.01], ["presence_penalty", "Presence penalty", 0.1], ["max_tokens", "Tokens at most", 1], ["seed", "Seed", 1],
];

const load = () => JSON.parse(localStorage.getItem(name) ?? "{}");

// system is the system message, "" if there is none.
export const system = () => load().system ?? "";

// sampling are the parameters as the API takes them.
export function sampling() {
  const { system, thinking, ...set } = load();
  return thinking === false ? { ...set, chat_template_kwargs: { enable_thinking: false } } : set;
}

function field(label, input, wide) {
  const l = document.createElement("label");
  l.append(label, " ", input);
  if (wide) l.className = "wide";
  return l;
}

function input(tag, id, properties) {
  return Object.assign(document.createElement(tag), { id, name: id, ...properties });
}

// show opens the dialog. defaults are the server's parameters.
export function show(defaults) {
  const dialog = document.getElementById("settings");
  const now = load();
  const thinking = input("input", "thinking", { type: "checkbox", checked: now.thinking !== false });
  document.getElementById("fields").replaceChildren(
    field("System message", input("textarea", "system", { rows: 3, value: now.system ?? "" }), true),
    ...numbers.map(([id, label, step]) => field(label, input("input", id, { type: "number", step, value: now[id] ?? "", placeholder: defaults[id] ?? "" }))),
    field("Let the model reason, if it can", thinking, true),
  );
  dialog.onclose = () => {
    if (dialog.returnValue === "defaults") localStorage.removeItem(name);
    if (dialog.returnValue === "save") save();
  };
  dialog.returnValue = "";
  dialog.showModal();
}

function save() {
  const value = (id) => document.getElementById(id).value.trim();
  const set = {};
  if (value("system")) set.system = value("system");
  for (const [id] of numbers) if (value(id) !== "") set[id] = Number(value(id));
  if (!document.getElementById("thinking").checked) set.thinking = false;
  localStorage.setItem(name, JSON.stringify(set));
}
