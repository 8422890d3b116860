/* statepath inspect: what is in a file, and how it would be read. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "core/try.h"
#include "statepath/metrics.h"
#include "statepath/signals_file.h"

/* Recordings and classes named; the rest are counted. */
enum { NAMED = 6, NAMED_CLASSES = 40 };

static void print_names(int64_t n, const char *const *names, int64_t named)
{
    char count[SP_COUNT_TEXT];
    for (int64_t i = 0; i < n && i < named; i++)
        say("%s%s", i ? ", " : "", names[i]);
    if (n > named)
        say(" and %s more", sp_count_text(n - named, count));
}

/* Steps of each class as the labels have them, then those without one. count [K+1], unscored first. */
static void print_label_counts(int32_t n_classes, const char *const *classes, const int64_t *count)
{
    char n[SP_COUNT_TEXT];
    int64_t others = 0;
    for (int32_t k = 0; k < n_classes; k++)
        if (k >= NAMED_CLASSES)
            others += count[k + 1];
        else if (classes)
            say("%s %s, ", classes[k], sp_count_text(count[k + 1], n));
        else
            say("%d: %s, ", k, sp_count_text(count[k + 1], n));
    if (n_classes > NAMED_CLASSES)
        say("the other %d classes %s, ", n_classes - NAMED_CLASSES, sp_count_text(others, n));
    say("unscored %s\n", sp_count_text(count[0], n));
}

static void print_files(const sp_source_info *info)
{
    char size[SP_COUNT_TEXT], n[SP_COUNT_TEXT];
    say("%s: %s bytes", info->file, sp_count_text(info->file_size, size));
    if (info->n_files)
        say(" in %s files, from %s to %s", sp_count_text(info->n_files, n), info->files[0].name,
            info->files[info->n_files - 1].name);
    say("\n");
}

static void print_shape(const sp_source_info *info)
{
    char a[SP_COUNT_TEXT], b[SP_COUNT_TEXT];
    static const char *const meaning[SP_N_KINDS] = {
        "natural logs of probabilities", "probabilities, their logs are taken", "logits, log-softmaxed",
        "scores that add up, used as they are"};
    if (info->has_scores) {
        say("scores      %s: %s (%s%s)\n", info->scores_path ? info->scores_path : "the array",
            sp_kind_name(info->kind), meaning[info->kind], info->kind_from_name ? "" : "; not from its name");
        say("layout      %s\n", info->n_files ? "files" : sp_layout_name(info->layout));
        say("stored as   %s, %s\n", info->stored_type, info->storage);
    }
    say("recordings  %s: ", sp_count_text(info->n_recordings, a));
    print_names(info->n_recordings, info->ids, NAMED);
    say("\nsteps       %s", sp_count_text(info->n_steps, a));
    if (info->n_recordings > 0) {
        int64_t shortest = INT64_MAX, longest = 0;
        for (int64_t n = 0; n < info->n_recordings; n++) {
            int64_t length = info->offsets[n + 1] - info->offsets[n];
            shortest = length < shortest ? length : shortest;
            longest = length > longest ? length : longest;
        }
        say("; the shortest recording has %s, the longest %s", sp_count_text(shortest, a),
            sp_count_text(longest, b));
    }
    say("\nclasses     %d: ", info->n_classes);
    if (info->classes) {
        print_names(info->n_classes, info->classes, NAMED_CLASSES);
        say(" (%s)\n", info->classes_place ? info->classes_place : "the model's");
    } else {
        say("the file does not name them; a model's names are taken in order\n");
    }
    say("beside      %s%s%s%s%s\n", info->has_labels ? "labels " : "", info->has_segments ? "segments " : "",
        info->has_weights ? "weights " : "", info->has_mask ? "mask " : "",
        info->has_labels || info->has_segments || info->has_weights || info->has_mask ? "" : "nothing");
}

/* What the labels do, counted once for all models. */
enum { MOST_MOVES = 1024 /* classes; with more their transitions are not counted */ };

