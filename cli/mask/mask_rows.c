/* statepath mask leak | softmax | apply: what masks do to the rows of a file of scores. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "mask/mask_commands.h"
#include "mask/mask_table.h"
#include "outputs.h"

/* ---- leak ---- */

static sp_status write_leak(void *arg, const sp_leak_report *report, sp_error *err)
{
    const options *o = arg;
    char *text = NULL;
    sp_status status = SP_OK;
    if (!o->json || strcmp(o->json, "-") != 0) {
        status = sp_report_leak_text(report, &text, err);
        if (status == SP_OK)
            fputs(text, stdout);
        free(text);
        text = NULL;
    }
    if (status == SP_OK && o->json)
        status = sp_report_leak_json(report, &text, err);
    if (status == SP_OK && o->json)
        status = output_text(o->json, text, o->run.force, err);
    free(text);
    return status;
}

sp_status mask_leak(const char *file, const options *o, outcome *out, sp_error *err)
{
    return sp_leak_file(file, &o->run, write_leak, (void *)o, &out->result, err);
}

/* ---- softmax, apply ---- */

/* Turns the rows of a recording into what is written, in place.
 *   share  out [T]: what the last column of the table says, left alone without one; NULL: nobody asks */
typedef sp_status row_function(const sp_scores *scores, const uint8_t *mask, double *share, sp_error *err);

static sp_status softmax_rows(const sp_scores *scores, const uint8_t *mask, double *share, sp_error *err)
{
    sp_status status = share ? sp_mask_leak(scores, mask, share, err) : SP_OK;
    return status == SP_OK
               ? sp_masked_softmax(scores, mask, SP_SOFTMAX_MASK_LOGITS, (void *)scores->data, err)
               : status;
}

static sp_status multiply_rows(const sp_scores *scores, const uint8_t *mask, double *share, sp_error *err)
{
    return sp_multiplied_softmax(scores, mask, (void *)scores->data, share, err);
}

static sp_status apply_rows(const sp_scores *scores, const uint8_t *mask, double *share, sp_error *err)
{
    (void)share;
    sp_status status = sp_mask_check(mask, scores->n_steps, scores->n_classes, err);
    if (status == SP_OK)
        sp_mask_apply(scores, mask, (void *)scores->data);
    return status;
}

/* What is done, and what becomes of it. */
typedef struct row_work {
    row_function *function;
    const char *what, *share; /* title of the table; name of its last column, or NULL */
    cell_form form;
    bool is_probs, has_left;
} row_work;

/* What stays on forbidden classes, over all rows. */
typedef struct left_over {
    double sum, most;
    int64_t n_rows, step;
    const char *recording; /* of the most; borrowed of the file */
} left_over;

typedef struct row_run {
    const row_work *work;
    sp_masked *masked;
    const sp_source_info *info;
    sp_scores_writer *writer; /* or NULL */
    mask_table table;
    double *share, *cells; /* [rows of a recording], [K] */
    int64_t room;
    left_over left;
} row_run;

static void table_head(row_run *r, const char *file)
{
    mask_table *t = &r->table;
    const int64_t shown = table_columns(r->info->n_classes);
    char text[SP_MASKED_CLASS];
    table_title(t, "%s: %s, by %s", file, r->work->what, sp_masked_what(r->masked));
    if (r->info->n_recordings > 1)
        table_word(t, "recording");
    table_word(t, "step");
    for (int32_t k = 0; k < shown; k++)
        table_word(t, sp_masked_class(r->masked, k, text));
    if (shown < r->info->n_classes)
        fputs(" ...", t->to);
    if (r->work->share)
        table_word(t, r->work->share);
    table_end(t);
    t->n_rows = 0;
}

static void table_row(row_run *r, const char *id, const sp_scores *scores, int64_t step)
{
    mask_table *t = &r->table;
    if (!table_has_room(t)) {
        t->n_rows++;
        return;
    }
    char number[24];
    snprintf(number, sizeof number, "%lld", (long long)step);
    if (r->info->n_recordings > 1)
        table_word(t, id);
    table_word(t, number);
    for (int32_t k = 0; k < scores->n_classes; k++)
        r->cells[k] = sp_scores_at(scores, step, k);
    table_cells(t, r->work->form, r->cells, scores->n_classes);
    if (r->work->share && r->share[step] < 0)
        table_word(t, "-");
    else if (r->work->share)
        table_cell(t, CELL_SHARE, r->share[step]);
    table_end(t);
}

static void count_left(row_run *r, const char *id, int64_t n)
{
    for (int64_t t = 0; t < n; t++) {
        r->left.sum += r->share[t];
        r->left.n_rows++;
        if (!r->left.recording || r->share[t] > r->left.most) {
            r->left.most = r->share[t];
            r->left.recording = id;
            r->left.step = t;
        }
    }
}

static sp_status make_room(row_run *r, int64_t n, sp_error *err)
{
    if (n < r->room)
        return SP_OK;
    free(r->share);
    r->share = malloc((size_t)(n + 1) * sizeof *r->share);
    r->room = r->share ? n + 1 : 0;
    return r->share ? SP_OK : sp_no_memory(err);
}

