#include "pipeline/files/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/source.h"
#include "pipeline/files/label_order.h"
#include "pipeline/files/reading.h"
#include "pipeline/matched.h"
#include "sleep/label_coding_use.h"

void sp_reference_close(sp_reference *l)
{
    free(l->column_of_label);
    free(l->recording);
    sp_source_close(l->source);
    sp_codes_free(l->codes);
}

sp_status sp_reference_codes_new(const sp_pipeline *p, const sp_model *model, const char *one, sp_codes **out,
                                 sp_error *err)
{
    char names[SP_CODES_SENTENCE];
    sp_codes *codes = NULL;
    sp_status status = SP_OK;
    TRY(sp_codes_new(p->opt->codes, p->opt->map, model, &codes, err));
    if (one)
        TRY(sp_codes_refuse_sets(codes, one, err));
    if (p->learns)
        sp_codes_tell_sets(codes);
    else if (sp_codes_n_sets(codes))
        sp_run_notice(p->opt, SP_NOTICE_DATA,
                      "note: steps of %s are unscored: figures are of steps with one class; `statepath fit` "
                      "learns from them",
                      sp_codes_set_names(codes, names));
    *out = codes;
    codes = NULL;
done:
    sp_codes_free(codes);
    return status;
}

sp_status sp_reference_read_codes(sp_reference *l, const sp_pipeline *p, bool are_shared, bool is_named,
                                  const int32_t *class_of_column, sp_error *err)
{
    if ((!p->opt->codes && !p->opt->map) || (are_shared && is_named))
        return SP_OK;
    sp_status status = SP_OK;
    TRY(sp_reference_codes_new(p, p->model, NULL, &l->codes, err));
    TRY(sp_codes_use_columns(l->codes, class_of_column, err));
done:
    if (status == SP_OK && are_shared && l->file)
        sp_run_notice(p->opt, SP_NOTICE_DATA,
                      "the labels of %s are read by %s, as the paths are; if they are coded otherwise, "
                      "statepath.sleep.compare_hypnograms() of Python reads each by codes of its own",
                      l->file, sp_codes_name(l->codes));
    return status;
}

/* The list of recordings that are meant, where their labels lie in several files; one file of labels may have all. */
static const char *only_of_several(const char *file, const sp_run_options *o)
{
    return sp_source_is_several(file) ? o->place.only : NULL;
}

/* Labels are classes of the model: which columns these are. */
static sp_status label_model_classes(sp_reference *l, const sp_pipeline *p, sp_error *err)
{
    const int32_t K = p->model->n_classes;
    l->column_of_label = malloc((size_t)K * sizeof *l->column_of_label);
    if (!l->column_of_label)
        return sp_no_memory(err);
    for (int32_t c = 0; c < K; c++)
        l->column_of_label[p->class_of_column[c]] = c;
    return SP_OK;
}

/* A text has names of classes only where the model does. */
static sp_status open_text(sp_reference *l, const sp_pipeline *p, const char *dataset, double step_seconds,
                           bool are_shared, sp_error *err)
{
    if (dataset && sp_source_is_events(l->file))
        return sp_fail(err, SP_EINVAL, "`labels` %s:%s names a column, and that is a file of events", l->file,
                       dataset);
    sp_status status = SP_OK;
    TRY(sp_reference_read_codes(l, p, are_shared, sp_source_is_events(l->file), p->class_of_column, err));
    sp_source_options options = {.model = p->model,
                                 .only = only_of_several(l->file, p->opt),
                                 .codes = l->codes,
                                 .class_of_number = sp_label_order_of_text(p),
                                 .labels = dataset ? dataset + 1 : NULL, /* a column has no slash */
                                 .epoch_seconds =
                                     p->opt->epoch_seconds > 0 ? p->opt->epoch_seconds : step_seconds,
                                 .leaves_out = p->leaves_out};
    sp_run_gaps(p->opt, &options);
    TRY(sp_run_texts(p->opt, NULL, &options, err));
    TRY(sp_source_open(l->file, &options, &l->source, err));
    l->info = sp_source_info_of(l->source);
    sp_run_tell_remark(p->opt, l->info);
    if (l->codes)
        return SP_OK; /* they are columns already */
    TRY(label_model_classes(l, p, err));
done:
    return status;
}

