/* THE table of what a run can be told (sp_run_options, pipeline.h): each option stands here once. Included by options.h and
 * options.c here and by those of the program, each with its own OPTION_ROW and LIBRARY_ROW:
 *
 *     OPTION_ROW(id, name, letter or 0, type, place in sp_run_options, uses, apart, description, name of the value)
 *     LIBRARY_ROW(id, name, type, place, uses)    of those that the program takes as something else (cli/option_rows.h), or not at all
 *
 * type    TEXT, TEXTS (given again and again), FLAG and INTEGER (int), NUMBER (double, NaN: not given), COUNT (int64_t), SEED
 * uses    IN_PART: results depend on it, so parts of one run have it in common; IN_PAGE: `statepath decode` needs it to do what the
 *         page does, as the model does not say it
 * apart   why it does not go with a part; or NULL
 * name    "absent-class": --absent-class of the program, absent_class= of Python, `absent_class` in sentences and in a part
 * A value with a bar in its name ("report|relax|error") is a choice of these words. Other names say what completion offers: M,
 * RULES, STRATEGY, LIST, CONDITION; FILE.json and the like. */
OPTION_ROW(MODEL, "model", 'm', TEXT, model, 0, NULL, "the rules: a file, or a shipped model by name", "M")
OPTION_ROW(RULES_OF_FOLDS, "rules", 0, TEXT, fit.rules, IN_PART, NULL,
           "the rules of the fitted models, if not M; \"seen\": what the other folds' labels show", "RULES")
OPTION_ROW(STRATEGIES, "strategies", 's', TEXT, strategies, IN_PART, NULL,
           "what to compare; the verdict leads with the first legal one besides greedy (argmax,greedy,viterbi; with --cv without "
           "greedy)",
           "LIST")
OPTION_ROW(OUTPUT, "output", 'o', TEXT, output, 0, "`statepath merge` writes the paths of all parts",
           "write the paths: HDF5, or by the ending .csv, .tsv, .npz, .conll, .annot, .eannot, .ids, .edf", "PATHS")
OPTION_ROW(CONFIDENCE, "confidence", 0, FLAG, confidence, 0, "parts hold paths, not their confidence",
           "write how sure each step is, given the rules", NULL)
OPTION_ROW(NBEST, "nbest", 0, INTEGER, n_best, 0, "parts hold one path a strategy", "write the N best paths of viterbi", "N")
OPTION_ROW(FORCE, "force", 'f', FLAG, force, 0, NULL, "replace an output that exists", NULL)
OPTION_ROW(PART, "part", 0, TEXT, part.file, 0, NULL,
           "count only, and write the counts, for `statepath merge`; %i and %n are the numbers of the shard", "P.h5")
OPTION_ROW(SHARD, "shard", 0, TEXT, part.shard, 0, NULL,
           "of a part: only the I-th of N ranges of recordings; auto: as the scheduler's variables or MPI's say", "I/N")
OPTION_ROW(PART_STEPS, "part-steps", 0, TEXT, part.steps, 0, NULL,
           "none: the part holds counts alone, no paths or labels of single steps (all)", "all|none")
OPTION_ROW(CHECK_INPUTS, "check-inputs", 0, FLAG, part.check_inputs, 0, NULL,
           "tell by a checksum, not by the time, whether the inputs of a part that is there have changed", NULL)
OPTION_ROW(ALLOW_MISSING, "allow-missing", 0, FLAG, part.allow_missing, 0, NULL,
           "merge without the parts that are missing, and say which", NULL)
OPTION_ROW(SCORES, "scores", 0, TEXT, place.scores, IN_PART | IN_PAGE, NULL,
           "dataset of the scores; {id} stands for the recording", "PATH")
OPTION_ROW(LABELS, "labels", 0, TEXT, place.labels, IN_PART, NULL, "dataset of the labels", "PATH")
OPTION_ROW(REFERENCE, "reference", 0, TEXT, reference, IN_PART, NULL,
           "file of the labels, HDF5 or text; recordings are matched by id", "LABELS.h5")
OPTION_ROW(
    AGAINST, "against", 0, TEXTS, against, 0, "parts are of one classifier",
    "another classifier of the same recordings, whose strategies are NAME.viterbi and the like; NAME=:/DATASET is in the same "
    "file; may be given again",
    "NAME=FILE")
