#include "pipeline/files/label_order.h"

#include <stdio.h>
#include <string.h>

#include "core/owned.h"
#include "core/try.h"
#include "io/source.h"

enum { MOST_STEPS = 10000000 };

bool sp_label_order_is_model(const sp_pipeline *p)
{
    return p->opt->label_order && strcmp(p->opt->label_order, "model") == 0;
}

const int32_t *sp_label_order_of_text(const sp_pipeline *p)
{
    return p->opt->label_order && !sp_label_order_is_model(p) ? p->class_of_column : NULL;
}

bool sp_columns_are_in_order(const sp_pipeline *p)
{
    for (int32_t c = 0; c < p->model->n_classes; c++)
        if (p->class_of_column[c] != c)
            return false;
    return true;
}

/* ---- what each reading would give ---- */

typedef struct agreement {
    int64_t n_labelled, n_as_columns, n_as_model;
} agreement;

/* Raw labels: columns by p->opt->label_order are left as they are stored, so that number n is n here. */
static void count_steps(const sp_pipeline *p, const int32_t *column_of_class, const int32_t *standing,
                        const int32_t *labels, int64_t n, agreement *count)
{
    for (int64_t t = 0; t < n; t++) {
        if (labels[t] < 0 || labels[t] >= p->model->n_classes)
            continue;
        count->n_labelled++;
        count->n_as_columns += standing[t] == labels[t];
        count->n_as_model += standing[t] == column_of_class[labels[t]];
    }
}

static sp_status count_agreement(const sp_reference *l, const sp_pipeline *p, const int64_t *own_steps,
                                 int64_t n_recordings, sp_standing *standing, void *arg, agreement *count,
                                 sp_error *err)
{
    const int32_t K = p->model->n_classes;
    sp_owned own = {0};
    sp_block *block = sp_block_new();
    int32_t *column_of_class = sp_zeros(&own, (size_t)K, sizeof *column_of_class);
    sp_status status = SP_OK;
    TRY(block && column_of_class ? SP_OK : sp_no_memory(err));
    for (int32_t c = 0; c < K; c++)
        column_of_class[p->class_of_column[c]] = c;
    for (int64_t n = 0; n < n_recordings && count->n_labelled < MOST_STEPS; n++) {
        if (sp_is_unread(p->unread, n))
            continue;
        const int64_t theirs = l->recording[n], steps = own_steps[n + 1] - own_steps[n],
                      labels = l->offsets[theirs + 1] - l->offsets[theirs];
        sp_owned one = {0};
        int32_t *at = sp_zeros(&one, (size_t)steps, sizeof *at);
        status = at ? standing(arg, n, steps, at, err) : sp_no_memory(err);
        if (status == SP_OK)
            status = sp_source_read(l->source, theirs, 1, SP_BLOCK_LABELS, block, err);
        if (status == SP_OK)
            count_steps(p, column_of_class, at, block->labels, steps < labels ? steps : labels, count);
        sp_owned_free(&one);
        if (p->unread && (status == SP_EDATA || status == SP_EFILE))
            status = SP_OK; /* the run says which file it is */
        TRY(status);
    }
done:
    sp_block_free(block);
    sp_owned_free(&own);
    return status;
}

sp_status sp_standing_of_scores(void *arg, int64_t recording, int64_t n_steps, int32_t *out, sp_error *err)
{
    const sp_recordings *from = arg;
    const sp_part one = {.recording = recording, .count = 1};
    sp_block *block = sp_block_new();
    sp_status status = block ? from->read(from->arg, &one, SP_BLOCK_SCORES, block, err) : sp_no_memory(err);
    for (int64_t t = 0; status == SP_OK && t < n_steps; t++) {
        const sp_scores scores = sp_block_batch(block).scores;
        out[t] = 0;
        for (int32_t k = 1; k < scores.n_classes; k++)
            if (sp_scores_at(&scores, t, k) > sp_scores_at(&scores, t, out[t]))
                out[t] = k;
    }
    sp_block_free(block);
    return status;
}

/* ---- the check ---- */

static const char *share(double part, double all, char text[8])
{
    snprintf(text, 8, "%.2f", all > 0 ? part / all : 0.);
    return text;
}

sp_status sp_label_order_check(const sp_reference *l, const sp_pipeline *p, const char *beside,
                               const int64_t *own_steps, int64_t n_recordings, sp_standing *standing,
                               void *arg, sp_error *err)
{
    const bool matters = !sp_columns_are_in_order(p) && sp_source_has_numbers(l->source);
    agreement count = {0};
    char columns[8], model[8];
    sp_status status = SP_OK;
    if (p->opt->label_order) {
        if (!matters)
            sp_run_notice(p->opt, SP_NOTICE_DATA, "note: `label_order` changes nothing: %s",
                          sp_columns_are_in_order(p) ? "the columns are in the order of the model"
                                                     : "the labels are no bare numbers");
        return SP_OK;
    }
    if (!matters)
        return SP_OK;
    TRY(count_agreement(l, p, own_steps, n_recordings, standing, arg, &count, err));
    status = sp_fail(err, SP_EDATA,
                     "%s has numbers of classes and no names, and the columns of %s (%s first) are in "
                     "another order than model "
                     "%s (%s first): as "
                     "the columns' order the labels agree with the %s in %s of the steps, as the model's in "
                     "%s; `label_order` "
                     "columns or model says "
                     "which is meant",
                     l->file, p->file, p->model->classes[p->class_of_column[0]], p->model->name,
                     p->model->classes[0], beside,
                     share((double)count.n_as_columns, (double)count.n_labelled, columns),
                     share((double)count.n_as_model, (double)count.n_labelled, model));
done:
    return status;
}