/* Where the classes of the file stand among the columns. Codes speak of that file's columns, as its scores do. */
static sp_status match_classes(sp_reference *l, const sp_pipeline *p, bool are_shared, sp_error *err)
{
    if (!l->info->classes) {
        sp_status status = sp_reference_read_codes(l, p, are_shared, false, p->class_of_column, err);
        const bool are_of_model = sp_source_has_words(l->source) || sp_label_order_is_model(p);
        return status == SP_OK && are_of_model && !l->codes ? label_model_classes(l, p, err) : status;
    }
    int32_t *class_of_label = malloc((size_t)l->info->n_classes * sizeof *class_of_label);
    if (!class_of_label)
        return sp_no_memory(err);
    sp_status status = sp_model_align(p->model, l->info->n_classes, l->info->classes, class_of_label, err);
    if (status == SP_OK)
        status = sp_match_columns(l->info->n_classes, class_of_label, p->class_of_column, &l->column_of_label,
                                  err);
    if (status == SP_OK)
        status = sp_reference_read_codes(l, p, are_shared, true, class_of_label, err);
    free(class_of_label);
    return status;
}

static sp_status open_hdf5(sp_reference *l, const sp_pipeline *p, const char *dataset, bool are_shared,
                           sp_error *err)
{
    sp_source_options places = sp_source_options_default();
    places.access = sp_run_access(p->opt);
    places.model = p->model;
    places.labels = dataset;
    places.needs_scores = false;
    places.leaves_out = p->leaves_out;
    places.only = only_of_several(l->file, p->opt);
    sp_run_gaps(p->opt, &places);
    l->gaps = places.gaps;
    sp_status status = sp_source_open(l->file, &places, &l->source, err);
    if (status != SP_OK)
        return status;
    l->info = sp_source_info_of(l->source);
    if (!l->info->has_labels)
        return sp_fail(err, SP_EDATA, "%s holds no labels; `labels` %s:/DATASET says where they are", l->file,
                       l->file);
    if ((status = match_classes(l, p, are_shared, err)) != SP_OK)
        return status;
    sp_source_use_codes(l->source, l->codes);
    if (!l->codes)
        sp_run_tell_remark(p->opt, l->info);
    return SP_OK;
}

sp_status sp_reference_open(sp_reference *l, const sp_pipeline *p, const char *file, const char *dataset,
                            double step_seconds, bool are_shared, sp_error *err)
{
    l->file = file;
    sp_status status = sp_source_is_text(file) ? open_text(l, p, dataset, step_seconds, are_shared, err)
                                               : open_hdf5(l, p, dataset, are_shared, err);
    if (status != SP_OK)
        return status;
    l->n_recordings = l->info->n_recordings;
    l->offsets = l->info->offsets;
    l->ids = l->info->has_ids ? l->info->ids : NULL;
    return SP_OK;
}

/* Labels of one recording that go on after `steps`: "; the last 230 labels are unscored" where they are, else nothing. */
static sp_status describe_tail(sp_reference *l, int64_t steps, char *out, size_t size, sp_error *err)
{
    enum { MOST = 1 << 24 };
    const int64_t more = l->offsets[1] - steps;
    sp_block *block = more <= MOST ? sp_block_new() : NULL;
    if (more > MOST)
        return SP_OK;
    if (!block)
        return sp_no_memory(err);
    sp_status status = sp_source_read_steps(l->source, 0, steps, more, SP_BLOCK_LABELS, block, err);
    bool is_unscored = status == SP_OK && block->labels;
    for (int64_t t = 0; is_unscored && t < more; t++)
        is_unscored = block->labels[t] < 0;
    if (is_unscored)
        snprintf(out, size, "; the last %lld label%s unscored", (long long)more, more == 1 ? " is" : "s are");
    sp_block_free(block);
    return status;
}

