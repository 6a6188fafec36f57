"use strict";
(() => {
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
    const tops = {};
    let next = sizes.margin;
    const stand = (i) => {
      const below = children(i);
      below.forEach(stand);
      if (below.length) {
        tops[i] = (tops[below[0]] + tops[below[1]]) / 2;
      } else {
        tops[i] = next;
        next += sizes.height + sizes.between;
      }
    };
    stand(0);
    const at = Object.fromEntries(shown.map((i) => [i, [starts[nodes[i].level], tops[i]]]));
    const width = starts[deepest + 1] - sizes.column + sizes.margin;
    return { at, width, height: next - sizes.between + sizes.margin };
  }
  // One node to a line, indented, where there is no room for columns.
  function outline(shown) {
    const at = {};
    shown.forEach((i, line) => {
      at[i] = [
        sizes.margin + nodes[i].level * sizes.indent,
        sizes.margin + line * (sizes.height + sizes.between),
      ];
    });
    const width = Math.max(...shown.map((i) => at[i][0] + nodes[i].width)) + sizes.margin;
    const height = shown.length * (sizes.height + sizes.between) - sizes.between + 2 * sizes.margin;
    return { at, width, height };
  }
  function curve(from, to, width) {
    const half = sizes.height / 2;
    const [x, y] = [from[0] + width, from[1] + half];
    const middle = (x + to[0]) / 2;
    return `M${x} ${y}C${middle} ${y} ${middle} ${to[1] + half} ${to[0]} ${to[1] + half}`;
  }
  function elbow(from, to) {
    const half = sizes.height / 2;
    return `M${from[0] + 11} ${from[1] + sizes.height}V${to[1] + half}H${to[0]}`;
  }
  function place() {
    const shown = visible();
    const wide = columns(shown);
    const narrow = SMALLEST * wide.width > canvas.clientWidth;
    const { at, width, height } = narrow ? outline(shown) : wide;
    boxes.forEach((box, i) => {
      box.toggleAttribute("hidden", !(i in at));
      if (i in at) box.setAttribute("transform", `translate(${at[i][0]} ${at[i][1]})`);
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
        const way = narrow ? elbow(at[parent], at[child]) : curve(at[parent], at[child], nodes[parent].width);
        part.setAttribute("d", way);
      } else {
        part.setAttribute("x", at[child][0] - 6);
        part.setAttribute("y", at[child][1] + sizes.height / 2 - 6);
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
    panel.replaceChildren(make("h3", isLeaf(i) ? `Leaf: ${node.answer}` : `${node.yes} ?`));
    const rules = rulesTo(i);
    const list = make("ol");
    list.append(...rules.map((rule) => make("li", rule)));
    if (rules.length) panel.append(make("div", "Rows come here if"), list);
    const loss = node.cost ? `, loss ${plain(node.cost)}` : "";
    const count = `${node.rows} training row${node.rows === 1 ? "" : "s"}${loss}`;
    panel.append(make("div", count), counts(node), samples(node));
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
      row.append(make("th", name), make("td", plain(node.weights[c] || 0)), make("td", `${(100 * share).toFixed(1)} %`), cell);
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
      row.append(make("th", i), make("th", sample.truth), make("th", sample.answer), cell);
      table.append(row);
    }
    box.append(table);
    return box;
  }

  // --- what if ----------------------------------------------------------------------------------

  const inputs = [...document.querySelectorAll("#what-if [data-feature]")];
  // An empty field is not known, which is an answer where it need not be filled in.
  function given(input) {
    if (input.value === "" && !input.required) return null;
    if (input.dataset.holds === "category") return input.value;
    if (input.dataset.holds === "date") return input.validity.valid ? input.value : undefined;
    return Number.isFinite(input.valueAsNumber) ? input.valueAsNumber : undefined;
  }
  // A date to the nanosecond, so that dates compare as their text does.
  const full = (date) => date + "T00:00:00.000000000".slice(date.length - 10);
  // Term by term in a fixed order, as in Python, so that both take the same side.
  function holds(question, x) {
    if ("missing" in question) return (x[question.missing] === null) !== question.known;
    if ("among" in question) return isAmong(question, x[question.among]);
    if ("date" in question) {
      const date = x[question.date];
      return date === null ? question.missing_left : full(date) <= question.until;
    }
    const columns = (question.terms || question.exact_terms).flatMap(([, parts]) => parts.flat());
    if (columns.some(([column]) => x[column] === null)) return question.missing_left;
    if (question.exact_terms) return holdsExactly(question, x);
    let total = 0;
    for (const [coefficient, monomials] of question.terms) {
      let sum = 0;
      for (const monomial of monomials) {
        let product = 1;
        for (const [column, power] of monomial) for (let k = 0; k < power; k++) product *= x[column];
        sum += product;
      }
      total += coefficient * sum;
    }
    return total <= question.at_most;
  }
  // A category that is on neither side goes where most of the training rows went.
  function isAmong(question, value) {
    if (value === null && question.missing_left !== undefined) {
      const sides = [question.left, question.right].map((names) => names.includes("missing"));
      if (sides[0] || sides[1]) return sides[0];
      return question.missing_left;
    }
    if (question.left.includes(value)) return true;
    return question.right && question.right.includes(value) ? false : question.otherwise;
  }
  // A number as the decimal it is written as: digits and how many of them follow the point.
  function decimal(value) {
    const [digits, exponent = "0"] = String(value).split("e");
    const [whole, part = ""] = digits.split(".");
    return [BigInt(whole + part), part.length - Number(exponent)];
  }
  // The same comparison in integers of any length, where floats could not part the training rows.
  function holdsExactly(question, x) {
    const read = Object.entries(x).map(([column, value]) => [column, decimal(value)]);
    const places = BigInt(Math.max(0, ...read.map(([, [, after]]) => after)));
    const whole = Object.fromEntries(
      read.map(([column, [digits, after]]) => [column, digits * 10n ** (places - BigInt(after))]),
    );
    const degree = (monomial) => monomial.reduce((sum, [, power]) => sum + power, 0);
    const monomials = question.exact_terms.flatMap(([, parts]) => parts);
    const highest = Math.max(0, ...monomials.map(degree));
    const scaled = (monomial) =>
      monomial.reduce(
        (product, [column, power]) => product * whole[column] ** BigInt(power),
        10n ** (places * BigInt(highest - degree(monomial))),
      );
    let total = 0n;
    for (const [coefficient, parts] of question.exact_terms) {
      for (const monomial of parts) total += BigInt(coefficient) * scaled(monomial);
    }
    return total <= BigInt(question.exact_at_most) * 10n ** (places * BigInt(highest));
  }
  function fill(sample) {
    for (const input of inputs) input.value = sample.x[input.dataset.feature] ?? "";
    ask();
  }
  function mark(path) {
    boxes.forEach((box, i) => box.classList.toggle("on-path", path.includes(i)));
    for (const part of svg.querySelectorAll(".edge")) {
      part.classList.toggle("on-path", path.includes(Number(part.dataset.child)));
    }
    path.slice(0, -1).forEach((i) => folded.delete(i));
    place();
  }
  function ask() {
    const outcome = document.getElementById("outcome");
    const steps = document.getElementById("steps");
    steps.replaceChildren();
    const missing = inputs.find((input) => given(input) === undefined);
    if (missing) {
      mark([]);
      point(null);
      const what = missing.dataset.holds === "date" ? "date, like 2026-11-16," : "number";
      outcome.textContent = `Give a ${what} for ${data.features[missing.dataset.feature]}.`;
      return;
    }
    const x = Object.fromEntries(inputs.map((input) => [input.dataset.feature, given(input)]));
    const path = [0];
    while (!isLeaf(path[path.length - 1])) {
      const i = path[path.length - 1];
      if (!nodes[i].question) {
        outcome.textContent = `Only Python can answer “${nodes[i].yes}”: use predict.`;
        mark(path);
        return;
      }
      const yes = holds(nodes[i].question, x);
      if (yes === undefined) {
        outcome.textContent = `“${nodes[i].yes}” needs all of its numbers.`;
        mark(path);
        return;
      }
      steps.append(make("li", `${nodes[i].yes}? ${yes ? "Yes." : "No."}`));
      path.push(yes ? nodes[i].left : nodes[i].right);
    }
    conclude(outcome, nodes[path[path.length - 1]]);
    mark(path);
    point(x);
  }
  function conclude(outcome, leaf) {
    const total = leaf.weights.reduce((a, b) => a + b, 0);
    const share = data.classes && total ? leaf.weights[data.classes.indexOf(leaf.answer)] / total : null;
    const known = share === null ? "" : `, like ${(100 * share).toFixed(1)} % of the training weight in its leaf`;
    outcome.replaceChildren(make("span", "The tree says "), make("strong", leaf.answer), make("span", `${known}.`));
  }
  // A cross in the picture of the regions where the sample is.
  function point(x) {
    const here = document.getElementById("here");
    if (!here) return;
    here.replaceChildren();
    if (!x || !data.regions) return;
    const on = (scale, value) =>
      scale.first + ((value - scale.low) / (scale.high - scale.low)) * (scale.last - scale.first);
    const { features, x: across, y: up } = data.regions;
    const [a, b] = [x[features[0]], x[features[1]]];
    if (a === null || b === null) return;
    if (a < across.low || a > across.high || b < up.low || b > up.high) return;
    const [px, py] = [on(across, a), on(up, b)];
    here.append(drawn("line", { x1: px, x2: px, y1: up.first, y2: up.last }));
    here.append(drawn("line", { y1: py, y2: py, x1: across.first, x2: across.last }));
    here.append(drawn("circle", { cx: px, cy: py, r: 7 }));
  }
  document.getElementById("what-if").addEventListener("input", ask);
  document.getElementById("what-if").addEventListener("submit", (event) => event.preventDefault());

  document.body.classList.remove("no-script");
  window.addEventListener("resize", place);
  fit();
  choose(0);
  ask();
})();
