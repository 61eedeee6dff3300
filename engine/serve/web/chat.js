// The conversation: its messages, how they are drawn, and the answer that is under way.

import { stream } from "./api.js";
import { render } from "./markdown.js";
import { sampling, system } from "./settings.js";

const name = "llamakit-chat"; // of the session storage: it survives a reload and ends with the tab

export class Chat {
  // view is where messages go; changed is called with {busy, note, error} when something has happened.
  constructor(view, changed) {
    Object.assign(this, { view, changed, abort: null });
    this.messages = JSON.parse(sessionStorage.getItem(name) ?? "[]");
    this.draw();
  }

  get busy() { return this.abort !== null; }

  clear() {
    this.stop();
    this.messages = [];
    this.draw();
  }

  stop() { this.abort?.abort(); }

  // takeBack removes the last message and its answer, and returns its text.
  takeBack() {
    const at = this.messages.findLastIndex((m) => m.role === "user");
    if (at < 0 || this.busy) return "";
    const [question] = this.messages.splice(at);
    this.draw();
    return question.content;
  }

  send(text) {
    this.messages.push({ role: "user", content: text });
    return this.answer();
  }

  again() { return this.send(this.takeBack()); }

  // answer asks for the next message and shows it as it comes.
  async answer() {
    const message = { role: "assistant", content: "", reasoning: "" };
    const history = this.messages.map(({ role, content }) => ({ role, content }));
    if (system()) history.unshift({ role: "system", content: system() });
    this.messages.push(message);
    this.draw();
    const abort = (this.abort = new AbortController());
    this.changed({ busy: true, note: "..." });
    let note = "", error = null;
    try {
      for await (const chunk of stream({ ...sampling(), messages: history }, abort.signal)) {
        const choice = chunk.choices[0];
        message.content += choice?.delta.content ?? "";
        message.reasoning += choice?.delta.reasoning_content ?? "";
        if (chunk.timings) note = describe(chunk.timings, choice?.finish_reason);
        this.drawLast();
      }
    } catch (e) {
      if (abort.signal.aborted) note = "stopped";
      else error = e;
    }
    this.abort = null;
    if (!this.messages.includes(message)) return this.changed({ busy: false, note: "" }); // the chat was cleared meanwhile
    if (error && !message.content && !message.reasoning) this.messages.pop();
    this.draw();
    this.changed({ busy: false, note: error?.message ?? note, error });
  }

  draw() {
    sessionStorage.setItem(name, JSON.stringify(this.messages));
    this.view.replaceChildren(...this.messages.map((m) => this.article(m)));
    if (!this.busy && this.messages.at(-1)?.role === "assistant") this.view.lastChild.append(this.menu());
    this.view.scrollTop = this.view.scrollHeight;
  }

  // drawLast redraws the last message, at most once a frame, and keeps to the end where the reader is there.
  drawLast() {
    if (this.drawing) return;
    this.drawing = requestAnimationFrame(() => {
      this.drawing = 0;
      if (!this.busy) return;
      const { scrollTop, scrollHeight, clientHeight } = this.view;
      const open = this.view.lastChild.querySelector("details")?.open;
      this.view.lastChild.replaceWith(this.article(this.messages.at(-1), open));
      if (scrollHeight - scrollTop - clientHeight < 60) this.view.scrollTop = this.view.scrollHeight;
    });
  }

  article(message, open = false) {
    const article = Object.assign(document.createElement("article"), { className: message.role });
    if (message.role === "user") {
      article.textContent = message.content;
      return article;
    }
    if (message.reasoning) {
      const details = Object.assign(document.createElement("details"), { open });
      details.append(Object.assign(document.createElement("summary"), { textContent: "Reasoning" }), message.reasoning.trim());
      article.append(details);
    }
    article.append(...render(message.content));
    return article;
  }

  menu() {
    const menu = document.createElement("menu");
    const button = (textContent, onclick) => menu.append(Object.assign(document.createElement("button"), { textContent, onclick }));
    button("Regenerate", () => this.again());
    if (navigator.clipboard) button("Copy", () => navigator.clipboard.writeText(this.messages.at(-1).content));
    return menu;
  }
}

function describe(t, reason) {
  const speed = t.predicted_per_second ? `, ${t.predicted_per_second.toFixed(1)} a second` : "";
  const cut = reason === "length" ? " · cut: the limit of tokens, or the context, was reached" : "";
  return `${t.prompt_n + t.cache_n} prompt tokens, ${t.cache_n} cached · ${t.predicted_n} tokens${speed}${cut}`;
}
