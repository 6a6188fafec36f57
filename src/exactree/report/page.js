// The tree and the panel beside it. All scripts of the page stand in one function: see page.py.
const data = JSON.parse(document.getElementById("data").textContent);
const { nodes, sizes } = data;
const svg = document.getElementById("tree");
const canvas = document.getElementById("canvas");
const boxes = nodes.map((_, i) => document.getElementById(`node-${i}`));
const folded = new Set();
const SMALLEST = 0.75; // scale at which the text of the tree can still be read
let chosen = 0;

// --- small pieces -----------------------------------------------------------------------------

function make(name, text, attributes = {}) {
  const found = document.createElement(name);
  if (text !== undefined) found.textContent = text;
  for (const [key, value] of Object.entries(attributes)) found.setAttribute(key, value);
  return found;
}
function drawn(name, attributes) {
  const found = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) found.setAttribute(key, value);
  return found;
}
const plain = (value) => String(Number(value.toPrecision(6)));
// As the page writes losses: number() in evidence.py.
const grouped = (value) => {
  const long = Math.abs(value) >= 1e6 && Math.abs(value) < 1e12;
  const digits = Number.isInteger(value) ? 15 : long ? 12 : 6;
  return value.toLocaleString("en-US", { maximumSignificantDigits: digits });
};
const shown = (value) => (value === null ? "not known" : typeof value === "number" ? plain(value) : value);
const isLeaf = (i) => nodes[i].left === null;
const children = (i) => (isLeaf(i) || folded.has(i) ? [] : [nodes[i].left, nodes[i].right]);
const visible = (i = 0) => [i, ...children(i).flatMap((child) => visible(child))];
function above(i) {
  return i === null ? [] : [...above(nodes[i].parent), i];
}

// --- layout -----------------------------------------------------------------------------------

// The page was written without knowing the reader's fonts: fit the boxes to their text.
function fit() {
  boxes.forEach((box, i) => {
    const lengths = [...box.querySelectorAll(":scope > text")].map((text) => text.getComputedTextLength());
    const width = Math.ceil(Math.max(...lengths)) + (isLeaf(i) ? 22 : 44);
    if (!(width > 44)) return; // not laid out, as in a hidden frame
    const before = nodes[i].width;
    const scale = (width - 22) / (before - 22);
    box.querySelector(".box").setAttribute("width", width);
    box.querySelector(".bar").setAttribute("transform", `translate(${11 - 11 * scale} 0) scale(${scale} 1)`);
    box.querySelector(".fold")?.setAttribute("transform", `translate(${width - before} 0)`);
    nodes[i].width = width;
  });
}
// The root on the left and a column for each level, as in the page without scripts.
function columns(shown) {
  const starts = [sizes.margin];
  const deepest = Math.max(...shown.map((i) => nodes[i].level));
  for (let level = 0; level <= deepest; level++) {
    const widths = shown.filter((i) => nodes[i].level === level).map((i) => nodes[i].width);
    starts.push(starts[level] + Math.max(...widths) + sizes.column);
  }
  const middles = {};
  let next = sizes.margin;
  const stand = (i) => {
    const below = children(i);
    below.forEach(stand);
    if (below.length) {
      middles[i] = (middles[below[0]] + middles[below[1]]) / 2;
    } else {
      middles[i] = next + nodes[i].height / 2;
      next += nodes[i].height + sizes.between;
    }
  };
  stand(0);
  const at = Object.fromEntries(shown.map((i) => [i, [starts[nodes[i].level], middles[i]]]));
  const width = starts[deepest + 1] - sizes.column + sizes.margin;
  return { at, width, height: next - sizes.between + sizes.margin };
}
// One node to a line, indented, where there is no room for columns.
function outline(shown) {
  const at = {};
  let next = sizes.margin;
  for (const i of shown) {
    at[i] = [sizes.margin + nodes[i].level * sizes.indent, next + nodes[i].height / 2];
    next += nodes[i].height + sizes.between;
  }
  const width = Math.max(...shown.map((i) => at[i][0] + nodes[i].width)) + sizes.margin;
  return { at, width, height: next - sizes.between + sizes.margin };
}
function curve(from, to, width) {
  const x = from[0] + width;
  const middle = (x + to[0]) / 2;
  return `M${x} ${from[1]}C${middle} ${from[1]} ${middle} ${to[1]} ${to[0]} ${to[1]}`;
}
function elbow(from, to, height) {
  return `M${from[0] + 11} ${from[1] + height / 2}V${to[1]}H${to[0]}`;
}
function place() {
  const shown = visible();
  const wide = columns(shown);
  const narrow = SMALLEST * wide.width > canvas.clientWidth;
  const { at, width, height } = narrow ? outline(shown) : wide;
  boxes.forEach((box, i) => {
    box.toggleAttribute("hidden", !(i in at));
    if (i in at) box.setAttribute("transform", `translate(${at[i][0]} ${at[i][1] - nodes[i].height / 2})`);
    if (isLeaf(i)) return;
    box.setAttribute("aria-expanded", String(!folded.has(i)));
    box.querySelector(".fold text").textContent = folded.has(i) ? "+" : "−";
  });
  for (const part of svg.querySelectorAll("[data-child]")) {
    const child = Number(part.dataset.child);
    const parent = nodes[child].parent;
    part.toggleAttribute("hidden", !(child in at));
    if (!(child in at)) continue;
    if (part.classList.contains("edge")) {
      const way = narrow
        ? elbow(at[parent], at[child], nodes[parent].height)
        : curve(at[parent], at[child], nodes[parent].width);
      part.setAttribute("d", way);
    } else {
      part.setAttribute("x", at[child][0] - 6);
      const falls = !narrow && at[child][1] > at[parent][1]; // then the line comes from above
      part.setAttribute("y", at[child][1] + (falls ? 18 : -8));
    }
  }
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("width", width);
  svg.setAttribute("height", height);
  // Never so small that it cannot be read: rather let it scroll.
  svg.style.setProperty("min-width", `${Math.round(SMALLEST * width)}px`);
}

