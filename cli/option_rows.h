/* THE table of options: each stands here once. Included by options.h and options.c, each with its own OPTION_ROW:
 *
 *     OPTION_ROW(id, name, letter or 0, kind, place in struct options, description, name of the value)
 *
 * The kinds are those of options.c. A value with a bar in its name ("report|relax|error") is a choice of these words. Other names
 * say what completion offers (completion.c): M, RULES, STRATEGY, LIST, CONDITION; FILE.json and the like. */
OPTION_ROW(MODEL, "model", 'm', TEXT, run.model, "the rules: a file, or a shipped model by name", "M")
OPTION_ROW(RULES_OF_FOLDS, "rules", 0, TEXT, run.fit.rules,
           "the rules of the fitted models, if not M; \"seen\": what the other folds' labels show", "RULES")
OPTION_ROW(STRATEGIES, "strategies", 's', TEXT, run.strategies,
           "what to compare; the verdict leads with the first legal one besides greedy (argmax,greedy,viterbi; with --cv without "
           "greedy)",
           "LIST")
OPTION_ROW(STRATEGY, "strategy", 's', TEXT, run.strategies, "how to choose the path (viterbi)", "STRATEGY")
OPTION_ROW(OUTPUT, "output", 'o', TEXT, run.output,
           "write the paths: HDF5, or by the ending .csv, .tsv, .npz, .conll, .annot, .eannot, .ids, .edf", "PATHS")
OPTION_ROW(CONFIDENCE, "confidence", 0, FLAG, run.confidence, "write how sure each step is, given the rules", NULL)
OPTION_ROW(NBEST, "nbest", 0, INTEGER, run.n_best, "write the N best paths of viterbi", "N")
OPTION_ROW(FORCE, "force", 'f', FLAG, run.force, "replace an output that exists", NULL)
OPTION_ROW(SKIP_EXISTING, "skip-existing", 0, FLAG, skip_existing,
           "with {id} in the output, which then is one for each input: keep outputs that are there", NULL)
OPTION_ROW(PART, "part", 0, TEXT, run.part.file,
           "count only, and write the counts, for `statepath merge`; %i and %n are the numbers of the shard", "P.h5")
OPTION_ROW(SHARD, "shard", 0, TEXT, run.part.shard,
           "of a part: only the I-th of N ranges of recordings; auto: as the scheduler's variables or MPI's say", "I/N")
OPTION_ROW(PARTS, "parts", 0, TEXT, parts, "folder where each rank keeps its part", "DIR")
OPTION_ROW(PART_STEPS, "part-steps", 0, TEXT, run.part.steps,
           "none: the part holds counts alone, no paths or labels of single steps (all)", "all|none")
OPTION_ROW(CHECK_INPUTS, "check-inputs", 0, FLAG, run.part.check_inputs,
           "tell by a checksum, not by the time, whether the inputs of a part that is there have changed", NULL)
OPTION_ROW(ALLOW_MISSING, "allow-missing", 0, FLAG, run.part.allow_missing,
           "merge without the parts that are missing, and say which", NULL)
OPTION_ROW(SCORES, "scores", 0, TEXT, run.place.scores, "dataset of the scores; {id} stands for the recording", "PATH")
OPTION_ROW(LABELS, "labels", 0, TEXT, run.place.labels, "dataset of the labels", "PATH")
OPTION_ROW(REFERENCE, "reference", 0, TEXT, run.reference, "file of the labels, HDF5 or text; recordings are matched by id",
           "LABELS.h5")
OPTION_ROW(
    AGAINST, "against", 0, TEXTS, run.against,
    "another classifier of the same recordings, whose strategies are NAME.viterbi and the like; NAME=:/DATASET is in the same "
    "file; may be given again",
    "NAME=FILE")
