/* statepath in a page or in node: rules and scores in, the best path that obeys the rules out. Types: statepath.d.ts.
 *
 *   import { load } from "./statepath.js";
 *   const statepath = await load(fetch("statepath.wasm"));
 *   const rules = statepath.rules(modelJson);
 *   const { path } = rules.decode(logProbs, "viterbi");
 */

/* [M] numbers from a list of names, or from an object of numbers; null where neither is given. */
function ends(model, names, key) {
  const list = model[key], log = model[key + "_log_weights"];
  if (!list && !log) return null;
  return names.map((name) => {
    if (Array.isArray(list)) return !list.includes(name) ? -Infinity : log ? log[name] : 0;
    if (log) return typeof log[name] === "number" ? log[name] : -Infinity;
    return list[name] > 0 ? Math.log(list[name]) : -Infinity;
  });
}

/* [M][M] of a function of row and column. */
function matrix(names, cell) {
  return names.map((from, i) => names.map((to, j) => cell(i, j, from, to)));
}

function readAllow(model, names) {
  if (model.allow) return matrix(names, (i, j, from, to) => (model.allow[from].includes(to) ? 1 : 0));
  if (model.forbid) return matrix(names, (i, j, from, to) => ((model.forbid[from] || []).includes(to) ? 0 : 1));
  const rows = model.matrix || model.probabilities || model.log_weights;
  return matrix(names, (i, j) => (rows[i][j] === null || (!model.log_weights && !rows[i][j]) ? 0 : 1));
}

/* A model (statepath_model, JSON) as arrays; see Rules in statepath.d.ts. */
export function rulesOfModel(model) {
  const classes = model.classes, states = model.states ? Object.keys(model.states) : classes, decoding = model.decoding || {};
  const allow = readAllow(model, states), rows = model.log_weights || model.probabilities;
  return {
    classes,
    states,
    stateClass: model.states ? states.map((name) => classes.indexOf(model.states[name])) : null,
    allow,
    weight: rows ? matrix(states, (i, j) => (!allow[i][j] ? 0 : model.log_weights ? rows[i][j] : Math.log(rows[i][j]))) : null,
    start: ends(model, states, "start"),
    end: ends(model, states, "end"),
    minDwell: states.map((name) => (model.min_dwell || {})[name] || 1),
    minDwellAtEnd: Boolean(model.min_dwell_at_end),
    transitionWeight: typeof decoding.transition_weight === "number" ? decoding.transition_weight : 1,
  };
}

class Memory {
  constructor(exports) {
    this.exports = exports;
  }
  take(bytes) {
    const at = this.exports.statepath_take(bytes);
    if (!at) throw new RangeError("statepath: no memory for " + bytes + " bytes");
    return at;
  }
  /* A copy of an array of numbers; 0 of null. */
  put(Type, numbers, taken) {
    if (!numbers) return 0;
    const at = this.take(numbers.length * Type.BYTES_PER_ELEMENT);
    if (taken) taken.push(at);
    new Type(this.exports.memory.buffer, at, numbers.length).set(numbers);
    return at;
  }
  text(at) {
    const bytes = new Uint8Array(this.exports.memory.buffer), end = bytes.indexOf(0, at);
    return new TextDecoder().decode(bytes.slice(at, end));
  }
  free(list) {
    list.forEach((at) => this.exports.statepath_give_back(at));
  }
}

const STATUS = { 0: "ok", 5: "no_path", 6: "dead_end" };