// --- folding, pointing, walking ---------------------------------------------------------------

function fold(i, closed = !folded.has(i)) {
  if (isLeaf(i)) return;
  if (closed) folded.add(i);
  else folded.delete(i);
  // The focus must not stay on something that is no longer seen.
  if (closed && above(chosen).includes(i)) choose(i);
  place();
}
function choose(i, focus = false) {
  boxes[chosen].classList.remove("chosen");
  boxes[chosen].setAttribute("tabindex", -1);
  chosen = i;
  boxes[i].classList.add("chosen");
  boxes[i].setAttribute("tabindex", 0);
  tell(i);
  if (focus) boxes[i].focus();
}
function walk(event, i) {
  const shown = visible();
  const here = shown.indexOf(i);
  const moves = {
    ArrowDown: () => shown[here + 1],
    ArrowUp: () => shown[here - 1],
    Home: () => 0,
    End: () => shown[shown.length - 1],
    ArrowRight: () => (folded.has(i) ? void fold(i, false) : children(i)[0]),
    ArrowLeft: () => (isLeaf(i) || folded.has(i) ? nodes[i].parent : void fold(i, true)),
    Enter: () => void fold(i),
    " ": () => void fold(i),
  };
  if (!(event.key in moves) || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  const goal = moves[event.key]();
  if (goal !== undefined && goal !== null) choose(goal, true);
}
boxes.forEach((box, i) => {
  box.addEventListener("mouseenter", () => tell(i));
  box.addEventListener("focus", () => choose(i));
  box.addEventListener("click", (event) => {
    choose(i, true);
    if (event.target.closest(".fold")) fold(i);
  });
  box.addEventListener("keydown", (event) => walk(event, i));
});
svg.addEventListener("mouseleave", () => tell(chosen));
document.getElementById("unfold-all").addEventListener("click", () => {
  folded.clear();
  place();
});
document.getElementById("fold-all").addEventListener("click", () => {
  nodes.forEach((_, i) => fold(i, true));
});

// --- the panel --------------------------------------------------------------------------------

function rulesTo(i) {
  const path = above(i);
  return path.slice(0, -1).map((n, step) => (path[step + 1] === nodes[n].left ? nodes[n].yes : nodes[n].no));
}
function tell(i) {
  const node = nodes[i];
  const panel = document.getElementById("panel");
  panel.replaceChildren(make("h3", isLeaf(i) ? `Leaf: ${node.answer}` : `${node.asks} ?`));
  if (node.whole) {
    const all = make("details");
    all.append(make("summary", "All terms"), make("p", node.whole));
    panel.append(all);
  }
  const rules = rulesTo(i);
  const list = make("ol");
  list.append(...rules.map((rule) => make("li", rule)));
  if (rules.length) panel.append(make("div", "Rows come here if"), list);
  const loss = node.cost ? `, loss ${grouped(node.cost)}` : "";
  const count = `${node.rows} training row${node.rows === 1 ? "" : "s"}${loss}`;
  panel.append(make("div", count), counts(node), samples(node));
}
function named(tag, text) {
  const c = (data.classes || []).indexOf(text);
  return make(tag, c < 0 ? text : data.short[c], { class: "name", title: text });
}
function counts(node) {
  const table = make("table", undefined, { class: "counts" });
  const total = node.weights.reduce((a, b) => a + b, 0);
  (data.classes || []).forEach((name, c) => {
    const share = total ? node.weights[c] / total : 0;
    const bar = make("span", "", { class: "share" });
    bar.style.width = `${(5 * share).toFixed(2)}rem`;
    bar.style.background = data.colours[c];
    const cell = make("th");
    cell.append(bar);
    const row = make("tr");
    row.append(named("th", name), make("td", plain(node.weights[c] || 0)), make("td", `${(100 * share).toFixed(1)} %`), cell);
    table.append(row);
  });
  return table;
}
function samples(node) {
  const box = make("div", undefined, { class: "samples-scroll" });
  if (!node.samples.length) return box;
  box.append(make("div", `${node.samples.length} of ${node.here} rows here, the worst first:`));
  const table = make("table", undefined, { class: "samples" });
  const head = make("tr");
  head.append(...["row", "is", "said", ""].map((name) => make("th", name)));
  table.append(head);
  for (const i of node.samples) {
    const sample = data.samples[i];
    const row = make("tr", undefined, sample.wrong ? { class: "missed" } : {});
    row.title = data.used.map((j) => `${data.features[j]} = ${shown(sample.x[j])}`).join("\n");
    const button = make("button", "try", { type: "button", "aria-label": `Try row ${i} in the form` });
    button.addEventListener("click", () => fill(sample));
    const cell = make("td");
    cell.append(button);
    row.append(make("th", i), named("th", sample.truth), named("th", sample.answer), cell);
    table.append(row);
  }
  box.append(table);
  return box;
}
