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
// The nodes that a sample passes; shorter than to a leaf where a question has no answer here.
function walked(x) {
  const path = [0];
  while (!isLeaf(path[path.length - 1])) {
    const node = nodes[path[path.length - 1]];
    const yes = node.question ? holds(node.question, x) : undefined;
    if (yes === undefined) break;
    path.push(yes ? node.left : node.right);
  }
  return path;
}
function ask() {
  const outcome = document.getElementById("outcome");
  const steps = document.getElementById("steps");
  const warnings = document.getElementById("warnings");
  const change = document.getElementById("change");
  [steps, warnings, change].forEach((part) => part.replaceChildren());
  const missing = inputs.find((input) => given(input) === undefined);
  if (missing) {
    mark([]);
    point(null);
    const what = missing.dataset.holds === "date" ? "date, like 2026-11-16," : "number";
    outcome.textContent = `Give a ${what} for ${data.features[missing.dataset.feature]}.`;
    return;
  }
  const x = Object.fromEntries(inputs.map((input) => [input.dataset.feature, given(input)]));
  const path = walked(x);
  const end = nodes[path[path.length - 1]];
  path.slice(1).forEach((i, step) => {
    const node = nodes[path[step]];
    steps.append(make("li", `${node.asks}? ${node.answers[i === node.left ? 0 : 1] === "yes" ? "Yes." : "No."}`));
  });
  mark(path);
  if (end.left !== null) {
    outcome.textContent = end.question
      ? `“${end.asks}” needs all of its numbers.`
      : `Only Python can answer “${end.asks}”: use predict.`;
    return;
  }
  conclude(outcome, end);
  warnings.append(...outside(x).map((text) => make("li", text)));
  suggest(change, x, end.answer);
  point(x);
}
// Values beyond those of the data: what the tree says there rests on no row.
function outside(x) {
  return Object.keys(x).flatMap((j) => {
    const range = data.ranges[j];
    if (!range || typeof x[j] !== "number" || !data.used.includes(Number(j))) return [];
    if (range.low <= x[j] && x[j] <= range.high) return [];
    return [`${data.features[j]} = ${plain(x[j])} is outside the data, which go from ${plain(range.low)} to ${plain(range.high)}.`];
  });
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
