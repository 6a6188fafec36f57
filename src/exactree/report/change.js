// --- the smallest change that leads to another answer ------------------------------------------

const columnsOf = (question) =>
  (question.terms || []).flatMap(([, parts]) => parts.flat().map(([column]) => String(column)));
// The nearest value of one column for which a question is answered so, and how to say it; null if
// it is not about one column.
function nearest(question, x, yes) {
  if ("among" in question) {
    const j = String(question.among);
    const options = [...document.querySelectorAll(`#x-${j} option`)].map((option) => option.value || null);
    const value = options.find((v) => holds(question, { ...x, [j]: v }) === yes);
    return value === undefined ? null : { j, value, says: value === null ? "is not known" : `is ${value}` };
  }
  const simple = question.terms && question.terms.length === 1 && question.terms[0][0] === 1;
  const part = simple && question.terms[0][1].length === 1 ? question.terms[0][1][0] : null;
  if (!part || part.length !== 1 || part[0][1] !== 1) return null;
  const j = String(part[0][0]);
  const limit = question.at_most;
  if (yes) return { j, value: limit, says: `is at most ${plain(limit)}` };
  const range = data.ranges[j];
  const above = range && range.whole ? Math.floor(limit) + 1 : limit + Math.max(Math.abs(limit), 1e-300) * 1e-9;
  return { j, value: above, says: `is above ${plain(limit)}` };
}
// How far a value moves, as a share of what the column spans in the data.
function moved(j, from, to) {
  const range = data.ranges[j];
  if (!range || typeof from !== "number" || typeof to !== "number") return 1;
  return Math.abs(to - from) / (range.high - range.low || 1);
}
// What has to change for a sample to reach a leaf, column by column from the root on.
function wayTo(leaf, x) {
  const path = above(leaf);
  const y = { ...x };
  const says = {};
  for (let step = 0; step + 1 < path.length; step++) {
    const node = nodes[path[step]];
    const yes = path[step + 1] === node.left;
    if (!node.question) return null;
    if (holds(node.question, y) === yes) continue;
    const found = nearest(node.question, y, yes);
    if (!found) return null;
    y[found.j] = found.value;
    says[found.j] = found.says;
  }
  return walked(y).pop() === leaf ? { y, says } : null;
}
// Where the sum of a surface meets its threshold when one column moves: a line or a parabola.
function crossings(question, x, j) {
  const range = data.ranges[j];
  const unit = range && range.high > range.low ? range.high - range.low : 1;
  const value = (t) => {
    let total = -question.at_most;
    for (const [coefficient, monomials] of question.terms)
      for (const monomial of monomials)
        total += coefficient * monomial.reduce((p, [column, power]) => p * (String(column) === j ? x[j] + t * unit : x[column]) ** power, 1);
    return total;
  };
  const [c, up, down] = [value(0), value(1), value(-1)];
  const [a, b] = [(up + down) / 2 - c, (up - down) / 2];
  const root = Math.sqrt(b * b - 4 * a * c);
  const at = Math.abs(a) > 1e-12 * Math.abs(b) ? [(-b + root) / (2 * a), (-b - root) / (2 * a)] : [-c / b];
  return at.filter(Number.isFinite).flatMap((t) => [t - 1e-6, t + 1e-6].map((s) => x[j] + s * unit));
}
function alongOneColumn(x, answer) {
  const found = [];
  for (const node of nodes.filter((n) => n.question && n.question.terms && n.question.terms.length > 1)) {
    for (const j of new Set(columnsOf(node.question))) {
      if (columnsOf(node.question).some((column) => typeof x[column] !== "number")) continue;
      for (const value of crossings(node.question, x, j)) {
        const y = { ...x, [j]: value };
        const end = nodes[walked(y).pop()];
        if (end.left === null && end.answer !== answer) {
          const says = `is ${value > x[j] ? "above" : "below"} ${plain(value)}`;
          found.push({ y, says: { [j]: says }, answer: end.answer });
        }
      }
    }
  }
  return found;
}
function suggest(place, x, answer) {
  const ways = nodes
    .map((_, i) => i)
    .filter((i) => isLeaf(i) && nodes[i].answer !== answer)
    .map((i) => ({ ...wayTo(i, x), answer: nodes[i].answer }))
    .filter((way) => way.y)
    .concat(alongOneColumn(x, answer));
  const cost = ({ y, says }) =>
    Object.keys(says).reduce((sum, j) => sum + moved(j, x[j], y[j]), 10 * Object.keys(says).length);
  const best = ways.sort((a, b) => cost(a) - cost(b))[0];
  if (!best) return;
  const said = Object.entries(best.says).map(([j, text]) => `${data.features[j]} ${text} (now ${shown(x[j])})`);
  const button = make("button", "try it", { type: "button" });
  button.addEventListener("click", () => fill({ x: best.y }));
  place.append(make("span", "The smallest change for another answer: "), make("strong", best.answer));
  place.append(make("span", ` if ${said.join(" and ")}. `), button);
}