/* One recording in the module's memory. */
class Recording {
  constructor(memory, options) {
    const { nSteps, nClasses, scores, packed, gaps } = options;
    this.memory = memory;
    this.nSteps = nSteps;
    this.nClasses = nClasses;
    this.owned = [];
    this.scores = scores ? memory.put(Float64Array, scores, this.owned) : memory.take(nSteps * nClasses * 8);
    if (!scores) this.owned.push(this.scores);
    this.packed = memory.put(Uint8Array, packed, this.owned);
    this.gaps = memory.put(Uint8Array, gaps, this.owned);
    this.path = memory.take(nSteps * 4);
    this.owned.push(this.path);
  }
  /* Packed scores to nats. */
  prepare(temperature, priorWeight, logPrior) {
    const taken = [], { exports } = this.memory, prior = this.memory.put(Float64Array, priorWeight ? logPrior : null, taken);
    const at = this.memory.take(40);
    taken.push(at);
    new Int32Array(exports.memory.buffer, at, 4).set([this.nSteps, this.nClasses, this.packed, prior]);
    new Float64Array(exports.memory.buffer, at + 16, 2).set([temperature, priorWeight]);
    new Int32Array(exports.memory.buffer, at + 32, 1).set([this.scores]);
    const status = exports.statepath_unpack(at);
    this.memory.free(taken);
    if (status) throw new RangeError(this.memory.text(exports.statepath_message()));
  }
  /* The scores in nats, copied. */
  values() {
    return new Float64Array(this.memory.exports.memory.buffer, this.scores, this.nSteps * this.nClasses).slice();
  }
  free() {
    this.memory.free(this.owned);
    this.owned = [];
  }
}

class Rules {
  constructor(memory, rules) {
    const { exports } = memory, n = rules.states.length, taken = [];
    const put = (Type, numbers) => memory.put(Type, numbers, taken);
    const fields = [rules.classes.length, n, put(Uint8Array, new TextEncoder().encode(rules.states.join("\0") + "\0")),
      put(Int32Array, rules.stateClass), put(Uint8Array, rules.allow.flat()), put(Float64Array, rules.weight && rules.weight.flat()),
      put(Float64Array, rules.start), put(Float64Array, rules.end), put(Int32Array, rules.minDwell), rules.minDwellAtEnd ? 1 : 0];
    const at = memory.take(48);
    taken.push(at);
    new Int32Array(exports.memory.buffer, at, fields.length).set(fields);
    new Float64Array(exports.memory.buffer, at + 40, 1)[0] = rules.transitionWeight === undefined ? 1 : rules.transitionWeight;
    this.memory = memory;
    this.nClasses = rules.classes.length;
    this.chain = exports.statepath_rules_new(at);
    memory.free(taken);
    if (!this.chain) throw new RangeError(memory.text(exports.statepath_message()));
  }
  decode(scores, strategy = "viterbi", options = {}) {
    if (!(scores instanceof Recording)) {
      const recording = new Recording(this.memory,
        { nSteps: scores.length / this.nClasses, nClasses: this.nClasses, scores, gaps: options.gaps || null });
      try {
        return this.decode(recording, strategy);
      } finally {
        recording.free();
      }
    }
    const r = scores, { exports } = this.memory, taken = [];
    const name = this.memory.put(Uint8Array, new TextEncoder().encode(strategy + "\0"), taken), at = this.memory.take(32);
    taken.push(at);
    new Int32Array(exports.memory.buffer, at, 4).set([r.nSteps, r.scores, r.gaps, r.path]);
    const status = exports.statepath_decode(this.chain, name, at);
    const step = new Int32Array(exports.memory.buffer, at + 16, 1)[0], score = new Float64Array(exports.memory.buffer, at + 24, 1)[0];
    const path = new Int32Array(exports.memory.buffer, r.path, r.nSteps).slice();
    this.memory.free(taken);
    const message = status ? this.memory.text(exports.statepath_message()) : "";
    if (status && !STATUS[status]) throw new RangeError(message);
    return { status: STATUS[status], path, score, step, message };
  }
  countIllegal(path, gaps, marks) {
    const { exports } = this.memory, taken = [], n = path.length;
    const at = this.memory.put(Int32Array, path, taken), gap = this.memory.put(Uint8Array, gaps, taken);
    const out = marks ? this.memory.put(Uint8Array, marks, taken) : 0;
    const count = exports.statepath_count_illegal(this.chain, n, at, gap, out);
    if (marks) marks.set(new Uint8Array(exports.memory.buffer, out, n));
    this.memory.free(taken);
    return count;
  }
  free() {
    this.memory.exports.statepath_rules_free(this.chain);
    this.chain = 0;
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
    rules: (model) => new Rules(memory, model.allow && Array.isArray(model.allow) ? model : rulesOfModel(model)),
    recording: (options) => new Recording(memory, options),
  };
}
