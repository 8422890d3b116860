/* Options of the program beside those of a run (lib/options/option_rows.h). Included by options.h and options.c, each with its own
 * OPTION_ROW:
 *
 *     OPTION_ROW(id, name, letter or 0, type, place in struct options, description, name of the value) */
OPTION_ROW(STRATEGY, "strategy", 's', TEXT, run.strategies, "how to choose the path (viterbi)", "STRATEGY")
OPTION_ROW(SKIP_EXISTING, "skip-existing", 0, FLAG, skip_existing,
           "with {id} in the output, which then is one for each input: keep outputs that are there", NULL)
OPTION_ROW(PARTS, "parts", 0, TEXT, parts, "folder where each rank keeps its part", "DIR")
OPTION_ROW(MULTIPLY, "multiply", 0, FLAG, masks.multiply,
           "softmax: multiply the logits by the mask, which is a mistake, and say how much stays on what is forbidden", NULL)
OPTION_ROW(CAUSAL, "causal", 0, FLAG, masks.causal, "attention: a step does not look at later ones", NULL)
OPTION_ROW(MOST_STEPS, "steps", 0, INTEGER, masks.steps, "length of the padded sequences (that of the longest)", "T")
OPTION_ROW(FILL, "fill", 0, NUMBER, masks.fill, "padding: what stands after the end of a sequence (0)", "X")
OPTION_ROW(LOSSES, "losses", 0, TEXT, masks.losses, "loss: dataset of the losses (/losses)", "PATH")
OPTION_ROW(VALUES, "values", 0, TEXT, masks.values,
           "padding: dataset of the sequences, one after the other; attention: [N,T,D], what is added up (/values)", "PATH")
OPTION_ROW(RULES, "rules", 'r', TEXT, run.model, "what is forbidden stays forbidden: a file, a shipped model, or \"seen\"",
           "RULES")
OPTION_ROW(REPORT, "report", 0, TEXT, report, "write a page for the browser", "R.html")
OPTION_ROW(FIGURES, "figures", 0, TEXT, figures,
           "write the figures of the page as SVG files, named by what they show, into a folder", "DIR")
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
OPTION_ROW(SEED, "seed", 0, TEXT, seed, "seed of the bootstrap intervals (1)", "N")
OPTION_ROW(DATA, "data", 0, TEXT, data, "audit: scores with labels, as compare reads them", "SCORES.h5")
OPTION_ROW(LAG, "lag", 'L', INTEGER, lag, "decide a step once L more have been seen", "L")
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
