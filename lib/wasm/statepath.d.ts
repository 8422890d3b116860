/** Rules as arrays. States are those of the classes, in the order of the columns of the scores. */
export interface RuleArrays {
  classes: string[];
  /** [M] names; the classes where state s is class s. */
  states: string[];
  /** [M] class of each state; null: state s is class s. */
  stateClass: number[] | null;
  /** [M][M] rows = from; 1 where allowed. */
  allow: number[][];
  /** [M][M] nats, read where allowed; null: 0. */
  weight?: number[][] | null;
  /** [M] nats, -Infinity = may not start (end) there; null: anywhere. */
  start?: number[] | null;
  end?: number[] | null;
  /** [M] steps that a state stays at least; null: 1. */
  minDwell?: number[] | null;
  minDwellAtEnd?: boolean;
  /** Multiplies `weight`; 1. */
  transitionWeight?: number;
}

/** A model as JSON: the format of `statepath model`. Its classes must be in the order of the columns. */
export type Model = { statepath_model: 1; classes: string[] } & Record<string, unknown>;

export interface Decoded {
  /** no_path: no allowed path has a finite score. dead_end: greedy or beam came to a step that it could not go on from. */
  status: "ok" | "no_path" | "dead_end";
  /** [T] classes; -1 at each step unless the status is ok. */
  path: Int32Array;
  /** Nats; -Infinity without a path, and for an illegal one of argmax. */
  score: number;
  /** Of the failure, from 0; -1. */
  step: number;
  message: string;
}

/** A recording kept in the module's memory, to be decoded again and again. */
export interface Recording {
  readonly nSteps: number;
  readonly nClasses: number;
  /** Packed scores to nats: divided by the temperature, less priorWeight times logPrior [K]. */
  prepare(temperature: number, priorWeight: number, logPrior?: number[] | null): void;
  /** [T*K] nats, a copy. */
  values(): Float64Array;
  free(): void;
}

export interface RecordingOptions {
  nSteps: number;
  nClasses: number;
  /** [T*K] nats, -Infinity allowed, no NaN; or: */
  scores?: Float64Array | number[];
  /** [T*K*3] bytes: 24 bits a score, see lib/wasm/README.md; call prepare() before decoding. */
  packed?: Uint8Array;
  /** [T] 1 where the chain is broken before the step. */
  gaps?: Uint8Array | null;
}

export interface Rules {
  readonly nClasses: number;
  /** strategy: "viterbi" (the default), "greedy", "argmax", "beam:8". scores: [T*K] nats, or a Recording, which has its own gaps. */
  decode(scores: Float64Array | number[] | Recording, strategy?: string, options?: { gaps?: Uint8Array | null }): Decoded;
  /** Transitions of a path that these rules forbid; marks [T] is filled with 1 where one leads into the step. */
  countIllegal(path: Int32Array | number[], gaps?: Uint8Array | null, marks?: Uint8Array | null): number;
  /** Gives their memory back. */
  free(): void;
}

export interface Statepath {
  readonly version: string;
  /** Throws a RangeError with the library's sentence where the rules contradict themselves. */
  rules(model: Model | RuleArrays): Rules;
  recording(options: RecordingOptions): Recording;
}

export function rulesOfModel(model: Model): RuleArrays;

/** source: the bytes of statepath.wasm, a compiled module, or the response of a fetch. */
export function load(source: BufferSource | WebAssembly.Module | Response | Promise<BufferSource | WebAssembly.Module | Response>): Promise<Statepath>;
