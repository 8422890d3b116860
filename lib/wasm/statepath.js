/* statepath in a page or in node: rules and scores in, the best path that obeys the rules out.
 *
 *   import { load } from "./statepath.js";
 *   const statepath = await load(fetch("statepath.wasm"));
 *   const rules = statepath.rules(modelJson);
 *   const { path } = rules.decode(logProbs, "viterbi");
 */

class Memory {
  constructor(exports) {
    this.exports = exports;
  }
  take(bytes, taken) {
    const at = bytes < 2 ** 32 ? this.exports.statepath_take(bytes) : 0;
    if (!at) throw new RangeError("statepath: no memory for " + bytes + " bytes");
    if (taken) taken.push(at);
    return at;
  }
  /* A copy of an array of numbers; 0 of null. */
  put(Type, numbers, taken) {
    if (!numbers) return 0;
    const at = this.take(numbers.length * Type.BYTES_PER_ELEMENT, taken);
    this.view(Type, at, numbers.length).set(numbers);
    return at;
  }
  putText(text, taken) {
    return this.put(Uint8Array, new TextEncoder().encode(text + "\0"), taken);
  }
  view(Type, at, n) {
    return new Type(this.exports.memory.buffer, at, n);
  }
  text(at) {
    const bytes = new Uint8Array(this.exports.memory.buffer), end = bytes.indexOf(0, at);
    return new TextDecoder().decode(bytes.slice(at, end));
  }
  /* The library's sentence about its last failure. */
  failure() {
    return new RangeError(this.text(this.exports.statepath_message()));
  }
  free(list) {
    list.forEach((at) => this.exports.statepath_give_back(at));
  }
}

/* A model as JSON, and the values of its numbers in that order. JSON.stringify() would write null in place of some values. */
function written(model) {
  const numbers = [];
  const text = JSON.stringify(model, function (key, value) {
    const isLost = typeof value === "number" ? !Number.isFinite(value) : value === undefined && Array.isArray(this);
    if (isLost) throw new RangeError("model: under \"" + key + "\" stands " + value + ", which JSON has not; use null");
    if (typeof value === "number") numbers.push(value);
    return value;
  });
  return { text: text === undefined ? "null" : text, numbers };
}

/* Numbers, one for each of n; `what` is what messages call them. */
function checked(what, list, n, least, most) {
  if (!list || typeof list !== "object" || typeof list.length !== "number") throw new RangeError(what + ": needs an array of numbers");
  if (n !== undefined && list.length !== n) throw new RangeError(what + ": " + list.length + " numbers for " + n + " steps; give one for each");
  for (let i = 0; i < list.length; i++) {
    if (typeof list[i] !== "number") throw new RangeError(what + ": number " + i + " is " + (typeof list[i] === "string" ? JSON.stringify(list[i]) : String(list[i])));
    if (least !== undefined && !(Number.isInteger(list[i]) && list[i] >= least && list[i] <= most))
      throw new RangeError(what + ": number " + i + " is " + list[i] + "; it is a whole number from " + least + " to " + most);
  }
  return list;
}

const OPTIONS = ["gaps", "missing", "onInfeasible"];

/* gaps: as they are, or null; whether a step of NaN says nothing; whether rules may be broken where nothing else is left. */
function readOptions(options, nSteps) {
  const unknown = Object.keys(options).find((key) => !OPTIONS.includes(key));
  if (unknown) throw new RangeError(unknown + ": there is no such option; there are " + OPTIONS.join(", "));
  const { gaps = null, missing = "error", onInfeasible = "report" } = options;
  if (!["error", "uniform"].includes(missing)) throw new RangeError("missing " + missing + ": it is error or uniform");
  if (!["report", "relax"].includes(onInfeasible)) throw new RangeError("onInfeasible " + onInfeasible + ": it is report or relax");
  return { gaps: gaps && checked("gaps", gaps, nSteps, 0, 1), isMissingUniform: missing === "uniform", isRelaxed: onInfeasible === "relax" };
}

const STATUS = { 0: "ok", 5: "no_path", 6: "dead_end" };

/* One recording in the module's memory. */
class Recording {
  constructor(memory, nClasses, nSteps, options) {
    const { gaps, isMissingUniform, isRelaxed } = readOptions(options, nSteps);
    this.memory = memory;
    this.nSteps = nSteps;
    this.nClasses = nClasses;
    this.isMissingUniform = isMissingUniform;
    this.isRelaxed = isRelaxed;
    this.owned = [];
    this.gaps = memory.put(Uint8Array, gaps, this.owned);
    this.scores = memory.take(nSteps * nClasses * 8, this.owned);
    this.path = memory.take(nSteps * 4, this.owned);
  }
  /* The scores in nats, copied. */
  values() {
    return this.memory.view(Float64Array, this.scores, this.nSteps * this.nClasses).slice();
  }
  free() {
    this.memory.free(this.owned);
    this.owned = [];
  }
}

