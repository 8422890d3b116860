#include "io/events/event_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/model/model.h"
#include "core/try.h"
#include "io/events/event_reader.h"
#include "io/events/event_writer.h"
#include "io/paths_export.h"
#include "io/text/label_file.h"
#include "sleep/label_coding_new.h"
#include "sleep/stages.h"

enum { USUAL_STEP = 30, FINE_EPOCH = 5 /* seconds */ };

typedef struct event_file {
    sp_label_file of; /* but for labels and path, which are made of the spans */
    const sp_event_reader *reader;
    sp_events events;
    sp_spans spans;
    const char *ids[1];
    double seconds; /* of a step; 0: nobody said how long it is */
    char remark[400];
} event_file;

static bool is_events(const sp_file_look *look)
{
    return sp_event_reader_find(look) != NULL;
}

/* The first bytes, as format.c has seen them. */
static sp_status look_again(const sp_event_input *in, const sp_request *request, sp_file_look *look,
                            sp_error *err)
{
    *look = (sp_file_look){.file = in->file, .request = request};
    look->n = in->size < (int64_t)sizeof look->head ? (size_t)in->size : sizeof look->head;
    return sp_event_input_at(in, 0, look->n, look->head, err);
}

static sp_status read_events(event_file *f, const char *file, const sp_request *request, int64_t *size,
                             sp_error *err)
{
    sp_event_input in;
    sp_file_look look;
    sp_status status = sp_event_input_open(file, &request->options->access, &in, err);
    if (status != SP_OK)
        return status;
    *size = in.size;
    f->events.file = file;
    TRY(look_again(&in, request, &look, err));
    if (!(f->reader = sp_event_reader_find(&look)))
        TRY(sp_fail(err, SP_EFILE, "%s: changed while it was opened", file));
    TRY(sp_event_reader_read(f->reader, &in, &f->events, err));
    if (request->options->needs_scores)
        TRY(sp_fail(err, SP_EFILE,
                    "%s: holds labels (%s), no scores; give the file of the classifier's scores here, and "
                    "this one where labels "
                    "are asked for",
                    file, f->reader->name));
    if (request->is_paths && !request->options->model)
        TRY(sp_fail(err, SP_EINVAL,
                    "%s: holds labels (%s), which are read as paths where a model names the classes", file,
                    f->reader->name));
done:
    sp_event_input_close(&in);
    return status;
}

/* How long a step is. Epochs of up to five seconds are how finely a file writes stages, not how they were scored. Epochs that are
 * neither a part of a step nor made of steps are other steps. */
static sp_status choose_step(event_file *f, double wanted, sp_time *step, sp_error *err)
{
    const sp_time own = f->events.epoch;
    *step = sp_time_of_step(wanted);
    f->seconds = wanted;
    if (*step == 0) {
        const bool is_assumed = own <= FINE_EPOCH * SP_SECOND;
        *step = is_assumed ? USUAL_STEP * SP_SECOND : own;
        f->seconds = is_assumed ? 0 : (double)own / (double)SP_SECOND;
    }
    if (own && *step % own != 0 && own % *step != 0) {
        char ours[SP_TIME_TEXT], theirs[SP_TIME_TEXT];
        return sp_fail(
            err, SP_EDATA,
            "%s: its labels are every %s s, the scores every %s s; score the recording in the same steps",
            f->events.file, sp_time_text(own, theirs), sp_time_text(*step, ours));
    }
    return SP_OK;
}

/* The model whose classes the labels are: the request's, else one of the stages, which the caller frees. */
static sp_status choose_model(const sp_request *request, const sp_model **model, sp_model **own,
                              sp_error *err)
{
    const char *stages[SP_N_STAGES];
    for (int s = 0; s < SP_N_STAGES; s++)
        stages[s] = sp_sleep_stage_name((sp_sleep_stage)s);
    if (!request->options->model && !(*own = sp_model_new("sleep", SP_N_STAGES, stages)))
        return sp_no_memory(err);
    *model = request->options->model ? request->options->model : *own;
    return SP_OK;
}

static sp_status resolve(event_file *f, const sp_request *request, const sp_model *model, sp_error *err)
{
    const sp_source_options *o = request->options;
    sp_codes *own = NULL;
    sp_time step;
    sp_status status = SP_OK;
    TRY(choose_step(f, o->epoch_seconds, &step, err));
    if (!o->codes)
        TRY(sp_label_coding_new(f->events.preset, NULL, NULL, model, &own, err));
    TRY(sp_events_resolve(&f->events, o->codes ? o->codes : own, step, &f->spans, err));
done:
    sp_codes_free(own);
    return status;
}

/* What the reader should know, a sentence without its end. */
static void make_remark(event_file *f)
{
    char *to = f->remark;
    size_t room = sizeof f->remark;
    int n = 0;
    if (f->events.remark)
        n += snprintf(to, room, "%s", f->events.remark);
    if (f->seconds == 0)
        n += snprintf(to + n, room - (size_t)n, "%sa step is taken for %d s", n ? "; " : "", USUAL_STEP);
    if (f->spans.n_passed_over)
        snprintf(to + n, room - (size_t)n, "%s%lld event%s that %s no stage passed over%s%s", n ? "; " : "",
                 (long long)f->spans.n_passed_over, f->spans.n_passed_over == 1 ? "" : "s",
                 f->spans.n_passed_over == 1 ? "is" : "are", f->spans.passed_over[0] ? ": " : "",
                 f->spans.passed_over);
}