OPTION_ROW(OFFSETS, "offsets", 0, TEXT, run.place.offsets, "dataset of the offsets (packed)", "PATH")
OPTION_ROW(LENGTHS, "lengths", 0, TEXT, run.place.lengths, "dataset of the lengths (padded)", "PATH")
OPTION_ROW(IDS, "ids", 0, TEXT, run.place.ids, "dataset of the recordings' names", "PATH")
OPTION_ROW(MASK, "mask", 0, TEXT, run.place.mask, "dataset of the mask", "PATH")
OPTION_ROW(PREVIOUS, "previous", 0, TEXT, run.masks.previous, "dataset of the class before each row; -1: there is none", "PATH")
OPTION_ROW(MATRIX, "matrix", 0, TEXT, run.masks.matrix, "dataset [K,K] of what may follow what (rows = from), instead of a model",
           "PATH")
OPTION_ROW(MULTIPLY, "multiply", 0, FLAG, masks.multiply,
           "softmax: multiply the logits by the mask, which is a mistake, and say how much stays on what is forbidden", NULL)
OPTION_ROW(CAUSAL, "causal", 0, FLAG, masks.causal, "attention: a step does not look at later ones", NULL)
OPTION_ROW(MOST_STEPS, "steps", 0, INTEGER, masks.steps, "length of the padded sequences (that of the longest)", "T")
OPTION_ROW(FILL, "fill", 0, NUMBER, masks.fill, "padding: what stands after the end of a sequence (0)", "X")
OPTION_ROW(LOSSES, "losses", 0, TEXT, masks.losses, "loss: dataset of the losses (/losses)", "PATH")
OPTION_ROW(VALUES, "values", 0, TEXT, masks.values,
           "padding: dataset of the sequences, one after the other; attention: [N,T,D], what is added up (/values)", "PATH")
OPTION_ROW(KIND, "kind", 0, TEXT, run.place.kind, "what the scores are, when their name does not say",
           "log_probs|probs|logits|scores")
OPTION_ROW(
    GAPS, "gaps", 0, TEXT, run.place.gaps,
    "steps that valid, attention_mask or labels of -100 leave out before others: their neighbours become adjacent, or a new "
    "segment begins",
    "join|break")
OPTION_ROW(UNSCORED, "unscored", 0, TEXT, run.place.unscored,
           "labels of -100 are known outside of rows [N,T] too: unscored, or with --gaps left out", "-100")
OPTION_ROW(
    COMMENTS, "comments", 0, TEXT, run.place.comments,
    "columns of CoNLL: comments are lines that begin with # and do not look like the others (auto), or all with #, or none",
    "auto|none|hash")
OPTION_ROW(HEADER, "header", 0, FLAG, run.place.header, "the first line of a table of scores names the columns", NULL)
OPTION_ROW(NO_HEADER, "no-header", 0, FLAG, run.place.no_header, "the first line of a table of scores is a step", NULL)
OPTION_ROW(ONLY, "only", 0, TEXT, run.place.only,
           "of a folder or several files those that this list names, one a line, such as a split's .bundle", "LIST")
OPTION_ROW(TRANSPOSE, "transpose", 0, FLAG, run.place.transpose, "arrays of scores (.npy, .npz, .mat) are [classes, steps]", NULL)
OPTION_ROW(ALLOW_EXTERNAL, "allow-external", 0, FLAG, run.place.allow_external,
           "follow links and virtual datasets to files anywhere, not only in the folder of the file or below it", NULL)
OPTION_ROW(PATHS, "paths", 0, TEXT, run.paths_dataset, "dataset of the paths in another's file; {id} stands for the recording",
           "PATH")
OPTION_ROW(LABELS_DATASET, "labels-dataset", 0, TEXT, run.labels_dataset, "dataset of the labels in LABELS.h5", "PATH")
OPTION_ROW(TRIM_TO_SHORTEST, "trim-to-shortest", 0, FLAG, run.trim_to_shortest,
           "where a recording has more steps in one of both files, leave out the last ones", NULL)
