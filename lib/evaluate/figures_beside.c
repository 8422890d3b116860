/* Rows of the table of figures for what stands beside strategies: calibration of scores, raters, other classifiers, sleep. */
#include "evaluate/figure_rows.h"

#define OWN sp_reliability
#define STEPS CSV, N(HERE(n_steps))
static const sp_figure of_calibration[] = {
    ROW("steps", n_steps, "steps", 0, "steps that count", PLAIN),
    ROW("impossible_steps", n_impossible, "impossible steps", 0, "steps without any possible class, left out",
        PLAIN),
    ROW("weighted", is_weighted, "weighted", 0, "some weight is not 1", PLAIN),
    ROW("calibration_accuracy", accuracy, "accuracy", 4, "of the most probable class", STEPS, MORE,
        .json = "accuracy"),
    ROW("confidence", confidence, "confidence", 4, "mean probability of the most probable class", STEPS),
    ROW("brier", brier, "Brier score", 4, "sum over the classes, 0 to 2", STEPS, LESS),
    ROW("ece", ece, "expected calibration error", 4, "15 bins of equal width, top class", STEPS, LESS),
    ROW("mce", mce, "maximum calibration error", 4, "the worst of these bins, however small", STEPS, LESS),
    ROW("rmsce", rmsce, "RMS calibration error", 4, "root mean square over these bins", STEPS, LESS),
    ROW("classwise_ece", classwise_ece, "classwise calibration error", 4, "mean over the classes", STEPS,
        LESS),
    ROW("adaptive_ece", adaptive_ece, "adaptive calibration error", 4, "bins of equal weight, top class",
        STEPS, LESS),
    ROW("level", level, "level", 2, "of the bins' intervals", PLAIN),
};
#undef OWN

#define OWN sp_reliability_bin
static const sp_figure of_bin[] = {
    ROW("low", low, "from", 3, "least confidence", PLAIN),
    ROW("high", high, "to", 3, "greatest confidence", PLAIN),
    ROW("n", n, "steps", 0, "steps of such confidence", PLAIN),
    ROW("weight", weight, "weight", 2, "sum of their weights", PLAIN),
    ROW("confidence", confidence, "mean confidence", 4, "mean probability of the most probable class", CSV,
        N(HERE(n))),
    ROW("accuracy", accuracy, "accuracy", 4, "share of them right", CSV, N(HERE(n)),
        LOW_HIGH(accuracy_low, accuracy_high)),
    ROW("accuracy_low", accuracy_low, "low", 3, "lower end of the Wilson interval", PLAIN),
    ROW("accuracy_high", accuracy_high, "high", 3, "upper end of the Wilson interval", PLAIN),
};
#undef OWN

#define OWN sp_coverage_point
static const sp_figure of_coverage[] = {
    ROW("share", share, "share kept", 3, "share of the weight that is kept", CSV, N(HERE(n))),
    ROW("n", n, "steps", 0, "steps kept", PLAIN),
    ROW("confidence", confidence, "confidence from", 4, "least confidence kept", CSV, N(HERE(n))),
    ROW("accuracy", accuracy, "accuracy", 4, "share of the kept that is right", CSV, MORE, N(HERE(n))),
};
#undef OWN

#define OWN sp_raters
static const sp_figure of_raters[] = {
    ROW("scorers_mean_accuracy", mean_accuracy, "mean accuracy", 3, "over the pairs of scorers", CSV,
        N(HERE(n_raters)), .json = "mean_accuracy"),
    ROW("scorers_mean_kappa", mean_kappa, "mean kappa", 3, "over the pairs of scorers", CSV,
        N(HERE(n_raters)), .json = "mean_kappa"),
    ROW("fleiss_kappa", fleiss, "Fleiss' kappa", 3, "over the steps that all scorers scored", CSV,
        N(HERE(fleiss_steps))),
    ROW("fleiss_steps", fleiss_steps, "steps", 0, "steps that all scorers scored", PLAIN),
};
#undef OWN

