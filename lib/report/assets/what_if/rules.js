
/* ---- the rules as a table ---- */

const FEW = 8; /* states whose rows all stand there */
const parts = {};

/* Cells are one stop of the Tab key; arrows go from cell to cell that is shown. */
function rove(event, row, column) {
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
  if (!step) return;
  event.preventDefault();
  let to = row + step[0];
  while (parts.rows[to] && parts.rows[to].hidden) to += step[0];
  const next = parts.cells[to] && parts.cells[to][column + step[1]];
  if (!next) return;
  moveTabStop(next);
  next.focus();
}
function moveTabStop(next) {
  if (parts.tabStop) parts.tabStop.setAttribute("tabindex", "-1");
  next.setAttribute("tabindex", "0");
  parts.tabStop = next;
}
function cellButton(row, column, toggle) {
  return el("button", { type: "button", tabindex: "-1", click: () => { toggle(); changed(); }, keydown: (e) => rove(e, row, column),
    focus: (e) => moveTabStop(e.currentTarget) }, el("span"), el("small"));
}
function ruleTable() {
  const head = el("tr", null, el("th", { scope: "col", class: "corner" }, "from \\ to"), ...states.map((name) => el("th", { scope: "col" }, name)),
    el("th", { scope: "col", class: "corner" }, "stays at least"), ...(M === K ? [el("th", { scope: "col", class: "corner" }, "at most")] : []));
  parts.cells = [];
  parts.costs = ["start", ...states].map(() => states.map(() => undefined));
  const lengthInput = (name, i, isMost) => el("input", { type: "number", min: "1", max: String(mostDwell), step: "1", placeholder: isMost ? "any" : null,
    disabled: M !== K && durationOf(i) !== null, "aria-label": say("{Steps} that ") + name + " stays " + side(isMost),
    "aria-describedby": "what-if-dwell", input: () => readDwell(i, isMost), blur: () => { refuseDwell(-1); showRules(); } });
  parts.dwells = states.map((name, i) => lengthInput(name, i, false));
  parts.mosts = M === K ? states.map((name, i) => lengthInput(name, i, true)) : [];
  parts.dwellNote = el("p", { class: "small bad", id: "what-if-dwell", role: "status" });
  parts.rows = ["start", ...states].map((name, row) => el("tr", row && M > FEW ? { hidden: true } : null, el("th", { scope: "row" }, name)));
  parts.rows.forEach((row, i) => { if (!row.hidden) fillRow(i); });
  moveTabStop(parts.cells[0][0]);
  return el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "The rules" },
    el("table", { "aria-label": "The rules", class: "matrix what-if-rules" + (M > 14 ? " many" : M > 7 ? " turned" : "") }, el("thead", null, head), el("tbody", null, ...parts.rows)));
}
/* The cells of a row, when it is first shown: 59 classes have thousands. */
function fillRow(row) {
  const toggle = (j) => (row ? () => { state.rules.allow[row - 1][j] = 1 - state.rules.allow[row - 1][j]; } : () => { state.starts[j] = !state.starts[j]; });
  parts.cells[row] = states.map((to, j) => cellButton(row, j, toggle(j)));
  const lengths = row ? [parts.dwells[row - 1], ...parts.mosts.slice(row - 1, row)] : [null, ...(M === K ? [null] : [])];
  parts.rows[row].append(...parts.cells[row].map((button) => el("td", null, button)), ...lengths.map((input) => el("td", null, ...(input ? [input] : []))));
}
/* Of many classes the rows of those that the picture shows, unless all are asked for. */
function showRows(shown) {
  if (M <= FEW) return;
  parts.rows.forEach((row, i) => {
    const name = i ? (settings.model.states ? classes.indexOf(settings.model.states[states[i - 1]]) : i - 1) : -1;
    row.hidden = !parts.allRows.checked && i > 0 && !shown.has(name);
    if (row.hidden || parts.cells[i]) return;
    fillRow(i);
    showRow(i);
  });
}
const side = (isMost) => (isMost ? "at most" : "at least");
/* What the table cannot say of durations. */
function durationNote() {
  const durations = Object.keys(settings.model.durations || {});
  if (M !== K) return durations.length ? " Durations of classes of several states are those of the run: they cannot be changed here." : "";
  return durations.length ? " Durations weigh as in the run, between these bounds." : "";
}
/* What is typed counts when it is a whole number; else the number that counts stays, and stands in the field again when one leaves it. */
function readDwell(i, isMost) {
  const input = isMost ? parts.mosts[i] : parts.dwells[i], list = isMost ? state.rules.maxDwell : state.rules.minDwell;
  const isAny = isMost && input.value === "" && !input.validity.badInput && !(durationOf(i) || {}).pmf, n = isAny ? null : Number(input.value);
  const isRight = isAny || (Number.isInteger(n) && n >= 1 && n <= mostDwell);
  refuseDwell(isRight ? -1 : i, isMost);
  if (!isRight || list[i] === n) return;
  list[i] = n;
  changed();
}
function refuseDwell(i, isMost) {
  parts.dwells.forEach((input, j) => input.setAttribute("aria-invalid", !isMost && i === j ? "true" : "false"));
  parts.mosts.forEach((input, j) => input.setAttribute("aria-invalid", isMost && i === j ? "true" : "false"));
  parts.prices.forEach((input) => input.setAttribute("aria-invalid", "false"));
  const list = isMost ? state.rules.maxDwell : state.rules.minDwell;
  parts.dwellNote.textContent = i < 0 ? "" : states[i] + " stays " + side(isMost) + ": needs a whole number from 1 to " + mostDwell + "; " +
    (list[i] === null ? "any length" : list[i]) + " still counts.";
}
/* Rules over more steps, and a field each for what a violation costs. */
function priceFields() {
  parts.prices = longRules.map((one, i) => el("input", { type: "number", min: "0", step: "any", placeholder: "never", id: "what-if-price" + i, "aria-describedby": "what-if-dwell",
    input: () => readPrice(i), blur: () => { refuseDwell(-1); showRules(); } }));
  return parts.prices.map((input, i) => el("p", { class: "what-if-price" }, el("label", { for: input.id }, el("strong", null, longRuleName(i)), ": " + (longRules[i].rule || longRules[i]) + ", nats a violation"), input));
}
function readPrice(i) {
  const input = parts.prices[i], cost = input.value === "" && !input.validity.badInput ? null : input.valueAsNumber, isRight = cost === null || cost >= 0;
  input.setAttribute("aria-invalid", isRight ? "false" : "true");
  parts.dwellNote.textContent = isRight ? "" : longRuleName(i) + ": needs a number from 0, or nothing where it is never broken; " + nats(state.prices[i]) + " still counts.";
  if (!isRight || state.prices[i] === cost) return;
  state.prices[i] = cost;
  changed("price" + i);
}
/* Cells of a row that are other than they stand there. */
function showRow(row) {
  const mark = (button, on, was, words) => {
    const now = (on ? "on" : "off") + (on === was ? "" : " moved");
    if (button.className === now) return;
    button.firstChild.textContent = on ? "\u2713" : "\u2715";
    button.className = now;
    button.label = words + (on ? ": allowed" : ": forbidden") + (on === was ? "" : ", changed");
    button.setAttribute("aria-label", button.label);
    button.setAttribute("aria-pressed", on ? "true" : "false");
  };
  const i = row - 1, from = states[i];
  states.forEach((to, j) => (row ? mark(parts.cells[row][j], state.rules.allow[i][j] > 0, original.allow[i][j] > 0, i === j ? from + " stays" : from + " to " + to)
    : mark(parts.cells[0][j], state.starts[j], original.start[j] > -Infinity, "Start in " + to)));
}
function showRules() {
  parts.cells.forEach((cells, row) => showRow(row)); /* those that there are */
  const show = (input, n, was) => {
    const text = n === null ? "" : String(n);
    if (input.getAttribute("aria-invalid") !== "true" && input.value !== text) input.value = text;
    input.className = n === was ? "" : "moved";
  };
  parts.dwells.forEach((input, i) => show(input, state.rules.minDwell[i], original.minDwell[i]));
  parts.mosts.forEach((input, i) => show(input, state.rules.maxDwell[i], original.maxDwell[i]));
  parts.prices.forEach((input, i) => show(input, state.prices[i], costOf(i)));
}
/* What allowing a forbidden cell alone would change stands in it. */
function showCost(row, column, gain) {
  const button = parts.cells[row][column];
  if (parts.costs[row][column] === gain) return;
  parts.costs[row][column] = gain;
  const text = gain === undefined || gain === null ? "" : settings.labels ? signed(gain, 2).replace(/^.0\.00$/, "0") : count(gain);
  button.lastChild.textContent = text;
  button.setAttribute("aria-label", button.label + (text ? ", " + text : ""));
  button.title = !text ? "" : settings.labels ? "If this alone were allowed: " + text + " percentage points of " + MEASURES[0][0]
    : "If this alone were allowed: " + text + say(" {step(s)} would change", gain);
}
function forbiddenCells() {
  const list = [];
  state.starts.forEach((on, j) => { if (!on) list.push([-1, j]); });
  parts.rows.forEach((row, i) => { if (i && !row.hidden) state.rules.allow[i - 1].forEach((on, j) => { if (!on) list.push([i - 1, j]); }); });
  return list;
}
function forgetCosts() {
  parts.costs.forEach((row, i) => row.forEach((gain, j) => { if (gain !== undefined) showCost(i, j, undefined); }));
}