typedef struct label_moves {
    int32_t n_classes; /* 0: not counted */
    int64_t *count;    /* [K,K] neighbouring steps of one recording and segment, both with a class */
    int64_t total;     /* their sum */
    int64_t n_foreign; /* labels that are none of the K classes, and the first of them */
    int32_t foreign;
} label_moves;

static void count_moves(const sp_block *block, label_moves *moves)
{
    for (int64_t n = 0; n < block->n_recordings; n++)
        for (int64_t t = block->offsets[n]; t < block->offsets[n + 1]; t++) {
            const int32_t to = block->labels[t], from = t > block->offsets[n] ? block->labels[t - 1] : -1;
            if (to >= moves->n_classes && moves->n_foreign++ == 0)
                moves->foreign = to;
            if (from < 0 || to < 0 || from >= moves->n_classes || to >= moves->n_classes ||
                (block->segments && block->segments[t] != block->segments[t - 1]))
                continue;
            moves->count[(size_t)from * (size_t)moves->n_classes + (size_t)to]++;
            moves->total++;
        }
}

/* Reads everything once: are the numbers what their kind says? How often does each label occur? */
static sp_status look_at_numbers(sp_source *source, const sp_source_info *info, label_moves *moves,
                                 sp_error *err)
{
    sp_prepare_options prepare = sp_prepare_options_default();
    prepare.kind = info->kind;
    prepare.missing_uniform = true;
    sp_prepare_counts counts = {0};
    sp_block *block = sp_block_new();
    int64_t *label_count = calloc((size_t)info->n_classes + 1, sizeof *label_count);
    sp_status status = block && label_count ? SP_OK : sp_no_memory(err);
    unsigned parts = (info->has_scores ? SP_BLOCK_SCORES : 0) | SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS;
    int64_t impossible = 0;
    for (int64_t first = 0; status == SP_OK && first < info->n_recordings;) {
        int64_t count = sp_source_fit(source, first, 16 << 20);
        status = sp_source_read(source, first, count, parts, block, err);
        for (int64_t t = 0; status == SP_OK && block->labels && t < block->n_steps; t++)
            if (block->labels[t] < info->n_classes)
                label_count[block->labels[t] + 1]++;
        if (status == SP_OK && block->labels && moves->count)
            count_moves(block, moves);
        if (status == SP_OK && info->has_scores)
            status = sp_prepare(block, &prepare, NULL, &counts, err);
        for (int64_t t = 0; status == SP_OK && info->has_scores && t < block->n_steps; t++) {
            sp_scores scores = sp_block_batch(block).scores;
            bool any = false;
            for (int32_t k = 0; !any && k < info->n_classes; k++)
                any = sp_scores_at(&scores, t, k) > -1e300;
            impossible += !any;
        }
        first += count;
    }
    char a[SP_COUNT_TEXT];
    if (status == SP_OK && info->has_scores) {
        say("numbers     every row is as %s should be", sp_kind_name(info->kind));
        if (counts.missing)
            say("; %s steps hold NaN (--missing uniform carries paths across them)",
                sp_count_text(counts.missing, a));
        if (impossible)
            say("; %s steps allow no class (-inf)", sp_count_text(impossible, a));
        say("\n");
    }
    if (status == SP_OK && info->has_labels && info->n_classes > 0) {
        say("labels      %s%s", info->labels_path ? info->labels_path : "", info->labels_path ? ": " : "");
        print_label_counts(info->n_classes, info->classes, label_count);
    }
    free(label_count);
    sp_block_free(block);
    return status;
}

/* ---- validity ---- */

