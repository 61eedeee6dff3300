// Wires the page: buttons, keys, and what the server says of itself.

import { get, Refused, setKey } from "./api.js";
import { Chat } from "./chat.js";
import { show } from "./settings.js";
import { watch } from "./slots.js";

const $ = (id) => document.getElementById(id);
let defaults = {};

const chat = new Chat($("messages"), ({ busy, note, error }) => {
  $("send").hidden = busy;
  $("stop").hidden = !busy;
  say(note, Boolean(error));
  if (error instanceof Refused) askKey();
});

function say(text, wrong = false) {
  $("status").textContent = text;
  $("status").className = wrong ? "wrong" : "";
}

function askKey() {
  $("ask-key").onclose = () => {
    if ($("ask-key").returnValue !== "save") return;
    setKey($("key").value);
    begin();
  };
  $("ask-key").returnValue = "";
  $("ask-key").showModal();
}

// begin asks what model there is, again and again while it loads.
async function begin() {
  try {
    const props = await get("props");
    defaults = props.default_generation_settings.params;
    $("model").textContent = document.title = props.model_alias;
    say("");
  } catch (e) {
    if (e instanceof Refused) return askKey();
    say(e.message, true);
    setTimeout(begin, 2000);
  }
}

function submit(event) {
  event?.preventDefault();
  const text = $("input").value.trim();
  if (!text || chat.busy) return;
  $("input").value = "";
  chat.send(text);
}

$("form").onsubmit = submit;
$("stop").onclick = () => chat.stop();
$("new").onclick = () => { chat.clear(); say(""); $("input").focus(); };
$("show-settings").onclick = () => show(defaults);
$("show-slots").onclick = () => {
  $("slots").hidden = !$("slots").hidden;
  $("show-slots").ariaExpanded = String(!$("slots").hidden);
  watch($("slots"));
};
$("input").onkeydown = (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
  if (event.key === "ArrowUp" && !$("input").value) $("input").value = chat.takeBack();
};
document.addEventListener("keydown", (event) => { if (event.key === "Escape" && !document.querySelector("dialog[open]")) chat.stop(); });

begin();
