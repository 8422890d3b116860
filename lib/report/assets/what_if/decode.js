
/* ---- decoding, in slices ---- */

/* Lets the page answer when this has run for longer than a slice. */
const SLICE = 12;
let sliceEnd = 0;
const channel = new MessageChannel(), waiting = [];
channel.port1.onmessage = () => waiting.splice(0).forEach((go) => go());
async function breath() {
  if (performance.now() < sliceEnd) return;
  await new Promise((go) => { waiting.push(go); channel.port2.postMessage(0); });
  sliceEnd = performance.now() + SLICE;
}

const empty = () => ({ confusion: new Float64Array(K * K), undecoded: new Float64Array(K), illegal: 0, hard: 0, priced: 0, changes: 0, none: 0, scored: 0, correct: 0, entities: [0, 0, 0], segments: [0, 0, 0], edits: [] });
/* Of rules over more steps. */
function addViolations(total, path, gaps, rules) {
  if (!longRules.length) return;
  const { hard, priced } = rules.countViolations(path, gaps);
  total.hard += hard;
  total.priced += priced;
}
/* Adds a decoded recording to the counts of its strategy; how many steps of it are right. */
function tally(total, r, decoded, rules) {
  const { path, status } = decoded, found = isTags && r.labels ? rules.countEntities(r.labels, path, r.gaps) : null;
  const segments = isActions && r.labels ? rules.countSegments(r.labels, path, r.gaps, settings.background) : null;
  if (found) total.entities = total.entities.map((n, i) => n + [found.reference, found.decoded, found.correct][i]);
  if (segments) total.segments = total.segments.map((n, i) => n + [segments.reference, segments.decoded, segments.matched[2]][i]);
  if (segments && segments.edit !== null) total.edits.push(segments.edit);
  decoded.right = decoded.scored = 0;
  total.illegal += decoded.illegal;
  if (status === "ok") addViolations(total, path, r.gaps, rules);
  total.none += status !== "ok";
  for (let t = 0; t < r.T; t++) {
    if (t && path[t] !== path[t - 1] && path[t] >= 0 && path[t - 1] >= 0 && !(r.gaps && r.gaps[t])) total.changes++;
    if (!r.labels || r.labels[t] < 0) continue;
    decoded.scored++;
    decoded.right += r.labels[t] === path[t];
    if (path[t] < 0) total.undecoded[r.labels[t]]++;
    else total.confusion[r.labels[t] * K + path[t]]++;
  }
  total.scored += decoded.scored;
  total.correct += decoded.right;
}
function finish(total) {
  let chance = 0;
  for (let i = 0; i < K; i++) {
    let row = total.undecoded[i], column = 0;
    for (let j = 0; j < K; j++) {
      row += total.confusion[i * K + j];
      column += total.confusion[j * K + i];
    }
    chance += (row / total.scored) * (column / total.scored);
  }
  total.accuracy = total.scored ? total.correct / total.scored : null;
  total.kappa = total.scored && chance < 1 ? (total.accuracy - chance) / (1 - chance) : null;
  const f1 = ([reference, decoded, right]) => (reference + decoded ? (2 * right) / (reference + decoded) : null);
  total.f1 = f1(total.entities);
  total.overlap = f1(total.segments);
  total.edit = total.edits.length ? total.edits.reduce((sum, x) => sum + x) / total.edits.length : null;
  return total;
}
/* Figures that a table shows, the one that leads first: of tags entity F1, of actions F1@50 and the edit score. */
const isTags = settings.work === "tags", isActions = settings.work === "actions";
const LEADING = isTags ? [["entity F1", "f1"]] : isActions ? [["F1@50", "overlap"], ["edit score", "edit"]] : [];
const MEASURES = !settings.labels ? [] : [...LEADING, ["accuracy", "accuracy"], ["kappa", "kappa"]];
/* Steps that differ from the run: right now, wrong now, wrong both times or without a label. */
function difference(r, before, after) {
  const found = { fixed: 0, broken: 0, other: 0, all: 0 };
  for (let t = 0; t < r.T; t++) {
    if (before[t] === after[t]) continue;
    const label = r.labels ? r.labels[t] : -1;
    found.all++;
    found[label >= 0 && label === after[t] ? "fixed" : label >= 0 && label === before[t] ? "broken" : "other"]++;
  }
  return found;
}

/* All recordings by all strategies under a model, recording `first` first, which is handed to onFirst() when it is there. against: an earlier
   result that paths are compared with. isWanted() is asked between slices; null: it was not. Throws where a model cannot be decoded with. */
async function decodeAll(model, { names = strategies, first = 0, onFirst, against, isWanted }) {
  const rules = statepath.rules(model, settings.log_prior);
  try {
    const result = { paths: {}, figures: {}, differences: {}, reference: { illegal: 0, hard: 0, priced: 0 } };
    for (const name of names) {
      result.paths[name] = [];
      result.figures[name] = empty();
      result.differences[name] = [];
    }
    for (const n of [first, ...recordings.keys()].filter((one, at) => !at || one !== first)) {
      const r = recordings[n];
      for (const name of names) {
        const decoded = rules.decode(r.recording, name);
        decoded.marks = new Uint8Array(r.T);
        decoded.illegal = rules.countIllegal(decoded.path, r.gaps, decoded.marks);
        tally(result.figures[name], r, decoded, rules);
        result.paths[name][n] = decoded;
        if (against) result.differences[name][n] = difference(r, against.paths[name][n].path, decoded.path);
        await breath();
        if (!isWanted()) return null;
      }
      if (r.labels) {
        result.reference.illegal += rules.countIllegal(r.labels, r.gaps);
        addViolations(result.reference, r.labels, r.gaps, rules);
      }
      if (n === first && onFirst) onFirst(result);
    }
    for (const name of names) finish(result.figures[name]);
    return result;
  } finally {
    rules.free();
  }
}

/* ---- what each rule costs ---- */

const COST_TIME = 5000; /* milliseconds of processor time at most */
/* Of each forbidden cell and start: what one strategy would gain if it alone were allowed, in percentage points of the figure that leads; without a
   reference how many steps would change. cells: [row, column] to be asked, row -1: starts. */
async function findCosts(name, now, cells, isWanted, onEach) {
  const began = performance.now();
  for (const [i, j] of cells) {
    const flip = (to) => { if (i < 0) state.starts[j] = to > 0; else state.rules.allow[i][j] = to; };
    flip(1);
    const model = changedModel();
    flip(0);
    let gain = null;
    try {
      const result = await decodeAll(model, { names: [name], against: now, isWanted });
      if (!result) return;
      gain = settings.labels ? 100 * (result.figures[name][MEASURES[0][1]] - now.figures[name][MEASURES[0][1]])
        : result.differences[name].reduce((sum, d) => sum + d.all, 0);
    } catch (error) {
      gain = null; /* cannot be decoded with */
    }
    if (!isWanted()) return;
    onEach(i, j, gain);
    if (performance.now() - began > COST_TIME) return;
  }
}
