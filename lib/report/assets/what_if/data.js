/* "What if": the recordings that the page holds are decoded under rules that the reader changes. These files are the inside of one function,
   in this order (embed.cmake): data, decode, rules, picture, address, show. Here: what the page holds, and what the reader has set. */
const held = document.getElementById("what-if-settings");
if (!held) return; /* no recording */
const settings = JSON.parse(held.textContent), say = window.statepathSay, numberOf = window.statepathStep;
const tool = document.getElementById("what-if-tool");
const classes = settings.model.classes, states = settings.model.states ? Object.keys(settings.model.states) : classes;
const K = classes.length, M = states.length, decoding = settings.decoding, strategies = settings.strategies;
let statepath, original, mostDwell, recordings, state;

/* ---- elements and numbers ---- */

function el(name, attributes, ...children) {
  const svg = ["svg", "path", "rect", "use", "title", "text", "g"].includes(name);
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
const grouping = new Intl.NumberFormat("en-US"); /* toLocaleString() makes one each time */
const count = (n) => (n < 1000 && n >= 0 ? String(n) : grouping.format(n));
const signed = (x, decimals) => (x > 0 ? "+" : x < 0 ? "\u2212" : "\u00b1") + (decimals ? Math.abs(x).toFixed(decimals) : count(Math.abs(x)));

/* ---- what the page holds ---- */

/* What of the run the figures are of, where the page holds a part: "19 of 20 nights". */
const heldOf = !settings.is_cut && settings.recordings.length === settings.run_has ? ""
  : count(settings.recordings.length) + " of " + count(settings.run_has) + say(" {recording(s)}", settings.run_has) + (settings.is_cut ? ", in part" : "");
/* What an element holds as base 85: five digits are four bytes (core/base85.h, whose alphabet this is). The page answers in between. */
async function bytesOf(id) {
  const text = document.getElementById(id).textContent, bytes = new Uint8Array(Math.floor((text.length * 4) / 5)), digits = new Uint8Array(128);
  [..."()*+,-./0123456789:;=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~!"].forEach((letter, n) => (digits[letter.charCodeAt(0)] = n));
  for (let i = 0, to = 0; i < text.length; i += 5) {
    if (i % 50000 === 0) await breath();
    let number = 0;
    for (let d = 0; d < 5; d++) number = number * 85 + (i + d < text.length ? digits[text.charCodeAt(i + d)] : 84);
    for (let shift = 24; shift >= 0 && to < bytes.length; shift -= 8) bytes[to++] = number >>> shift;
  }
  return bytes;
}
const moduleBytes = async () => new Response(new Blob([await bytesOf("what-if-module")]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
/* Recordings are packed one after the other: they are unpacked in turn, and the page answers between them. */
async function readRecordings() {
  const options = { missing: "uniform", onInfeasible: settings.on_infeasible }, unpacker = statepath.unpacker(K, await bytesOf("what-if-scores"), options);
  recordings = [];
  try {
    for (const [n, [id, nSteps, hasGaps, nBytes, from, place, first, width, merit]] of settings.recordings.entries()) {
      recordings.push(Object.assign(unpacker.next({ nSteps, nBytes, hasGaps, hasLabels: settings.labels }), { id, T: nSteps, from, place, stretch: [first, first + width], merit,
        words: settings.words && settings.words[n] }));
      await breath();
    }
  } finally {
    unpacker.free();
  }
  recordings.sort((a, b) => a.place - b.place);
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

/* Rules over more steps: what a violation costs in nats, null: no path breaks it. */
const longRules = settings.model.rules || [], costOf = (i) => (longRules[i].cost === undefined ? null : longRules[i].cost);
const longRuleName = (i) => longRules[i].name || "rule" + (i + 1), nats = (cost) => (cost === null ? "never" : String(cost));

/* ---- what the reader has set ---- */

/* The rules and weights of the run. */
function asInRun() {
  return {
    rules: { allow: original.allow.map((row) => row.slice()), minDwell: original.minDwell.slice(), maxDwell: original.maxDwell.slice() },
    starts: original.start.map((w) => w > -Infinity),
    prices: longRules.map((one, i) => costOf(i)),
    temperature: decoding.temperature,
    transitionWeight: decoding.transition_weight,
    priorWeight: decoding.prior_weight,
  };
}
const NUMBERS = [["temperature", "temperature"], ["transitionWeight", "transition weight"], ["priorWeight", "prior weight"]];
const isWeighted = Boolean(settings.model.log_weights || settings.model.probabilities || settings.model.tied);
const hasWeights = () => [...original.weight.flat(), ...original.start].some((w) => w !== 0 && w > -Infinity) || Boolean(settings.model.end_log_weights);
/* A cell or start that was forbidden has no weight: the least of its row, as the rarest of what is allowed. */
const weighed = (weights, allowed) => weights.map((w, i) => (!allowed[i] ? null : w > -Infinity ? w : Math.min(...weights.filter((v) => v > -Infinity), 0)));
function isChanged() {
  const first = asInRun(), same = (a, b) => a.every((x, i) => x === b[i]);
  return !(state.rules.allow.every((row, i) => same(row, first.rules.allow[i])) && same(state.rules.minDwell, first.rules.minDwell) &&
    same(state.rules.maxDwell, first.rules.maxDwell) && same(state.starts, first.starts) && same(state.prices, first.prices) && NUMBERS.every(([key]) => state[key] === first[key]));
}

/* ---- the model as JSON ---- */

const fileName = () => (settings.model.name || "model").replace(/[^A-Za-z0-9._-]+/g, "-") + "-changed.model.json";
function changedModel() {
  const model = JSON.parse(JSON.stringify(settings.model)), { allow } = state.rules, start = weighed(original.start, state.starts);
  const named = (numbers, isMeant) => Object.fromEntries(states.map((name, i) => [name, numbers[i]]).filter(([, n]) => isMeant(n)));
  model.description = (model.name || "The model") + ", changed in the report on " + settings.file + ": " + (changes().join("; ") || "nothing") + ".";
  model.name = (model.name || "model") + "-changed";
  ["allow", "forbid", "matrix", "probabilities", "log_weights", "tied", "start", "start_log_weights", "min_dwell", "durations"].forEach((key) => delete model[key]);
  model.allow = Object.fromEntries(states.map((from, i) => [from, states.filter((to, j) => allow[i][j])]));
  if (isWeighted) model.log_weights = allow.map((row, i) => weighed(original.weight[i], row));
  if (start.some((w) => w)) model.start_log_weights = named(start, (w) => w !== null);
  else if (start.includes(null)) model.start = states.filter((name, i) => state.starts[i]);
  const durations = states.map(changedDuration), dwells = state.rules.minDwell.map((n, i) => (durations[i] || durationOf(i) ? 1 : n));
  if (dwells.some((n) => n > 1)) model.min_dwell = named(dwells, (n) => n > 1);
  if (M === K && durations.some((d) => d)) model.durations = named(durations, (d) => d);
  else if (M !== K && settings.model.durations) model.durations = settings.model.durations;
  if (longRules.length) model.rules = longRules.map((one, i) => (state.prices[i] === costOf(i) ? one : { ...(typeof one === "string" ? { rule: one } : one), cost: state.prices[i] }));
  model.decoding = { ...decoding, temperature: state.temperature, transition_weight: state.transitionWeight, prior_weight: state.priorWeight };
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
    if (state.rules.allow[i][j] !== original.allow[i][j]) list.push(from + " \u2192 " + to + " " + name[state.rules.allow[i][j] > 0]);
  }));
  states.forEach((to, i) => { if (state.starts[i] !== first.starts[i]) list.push("start in " + to + " " + name[state.starts[i]]); });
  states.forEach((one, i) => { if (state.rules.minDwell[i] !== original.minDwell[i]) list.push(one + " stays at least " + state.rules.minDwell[i]); });
  states.forEach((one, i) => {
    const max = state.rules.maxDwell[i];
    if (max !== original.maxDwell[i]) list.push(one + " stays " + (max === null ? "as long as it may" : "at most " + max));
  });
  state.prices.forEach((cost, i) => { if (cost !== first.prices[i]) list.push(longRuleName(i) + (cost === null ? " is never broken" : " costs " + cost + " a violation")); });
  for (const [key, words] of NUMBERS) if (state[key] !== first[key]) list.push(words + " " + state[key]);
  return list;
}