function recordingOf(memory, nClasses, scores, options) {
  checked("scores", scores);
  if (scores.length % nClasses)
    throw new RangeError("scores: " + scores.length + " numbers are no steps of " + nClasses + " classes; give a multiple of " + nClasses);
  const made = new Recording(memory, nClasses, scores.length / nClasses, options);
  memory.view(Float64Array, made.scores, scores.length).set(scores);
  return made;
}

/* Recordings as lib/core/packed_scores.h packs them, one after the other in `bytes`: next() unpacks the next one, of so many steps and bytes. */
function unpacker(memory, nClasses, bytes, options) {
  const { exports } = memory, taken = [], packer = exports.statepath_packer_new(), fields = memory.take(28, taken);
  let from = memory.put(Uint8Array, bytes, taken);
  return {
    next({ nSteps, nBytes, hasLabels, hasGaps }) {
      const one = new Recording(memory, nClasses, nSteps, Object.assign({}, options, { gaps: hasGaps ? new Uint8Array(nSteps) : null }));
      const labels = hasLabels ? memory.take(nSteps * 4) : 0;
      memory.view(Int32Array, fields, 7).set([nSteps, nClasses, nBytes, from, one.scores, labels, one.gaps]);
      exports.statepath_unpack(packer, fields);
      from += nBytes;
      const copied = { recording: one, labels: labels ? memory.view(Int32Array, labels, nSteps).slice() : null,
        gaps: hasGaps ? memory.view(Uint8Array, one.gaps, nSteps).slice() : null };
      exports.statepath_give_back(labels);
      return copied;
    },
    free() {
      exports.statepath_packer_free(packer);
      memory.free(taken);
    },
  };
}