static sp_status fill_info(event_file *f, const sp_model *model, bool is_paths, sp_source *source,
                           sp_error *err)
{
    sp_label_file *of = &f->of;
    of->offsets = calloc(2, sizeof *of->offsets);
    of->classes = sp_texts_copy((const char *const *)model->classes, model->n_classes);
    of->name = sp_file_stem(source->file_name);
    if (!of->offsets || !of->classes || !of->name)
        return sp_no_memory(err);
    of->n_recordings = 1;
    of->n_steps = of->offsets[1] = f->spans.n_steps;
    of->n_classes = model->n_classes;
    f->ids[0] = of->names[0] = of->name;
    sp_label_file_fill(of, f->ids, is_paths, source);
    source->info.layout = SP_LAYOUT_SINGLE;
    source->info.has_labels = !is_paths;
    source->info.classes_place = f->reader->name;
    source->info.remark = f->remark[0] ? f->remark : NULL;
    return SP_OK;
}

static sp_status open_events(sp_source *source, const sp_request *request, sp_error *err)
{
    event_file *f = source->opened = calloc(1, sizeof *f);
    const sp_model *model = NULL;
    sp_model *own = NULL;
    if (!f)
        return sp_no_memory(err);
    sp_status status = SP_OK;
    TRY(read_events(f, source->file_name, request, &source->info.file_size, err));
    TRY(choose_model(request, &model, &own, err));
    TRY(resolve(f, request, model, err));
    make_remark(f);
    TRY(fill_info(f, model, request->is_paths, source, err));
    sp_events_clear(&f->events);
done:
    sp_model_free(own);
    return status;
}

static void close_events(void *opened)
{
    event_file *f = opened;
    sp_events_clear(&f->events);
    sp_spans_clear(&f->spans);
    sp_label_file_free(&f->of);
}

static sp_status read_steps(sp_source *source, const sp_wanted *wanted, int32_t *out, sp_error *err)
{
    const event_file *f = source->opened;
    return wanted->count ? sp_spans_steps(&f->spans, wanted->first_step, wanted->n_steps, out, err) : SP_OK;
}

static sp_status read_labels(sp_source *source, const sp_wanted *wanted, sp_block *block, sp_error *err)
{
    return block->labels ? read_steps(source, wanted, block->labels, err) : SP_OK;
}

static sp_status read_path(sp_source *source, int32_t strategy, const sp_wanted *wanted, int32_t *out,
                           sp_error *err)
{
    (void)strategy;
    return read_steps(source, wanted, out, err);
}

/* A length that was only assumed is not the file's. */
static sp_status step_seconds(sp_source *source, double *seconds, sp_error *err)
{
    const event_file *f = source->opened;
    (void)err;
    *seconds = f->seconds;
    return SP_OK;
}

/* ---- paths as events ---- */

static sp_status check_paths(const char *file, const sp_paths_header *header, sp_error *err)
{
    if (header->n_recordings != 1 || header->n_strategies != 1)
        return sp_fail(err, SP_EINVAL,
                       "%s: holds one path of one recording, and there are %lld recordings and %d strateg%s; "
                       "write .csv or .h5",
                       file, (long long)header->n_recordings, header->n_strategies,
                       header->n_strategies == 1 ? "y" : "ies");
    const sp_event_night night = {
        .n_classes = header->n_classes, .classes = header->classes, .epoch_seconds = header->epoch_seconds};
    return sp_event_writer_check(sp_event_writer_find(file), file, &night, err);
}

static sp_status write_paths(sp_paths_export *e, int32_t **paths, int64_t most, sp_error *err)
{
    const sp_event_night night = {.n_steps = e->kept.info.n_steps,
                                  .labels = paths[0],
                                  .n_classes = e->kept.info.n_classes,
                                  .classes = e->kept.info.classes,
                                  .epoch_seconds = e->epoch_seconds};
    char *bytes = NULL;
    (void)most;
    size_t n = 0;
    sp_status status = SP_OK;
    TRY(sp_kept_paths_read(&e->kept, 0, 0, 1, paths[0], err));
    TRY(sp_event_writer_bytes(sp_event_writer_find(e->file), e->file, &night, &bytes, &n, err));
    TRY(sp_text_put(e->text, bytes, n, err));
done:
    free(bytes);
    return status;
}

static const sp_path_format paths_format = {.endings = SP_EVENT_WRITER_ENDINGS,
                                            .check = check_paths,
                                            .is_text = true,
                                            .takes_seconds = true,
                                            .write = write_paths};

const sp_format sp_event_format = {.name = "a file of events",
                                   .endings = ".edf .bdf .xml " SP_ANNOT_ENDINGS " " SP_UTIME_ENDINGS
                                              " " SP_ZURICH_ENDINGS,
                                   .recognise = is_events,
                                   .open = open_events,
                                   .close = close_events,
                                   .read = read_labels,
                                   .read_path = read_path,
                                   .epoch_seconds = step_seconds,
                                   .paths = &paths_format};

bool sp_event_is_file(const char *file)
{
    static const sp_request request;
    sp_event_input in;
    sp_file_look look;
    struct stat info;
    if (stat(file, &info) != 0 || !S_ISREG(info.st_mode) ||
        sp_event_input_open(file, NULL, &in, NULL) != SP_OK)
        return false;
    const bool is_read = look_again(&in, &request, &look, NULL) == SP_OK;
    sp_event_input_close(&in);
    return is_read && sp_event_reader_find(&look) != NULL;
}
