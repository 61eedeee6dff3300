// Markdown as models write it, made into DOM nodes. Text only ever becomes text nodes, so nothing in an answer can become markup or script.

function element(tag, ...children) {
  const e = document.createElement(tag);
  e.append(...children);
  return e;
}

// Each kind of inline markup: a pattern, and what its match becomes.
const spans = [
  [/(`+)(.+?)\1(?!`)/, (m) => element("code", m[2])],
  [/\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)/, (m) => link(m[2], inline(m[1]))],
  [/https?:\/\/[^\s<>"')\]]+/, (m) => link(m[0], [m[0]])],
  [/\*\*(?=\S)(.+?)\*\*/, (m) => element("strong", ...inline(m[1]))],
  [/\*(?=\S)([^*]+?)\*/, (m) => element("em", ...inline(m[1]))],
  [/~~(.+?)~~/, (m) => element("del", ...inline(m[1]))],
];

function link(url, children) {
  const a = element("a", ...children);
  a.href = url;
  a.target = "_blank";
  a.rel = "noopener noreferrer";
  return a;
}

// inline returns nodes and strings. A line that is very long stays as it is: looking for markup in it would take too long.
function inline(text) {
  const nodes = [];
  while (text) {
    const first = text.length > 4000 ? null : earliest(text);
    if (!first) return [...nodes, text];
    const { match, make } = first;
    nodes.push(text.slice(0, match.index), make(match));
    text = text.slice(match.index + match[0].length);
  }
  return nodes;
}

// earliest is the markup that comes first, or null.
function earliest(text) {
  let first = null;
  for (const [pattern, make] of spans) {
    const match = pattern.exec(text);
    if (match && (!first || match.index < first.match.index)) first = { match, make };
  }
  return first;
}

const fence = /^\s*(```+|~~~+)\s*(\S*)/;
const heading = /^(#{1,6})\s+(.*)/;
const bullet = /^(\s*)(?:[-*+]|(\d{1,9})[.)])\s+(.*)/;
const quote = /^>\s?(.*)/;
const rule = /^\s*([-*_])(\s*\1){2,}\s*$/;
const starts = [fence, heading, bullet, quote, rule];

const deepest = 16; // quotes within quotes

// render returns the nodes of a text; one that is not complete yet is drawn as far as it goes.
export function render(text, depth = 0) {
  const lines = text.split("\n");
  const nodes = [];
  // taken removes lines from the front as long as a pattern matches, and returns the matches.
  const taken = (pattern) => {
    const matches = [];
    for (let m; lines.length && (m = pattern.exec(lines[0])); lines.shift()) matches.push(m);
    return matches;
  };
  while (lines.length) {
    const line = lines[0];
    if (!line.trim()) lines.shift();
    else if (fence.test(line)) nodes.push(code(lines));
    else if (rule.test(line)) { lines.shift(); nodes.push(element("hr")); }
    else if (heading.test(line)) {
      const [, marks, title] = heading.exec(lines.shift());
      nodes.push(element(`h${marks.length}`, ...inline(title)));
    } else if (quote.test(line) && depth < deepest) nodes.push(element("blockquote", ...render(taken(quote).map((m) => m[1]).join("\n"), depth + 1)));
    else if (bullet.test(line)) nodes.push(list(taken(bullet)));
    else nodes.push(paragraph(lines));
  }
  return nodes;
}

function code(lines) {
  const [, marks] = fence.exec(lines.shift());
  const body = [];
  while (lines.length && !lines[0].trim().startsWith(marks)) body.push(lines.shift());
  lines.shift();
  return element("pre", element("code", body.join("\n")));
}

// list nests items by how far they are indented.
function list(items) {
  const depth = items[0][1].length;
  const root = element(items[0][2] ? "ol" : "ul");
  if (items[0][2]) root.start = Number(items[0][2]);
  while (items.length && items[0][1].length >= depth) {
    if (items[0][1].length > depth && root.lastChild) {
      const deeper = items[0][1].length;
      const inner = [];
      while (items.length && items[0][1].length >= deeper) inner.push(items.shift());
      root.lastChild.append(list(inner));
    } else root.append(element("li", ...inline(items.shift()[3])));
  }
  for (const item of items) root.append(element("li", ...inline(item[3]))); // indented less than the first
  return root;
}

function paragraph(lines) {
  const p = element("p", ...inline(lines.shift()));
  while (lines.length && lines[0].trim() && !starts.some((s) => s.test(lines[0]))) p.append(element("br"), ...inline(lines.shift()));
  return p;
}