static int by_count(const void *a, const void *b)
{
    const sp_pair_count *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

/* "by sleep-strict: 25 of 1,645 transitions are illegal (1.5 %): N2 -> Wake 20, N3 -> Wake 5". class_of_label [K] */
static sp_status print_validity(const sp_model *model, const int32_t *class_of_label,
                                const label_moves *moves, bool is_first, sp_error *err)
{
    const size_t K = (size_t)moves->n_classes;
    sp_chain_options how = sp_chain_options_default();
    sp_chain *chain = NULL;
    how.class_of_column = class_of_label;
    how.is_boolean = true;
    how.without_rules = true;
    how.step_seconds = 1; /* what may follow what does not depend on it */
    sp_pair_count *pairs = malloc((K * K + 1) * sizeof *pairs);
    sp_status status = pairs ? sp_chain_new(model, &how, &chain, err) : sp_no_memory(err);
    int64_t n = 0, illegal = 0;
    for (size_t i = 0; status == SP_OK && i < K * K; i++)
        if (moves->count[i] && !sp_chain_is_legal(chain, (int32_t)(i / K), (int32_t)(i % K))) {
            pairs[n++] = (sp_pair_count){(int32_t)(i / K), (int32_t)(i % K), moves->count[i]};
            illegal += moves->count[i];
        }
    if (status == SP_OK) {
        char a[SP_COUNT_TEXT], b[SP_COUNT_TEXT];
        qsort(pairs, (size_t)n, sizeof *pairs, by_count);
        say("%sby %s: %s of %s transitions %s illegal", is_first ? "validity    " : "            ",
            model->name, illegal ? sp_count_text(illegal, a) : "none", sp_count_text(moves->total, b),
            illegal > 1 ? "are" : "is");
        if (illegal)
            say(" (%.2g %%)", 100.0 * (double)illegal / (double)moves->total);
        for (int64_t i = 0; i < n && i < NAMED; i++)
            say("%s%s -> %s %s", i ? ", " : ": ", model->classes[class_of_label[pairs[i].from]],
                model->classes[class_of_label[pairs[i].to]], sp_count_text(pairs[i].count, a));
        if (n > NAMED)
            say(" and %s more pairs", sp_count_text(n - NAMED, a));
        say("\n");
    }
    sp_chain_free(chain);
    free(pairs);
    return status;
}

/* By the model that is given. */
static sp_status judge_labels(const sp_model *model, const sp_source_info *info, const label_moves *moves,
                              sp_error *err)
{
    int32_t *classes = malloc(((size_t)model->n_classes + 1) * sizeof *classes);
    if (!classes)
        return sp_no_memory(err);
    sp_status status = sp_model_align(model, info->classes ? info->n_classes : model->n_classes,
                                      info->classes, classes, err);
    if (status == SP_OK && moves->count)
        status = print_validity(model, classes, moves, true, err);
    char n[SP_COUNT_TEXT];
    if (status == SP_OK && moves->n_foreign)
        say("note        label %d is no class of %s, which has 0 to %d; %s step%s such a label: compare, "
            "evaluate "
            "and fit read it by --map\n",
            moves->foreign, model->name, model->n_classes - 1, sp_count_text(moves->n_foreign, n),
            moves->n_foreign == 1 ? " has" : "s have");
    free(classes);
    return status;
}

/* ---- models ---- */

/* "PER,LOC" when the classes are O and B-X, I-X tags; the caller frees. NULL when they are not, or on lack of memory. */
static char *entity_types(const sp_source_info *info)
{
    size_t size = 1;
    int32_t n_outside = 0, n_begin = 0, n_inside = 0;
    for (int32_t k = 0; info->classes && k < info->n_classes; k++) {
        const char *name = info->classes[k];
        n_outside += strcmp(name, "O") == 0;
        n_begin += strncmp(name, "B-", 2) == 0;
        n_inside += strncmp(name, "I-", 2) == 0;
        size += strlen(name);
    }
    if (n_outside != 1 || n_begin == 0 || n_begin != n_inside ||
        n_outside + n_begin + n_inside != info->n_classes)
        return NULL;
    char *types = malloc(size), *end = types;
    for (int32_t k = 0; types && k < info->n_classes; k++)
        if (strncmp(info->classes[k], "B-", 2) == 0)
            end += sprintf(end, "%s%s", end > types ? "," : "", info->classes[k] + 2);
    return types;
}

static void suggest_new_model(const char *file, const sp_source_info *info)
{
    const char *judge = info->has_scores ? "compare" : "evaluate";
    char *types = entity_types(info);
    if (types)
        say("\nnext: statepath model new bio --types %s -o tags.json\n      statepath %s %s --model "
            "tags.json\n",
            types, judge, file);
    else if (info->has_labels && info->classes)
        say("\nnext: write the rules as a model, or take what the labels do: statepath model new from-labels "
            "%s -o rules.json\n"
            "      then statepath %s %s --model rules.json\n",
            file, judge, file);
    else
        say("\nnext: write the rules as a model (`statepath model new --help`), then statepath %s %s --model "
            "MODEL.json\n",
            judge, file);
    free(types);
}

/* Shipped models that speak of these classes: what the labels are by each of them, then their names. */
static sp_status suggest_models(const char *file, const sp_source_info *info, const label_moves *moves,
                                sp_error *err)
{
    char **names = NULL;
    int32_t n_names = 0, n_fitting = 0;
    int32_t *classes = malloc(((size_t)info->n_classes + 1) * sizeof *classes);
    sp_status status = classes ? sp_model_list(&names, &n_names, err) : sp_no_memory(err);
    for (int32_t i = 0; status == SP_OK && i < n_names; i++) {
        sp_model *model = NULL;
        status = sp_model_load(names[i], &model, err);
        sp_status fits = SP_EMODEL;
        if (status == SP_OK && info->classes)
            fits = sp_model_align(model, info->n_classes, info->classes, classes, err);
        if (fits == SP_ENOMEM)
            status = fits;
        if (fits == SP_OK && moves->count)
            status = print_validity(model, classes, moves, n_fitting == 0, err);
        if (fits == SP_OK) { /* to the front */
            char *name = names[i];
            names[i] = names[n_fitting];
            names[n_fitting++] = name;
        }
        sp_model_free(model);
    }
    for (int32_t i = 0; status == SP_OK && i < n_fitting; i++)
        say("%s%s", i ? ", " : "models      fitting: ", names[i]);
    if (status == SP_OK && n_fitting)
        say("\n\nnext: statepath %s %s --model %s\n", info->has_scores ? "compare" : "evaluate", file,
            names[0]);
    else if (status == SP_OK)
        suggest_new_model(file, info);
    for (int32_t i = 0; i < n_names; i++)
        free(names[i]);
    free(names);
    free(classes);
    return status;
}

static void print_unused(void *arg, const char *what, const char *shape, const char *option)
{
    bool *is_first = arg;
    char name[320] = "";
    if (option)
        snprintf(name, sizeof name, "; %.300s takes it", option);
    name_options(name);
    say("%s%s%s%s%s\n", *is_first ? "not used    " : "            ", what, *shape ? " " : "", shape, name);
    *is_first = false;
}

static void print_remark(const sp_source_info *info)
{
    char text[SP_ERROR_SIZE];
    if (!info->remark)
        return;
    snprintf(text, sizeof text, "%s", info->remark);
    name_options(text);
    say("note        %s\n", text);
}

/* Scores, or, where there are none, labels alone; text needs a model that knows its names. */
static sp_status open_source(const char *file, const options *o, const sp_model *model, sp_source **out,
                             sp_error *err)
{
    sp_source_options places;
    sp_status status = sp_run_places(&o->run, file, &places, err);
    if (status != SP_OK)
        return status;
    places.model = model;
    status = sp_source_open(file, &places, out, err);
    const bool is_lost = (status == SP_EFILE || status == SP_EDATA) && !places.scores;
    return is_lost ? sp_source_open_labels(file, &places, status, out, err) : status;
}

static sp_status inspect_scores(const char *file, const options *o, sp_error *err)
{
    sp_source *source = NULL;
    sp_model *model = NULL;
    label_moves moves = {0};
    bool is_first = true;
    sp_status status = SP_OK;
    if (o->run.model)
        TRY(sp_model_load(o->run.model, &model, err));
    TRY(open_source(file, o, model, &source, err));
    const sp_source_info *info = sp_source_info_of(source);
    const int32_t K = info->n_classes ? info->n_classes : model ? model->n_classes : 0;
    if (info->has_labels && K <= MOST_MOVES && (info->classes || model)) {
        moves.n_classes = K;
        moves.count = calloc((size_t)K * (size_t)K + 1, sizeof *moves.count);
        TRY(moves.count ? SP_OK : sp_no_memory(err));
    }
    print_files(info);
    print_shape(info);
    print_remark(info);
    TRY(sp_source_list_unused(source, print_unused, &is_first, err));
    TRY(look_at_numbers(source, info, &moves, err));
    TRY(model ? judge_labels(model, info, &moves, err) : suggest_models(file, info, &moves, err));
done:
    free(moves.count);
    sp_source_close(source);
    sp_model_free(model);
    return status;
}

static sp_status inspect_paths(const char *file, const options *o, sp_error *err)
{
    sp_paths_reader *reader = NULL;
    sp_source_options places = sp_source_options_default();
    places.access = sp_run_access(&o->run);
    places.more = o->run.place.more;
    places.only = o->run.place.only;
    sp_status status = sp_run_texts(&o->run, file, &places, err);
    if (status == SP_OK)
        status = sp_paths_reader_open(file, NULL, &places, &reader, err);
    if (status != SP_OK)
        return status;
    const sp_paths_info *info = sp_paths_reader_info(reader);
    char a[SP_COUNT_TEXT];
    say("%s: %s bytes\n", file, sp_count_text(info->file_size, a));
    say("paths       ");
    print_names(info->n_strategies, info->strategies, NAMED_CLASSES);
    if (info->input)
        say("\ninput       %s", info->input);
    say("\nrecordings  %s", sp_count_text(info->n_recordings, a));
    say("\nsteps       %s", sp_count_text(info->n_steps, a));
    if (info->classes) {
        say("\nclasses     %d: ", info->n_classes);
        print_names(info->n_classes, info->classes, NAMED_CLASSES);
    }
    say("\nbeside      %s%s%s\n", info->has_labels ? "labels " : "", info->has_segments ? "segments " : "",
        info->has_labels || info->has_segments ? "" : "nothing");
    print_remark(sp_source_info_of(reader));
    say("\nnext: statepath evaluate %s%s%s\n", file, info->has_labels ? "" : " --labels LABELS.h5",
        info->model_json ? "" : " --model M");
    sp_source_close(reader);
    return SP_OK;
}

/* ---- signals ---- */

static void print_split(const sp_signals_info *info)
{
    char a[SP_COUNT_TEXT], b[SP_COUNT_TEXT];
    int64_t recordings = 0, steps = 0;
    for (int64_t n = 0; info->split && n < info->n_recordings; n++)
        if (info->split[n]) {
            recordings++;
            steps += info->offsets[n + 1] - info->offsets[n];
        }
    if (!info->split)
        say("split       none: all recordings are for training\n");
    else
        say("split       %s recordings for training, %s for testing (%s steps)\n",
            sp_count_text(info->n_recordings - recordings, a), sp_count_text(recordings, b),
            sp_count_text(steps, (char[SP_COUNT_TEXT]){0}));
}

static sp_status print_signal_labels(const sp_signals_info *info, sp_error *err)
{
    if (!info->labels) {
        say("labels      none: such signals can be predicted, not learnt from\n");
        return SP_OK;
    }
    int64_t *count = calloc((size_t)info->n_classes + 1, sizeof *count);
    if (!count)
        return sp_no_memory(err);
    for (int64_t t = 0; t < info->n_steps; t++)
        count[info->labels[t] + 1]++;
    say("labels      ");
    print_label_counts(info->n_classes, info->classes, count);
    free(count);
    return SP_OK;
}

/* Reads all of it once: every value must be finite. */
static sp_status print_range(sp_signals *signals, const sp_signals_info *info, sp_error *err)
{
    int64_t size = info->n_channels * info->n_samples,
            most = size > 0 && size < 1 << 20 ? (1 << 20) / size : 1;
    float *data = malloc((size_t)(most * size > 0 ? most * size : 1) * sizeof *data), low = INFINITY,
          high = -INFINITY;
    sp_status status = data ? SP_OK : sp_no_memory(err);
    for (int64_t t = 0; status == SP_OK && t < info->n_steps; t += most) {
        int64_t n = info->n_steps - t < most ? info->n_steps - t : most;
        status = sp_signals_read(signals, t, n, data, err);
        for (int64_t i = 0; status == SP_OK && i < n * size; i++) {
            low = data[i] < low ? data[i] : low;
            high = data[i] > high ? data[i] : high;
        }
    }
    if (status == SP_OK && low <= high)
        say("numbers     all finite, from %.4g to %.4g\n", (double)low, (double)high);
    free(data);
    return status;
}

static sp_status inspect_signals(const char *file, const options *o, sp_error *err)
{
    sp_signals *signals = NULL;
    const sp_file_access how = sp_run_access(&o->run);
    sp_status status = sp_signals_open(file, NULL, &how, &signals, err);
    if (status != SP_OK)
        return status;
    const sp_signals_info *info = sp_signals_info_of(signals);
    char a[SP_COUNT_TEXT], b[SP_COUNT_TEXT];
    say("%s\nsignals     %s: what a sensor measured, not scores\n", file, info->path);
    say("recordings  %s: ", sp_count_text(info->n_recordings, a));
    print_names(info->n_recordings, info->ids, NAMED);
    say("\nsteps       %s, each of %d channel%s of %s samples", sp_count_text(info->n_steps, a),
        info->n_channels, info->n_channels == 1 ? "" : "s", sp_count_text(info->n_samples, b));
    if (info->rate > 0)
        say(" at %g a second (%g s)", info->rate, (double)info->n_samples / info->rate);
    say("\nclasses     %d", info->n_classes);
    if (info->classes) {
        say(": ");
        print_names(info->n_classes, info->classes, NAMED_CLASSES);
    }
    say("\n");
    print_split(info);
    TRY(print_signal_labels(info, err));
    TRY(print_range(signals, info, err));
    if (info->labels)
        say("\nnext: statepath train %s -o weights.h5\n      statepath predict %s --weights weights.h5%s -o "
            "scores.h5\n",
            file, file, info->split ? " --split test" : "");
    else
        say("\nnext: statepath predict %s --weights WEIGHTS.h5 -o scores.h5, with weights that `statepath "
            "train` made of such "
            "signals "
            "with labels\n",
            file);
done:
    sp_signals_close(signals);
    return status;
}

static bool has_scores(const char *file, const options *o)
{
    sp_error ignored;
    sp_source_options places;
    sp_source *source = NULL;
    const bool has = sp_run_places(&o->run, file, &places, &ignored) == SP_OK &&
                     sp_source_open(file, &places, &source, &ignored) == SP_OK;
    sp_source_close(source);
    return has;
}

/* Are there signals in the file, and no scores that could be read? */
static bool is_signals(const char *file, const options *o)
{
    sp_error ignored;
    sp_signals *signals = NULL;
    const sp_file_access how = sp_run_access(&o->run);
    if (sp_signals_open(file, NULL, &how, &signals, &ignored) != SP_OK)
        return false;
    sp_signals_close(signals);
    return !has_scores(file, o);
}

static sp_status work(options *o, const char **words, outcome *out, sp_error *err)
{
    /* A file of paths is not a file of scores: whichever it is, its own message is the one to show. */
    const char *file = words[0];
    sp_error other;
    (void)out;
    if (!o->run.place.scores && !has_scores(file, o) && inspect_paths(file, o, &other) == SP_OK)
        return SP_OK;
    return !o->run.place.scores && is_signals(file, o) ? inspect_signals(file, o, err)
                                                       : inspect_scores(file, o, err);
}

const command inspect_command = {
    .name = "inspect",
    .summary = "say what is in a file and how it would be read",
    .use = {.arguments = "FILE... [OPTION...]",
            .summary = "say what is in a file and how it would be read",
            .example = "  statepath inspect night.h5\n"
                       "  statepath inspect hypnograms.csv --model sleep-aasm\n"
                       "      how many transitions of the labels are illegal, by pair\n"
                       "  statepath inspect others.h5 --scores '/night/{id}/softmax' --kind probs\n",
            .min_words = 1,
            .max_words = MANY_WORDS},
    .takes = C_INSPECT,
    .work = work,
};