OPTION_ROW(OFFSETS, "offsets", 0, TEXT, place.offsets, IN_PART | IN_PAGE, NULL, "dataset of the offsets (packed)", "PATH")
OPTION_ROW(LENGTHS, "lengths", 0, TEXT, place.lengths, IN_PART | IN_PAGE, NULL, "dataset of the lengths (padded)", "PATH")
OPTION_ROW(IDS, "ids", 0, TEXT, place.ids, IN_PART | IN_PAGE, NULL, "dataset of the recordings' names", "PATH")
OPTION_ROW(MASK, "mask", 0, TEXT, place.mask, IN_PART | IN_PAGE, NULL, "dataset of the mask", "PATH")
OPTION_ROW(PREVIOUS, "previous", 0, TEXT, masks.previous, 0, NULL, "dataset of the class before each row; -1: there is none",
           "PATH")
OPTION_ROW(MATRIX, "matrix", 0, TEXT, masks.matrix, 0, NULL,
           "dataset [K,K] of what may follow what (rows = from), instead of a model", "PATH")
OPTION_ROW(KIND, "kind", 0, TEXT, place.kind, IN_PART | IN_PAGE, NULL, "what the scores are, when their name does not say",
           "log_probs|probs|logits|scores")
OPTION_ROW(
    GAPS, "gaps", 0, TEXT, place.gaps, IN_PART, NULL,
    "steps that valid, attention_mask or labels of -100 leave out before others: their neighbours become adjacent, or a new "
    "segment begins",
    "join|break")
OPTION_ROW(UNSCORED, "unscored", 0, TEXT, place.unscored, IN_PART, NULL,
           "labels of -100 are known outside of rows [N,T] too: unscored, or with --gaps left out", "-100")
OPTION_ROW(
    COMMENTS, "comments", 0, TEXT, place.comments, IN_PART, NULL,
    "columns of CoNLL: comments are lines that begin with # and do not look like the others (auto), or all with #, or none",
    "auto|none|hash")
OPTION_ROW(HEADER, "header", 0, FLAG, place.header, IN_PART, NULL, "the first line of a table of scores names the columns", NULL)
OPTION_ROW(NO_HEADER, "no-header", 0, FLAG, place.no_header, IN_PART, NULL, "the first line of a table of scores is a step", NULL)
OPTION_ROW(ONLY, "only", 0, TEXT, place.only, IN_PART, NULL,
           "of a folder or several files those that this list names, one a line, such as a split's .bundle", "LIST")
OPTION_ROW(TRANSPOSE, "transpose", 0, FLAG, place.transpose, IN_PART, NULL,
           "arrays of scores (.npy, .npz, .mat) are [classes, steps]", NULL)
OPTION_ROW(ALLOW_EXTERNAL, "allow-external", 0, FLAG, place.allow_external, IN_PART, NULL,
           "follow links and virtual datasets to files anywhere, not only in the folder of the file or below it", NULL)
OPTION_ROW(PATHS, "paths", 0, TEXT, paths_dataset, IN_PART, NULL,
           "dataset of the paths in another's file; {id} stands for the recording", "PATH")
OPTION_ROW(LABELS_DATASET, "labels-dataset", 0, TEXT, labels_dataset, IN_PART, NULL, "dataset of the labels in LABELS.h5", "PATH")
OPTION_ROW(TRIM_TO_SHORTEST, "trim-to-shortest", 0, FLAG, trim_to_shortest, IN_PART, NULL,
           "where a recording has more steps in one of both files, leave out the last ones", NULL)
OPTION_ROW(CODES, "codes", 0, TEXT, codes, IN_PART, NULL, "how the labels code sleep stages", CODES_LIST)
OPTION_ROW(MAP, "map", 0, TEXT, map, IN_PART, NULL, "the same code by code, '0=Wake,5=REM,9=unscored', or a file of such lines",
           "MAP")
OPTION_ROW(LABEL_CODES, "label-codes", 0, TEXT, label_codes, IN_PART, NULL, "the same for the labels alone, where theirs differ",
           CODES_LIST)