static sp_status do_recording(row_run *r, const sp_masked_rows *rows, int64_t n, const char *file,
                              sp_error *err)
{
    const sp_block *block = rows->block;
    const sp_batch batch = sp_block_batch(block);
    const sp_scores scores = sp_batch_recording(&batch, n);
    const int64_t recording = block->first + n;
    const char *id = r->info->ids ? r->info->ids[recording] : block->ids[n];
    sp_error detail;
    sp_status status = make_room(r, scores.n_steps, err);
    if (status != SP_OK)
        return status;
    double *share = r->writer && !r->work->has_left ? NULL : r->share;
    status = r->work->function(&scores, block->mask + (size_t)block->offsets[n] * (size_t)block->n_classes,
                               share, &detail);
    if (status != SP_OK)
        return sp_fail(err, status, "%s: recording %s, step %lld: %s", file, id, (long long)detail.step,
                       detail.message);
    if (r->work->has_left)
        count_left(r, id, scores.n_steps);
    for (int64_t t = 0; !r->writer && t < scores.n_steps; t++)
        table_row(r, id, &scores, t);
    return SP_OK;
}

static sp_status open_writer(row_run *r, const options *o, sp_error *err)
{
    const sp_source_info *info = r->info;
    const bool is_logs = !r->work->is_probs && info->kind == SP_KIND_PROBS; /* of f32 too: computed in f64 */
    const sp_scores_header header = {.kind = r->work->is_probs              ? SP_KIND_PROBS
                                             : info->kind == SP_KIND_LOGITS ? SP_KIND_LOGITS
                                                                            : SP_KIND_SCORES,
                                     .dtype = is_logs ? SP_F64 : info->dtype,
                                     .n_recordings = info->n_recordings,
                                     .n_steps = info->n_steps,
                                     .n_classes = info->n_classes,
                                     .offsets = info->offsets,
                                     .ids = info->ids,
                                     .classes = info->classes,
                                     .with_labels = info->has_labels,
                                     .with_segments = info->has_segments,
                                     .command = o->run.command,
                                     .input = info->file,
                                     .force = o->run.force};
    return sp_scores_writer_open(o->run.output, &header, &r->writer, err);
}

static sp_status do_rows(row_run *r, const char *file, sp_error *err)
{
    sp_masked_rows rows;
    sp_status status = SP_OK;
    TRY(sp_masked_next(r->masked, &rows, err));
    while (rows.block) {
        for (int64_t n = 0; n < rows.block->n_recordings; n++)
            TRY(do_recording(r, &rows, n, file, err));
        if (r->writer)
            TRY(sp_scores_writer_add(r->writer, rows.block, err));
        TRY(sp_masked_next(r->masked, &rows, err));
    }
done:
    return status;
}

static void say_left(row_run *r)
{
    if (r->left.n_rows > 0)
        fprintf(r->table.to,
                "on forbidden classes stays %.4f of the probability, the mean of all rows; at most %.4f, at "
                "recording %s, step "
                "%lld\n",
                r->left.sum / (double)r->left.n_rows, r->left.most, r->left.recording,
                (long long)r->left.step);
}

static sp_status write_rows(const char *file, const options *o, const row_work *work, outcome *out,
                            sp_error *err)
{
    row_run r = {.work = work};
    sp_status status = SP_OK;
    TRY(table_open(&r.table, err));
    TRY(sp_masked_open(file, &o->run, &r.masked, err));
    r.info = sp_masked_info(r.masked);
    r.cells = malloc(((size_t)r.info->n_classes + 1) * sizeof *r.cells);
    TRY(r.cells ? SP_OK : sp_no_memory(err));
    if (o->run.output)
        TRY(open_writer(&r, o, err));
    else
        table_head(&r, file);
    TRY(do_rows(&r, file, err));
    if (r.writer) {
        sp_scores_writer *whole = r.writer;
        r.writer = NULL;
        TRY(sp_scores_writer_commit(whole, err));
        if (!o->quiet)
            tell("wrote %s", o->run.output);
    } else {
        table_rest(&r.table);
    }
    if (work->has_left)
        say_left(&r);
done:
    sp_scores_writer_abort(r.writer);
    status = table_close(&r.table, status, err);
    sp_masked_close(r.masked, &out->result);
    free(r.share);
    free(r.cells);
    return status;
}

sp_status mask_softmax(const char *file, const options *o, outcome *out, sp_error *err)
{
    static const row_work right = {.function = softmax_rows,
                                   .what = "masked softmax",
                                   .share = "leak",
                                   .form = CELL_SHARE,
                                   .is_probs = true};
    static const row_work wrong = {.function = multiply_rows,
                                   .what = "softmax of logits times mask, a mistake",
                                   .share = "forbidden",
                                   .form = CELL_SHARE,
                                   .is_probs = true,
                                   .has_left = true};
    return write_rows(file, o, o->multiply ? &wrong : &right, out, err);
}

sp_status mask_apply(const char *file, const options *o, outcome *out, sp_error *err)
{
    static const row_work work = {.function = apply_rows, .what = "masked scores", .form = CELL_NUMBER};
    return write_rows(file, o, &work, out, err);
}