/* ---- weights ---- */

/* A slider over lo .. hi, by ratio where isRatio. */
function slider(key, label, lo, hi, isRatio) {
  const id = "what-if-" + key, steps = 200, low = Math.min(lo, decoding[key] || lo, state[key]), high = Math.max(hi, state[key]);
  const toValue = (x) => Number((isRatio ? low * (high / low) ** (x / steps) : low + ((high - low) * x) / steps).toPrecision(3));
  const toPlace = (v) => Math.round((isRatio ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low)) * steps);
  const output = el("span", { class: "value" });
  const input = el("input", { type: "range", id, min: "0", max: String(steps), step: "1", input: () => { state[key] = toValue(Number(input.value)); changed(key); } });
  parts.sliders.push(() => {
    if (document.activeElement !== input || toValue(Number(input.value)) !== state[key]) input.value = String(toPlace(state[key]));
    output.textContent = String(state[key]);
    output.className = "value" + (state[key] === asInRun()[key] ? "" : " moved");
    input.setAttribute("aria-valuetext", String(state[key]));
  });
  return el("div", { class: "what-if-slider" }, el("label", { for: id }, label), input, output);
}
/* Sliders that move something: without weights, prices or a prior a temperature changes no path. */
function sliders() {
  parts.sliders = [];
  return [...(hasWeights() || settings.log_prior || longRules.length ? [slider("temperature", "Temperature", 0.1, 10, true)] : []),
    ...(isWeighted ? [slider("transitionWeight", "Transition weight", 0, 4, false)] : []),
    ...(settings.log_prior ? [slider("priorWeight", "Prior weight", 0, 2, false)] : [])];
}