/* Has each recording one label more than steps, below what may be a header? */
static bool begins_with_header(const sp_reference *l, const sp_match_side *ours)
{
    for (int64_t n = 0; n < ours->n; n++) {
        const int64_t theirs = l->recording[n];
        if (theirs < 0 ||
            l->offsets[theirs + 1] - l->offsets[theirs] != ours->offsets[n + 1] - ours->offsets[n] + 1)
            return false;
    }
    return sp_source_may_have_header(l->source);
}

/* Rows of which nothing says how long they are: one that ends in steps without a label may be padded there. */
static sp_status check_ends(sp_reference *l, sp_source *source, sp_error *err)
{
    if (!sp_source_is_unsized(source) || !sp_source_is_unsized(l->source))
        return SP_OK;
    sp_block *block = sp_block_new();
    sp_status status = block ? SP_OK : sp_no_memory(err);
    for (int64_t n = 0; status == SP_OK && n < l->n_recordings; n++) {
        const int64_t steps = l->offsets[n + 1] - l->offsets[n];
        if (steps > 0)
            status = sp_source_read_steps(l->source, n, steps - 1, 1, SP_BLOCK_LABELS, block, err);
        if (status == SP_OK && steps > 0 && block->labels && block->labels[0] < 0)
            status = sp_fail(err, SP_EDATA,
                             "%s: row %lld ends without a label, and nothing says how long the rows of %s "
                             "are; -100 marks what "
                             "is padding, or write both into one .npz file with an array lengths [%lld] (all "
                             "%lld when nothing is "
                             "padded)",
                             l->file, (long long)n, sp_source_info_of(source)->file,
                             (long long)l->n_recordings, (long long)steps);
    }
    sp_block_free(block);
    return status;
}

sp_status sp_reference_match(sp_reference *l, sp_source *source, const char *const *ids, double step_seconds,
                             bool is_trimmed, sp_error *err)
{
    const sp_source_info *info = sp_source_info_of(source);
    sp_match_side ours = sp_match_side_of(info, info->file, step_seconds);
    sp_match_side theirs = sp_match_side_of(l->info, l->file, 0);
    ours.ids = ids;
    ours.scores_path = info->scores_path;
    theirs.labels_path = l->info->labels_path;
    ours.is_folder = sp_source_is_several(ours.name);
    theirs.is_folder = sp_source_is_several(theirs.name);
    sp_status status = SP_OK;
    TRY(sp_source_seconds(l->source, &theirs.step_seconds, err));
    l->recording = malloc(((size_t)ours.n + 1) * sizeof *l->recording);
    if (!l->recording)
        return sp_no_memory(err);
    TRY(sp_match_recordings(&ours, &theirs, false, NULL, l->recording, err));
    TRY(sp_source_share_holes(source, l->source, l->recording, !is_trimmed, true, l->gaps, err));
    TRY(check_ends(l, source, err));
    ours.offsets = info->offsets;
    theirs.offsets = l->offsets = l->info->offsets;
    char tail[300] = "";
    if (!is_trimmed && ours.n == 1 && theirs.n == 1 && theirs.offsets[1] > ours.offsets[1])
        TRY(describe_tail(l, ours.offsets[1], tail, sizeof tail, err));
    const size_t n = strlen(tail);
    if (begins_with_header(l, &ours))
        snprintf(tail, sizeof tail,
                 "; the first line of %.100s, \"0\", may be a header, as pandas writes one: delete it, or "
                 "write header=False",
                 l->file);
    else
        snprintf(tail + n, sizeof tail - n,
                 "; see that both begin at the same step, then `trim_to_shortest` leaves out the last ones "
                 "of the longer");
    TRY(sp_match_recordings(&ours, &theirs, !is_trimmed, tail, l->recording, err));
    TRY(sp_source_check_tokens(source, l->source, l->recording, err));
done:
    return status;
}
