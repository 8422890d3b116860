/* The section "What if": decodes the recordings that the page holds under rules that the reader changes. */
const held = document.getElementById("what-if-settings");
if (!held) return; /* no recording: this file is the inside of a function (embed.cmake) */
const settings = JSON.parse(held.textContent), say = window.statepathSay;
const tool = document.getElementById("what-if-tool"), note = document.getElementById("what-if-note");
const classes = settings.model.classes, states = settings.model.states ? Object.keys(settings.model.states) : classes;
const K = classes.length, M = states.length, decoding = settings.decoding, strategies = settings.strategies;
let statepath, original, mostDwell, recordings, run, now, state, undecodable = "";

/* ---- elements ---- */

function el(name, attributes, ...children) {
  const svg = ["svg", "path", "rect", "use", "title", "text"].includes(name);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}
function fill(place, ...children) {
  place.replaceChildren(...children);
}
const count = (n) => n.toLocaleString("en-US");
const signed = (x, decimals) => (x > 0 ? "+" : x < 0 ? "\u2212" : "\u00b1") + (decimals ? Math.abs(x).toFixed(decimals) : count(Math.abs(x)));

/* ---- data ---- */

/* What an element holds as base 85: five digits are four bytes (core/base85.h, whose alphabet this is). */
function bytesOf(id) {
  const text = document.getElementById(id).textContent, bytes = new Uint8Array(Math.floor((text.length * 4) / 5)), digits = new Uint8Array(128);
  [..."()*+,-./0123456789:;=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~!"].forEach((letter, n) => (digits[letter.charCodeAt(0)] = n));
  for (let i = 0, to = 0; i < text.length; i += 5) {
    let number = 0;
    for (let d = 0; d < 5; d++) number = number * 85 + (i + d < text.length ? digits[text.charCodeAt(i + d)] : 84);
    for (let shift = 24; shift >= 0 && to < bytes.length; shift -= 8) bytes[to++] = number >>> shift;
  }
  return bytes;
}
const moduleBytes = () => new Response(new Blob([bytesOf("what-if-module")]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
function readRecordings() {
  const list = settings.recordings.map(([id, nSteps, hasGaps, nBytes]) => ({ nSteps, nBytes, hasGaps, hasLabels: settings.labels }));
  const options = { missing: "uniform", onInfeasible: settings.on_infeasible };
  return statepath.unpack(K, bytesOf("what-if-scores"), list, options).map((one, n) => Object.assign(one, { id: settings.recordings[n][0], T: list[n].nSteps }));
}
/* The rules of the run: weights in nats, -Infinity where forbidden. */
function readRules() {
  const rules = statepath.rules(settings.model), { transitions, start } = rules.weights();
  rules.free();
  return { weight: transitions, start, allow: transitions.map((row) => row.map((w) => (w > -Infinity ? 1 : 0))),
    ...ranges() };
}
/* How long each class (each state, where a class has several) stays at least, and at most: null for any length. */
function ranges() {
  const range = (name, i) => {
    const duration = durationOf(i);
    if (!duration) return [(settings.model.min_dwell || {})[name] || 1, null];
    if (!duration.pmf) return [duration.min || 1, duration.max || null];
    return [1 + duration.pmf.findIndex((p) => p > 0), duration.pmf.reduce((last, p, at) => (p > 0 ? at + 1 : last), 1)];
  };
  const all = states.map(range);
  return { minDwell: all.map((one) => one[0]), maxDwell: all.map((one) => one[1]) };
}
function durationOf(i) {
  const durations = settings.model.durations || {}, name = settings.model.states ? settings.model.states[states[i]] : states[i];
  return Object.hasOwn(durations, name) ? durations[name] : null;
}

/* What the reader has set, at first as in the run. */
function asInRun() {
  return {
    rules: { allow: original.allow.map((row) => row.slice()), minDwell: original.minDwell.slice(), maxDwell: original.maxDwell.slice() },
    starts: original.start.map((w) => w > -Infinity),
    temperature: decoding.temperature,
    transitionWeight: decoding.transition_weight,
    priorWeight: decoding.prior_weight,
  };
}
const isWeighted = Boolean(settings.model.log_weights || settings.model.probabilities);
const hasWeights = () => [...original.weight.flat(), ...original.start].some((w) => w !== 0 && w > -Infinity) || Boolean(settings.model.end_log_weights);
/* A cell or start that was forbidden has no weight: the least of its row, as the rarest of what is allowed. */
const weighed = (weights, allowed) => weights.map((w, i) => (!allowed[i] ? null : w > -Infinity ? w : Math.min(...weights.filter((v) => v > -Infinity), 0)));

/* ---- decoding and counting ---- */

function decodeAll(model) {
  const rules = statepath.rules(model, settings.log_prior);
  try {
    const paths = Object.fromEntries(strategies.map((name) => [name, []]));
    for (const r of recordings) {
      for (const name of strategies) {
        const decoded = rules.decode(r.recording, name);
        decoded.marks = new Uint8Array(r.T);
        decoded.illegal = rules.countIllegal(decoded.path, r.gaps, decoded.marks);
        paths[name].push(decoded);
      }
    }
    const reference = recordings.map((r) => (r.labels ? rules.countIllegal(r.labels, r.gaps) : 0));
    return { paths, reference, figures: Object.fromEntries(strategies.map((name) => [name, figuresOf(paths[name])])) };
  } finally {
    rules.free();
  }
}
function figuresOf(paths) {
  const confusion = new Float64Array(K * K), undecoded = new Float64Array(K);
  let illegal = 0, changes = 0, none = 0, scored = 0, correct = 0;
  recordings.forEach((r, n) => {
    const { path, status } = paths[n];
    illegal += paths[n].illegal;
    none += status !== "ok";
    for (let t = 0; t < r.T; t++) {
      if (t && path[t] !== path[t - 1] && path[t] >= 0 && path[t - 1] >= 0 && !(r.gaps && r.gaps[t])) changes++;
      if (!r.labels || r.labels[t] < 0) continue;
      scored++;
      correct += r.labels[t] === path[t];
      if (path[t] < 0) undecoded[r.labels[t]]++;
      else confusion[r.labels[t] * K + path[t]]++;
    }
  });
  let chance = 0;
  for (let i = 0; i < K; i++) {
    let row = undecoded[i], column = 0;
    for (let j = 0; j < K; j++) {
      row += confusion[i * K + j];
      column += confusion[j * K + i];
    }
    chance += (row / scored) * (column / scored);
  }
  const accuracy = scored ? correct / scored : null;
  return { confusion, undecoded, illegal, changes, none, scored, correct, accuracy, kappa: scored && chance < 1 ? (accuracy - chance) / (1 - chance) : null };
}
/* Steps that differ from the run: right now, wrong now, wrong both times or without a label. */
function difference(name, n) {
  const r = recordings[n], before = run.paths[name][n].path, after = now.paths[name][n].path;
  const found = { fixed: 0, broken: 0, other: 0, all: 0 };
  for (let t = 0; t < r.T; t++) {
    if (before[t] === after[t]) continue;
    const label = r.labels ? r.labels[t] : -1;
    found.all++;
    found[label >= 0 && label === after[t] ? "fixed" : label >= 0 && label === before[t] ? "broken" : "other"]++;
  }
  return found;
}

/* ---- what can be set ---- */

const parts = {};
let waits = false;
function changed() {
  if (waits) return;
  waits = true;
  requestAnimationFrame(() => {
    waits = false;
    show();
  });
}
function isChanged() {
  const first = asInRun();
  return JSON.stringify([first.rules, first.starts, first.temperature, first.transitionWeight, first.priorWeight]) !==
    JSON.stringify([state.rules, state.starts, state.temperature, state.transitionWeight, state.priorWeight]);
}

/* Cells are one stop of the Tab key; arrows go from cell to cell. */
function rove(event, row, column) {
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
  const next = step && parts.cells[row + step[0]] && parts.cells[row + step[0]][column + step[1]];
  if (!step) return;
  event.preventDefault();
  if (!next) return;
  parts.cells.flat().forEach((one) => one.setAttribute("tabindex", "-1"));
  next.setAttribute("tabindex", "0");
  next.focus();
}
function cellButton(row, column, toggle) {
  return el("button", { type: "button", tabindex: row === 0 && column === 0 ? "0" : "-1", click: () => { toggle(); changed(); }, keydown: (e) => rove(e, row, column),
    focus: (e) => { parts.cells.flat().forEach((one) => one.setAttribute("tabindex", "-1")); e.currentTarget.setAttribute("tabindex", "0"); } });
}
function ruleTable() {
  const head = el("tr", null, el("th", { scope: "col", class: "corner" }, "from \\ to"), ...states.map((name) => el("th", { scope: "col" }, name)),
    el("th", { scope: "col", class: "corner" }, "stays at least"), ...(M === K ? [el("th", { scope: "col", class: "corner" }, "at most")] : []));
  parts.cells = [states.map((name, j) => cellButton(0, j, () => { state.starts[j] = !state.starts[j]; })),
    ...states.map((from, i) => states.map((to, j) => cellButton(i + 1, j, () => { state.rules.allow[i][j] = 1 - state.rules.allow[i][j]; })))];
  const lengthInput = (name, i, isMost) => el("input", { type: "number", min: "1", max: String(mostDwell), step: "1", placeholder: isMost ? "any" : null,
    disabled: M !== K && durationOf(i) !== null, "aria-label": say("{Steps} that ") + name + " stays " + side(isMost),
    "aria-describedby": "what-if-dwell", input: () => readDwell(i, isMost), blur: () => { refuseDwell(-1); showRules(); } });
  parts.dwells = states.map((name, i) => lengthInput(name, i, false));
  parts.mosts = M === K ? states.map((name, i) => lengthInput(name, i, true)) : [];
  parts.dwellNote = el("p", { class: "small bad", id: "what-if-dwell", role: "status" });
  const cells = (row) => parts.cells[row].map((button) => el("td", null, button));
  return el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "The rules" },
    el("table", { class: "matrix what-if-rules" + (M > 14 ? " many" : M > 7 ? " turned" : "") }, el("thead", null, head), el("tbody", null,
      el("tr", null, el("th", { scope: "row" }, "start"), ...cells(0), el("td"), ...(M === K ? [el("td")] : [])),
      ...states.map((name, i) => el("tr", null, el("th", { scope: "row" }, name), ...cells(i + 1), el("td", null, parts.dwells[i]),
        ...(M === K ? [el("td", null, parts.mosts[i])] : []))))));
}
const side = (isMost) => (isMost ? "at most" : "at least");
/* What the table cannot say of durations. */
function durationNote() {
  const durations = Object.keys(settings.model.durations || {});
  if (M !== K) return durations.length ? " Durations of classes of several states are those of the run: they cannot be changed here." : "";
  return (durations.length ? " Durations weigh as in the run, between these bounds." : "") +
    " Where a class has a greatest length, the weight of staying plays no part, and runs at the ends may be pieces of longer ones.";
}
/* What is typed counts when it is a whole number; else the number in force stays, and stands in the field again when one leaves it. */
function readDwell(i, isMost) {
  const input = isMost ? parts.mosts[i] : parts.dwells[i], inForce = isMost ? state.rules.maxDwell : state.rules.minDwell;
  const isAny = isMost && input.value === "" && !input.validity.badInput && !(durationOf(i) || {}).pmf, n = isAny ? null : Number(input.value);
  const isRight = isAny || (Number.isInteger(n) && n >= 1 && n <= mostDwell);
  refuseDwell(isRight ? -1 : i, isMost);
  if (!isRight || inForce[i] === n) return;
  inForce[i] = n;
  changed();
}
function refuseDwell(i, isMost) {
  parts.dwells.forEach((input, j) => input.setAttribute("aria-invalid", !isMost && i === j ? "true" : "false"));
  parts.mosts.forEach((input, j) => input.setAttribute("aria-invalid", isMost && i === j ? "true" : "false"));
  const inForce = isMost ? state.rules.maxDwell : state.rules.minDwell;
  parts.dwellNote.textContent = i < 0 ? "" : states[i] + " stays " + side(isMost) + ": needs a whole number from 1 to " + mostDwell + "; " +
    (inForce[i] === null ? "any length" : inForce[i]) + " stays in force.";
}
function showRules() {
  const mark = (button, on, was, words) => {
    button.textContent = on ? "\u2713" : "\u2715";
    button.className = (on ? "on" : "off") + (on === was ? "" : " moved");
    button.setAttribute("aria-label", words + (on ? ": allowed" : ": forbidden") + (on === was ? "" : ", changed"));
    button.setAttribute("aria-pressed", on ? "true" : "false");
  };
  const first = asInRun();
  states.forEach((to, j) => mark(parts.cells[0][j], state.starts[j], first.starts[j], "Start in " + to));
  states.forEach((from, i) => states.forEach((to, j) =>
    mark(parts.cells[i + 1][j], state.rules.allow[i][j] > 0, original.allow[i][j] > 0, i === j ? from + " stays" : from + " to " + to)));
  parts.dwells.forEach((input, i) => {
    if (input.getAttribute("aria-invalid") !== "true") input.value = state.rules.minDwell[i];
    input.className = state.rules.minDwell[i] === original.minDwell[i] ? "" : "moved";
  });
  parts.mosts.forEach((input, i) => {
    if (input.getAttribute("aria-invalid") !== "true") input.value = state.rules.maxDwell[i] === null ? "" : state.rules.maxDwell[i];
    input.className = state.rules.maxDwell[i] === original.maxDwell[i] ? "" : "moved";
  });
}
/* A slider over lo .. hi, by ratio where isRatio. why: the reason why it cannot be moved, or "". */
function slider(key, label, lo, hi, isRatio, why) {
  const id = "what-if-" + key, steps = 200, low = Math.min(lo, state[key]), high = Math.max(hi, state[key]);
  const toValue = (x) => Number((isRatio ? low * (high / low) ** (x / steps) : low + ((high - low) * x) / steps).toPrecision(3));
  const toPlace = (v) => Math.round((isRatio ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low)) * steps);
  const output = el("span", { class: "value" }), input = el("input", { type: "range", id, min: "0", max: String(steps), step: "1", disabled: Boolean(why),
    "aria-describedby": why ? id + "-why" : null, input: () => { state[key] = toValue(Number(input.value)); changed(); } });
  parts.sliders.push(() => {
    if (document.activeElement !== input || toValue(Number(input.value)) !== state[key]) input.value = String(toPlace(state[key]));
    output.textContent = String(state[key]);
    output.className = "value" + (state[key] === asInRun()[key] ? "" : " moved");
    input.setAttribute("aria-valuetext", String(state[key]));
  });
  return el("div", { class: "what-if-slider" }, el("label", { for: id }, label), input, output,
    ...(why ? [el("small", { id: id + "-why", class: "muted" }, why)] : []));
}
function controls() {
  parts.sliders = [];
  parts.strategy = el("select", { id: "what-if-strategy", change: () => show() }, ...strategies.map((name) => el("option", null, name)));
  parts.strategy.value = strategies.includes("viterbi") ? "viterbi" : strategies[strategies.length - 1];
  parts.reset = el("button", { type: "button", click: () => { state = asInRun(); show(); } }, "Back to the run");
  parts.save = el("button", { type: "button", click: save }, "Model as JSON");
  parts.command = el("code");
  return el("div", { class: "what-if-settings" },
    slider("temperature", "Temperature", 0.1, 10, true,
      hasWeights() || settings.log_prior ? "" : "Without weights or a prior it changes no path."),
    slider("transitionWeight", "Transition weight", 0, 4, false, isWeighted ? "" : "This model has no weights of transitions."),
    slider("priorWeight", "Prior weight", 0, 2, false, settings.log_prior ? "" : "This model has no prior."),
    el("p", { class: "what-if-buttons" }, parts.reset, parts.save));
}