OPTION_ROW(LABEL_MAP, "label-map", 0, TEXT, label_map, IN_PART, NULL, "the map of the labels, where it is another", "MAP")
OPTION_ROW(THREADS, "threads", 0, INTEGER, decode.threads, 0, NULL, "0, the default, takes all processors", "N")
OPTION_ROW(MISSING, "missing", 0, TEXT, decode.missing, IN_PART | IN_PAGE, NULL, "a NaN is an error, or its step says nothing",
           "error|uniform")
OPTION_ROW(FLOOR, "floor", 0, NUMBER, decode.floor, IN_PART | IN_PAGE, NULL, "raise smaller probabilities to P", "P")
OPTION_ROW(ON_INFEASIBLE, "on-infeasible", 0, TEXT, decode.on_infeasible, IN_PART | IN_PAGE, NULL,
           "a recording without allowed path: report it, break the fewest rules, or stop", "report|relax|error")
OPTION_ROW(TEMPERATURE, "temperature", 0, NUMBER, decode.temperature, IN_PART, NULL, "divide scores by X", "X")
OPTION_ROW(TRANSITION_WEIGHT, "transition-weight", 0, NUMBER, decode.transition_weight, IN_PART, NULL,
           "multiply the model's log weights by X", "X")
OPTION_ROW(PRIOR_WEIGHT, "prior-weight", 0, NUMBER, decode.prior_weight, IN_PART, NULL,
           "subtract X times the log of the model's prior", "X")
OPTION_ROW(LABEL_CONFIDENCE, "label-confidence", 0, NUMBER, decode.label_confidence, IN_PART, NULL,
           "of a file of labels, decoded in place of scores: how often they are right (as a fitted model's labeller says)", "P")
OPTION_ROW(CLAMP, "clamp", 0, FLAG, decode.clamp, IN_PART | IN_PAGE, NULL, "keep the given labels fixed and decode the rest",
           NULL)
OPTION_ROW(CV, "cv", 0, INTEGER, n_folds, IN_PART, NULL,
           "fit as `statepath fit` does, under the rules of M, and decode each recording with a model that never saw it; what "
           "follows is for --cv",
           "FOLDS")
OPTION_ROW(NAME, "name", 0, TEXT, fit.name, 0, NULL, "name of the model (fitted)", "NAME")
OPTION_ROW(CALIBRATE, "calibrate", 0, FLAG, fit.calibrate, 0, NULL, "also say how far the scores are from calibrated", NULL)
OPTION_ROW(METHOD, "method", 0, TEXT, fit.method, IN_PART, NULL,
           "counts of the labels, weighed against the scores; weights that make the labels most likely given the scores "
           "(default); or learnt from the scores alone",
           "counts|crf|em")
OPTION_ROW(TUNE, "tune", 0, TEXT, fit.tune, IN_PART, NULL,
           "what settings are chosen by, on recordings held out (accuracy; for tags entity_f1)",
           "accuracy|kappa|macro_f1|entity_f1|edit|nll|none")
OPTION_ROW(FOR, "for", 0, TEXT, fit.strategy, IN_PART, NULL, "the strategy that settings are chosen for (viterbi)", "STRATEGY")
OPTION_ROW(SMOOTHING, "smoothing", 0, NUMBER, fit.smoothing, IN_PART, NULL, "counts: added to every count (0.5)", "X")
OPTION_ROW(PENALTY, "penalty", 0, NUMBER, fit.penalty, IN_PART, NULL, "crf: weight of the penalty (by cross-validation)", "X")
OPTION_ROW(MEMORY, "memory", 0, INTEGER, fit.memory, IN_PART, NULL,
           "crf: staying depends on how long a class has lasted, up to N steps (1)", "N")
OPTION_ROW(FOLDS, "folds", 0, INTEGER, fit.folds, IN_PART, NULL, "folds for choosing settings (5)", "N")
OPTION_ROW(DRAW, "draw", 0, TEXT, draw, IN_PART, NULL, "recordings that the page draws before others (worst, median, best)",
           "ID,...")
OPTION_ROW(GROUPS, "groups", 0, TEXT, groups, IN_PART, NULL,
           "recordings that belong together, in intervals and folds: a dataset of names (subjects, where there are), prefix:C "
           "for ids equal up to the first C, or none",
           "GROUPS")