OPTION_ROW(CODES, "codes", 0, TEXT, run.codes, "how the labels code sleep stages", CODES_LIST)
OPTION_ROW(MAP, "map", 0, TEXT, run.map, "the same code by code, '0=Wake,5=REM,9=unscored', or a file of such lines", "MAP")
OPTION_ROW(LABEL_CODES, "label-codes", 0, TEXT, run.label_codes, "the same for the labels alone, where theirs differ", CODES_LIST)
OPTION_ROW(LABEL_MAP, "label-map", 0, TEXT, run.label_map, "the map of the labels, where it is another", "MAP")
OPTION_ROW(THREADS, "threads", 0, INTEGER, run.decode.threads, "0, the default, takes all processors", "N")
OPTION_ROW(MISSING, "missing", 0, TEXT, run.decode.missing, "a NaN is an error, or its step says nothing", "error|uniform")
OPTION_ROW(FLOOR, "floor", 0, NUMBER, run.decode.floor, "raise smaller probabilities to P", "P")
OPTION_ROW(ON_INFEASIBLE, "on-infeasible", 0, TEXT, run.decode.on_infeasible,
           "a recording without allowed path: report it, break the fewest rules, or stop", "report|relax|error")
OPTION_ROW(TEMPERATURE, "temperature", 0, NUMBER, run.decode.temperature, "divide scores by X", "X")
OPTION_ROW(TRANSITION_WEIGHT, "transition-weight", 0, NUMBER, run.decode.transition_weight,
           "multiply the model's log weights by X", "X")
OPTION_ROW(PRIOR_WEIGHT, "prior-weight", 0, NUMBER, run.decode.prior_weight, "subtract X times the log of the model's prior", "X")
OPTION_ROW(LABEL_CONFIDENCE, "label-confidence", 0, NUMBER, run.decode.label_confidence,
           "of a file of labels, decoded in place of scores: how often they are right (as a fitted model's labeller says)", "P")
OPTION_ROW(CLAMP, "clamp", 0, FLAG, run.decode.clamp, "keep the given labels fixed and decode the rest", NULL)
OPTION_ROW(CV, "cv", 0, INTEGER, run.n_folds,
           "fit as `statepath fit` does, under the rules of M, and decode each recording with a model that never saw it; what "
           "follows is for --cv",
           "FOLDS")
OPTION_ROW(RULES, "rules", 'r', TEXT, run.model, "what is forbidden stays forbidden: a file, a shipped model, or \"seen\"",
           "RULES")
OPTION_ROW(NAME, "name", 0, TEXT, run.fit.name, "name of the model (fitted)", "NAME")
OPTION_ROW(CALIBRATE, "calibrate", 0, FLAG, run.fit.calibrate, "also say how far the scores are from calibrated", NULL)
OPTION_ROW(METHOD, "method", 0, TEXT, run.fit.method,
           "counts of the labels, weighed against the scores; weights that make the labels most likely given the scores "
           "(default); or learnt from the scores alone",
           "counts|crf|em")
OPTION_ROW(TUNE, "tune", 0, TEXT, run.fit.tune,
           "what settings are chosen by, on recordings held out (accuracy; for tags entity_f1)",
           "accuracy|kappa|macro_f1|entity_f1|edit|nll|none")
OPTION_ROW(FOR, "for", 0, TEXT, run.fit.strategy, "the strategy that settings are chosen for (viterbi)", "STRATEGY")
OPTION_ROW(SMOOTHING, "smoothing", 0, NUMBER, run.fit.smoothing, "counts: added to every count (0.5)", "X")
OPTION_ROW(PENALTY, "penalty", 0, NUMBER, run.fit.penalty, "crf: weight of the penalty (by cross-validation)", "X")
OPTION_ROW(MEMORY, "memory", 0, INTEGER, run.fit.memory, "crf: staying depends on how long a class has lasted, up to N steps (1)",
           "N")