/* ---- the model as JSON ---- */

const fileName = () => (settings.model.name || "model").replace(/[^A-Za-z0-9._-]+/g, "-") + "-changed.model.json";
function changedModel() {
  const model = JSON.parse(JSON.stringify(settings.model)), { allow } = state.rules, start = weighed(original.start, state.starts);
  const named = (numbers, isMeant) => Object.fromEntries(states.map((name, i) => [name, numbers[i]]).filter(([, n]) => isMeant(n)));
  model.description = (model.name || "The model") + ", changed in the report on " + settings.file + ": " + changes().join("; ") + ".";
  model.name = (model.name || "model") + "-changed";
  ["allow", "forbid", "matrix", "probabilities", "log_weights", "start", "start_log_weights", "min_dwell", "durations"].forEach((key) => delete model[key]);
  model.allow = Object.fromEntries(states.map((from, i) => [from, states.filter((to, j) => allow[i][j])]));
  if (isWeighted) model.log_weights = allow.map((row, i) => weighed(original.weight[i], row));
  if (start.some((w) => w)) model.start_log_weights = named(start, (w) => w !== null);
  else if (start.includes(null)) model.start = states.filter((name, i) => state.starts[i]);
  const durations = states.map(changedDuration), dwells = state.rules.minDwell.map((n, i) => (durations[i] || durationOf(i) ? 1 : n));
  if (dwells.some((n) => n > 1)) model.min_dwell = named(dwells, (n) => n > 1);
  if (M === K && durations.some((d) => d)) model.durations = named(durations, (d) => d);
  else if (M !== K && settings.model.durations) model.durations = settings.model.durations;
  model.decoding = { temperature: state.temperature, transition_weight: state.transitionWeight, prior_weight: state.priorWeight };
  return model;
}
/* The duration of class i within its bounds; null: it has none. Of a list of probabilities those outside become 0. */
function changedDuration(name, i) {
  const duration = durationOf(i), min = state.rules.minDwell[i], max = state.rules.maxDwell[i];
  if (M !== K || (!duration && max === null)) return null;
  if (duration && min === original.minDwell[i] && max === original.maxDwell[i]) return duration;
  if (duration && duration.pmf) return { pmf: duration.pmf.map((p, at) => (at + 1 >= min && at + 1 <= max ? p : 0)) };
  const changed = Object.assign({}, duration, { min, max });
  if (max === null) delete changed.max;
  return changed;
}
/* What is other than in the run, in words. */
function changes() {
  const first = asInRun(), list = [], name = { true: "allowed", false: "forbidden" };
  states.forEach((from, i) => states.forEach((to, j) => {
    if (state.rules.allow[i][j] !== original.allow[i][j]) list.push(from + " -> " + to + " " + name[state.rules.allow[i][j] > 0]);
  }));
  states.forEach((to, i) => { if (state.starts[i] !== first.starts[i]) list.push("start in " + to + " " + name[state.starts[i]]); });
  states.forEach((one, i) => { if (state.rules.minDwell[i] !== original.minDwell[i]) list.push(one + " stays at least " + state.rules.minDwell[i]); });
  states.forEach((one, i) => {
    const max = state.rules.maxDwell[i];
    if (max !== original.maxDwell[i]) list.push(one + " stays " + (max === null ? "as long as it may" : "at most " + max));
  });
  for (const [key, words] of [["temperature", "temperature"], ["transitionWeight", "transition weight"], ["priorWeight", "prior weight"]])
    if (state[key] !== first[key]) list.push(words + " " + state[key]);
  return list.length ? list : ["nothing"];
}
function save() {
  const link = el("a", { href: URL.createObjectURL(new Blob([JSON.stringify(changedModel(), null, 2) + "\n"], { type: "application/json" })), download: fileName() });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
const quote = (text) => (/^[\w./:-]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'");
function command() {
  return "statepath decode " + quote(settings.file) + " --model " + quote(fileName()) + " --strategy " + parts.strategy.value + settings.options + " -o paths.h5";
}

/* ---- what follows ---- */

function figureCell(after, before, decimals) {
  if (after === null) return el("td", { class: "n" }, "\u2013");
  const text = (x) => (x === null ? "\u2013" : decimals ? x.toFixed(decimals) : count(x));
  return el("td", { class: "n" }, text(after), el("small", null, "run " + text(before)),
    ...(text(after) === text(before) ? [] : [el("small", { class: "moved" }, signed(after - before, decimals))]));
}
function showFigures() {
  const head = ["strategy", ...(settings.labels ? ["accuracy", "kappa"] : []), "illegal", "changes", "undecoded"];
  const rows = strategies.map((name) => {
    const a = now.figures[name], b = run.figures[name], agreement = settings.labels ? [figureCell(a.accuracy, b.accuracy, 4), figureCell(a.kappa, b.kappa, 4)] : [];
    return el("tr", name === parts.strategy.value ? { class: "chosen" } : null, el("th", { scope: "row" }, name), ...agreement, figureCell(a.illegal, b.illegal, 0),
      figureCell(a.changes, b.changes, 0), figureCell(a.none, b.none, 0));
  });
  const sum = (list) => list.reduce((a, b) => a + b, 0), blank = () => el("td", { class: "n" }, "\u2013");
  if (settings.labels)
    rows.push(el("tr", null, el("th", { scope: "row" }, "reference"), blank(), blank(), figureCell(sum(now.reference), sum(run.reference), 0), blank(), blank()));
  fill(parts.figures, el("table", { class: "what-if-figures" }, el("caption", null, "Now, and against the run"),
    el("thead", null, el("tr", null, ...head.map((text, i) => el("th", { scope: "col", class: i ? "n" : "" }, text)))), el("tbody", null, ...rows)));
}
function showConfusion(name) {
  if (!settings.labels) return;
  const a = now.figures[name], b = run.figures[name];
  const rows = classes.map((from, i) => {
    const support = classes.reduce((sum, to, j) => sum + a.confusion[i * K + j], a.undecoded[i]);
    return el("tr", null, el("th", { scope: "row" }, from), ...classes.map((to, j) => {
      const n = a.confusion[i * K + j], d = n - b.confusion[i * K + j], share = support ? Math.abs(d) / support : 0;
      const level = d === 0 ? "" : (d > 0 ? "more" : "less") + (share < 0.005 ? 1 : share < 0.02 ? 2 : 3);
      return el("td", { class: (level + (i === j ? " diagonal" : "")).trim() }, count(n), ...(d ? [el("span", null, signed(d, 0))] : []));
    }));
  });
  fill(parts.confusion, el("table", { class: "matrix" + (K > 14 ? " many" : K > 7 ? " turned" : "") },
    el("caption", null, "Confusion of " + name + ": rows the reference, columns decoded; below a count what it is more or less than in the run"),
    el("thead", null, el("tr", null, el("th", { scope: "col", class: "corner" }, "reference \\ decoded"), ...classes.map((to) => el("th", { scope: "col" }, to)))),
    el("tbody", null, ...rows)));
}

function track(name, small, path, marks, other) {
  const n = 1 + Math.max(...settings.lanes), height = n <= 6 ? 13 : 11, T = path.length, plot = n * height;
  const place = settings.lanes.map((lane) => lane * height), shapes = classes.map(() => "");
  let line = "", from = 0;
  for (let t = 1; t <= T; t++) {
    if (t < T && path[t] === path[from]) continue;
    if (path[from] >= 0) {
      shapes[path[from]] += "M" + from + " " + (place[path[from]] + 2) + "h" + (t - from) + "v" + (height - 4) + "h" + (from - t) + "z";
      if (t < T && path[t] >= 0) line += "M" + t + " " + (place[path[from]] + height / 2) + "V" + (place[path[t]] + height / 2);
    }
    from = t;
  }
  let strip = "";
  for (let t = 0, begin = -1; other && t <= T; t++) {
    const differs = t < T && other[t] !== path[t];
    if (differs && begin < 0) begin = t;
    if (!differs && begin >= 0) { strip += "M" + begin + " " + (plot + 3) + "h" + (t - begin) + "v5h" + (begin - t) + "z"; begin = -1; }
  }
  const inner = el("svg", { y: "9", width: "100%", height: String(plot + 8), viewBox: "0 0 " + Math.max(T, 1) + " " + (plot + 8), preserveAspectRatio: "none" },
    ...Array.from({ length: n }, (none, i) => el("rect", { class: "what-if-lane" + (i % 2), y: String(i * height), width: String(T), height: String(height) })),
    el("path", { class: "what-if-line", d: line }), ...shapes.map((d, k) => d && el("path", { class: settings.styles[k], d })).filter(Boolean),
    el("path", { class: "what-if-strip", d: strip }));
  const triangles = [];
  for (let t = 0, last = -1; marks && t < T; t++) {
    const column = Math.floor((t * 400) / T);
    if (!marks[t] || column === last) continue;
    triangles.push(el("use", { href: "#ill", x: ((100 * t) / T).toFixed(2) + "%" }));
    last = column;
  }
  const names = el("svg", { class: "lane-names", height: String(plot + 17), "aria-hidden": "true" }, el("use", { href: "#names" }));
  return el("div", { class: "track" }, el("div", { class: "name" }, name, el("small", null, small)),
    el("div", { class: "rows" }, el("svg", { height: String(plot + 17), role: "img", "aria-label": name + " over time" }, inner, ...triangles), names));
}
function showSteps(name) {
  const n = Number(parts.recording.value), r = recordings[n], before = run.paths[name][n], after = now.paths[name][n];
  const d = difference(name, n);
  const right = (path) => r.labels && (100 * r.labels.reduce((sum, k, t) => sum + (k >= 0 && k === path[t]), 0)) / Math.max(1, r.labels.reduce((sum, k) => sum + (k >= 0), 0));
  const small = (one) => (one.status !== "ok" ? one.status.replace("_", " ") : (r.labels ? right(one.path).toFixed(1) + " % right" : ""));
  const tracks = r.labels ? [track("reference", "", r.labels, null, null)] : [];
  tracks.push(track("run", small(before), before.path, null, null), track("now", small(after) + ", " + count(d.all) + " differ", after.path, after.marks, before.path));
  fill(parts.steps, ...tracks);
}
function showRecordings(name) {
  const chosen = parts.recording.value;
  recordings.forEach((r, n) => {
    const d = difference(name, n);
    parts.recording.options[n].textContent = r.id + (d.all ? " \u2013 " + count(d.all) + say(" {steps} differ") : "");
  });
  parts.recording.value = chosen;
}
function sentence(name) {
  if (undecodable) return "These rules cannot be decoded with: " + undecodable;
  const all = recordings.map((r, n) => difference(name, n)), sum = (key) => all.reduce((a, d) => a + d[key], 0), n = all.filter((d) => d.all).length;
  if (!sum("all")) return isChanged() ? say("No {step} of ") + name + " differs from the run." : "As in the run: nothing is changed yet.";
  const steps = count(sum("all")) + say(" {step(s)} of ", sum("all")) + name + " in " + count(n) + say(" {recording(s)}", n) + " now differ from the run";
  return settings.labels ? steps + ": " + count(sum("fixed")) + " now right, " + count(sum("broken")) + " now wrong, " + count(sum("other")) + " neither." : steps + ".";
}
function show() {
  undecodable = "";
  try {
    now = isChanged() ? decodeAll(changedModel()) : run;
  } catch (error) {
    undecodable = error.message.replace(/^model: /, "");
  }
  const name = parts.strategy.value;
  showRules();
  parts.sliders.forEach((update) => update());
  parts.reset.disabled = !isChanged();
  parts.save.disabled = Boolean(undecodable);
  parts.command.textContent = command();
  parts.status.textContent = sentence(name);
  parts.status.className = undecodable ? "bad" : "";
  parts.results.classList.toggle("stale", Boolean(undecodable));
  if (undecodable) return;
  showFigures();
  showConfusion(name);
  showRecordings(name);
  showSteps(name);
}
function build() {
  state = asInRun();
  parts.figures = el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Figures now, and against the run" });
  parts.confusion = el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Confusion matrix now" });
  parts.steps = el("figure");
  parts.status = el("p", { role: "status", id: "what-if-status" });
  parts.recording = el("select", { id: "what-if-recording", change: () => showSteps(parts.strategy.value) }, ...recordings.map((r, n) => el("option", { value: String(n) }, r.id)));
  const settingsPart = controls();
  parts.results = el("div", null,
    el("p", { class: "what-if-choice" }, el("label", { for: "what-if-strategy" }, "Strategy"), parts.strategy, el("label", { for: "what-if-recording" }, say("{Recording}")), parts.recording),
    parts.steps, el("div", { class: "grid" }, parts.figures, ...(settings.labels ? [parts.confusion] : [])));
  fill(tool, el("div", { class: "what-if-head" }, el("div", null, el("h3", null, "Rules"), ruleTable(),
    el("p", { class: "small" }, "A cell allows (\u2713) or forbids (\u2715) that the column follows the row" + (M > K ? "; rows and columns are states." : ".") +
      (isWeighted ? " A cell that was forbidden has the least weight of its row once it is allowed." : "") + " Framed: other than in the run." + durationNote()), parts.dwellNote),
  el("div", null, el("h3", null, "Scores and weights"), settingsPart)), parts.status, parts.results,
  el("p", { class: "small" }, say("The same on all {recordings}, with the model saved here: "), parts.command));
  run = decodeAll(Object.assign({}, settings.model, { decoding }));
  show();
}
async function begin() {
  note.textContent = "Starting the decoder \u2026";
  try {
    statepath = await load(moduleBytes());
    recordings = readRecordings();
    original = readRules();
    mostDwell = Math.max(999, ...original.minDwell, ...original.maxDwell);
    build();
    tool.dataset.state = "ready";
  } catch (error) {
    fill(tool, el("p", { id: "what-if-note" }, "Nothing can be changed here: where this page is shown, a page may not run WebAssembly (" + error.message +
      "). The rest of the page does not need it; a copy of the page on your own disk does it all."));
    tool.dataset.state = "refused";
  }
}
/* Not before one comes near: the page opens as fast as without. */
if (window.IntersectionObserver) {
  const watch = new IntersectionObserver((seen) => {
    if (!seen.some((one) => one.isIntersecting)) return;
    watch.disconnect();
    begin();
  }, { rootMargin: "600px" });
  watch.observe(tool);
} else {
  begin();
}