class Rules {
  constructor(memory, model, logPrior) {
    const { exports } = memory, taken = [], { text, numbers } = written(model);
    this.rules = exports.statepath_rules_new(memory.putText(text, taken), memory.put(Float64Array, numbers, taken));
    memory.free(taken);
    if (!this.rules) {
      const failure = memory.failure();
      failure.message = failure.message.replace(/^model:\d+:\d+: /, "model: "); /* the place in a text that nobody wrote */
      throw failure;
    }
    this.memory = memory;
    this.nClasses = exports.statepath_n_classes(this.rules);
    const prior = exports.statepath_log_prior(this.rules);
    if (prior && logPrior) memory.view(Float64Array, prior, this.nClasses).set(checked("logPrior", logPrior, this.nClasses));
  }
  decode(scores, strategy = "viterbi", options = {}) {
    if (!(scores instanceof Recording)) return this.once(scores, options, (recording) => this.decode(recording, strategy));
    const taken = [], name = this.memory.putText(String(strategy), taken);
    const said = this.ask(scores, (at) => this.memory.exports.statepath_decode(this.rules, name, at), scores.path);
    this.memory.free(taken);
    return { status: said.status, path: this.memory.view(Int32Array, scores.path, scores.nSteps).slice(), score: said.score, step: said.step, message: said.message };
  }
  /* Of scores that are kept no longer. */
  once(scores, options, use) {
    const recording = recordingOf(this.memory, this.nClasses, scores, options);
    try {
      return use(recording);
    } finally {
      recording.free();
    }
  }
  /* A function of the module about a recording, which may find no path; `path` is where paths are. */
  ask(r, call, path) {
    const { memory } = this;
    if (r.nClasses !== this.nClasses) throw new RangeError("the scores have " + r.nClasses + " classes and the model has " + this.nClasses + ": take a model of the same classes");
    const at = memory.take(40);
    memory.view(Int32Array, at, 6).set([r.nSteps, r.scores, r.gaps, path, r.isMissingUniform, r.isRelaxed]);
    const status = call(at), step = memory.view(Int32Array, at + 24, 1)[0], score = memory.view(Float64Array, at + 32, 1)[0];
    memory.exports.statepath_give_back(at);
    if (status && !STATUS[status]) throw memory.failure();
    return { status: STATUS[status], step, score, message: status ? memory.failure().message : "" };
  }
  countIllegal(path, gaps, marks) {
    const { memory } = this, { exports } = memory, taken = [], n = checked("path", path, undefined, -1, this.nClasses - 1).length;
    if (gaps) checked("gaps", gaps, n, 0, 1);
    if (marks) checked("marks", marks, n);
    const at = memory.put(Int32Array, path, taken), gap = memory.put(Uint8Array, gaps, taken), out = marks ? memory.take(n, taken) : 0;
    const count = exports.statepath_count_illegal(this.rules, n, at, gap, out);
    if (marks) marks.set(memory.view(Uint8Array, out, n));
    memory.free(taken);
    return count;
  }
  /* Violations of rules over more steps: of those that no path breaks, and of those that have a price. */
  countViolations(path, gaps) {
    const { memory } = this, { exports } = memory, taken = [], n = checked("path", path, undefined, -1, this.nClasses - 1).length;
    if (gaps) checked("gaps", gaps, n, 0, 1);
    const at = memory.put(Int32Array, path, taken), gap = memory.put(Uint8Array, gaps, taken);
    const [hard, priced] = [0, 1].map((arePriced) => exports.statepath_count_violations(this.rules, n, at, gap, arePriced));
    memory.free(taken);
    return { hard, priced };
  }
  /* Entities of the reference, of the path, and of both; null: the classes are no tags. */
  countEntities(labels, path, gaps) {
    const { memory } = this, { exports } = memory, taken = [], n = checked("path", path, undefined, -1, this.nClasses - 1).length;
    checked("labels", labels, n, -1, this.nClasses - 1);
    if (gaps) checked("gaps", gaps, n, 0, 1);
    const truth = memory.put(Int32Array, labels, taken), at = memory.put(Int32Array, path, taken), gap = memory.put(Uint8Array, gaps, taken), out = memory.take(12, taken);
    const are = exports.statepath_count_entities(this.rules, n, truth, at, gap, out), [reference, decoded, correct] = memory.view(Int32Array, out, 3);
    memory.free(taken);
    return are ? { reference, decoded, correct } : null;
  }
  /* Segments of the reference, of the path, those matched at overlaps of .1, .25, .5, and the edit score; background [K] 1: no segments. */
  countSegments(labels, path, gaps, background) {
    const { memory } = this, { exports } = memory, taken = [], n = checked("path", path, undefined, -1, this.nClasses - 1).length;
    checked("labels", labels, n, -1, this.nClasses - 1);
    if (gaps) checked("gaps", gaps, n, 0, 1);
    if (background) checked("background", background, this.nClasses, 0, 1);
    const truth = memory.put(Int32Array, labels, taken), at = memory.put(Int32Array, path, taken), gap = memory.put(Uint8Array, gaps, taken),
      none = memory.put(Uint8Array, background, taken), room = memory.take(48, taken);
    memory.view(Int32Array, room + 28, 5).set([n, truth, at, gap, none]);
    const status = exports.statepath_count_segments(this.rules, room), [edit] = memory.view(Float64Array, room, 1), counts = [...memory.view(Int32Array, room + 8, 5)];
    memory.free(taken);
    if (status) throw memory.failure();
    return { reference: counts[0], decoded: counts[1], matched: counts.slice(2), edit: Number.isNaN(edit) ? null : edit };
  }
  weights() {
    const { memory } = this, { exports } = memory, M = exports.statepath_n_states(this.rules), at = memory.take((M + 1) * M * 8);
    exports.statepath_weights(this.rules, at, at + M * M * 8);
    const all = memory.view(Float64Array, at, (M + 1) * M).slice();
    exports.statepath_give_back(at);
    return { transitions: Array.from({ length: M }, (none, i) => [...all.subarray(i * M, (i + 1) * M)]), start: [...all.subarray(M * M)] };
  }
  free() {
    this.memory.exports.statepath_rules_free(this.rules);
    this.rules = 0;
  }
}

/* source: bytes, a compiled module, or the (promised) response of a fetch. */
export async function load(source) {
  let from = await source;
  if (typeof Response !== "undefined" && from instanceof Response) from = await from.arrayBuffer();
  const instance = from instanceof WebAssembly.Module ? await WebAssembly.instantiate(from, {}) : (await WebAssembly.instantiate(from, {})).instance;
  const { exports } = instance, memory = new Memory(exports);
  exports._initialize();
  return {
    version: memory.text(exports.statepath_version()),
    rules: (model, logPrior) => new Rules(memory, model, logPrior),
    recording: (nClasses, scores, options = {}) => recordingOf(memory, nClasses, scores, options),
    unpacker: (nClasses, bytes, options = {}) => unpacker(memory, nClasses, bytes, options),
  };
}