OPTION_ROW(FOLDS, "folds", 0, INTEGER, run.fit.folds, "folds for choosing settings (5)", "N")
OPTION_ROW(REPORT, "report", 0, TEXT, report, "write a page for the browser", "R.html")
OPTION_ROW(FIGURES, "figures", 0, TEXT, figures, "write the figures of the page as SVG files into a folder", "DIR")
OPTION_ROW(DRAW, "draw", 0, TEXT, run.draw, "recordings that the page draws before others (worst, median, best)", "ID,...")
OPTION_ROW(WHAT_IF, "what-if", 0, TEXT, what_if, "the page can decode the recordings it draws under other rules (on)", "on|off")
OPTION_ROW(WHAT_IF_BYTES, "what-if-bytes", 0, INTEGER, what_if_bytes,
           "bytes of scores that the page holds for that (600000, fewer where the page would pass a megabyte)", "N")
OPTION_ROW(JSON, "json", 0, TEXT, json, "write results as JSON; - is standard output", "R.json")
OPTION_ROW(CSV, "csv", 0, TEXT, csv, "write results as long CSV", "R.csv")
OPTION_ROW(MARKDOWN, "markdown", 0, TEXT, markdown, "write results as Markdown", "R.md")
OPTION_ROW(LATEX, "latex", 0, TEXT, latex, "write tables for LaTeX (booktabs)", "R.tex")
OPTION_ROW(FAIL_IF, "fail-if", 0, TEXTS, fail_if,
           "exit with status 4 when this holds, such as 'viterbi.kappa < argmax.kappa - 0.01' (`statepath help figures` lists "
           "what can be named); may be given again",
           "CONDITION")
OPTION_ROW(GROUPS, "groups", 0, TEXT, run.groups,
           "recordings that belong together, in intervals and folds: a dataset of names (subjects, where there are), prefix:C "
           "for ids equal up to the first C, or none",
           "GROUPS")
OPTION_ROW(LEVEL, "level", 0, NUMBER, run.level, "level of the intervals (0.95)", "X")
OPTION_ROW(INTERVAL, "interval", 0, TEXT, run.interval,
           "which bootstrap interval differences are shown with (studentised, of more than 128 recordings bca)",
           "studentised|bca|percentile")
OPTION_ROW(ZEROS, "zeros", 0, TEXT, run.zeros,
           "recordings without difference are dropped from Wilcoxon's test, or ranked (wilcox)", "wilcox|pratt")
OPTION_ROW(SEED, "seed", 0, TEXT, seed, "seed of the bootstrap intervals (1)", "N")
OPTION_ROW(MARGIN, "margin", 0, NUMBER, run.margin,
           "say whether a strategy loses no more than X against another (accuracy, kappa, macro F1)", "X")
OPTION_ROW(WEIGHTED_KAPPA, "weighted-kappa", 0, TEXT, run.weighted_kappa, "also kappa weighted by how far classes lie apart",
           "linear|quadratic")
OPTION_ROW(ABSENT_CLASS, "absent-class", 0, TEXT, run.absent_class,
           "a class without precision, recall or F1 in the means over classes (exclude)", "exclude|zero|one")
OPTION_ROW(SCHEME, "scheme", 0, TEXT, run.scheme, "scheme of the tags, by which entities are read strictly (by their letters)",
           "IOB1|IOB2|IOE1|IOE2|BIOES|BILOU|BMES")
OPTION_ROW(COLLAPSE, "collapse", 0, TEXTS, run.collapse,
           "score again with classes put together, such as 'Light=N1,N2; Deep=N3'; may be given again", "CLASSES")
OPTION_ROW(
    PRESET, "preset", 0, TEXT, run.preset,
    "what is shown first: of tags entity F1, of actions F1@10, 25, 50 and edit score; or none (what the classes look like)",
    "sleep|tags|actions")
OPTION_ROW(
    UNIT, "unit", 0, TEXT, run.unit,
    "what recordings and steps are called in tables and on the page (of sleep night/epoch, of tags sentence/token, of actions "
    "video/frame)",
    "RECORDING/STEP")
