/** A model as JSON: the format of `statepath model`. Its classes are in the order of the columns of the scores. */
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

export interface DecodeOptions {
  /** [T] 1 where the chain is broken before the step. */
  gaps?: Uint8Array | number[] | null;
  /** Of a step with a NaN: an error (the default), or it says nothing. */
  missing?: "error" | "uniform";
  /** Where the rules allow no path: the status says so (the default), or as few rules as possible are broken. */
  onInfeasible?: "report" | "relax";
}

/** [T*K] nats, -Infinity allowed; before the model's temperature and prior. */
export type Scores = Float64Array | Float32Array | number[];

/** A recording kept in the module's memory, with its options, to be decoded again and again. */
export interface Recording {
  readonly nSteps: number;
  readonly nClasses: number;
  /** [T*K] nats, a copy. */
  values(): Float64Array;
  free(): void;
}

/** A recording as a page of statepath holds it (lib/core/packed_scores.h). */
export interface Packed {
  nSteps: number;
  nBytes: number;
  hasLabels: boolean;
  hasGaps: boolean;
}

export interface Confidence {
  status: "ok" | "no_path";
  /** [T] 0 to 1; NaN without a path. */
  confidence: Float64Array;
  /** log Z, nats. */
  logPartition: number;
  step: number;
  message: string;
}

export interface BestPaths {
  status: "ok" | "no_path";
  /** Of [T] classes each, the best first; fewer than n where there are no more. */
  paths: Int32Array[];
  /** Nats. */
  scores: Float64Array;
  step: number;
  message: string;
}

export interface StreamOptions {
  /** A step is decided at the latest when so many more have been seen. Without it each is decided when nothing can change it any more. */
  mostLag?: number | null;
  missing?: "error" | "uniform";
}

/** What a stream decided. */
export interface Decided {
  /** Not ok: the step could not be taken, nor was any after it; it may be pushed again after a gap, or the recording given up by restart(). */
  status: "ok" | "no_path" | "dead_end";
  /** Classes of the steps that are final now, in order; together they are the path of "viterbi" of the whole recording. */
  path: Int32Array;
  /** That could not be taken, from the first of the recording; -1. */
  step: number;
  message: string;
}

/** To be given up before its rules are. */
export interface Stream {
  /** Steps pushed and not yet decided. */
  readonly pending: number;
  /** The next steps [n*K], gaps [n]. */
  push(scores: Scores, gaps?: Uint8Array | number[] | null): Decided;
  /** Ends the recording; another may follow. */
  finish(): Decided;
  /** Forgets the recording. */
  restart(): void;
  free(): void;
}

export interface Rules {
  readonly nClasses: number;
  /** strategy: "viterbi" (the default), "greedy", "argmax", "beam:8", "posterior", "mea", "posterior-viterbi", "online:5". A Recording has options of its own. */
  decode(scores: Scores | Recording, strategy?: string, options?: DecodeOptions): Decoded;
  /** How sure a path is: of each step the marginal of its class, given all steps and the rules. exp(score of the path - log Z) is the posterior of the path. */
  confidence(scores: Scores | Recording, path: Int32Array | number[], options?: DecodeOptions): Confidence;
  /** The n best paths. */
  nBest(scores: Scores | Recording, n: number, options?: DecodeOptions): BestPaths;
  /** Decodes while a recording goes on. */
  stream(options?: StreamOptions): Stream;
  /** Transitions of a path that these rules forbid; marks [T] is filled with 1 where one leads into the step. */
  countIllegal(path: Int32Array | number[], gaps?: Uint8Array | number[] | null, marks?: Uint8Array | null): number;
  /** Violations of rules over more steps in a recording: of those that no path breaks, and of those that have a price. */
  countViolations(path: Int32Array | number[], gaps?: Uint8Array | number[] | null): { hard: number; priced: number };
  /** Entities of the reference, of the path, and those that both have, read as conlleval does; null: the classes are no tags. */
  countEntities(labels: Int32Array | number[], path: Int32Array | number[], gaps?: Uint8Array | number[] | null):
    { reference: number; decoded: number; correct: number } | null;
  /** Runs of classes, without those of the background [K], on both sides; how many of the path match one of the reference with an overlap
   *  of 10, 25 and 50 %; and 1 - edit distance of the runs / the more runs, null where there is none: of F1@10, 25, 50 and the edit score. */
  countSegments(labels: Int32Array | number[], path: Int32Array | number[], gaps?: Uint8Array | number[] | null, background?: Uint8Array | number[] | null):
    { reference: number; decoded: number; matched: number[]; edit: number | null };
  /** Log weights of transitions [M][M], rows = from, and of starts [M]; 0 where the model has none, -Infinity where it forbids. */
  weights(): { transitions: number[][]; start: number[] };
  /** Gives their memory back. */
  free(): void;
}

/** Each function throws a RangeError with one sentence where it is given what it cannot use: the program's, where that refuses it too. */
export interface Statepath {
  readonly version: string;
  /** Reads a model as the program does: all of it, `decoding` and `prior` too. logPrior [K]: used in place of the logarithms of the prior. */
  rules(model: Model, logPrior?: number[] | null): Rules;
  recording(nClasses: number, scores: Scores, options?: DecodeOptions): Recording;
  /** Recordings that stand one after the other in `bytes`: each call of next() gives the next one, which brings its gaps along. free() at the end. */
  unpacker(nClasses: number, bytes: Uint8Array, options?: DecodeOptions): {
    next(one: Packed): { recording: Recording; labels: Int32Array | null; gaps: Uint8Array | null };
    free(): void;
  };
}

/** source: the bytes of statepath.wasm, a compiled module, or the response of a fetch. */
export function load(source: BufferSource | WebAssembly.Module | Response | Promise<BufferSource | WebAssembly.Module | Response>): Promise<Statepath>;
