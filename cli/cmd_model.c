/* statepath model: look at, validate and build models. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "core/try.h"
#include "model_show.h"
#include "outputs.h"

/* ---- list ---- */

static void print_first_sentence(const char *name, const char *description)
{
    const char *end = strstr(description, ". ");
    int length = end ? (int)(end - description) + 1 : (int)strlen(description);
    say("%-18s %.*s\n", name, length, description);
}

static sp_status list_models(sp_error *err)
{
    char **names = NULL;
    int32_t n = 0;
    sp_status status = sp_model_list(&names, &n, err);
    for (int32_t i = 0; status == SP_OK && i < n; i++) {
        sp_model *model = NULL;
        status = sp_model_load(names[i], &model, err);
        if (status == SP_OK)
            print_first_sentence(names[i], model->description ? model->description : "");
        sp_model_free(model);
    }
    for (int32_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
    return status;
}

/* ---- check ---- */

typedef struct warnings {
    int64_t count;
} warnings;

static void print_warning(void *arg, const char *sentence)
{
    warnings *w = arg;
    w->count++;
    complain("warning: %s", sentence);
}

static sp_status check_model(const char *name, sp_error *err)
{
    sp_model *model = NULL;
    warnings w = {0};
    sp_status status = SP_OK;
    TRY(sp_model_load(name, &model, err));
    TRY(sp_model_load_warnings(name, print_warning, &w, err));
    say("%s is a model of %d classes and %lld allowed transitions", name, model->n_classes,
        (long long)model->row[model->n_states]);
    if (w.count)
        say("; %lld warning%s\n", (long long)w.count, w.count == 1 ? "" : "s");
    else
        say("; every class can be reached and left\n");
done:
    sp_model_free(model);
    return status;
}

/* ---- new ---- */

enum { MAX_NAMES = 65536 };

/* The names of --types; the caller frees the array. */
static sp_status types_from(char *text, const char *kind, const char ***names, int32_t *n, sp_error *err)
{
    if (!text)
        return sp_fail(err, SP_EINVAL, "model new %s needs --types A,B,C, or --id2label config.json", kind);
    char **parts = malloc(MAX_NAMES * sizeof *parts);
    if (!parts)
        return sp_no_memory(err);
    *n = sp_split_list(text, MAX_NAMES, parts);
    *names = (const char **)parts;
    return *n > 0 ? SP_OK : sp_fail(err, SP_EINVAL, "--types names nothing; a list such as A,B,C");
}

/* Of all recordings together, unlike their counts. */
static sp_status learn_durations(sp_source *source, const sp_source_info *info, sp_model *model,
                                 sp_error *err)
{
    enum { FOLDS = 5 };
    sp_block *block = sp_block_new();
    sp_status status = SP_OK;
    TRY(block ? SP_OK : sp_no_memory(err));
    TRY(sp_source_read(source, 0, info->n_recordings, SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS, block, err));
    block->n_classes = model->n_classes;
    const sp_training training = {.batch = sp_block_batch(block),
                                  .labels = block->labels,
                                  .classes = (const char *const *)model->classes};
    TRY(sp_model_learn_durations(model, &training, FOLDS, NULL, err));
done:
    sp_block_free(block);
    return status;
}

static sp_status count_labels(sp_source *source, const sp_source_info *info, sp_label_counts *counts,
                              sp_error *err)
{
    sp_block *block = sp_block_new();
    sp_status status = block ? SP_OK : sp_no_memory(err);
    for (int64_t first = 0; status == SP_OK && first < info->n_recordings;) {
        int64_t count = sp_source_fit(source, first, 16 << 20);
        status = sp_source_read(source, first, count, SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS, block, err);
        for (int64_t n = 0; status == SP_OK && n < block->n_recordings; n++) {
            int64_t at = block->offsets[n];
            sp_label_counts_add(counts, block->offsets[n + 1] - at, block->labels + at,
                                block->segments ? block->segments + at : NULL);
        }
        first += count;
    }
    sp_block_free(block);
    return status;
}

static sp_status new_from_labels(const char *file, options *o, sp_model **out, sp_error *err)
{
    if (!file)
        return sp_fail(
            err, SP_EINVAL,
            "model new from-labels needs a file: statepath model new from-labels LABELS.h5 -o MODEL.json");
    char *end = NULL;
    long long min_count = o->min_count ? strtoll(o->min_count, &end, 10) : 1;
    if (end && (*end || end == o->min_count || min_count < 1))
        return sp_fail(err, SP_EINVAL, "--min-count %s: a whole number, at least 1", o->min_count);
    sp_source_options places = sp_source_options_default();
    places.access = sp_run_access(&o->run);
    places.labels = o->run.place.labels;
    places.needs_scores = false;
    places.only = o->run.place.only;
    sp_source *source = NULL;
    sp_model *named = NULL, *model = NULL;
    sp_label_counts counts = {0};
    sp_status status = SP_OK;
    TRY(sp_run_texts(&o->run, file, &places, err));
    if (o->run.place.classes)
        TRY(sp_classes_load(o->run.place.classes, &named, err));
    places.model = named;
    TRY(sp_source_open(file, &places, &source, err));
    const sp_source_info *info = sp_source_info_of(source);
    const char *const *classes = info->classes;
    int32_t n_names = info->n_classes;
    sp_run_tell_remark(&o->run, info);
    if (!info->has_labels)
        TRY(sp_fail(err, SP_EDATA, "%s holds no labels; --labels PATH says where they are", file));
    if (named) {
        n_names = named->n_classes;
        classes = (const char *const *)named->classes;
        if (info->n_classes && n_names != info->n_classes)
            TRY(sp_fail(err, SP_EINVAL, "--classes names %d classes, %s has %d", n_names, file,
                        info->n_classes));
    } else if (!classes) {
        TRY(sp_fail(err, SP_EINVAL, "%s does not name its classes; --classes A,B,C names them in order",
                    file));
    }
    TRY(sp_label_counts_init(&counts, n_names, err));
    TRY(count_labels(source, info, &counts, err));
    TRY(sp_model_from_counts(o->run.fit.name ? o->run.fit.name : "from-labels", classes, &counts, min_count,
                             &model, err));
    if (o->durations)
        TRY(learn_durations(source, info, model, err));
    *out = model;
    model = NULL;
done:
    sp_model_free(model);
    sp_label_counts_clear(&counts);
    sp_source_close(source);
    sp_model_free(named);
    return status;
}

#define TAG_KINDS "bio|bioes|iob1|iob2|ioe1|ioe2|bilou|bmes"
static const char tag_kinds[] = TAG_KINDS, model_kinds[] = TAG_KINDS "|left-right|cycle|band|from-labels";

static bool is_listed(const char *kinds, const char *kind)
{
    bool is_known = false;
    for (const char *k = kinds; *k && !is_known; k += strspn(k, "|")) {
        const size_t length = strcspn(k, "|");
        is_known = strlen(kind) == length && strncmp(kind, k, length) == 0;
        k += length;
    }
    return is_known;
}

static sp_status new_shape(const char *kind, int32_t n, const char *const *names, int step, sp_model **out,
                           sp_error *err)
{
    if (strcmp(kind, "left-right") == 0)
        return sp_model_new_left_right(n, names, step, out, err);
    return strcmp(kind, "cycle") == 0 ? sp_model_new_cycle(n, names, out, err)
                                      : sp_model_new_band(n, names, step, out, err);
}

static sp_status new_tags(const char *kind, options *o, sp_model **out, sp_error *err)
{
    const char **types = NULL;
    const sp_run_options of_classes = {.model = (char *)kind,
                                       .place.classes = o->id2label}; /* only looked at */
    sp_model *model = NULL;
    sp_tag_biases biases;
    int32_t n = 0;
    sp_status status = SP_OK;
    if (o->id2label) {
        TRY(sp_run_load_model(&of_classes, NULL, NULL, &model, err));
    } else {
        TRY(types_from(o->types, kind, &types, &n, err));
        TRY(sp_model_new_tags(kind, n, types, &model, err));
    }
    if (o->calibration) {
        TRY(sp_operating_point_load(o->calibration, o->point, &biases, err));
        TRY(sp_model_tie_tags(model, &biases, err));
    }
    *out = model;
    model = NULL;
done:
    free(types);
    sp_model_free(model);
    return status;
}

static sp_status new_model(const char *kind, const char *file, options *o, sp_model **out, sp_error *err)
{
    if (strcmp(kind, "from-labels") == 0)
        return new_from_labels(file, o, out, err);
    if (file)
        return sp_fail(err, SP_EINVAL, "model new %s takes no file (\"%s\")", kind, file);
    sp_model *named = NULL;
    sp_status status = SP_OK;
    if (is_listed(tag_kinds, kind)) {
        status = new_tags(kind, o, out, err);
    } else {
        status = o->run.place.classes ? sp_classes_load(o->run.place.classes, &named, err)
                                      : sp_fail(err, SP_EINVAL, "model new %s needs --classes A,B,C", kind);
        if (status == SP_OK)
            status =
                new_shape(kind, named->n_classes, (const char *const *)named->classes, o->step, out, err);
    }
    sp_model_free(named);
    if (status == SP_OK && o->run.fit.name) {
        char *name = strdup(o->run.fit.name);
        if (!name)
            return sp_no_memory(err);
        free((*out)->name);
        (*out)->name = name;
    }
    return status;
}

/* Of the options of `model new` those that are of use for a kind. */
static uint32_t kind_takes(const char *kind)
{
    return is_listed(tag_kinds, kind)         ? C_NEW_TAGS
           : strcmp(kind, "cycle") == 0       ? C_NEW_CYCLE
           : strcmp(kind, "from-labels") == 0 ? C_NEW_COUNTS
                                              : C_NEW_STEPS;
}

static sp_status make_model(const char *kind, const char *file, options *o, sp_error *err)
{
    char list[CHOICES_TEXT];
    if (!is_listed(model_kinds, kind))
        return sp_fail(err, SP_EINVAL, "\"%s\" is no kind of model; the kinds are %s", kind,
                       choices_text(model_kinds, list));
    sp_model *model = NULL;
    char *text = NULL;
    const input_file inputs[] = {{"the input file", file}, {NULL, NULL}};
    sp_status status = SP_OK;
    TRY(options_check(o, "model new", kind_takes(kind), kind, err));
    TRY(outputs_check(o, inputs, err));
    TRY(new_model(kind, file, o, &model, err));
    if (o->run.output) {
        TRY(sp_model_save(model, o->run.output, o->run.force, err));
        if (strcmp(o->run.output, "-") != 0 && !o->quiet)
            tell("wrote %s", o->run.output);
    } else {
        TRY(sp_model_to_json(model, &text, err));
        fputs(text, stdout);
    }
done:
    free(text);
    sp_model_free(model);
    return status;
}

static sp_status show_model(const char *name, options *o, sp_error *err)
{
    sp_model *model = NULL;
    if (!(o->run.model = strdup(name)))
        return sp_no_memory(err);
    sp_status status = sp_run_load_model(&o->run, NULL, NULL, &model, err);
    if (status == SP_OK)
        status = model_show(model, o->marks, o->run.epoch_seconds > 0 ? o->run.epoch_seconds : 0,
                            o->run.max_states, err);
    sp_model_free(model);
    return status;
}

/* ---- operating points ---- */

static sp_status save_point(const char *name, options *o, sp_error *err)
{
    sp_model *model = NULL;
    sp_tag_biases biases;
    bool is_tied = false;
    sp_status status = SP_OK;
    if (!o->run.output)
        return sp_fail(
            err, SP_EINVAL,
            "model point: -o FILE.json is missing: the file of operating points, which may be there already");
    TRY(sp_model_load(name, &model, err));
    TRY(sp_model_tied(model, &is_tied, &biases, err));
    if (!is_tied)
        TRY(sp_fail(err, SP_EINVAL,
                    "model %s has no weights by kind of transition (\"tied\"), which an operating point is; "
                    "`statepath fit "
                    "--tied` learns them",
                    model->name));
    TRY(sp_operating_point_save(&biases, o->point, o->run.output, o->run.force, err));
    if (strcmp(o->run.output, "-") != 0 && !o->quiet)
        tell("wrote operating point %s into %s", o->point ? o->point : "default", o->run.output);
done:
    sp_model_free(model);
    return status;
}

static const char model_arguments[] = "list | show M | check M | new KIND [OPTION...] | point M";

static sp_status work(options *o, const char **words, outcome *out, sp_error *err)
{
    const char *verb = words[0];
    (void)out;
    if (strcmp(verb, "list") == 0 && !words[1])
        return list_models(err);
    if (strcmp(verb, "show") == 0 && words[1] && !words[2])
        return show_model(words[1], o, err);
    if (strcmp(verb, "check") == 0 && words[1] && !words[2])
        return check_model(words[1], err);
    if (strcmp(verb, "new") == 0 && words[1])
        return make_model(words[1], words[2], o, err);
    if (strcmp(verb, "point") == 0 && words[1] && !words[2])
        return save_point(words[1], o, err);
    return sp_fail(err, SP_EINVAL, "model: usage: statepath model %s", model_arguments);
}

static const command_verb verbs[] = {{"list", 0},    {"show", C_SHOW},   {"check", 0},
                                     {"new", C_NEW}, {"point", C_POINT}, {NULL, 0}};

const command model_command = {
    .name = "model",
    .summary = "list, show, check and make models: the rules",
    .use = {.arguments = model_arguments,
            .kinds = model_kinds,
            .summary = "look at, validate and build models",
            .example = "  statepath model show sleep-aasm\n"
                       "  statepath model check my-rules.json\n"
                       "  statepath model new bio --types PER,ORG,LOC -o tags.json\n"
                       "  statepath model new bioes --types PER,ORG,LOC -o tags.json\n"
                       "  statepath model new bioes --id2label config.json \\\n"
                       "    --calibration viterbi_calibration.json -o pii.json\n"
                       "      all tags, in the order of the logits, weighted by an operating point\n"
                       "  statepath model new left-right --classes setup,pour,cut,clean -o steps.json\n"
                       "  statepath model new cycle --classes G1,S,G2,M -o cell.json\n"
                       "  statepath model new band --classes slow,walk,run --step 1 -o pace.json\n"
                       "  statepath model new from-labels night.h5 --min-count 2 -o learnt.json\n"
                       "      allows the transitions of the labels, and the classes they start in, that\n"
                       "      were seen twice\n"
                       "  statepath model point pii.json --point careful -o viterbi_calibration.json\n"
                       "      writes its weights by kind of transition as an operating point\n",
            .min_words = 1,
            .max_words = 3},
    .takes = C_MODEL,
    .verbs = verbs,
    .work = work,
    .output_is_text = true,
};