OPTION_ROW(BACKGROUND, "background", 0, TEXT, run.background,
           "classes without an action: left out of the segments of edit score and F1@10, 25, 50 (of actions: background)",
           "CLASSES")
OPTION_ROW(WAKE_TRIM, "wake-trim", 0, NUMBER, run.wake_trim,
           "leave wake out that lies more than MIN minutes before or after the sleep of the labels", "MIN")
OPTION_ROW(EPOCH_SECONDS, "epoch-seconds", 0, NUMBER, run.epoch_seconds,
           "length of a step, for rates per hour and sleep statistics (what the file says, else 30 for sleep stages)", "X")
OPTION_ROW(RULE_COSTS, "rule-costs", 0, FLAG, run.rule_costs,
           "what each rule costs: decode once more without it; and rules that the labels propose", NULL)
OPTION_ROW(NLL_CLIP, "nll-clip", 0, NUMBER, run.nll_clip,
           "also the likelihood with probabilities of the reference below P taken for P, where some are 0", "P")
OPTION_ROW(BRIDGE_UNSCORED, "bridge-unscored", 0, FLAG, run.bridge_unscored,
           "count the reference's transitions across its unscored steps too", NULL)
OPTION_ROW(DATA, "data", 0, TEXT, data, "audit: scores with labels, as compare reads them", "SCORES.h5")
OPTION_ROW(LAG, "lag", 'L', INTEGER, lag, "decide a step once L more have been seen", "L")
OPTION_ROW(CLASSES, "classes", 0, TEXT, run.place.classes,
           "names of the columns, when not in the model's order; or a file of them, such as a model's config.json", "A,B,C")
OPTION_ROW(TYPES, "types", 0, TEXT, types, "new iob1 to bmes: entity types", "A,B,C")
OPTION_ROW(MARKS, "marks", 0, FLAG, marks, "show: check marks for what is allowed", NULL)
OPTION_ROW(STEP, "step", 0, INTEGER, step, "new left-right, band: how far a step may go (1)", "N")
OPTION_ROW(MIN_COUNT, "min-count", 0, TEXT, min_count,
           "new from-labels: allow the transitions and the starts of recordings that were seen N times (1)", "N")
OPTION_ROW(WEIGHTS, "weights", 'w', TEXT, weights, "what `statepath train` wrote", "WEIGHTS.h5")
OPTION_ROW(SPLIT, "split", 0, TEXT, split, "which recordings, by the file's dataset \"split\" (all)", "all|train|test")
OPTION_ROW(SIGNALS, "signals", 0, TEXT, signals, "dataset of the signals (/signals)", "PATH")
OPTION_ROW(MASKING, "masking", 0, TEXT, masking, "what masks the logits in training (none)",
           "none|random-previous|true-previous|step-mask")
OPTION_ROW(BESIDE, "beside", 0, TEXT, beside, "show these weights beside the new ones on the page", "WEIGHTS.h5")
OPTION_ROW(EPOCHS, "epochs", 0, INTEGER, epochs, "times through the data, in all (12)", "N")
OPTION_ROW(BATCH, "batch", 0, INTEGER, batch, "steps of a batch (32)", "N")
OPTION_ROW(RATE, "rate", 0, NUMBER, rate, "learning rate of Adam (0.001)", "X")
OPTION_ROW(NETWORK_SEED, "seed", 0, LONG_INTEGER, network_seed, "seed of weights, order, dropout and masks (1)", "N")
OPTION_ROW(RESUME, "resume", 0, FLAG, resume, "go on with the training that wrote the output", NULL)
OPTION_ROW(QUIET, "quiet", 'q', FLAG, talk.quiet, "say nothing but errors on stderr", NULL)
OPTION_ROW(VERBOSE, "verbose", 'v', FLAG, talk.verbose, "say more", NULL)