#define OWN sp_against
static const sp_figure of_against[] = {
    ROW("name", name, "classifier", 0,
        "name of another classifier of the same recordings, as `against` gives it", PLAIN),
    ROW("file", file, "file", 0, "base name of its file", OPTIONAL),
    ROW("bytes", file_size, "bytes", 0, "size of its file", OPTIONAL),
    ROW("scores", scores, "scores", 0, "dataset of its scores", OPTIONAL),
    ROW("nll", nll, "negative log-likelihood", 4,
        "of the reference by its scores, nats per step, from 0; before decoding", CSV, LESS,
        N(HERE(nll_steps)), NEEDS_BOTH(LABELS, ITS_NLL)),
    ROW("nll_steps", nll_steps, "steps of the likelihood", 0, "steps that the likelihood is over",
        NEEDS_BOTH(LABELS, ITS_NLL)),
    ROW("nll_impossible_steps", nll_impossible, "impossible steps", 0,
        "steps whose reference has probability 0", CSV, N(HERE(nll_steps)), NEEDS_BOTH(LABELS, ITS_NLL)),
};
#undef OWN

#define OWN sp_rule_violations
static const sp_figure of_rule[] = {
    ROW("violations", violations, "violations", 0,
        "violations of the rule in all recordings that have a path", CSV, NONE),
    ROW("recordings", recordings, "recordings", 0, "recordings that break it", CSV, NONE),
};
LIST(rule);
#undef OWN

#define OWN sp_rater_row
static const sp_figure of_rater[] = {
    ROW("scorers_mean_accuracy", mean_accuracy, "mean accuracy", 3, "over the other scorers", CSV, MORE,
        N(N_RATERS), .json = "mean_accuracy"),
    ROW("scorers_mean_kappa", mean_kappa, "mean kappa", 3, "over the other scorers", CSV, MORE, N(N_RATERS),
        .json = "mean_kappa"),
    ROW("soft_agreement", soft, "soft agreement", 3,
        "scorers of the same class / scorers of the most frequent, mean over steps", CSV, MORE,
        N(HERE(soft_steps))),
    ROW("soft_steps", soft_steps, "steps", 0, "steps that soft agreement is over", PLAIN),
};
#undef OWN

#define OWN sp_rater_pair
static const sp_figure of_rater_pair[] = {
    ROW("steps", steps, "steps", 0, "steps that both decided", PLAIN),
    ROW("accuracy", accuracy, "accuracy", 3, "share of the steps of the same class", MORE, N(HERE(steps))),
    ROW("kappa", kappa, "kappa", 3, "Cohen's kappa", MORE, N(HERE(steps))),
};
#undef OWN

#define OWN sp_sleep_mean
static const sp_figure of_sleep_mean[] = {
    ROW("mean", mean, "mean", 1, "over the nights where the measure is defined", CSV, N(HERE(n))),
    ROW("sd", sd, "SD", 1, "standard deviation over these nights", PLAIN),
    ROW("n", n, "n", 0, "nights where the measure is defined", PLAIN),
};
#undef OWN

#define OWN sp_sleep_agreement
static const sp_figure of_sleep_difference[] = {
    ROW("difference", bias, "bias", 1, "mean of decoded minus reference", CSV, N(HERE(n)),
        LOW_HIGH(low, high), .json = "bias"),
    ROW("sd", sd, "SD", 1, "standard deviation of these differences", PLAIN),
    ROW("low", low, "low", 1, "bias - 1.96 SD", PLAIN),
    ROW("high", high, "high", 1, "bias + 1.96 SD", PLAIN),
    ROW("bias_low", bias_low, "bias, low", 1, "lower end of the interval of the bias, by Student's t", PLAIN),
    ROW("bias_high", bias_high, "bias, high", 1, "upper end of it", PLAIN),
    ROW("low_low", low_low, "low, low", 1, "lower end of the interval of the lower limit", PLAIN),
    ROW("low_high", low_high, "low, high", 1, "upper end of it", PLAIN),
    ROW("high_low", high_low, "high, low", 1, "lower end of the interval of the upper limit", PLAIN),
    ROW("high_high", high_high, "high, high", 1, "upper end of it", PLAIN),
    ROW("n", n, "n", 0, "nights where both are defined", PLAIN),
};
#undef OWN

/* ---- as lists ---- */

LIST(calibration);
LIST(bin);
LIST(coverage);
LIST(raters);
LIST(against);
LIST(rater);
LIST(rater_pair);
LIST(sleep_mean);
LIST(sleep_difference);