OPTION_ROW(LEVEL, "level", 0, NUMBER, level, IN_PART, NULL, "level of the intervals (0.95)", "X")
OPTION_ROW(INTERVAL, "interval", 0, TEXT, interval, IN_PART, NULL,
           "which bootstrap interval differences are shown with (studentised, of more than 128 recordings bca)",
           "studentised|bca|percentile")
OPTION_ROW(ZEROS, "zeros", 0, TEXT, zeros, IN_PART, NULL,
           "recordings without difference are dropped from Wilcoxon's test, or ranked (wilcox)", "wilcox|pratt")
OPTION_ROW(MARGIN, "margin", 0, NUMBER, margin, IN_PART, NULL,
           "say whether a strategy loses no more than X against another (accuracy, kappa, macro F1)", "X")
OPTION_ROW(WEIGHTED_KAPPA, "weighted-kappa", 0, TEXT, weighted_kappa, IN_PART, NULL,
           "also kappa weighted by how far classes lie apart", "linear|quadratic")
OPTION_ROW(ABSENT_CLASS, "absent-class", 0, TEXT, absent_class, IN_PART, NULL,
           "a class without precision, recall or F1 in the means over classes (exclude)", "exclude|zero|one")
OPTION_ROW(SCHEME, "scheme", 0, TEXT, scheme, IN_PART, NULL,
           "scheme of the tags, by which entities are read strictly (by their letters)", "IOB1|IOB2|IOE1|IOE2|BIOES|BILOU|BMES")
OPTION_ROW(COLLAPSE, "collapse", 0, TEXTS, collapse, IN_PART, NULL,
           "score again with classes put together, such as 'Light=N1,N2; Deep=N3'; may be given again", "CLASSES")
OPTION_ROW(
    PRESET, "preset", 0, TEXT, preset, IN_PART, NULL,
    "what is shown first: of tags entity F1, of actions F1@10, 25, 50 and edit score; or none (what the classes look like)",
    "sleep|tags|actions")
OPTION_ROW(
    UNIT, "unit", 0, TEXT, unit, IN_PART, NULL,
    "what recordings and steps are called in tables and on the page (of sleep night/epoch, of tags sentence/token, of actions "
    "video/frame)",
    "RECORDING/STEP")
OPTION_ROW(BACKGROUND, "background", 0, TEXT, background, IN_PART, NULL,
           "classes without an action: left out of the segments of edit score and F1@10, 25, 50 (of actions: background)",
           "CLASSES")
OPTION_ROW(WAKE_TRIM, "wake-trim", 0, NUMBER, wake_trim, IN_PART, NULL,
           "leave wake out that lies more than MIN minutes before or after the sleep of the labels", "MIN")
OPTION_ROW(EPOCH_SECONDS, "epoch-seconds", 0, NUMBER, epoch_seconds, IN_PART, NULL,
           "length of a step, for rates per hour and sleep statistics (what the file says, else 30 for sleep stages)", "X")
OPTION_ROW(RULE_COSTS, "rule-costs", 0, FLAG, rule_costs, 0, "it decodes all recordings again",
           "what each rule costs: decode once more without it; and rules that the labels propose", NULL)
OPTION_ROW(NLL_CLIP, "nll-clip", 0, NUMBER, nll_clip, IN_PART, NULL,
           "also the likelihood with probabilities of the reference below P taken for P, where some are 0", "P")
OPTION_ROW(BRIDGE_UNSCORED, "bridge-unscored", 0, FLAG, bridge_unscored, IN_PART, NULL,
           "count the reference's transitions across its unscored steps too", NULL)
OPTION_ROW(CLASSES, "classes", 0, TEXT, place.classes, IN_PART, NULL,
           "names of the columns, when not in the model's order; or a file of them, such as a model's config.json", "A,B,C")
LIBRARY_ROW(BOOTSTRAP_SEED, "seed", SEED, seed, IN_PART)
LIBRARY_ROW(TRACE_STEPS, "trace-steps", COUNT, trace_steps, 0)
LIBRARY_ROW(PAGE_SCORES, "what-if-bytes", COUNT, what_if_bytes, 0)
