/* sp_file_recordings: recordings of any files as one, with what stands beside them, for whoever wants them as they are. */
#include "pipeline/files/file_recordings.h"

#include <stdlib.h>

#include "core/try.h"
#include "io/source.h"
#include "pipeline/files/reading.h"
#include "pipeline/options.h"
#include "statepath/model_json.h"

typedef struct sp_file_recordings_own own_part;

/* Labels beside the scores, or in a file of their own. */
static sp_status find_labels(own_part *own, sp_error *err)
{
    static const char mend[] = "`model` M says which they are, for example sleep-aasm";
    if (!own->options.labels_file) {
        if (!own->options.codes && !own->options.map)
            sp_run_tell_remark(&own->options, own->p.from.info);
        return sp_file_input_read_codes(&own->p, &own->in, own->p.model, mend, err);
    }
    if (own->in.is_decided)
        return sp_fail(err, SP_EINVAL, "%s: holds labels and no scores, beside which those of %s could stand",
                       own->p.file, own->options.labels_file);
    return sp_file_input_label_alone(&own->p, &own->in, mend, err);
}

static sp_status find_subjects(own_part *own, sp_error *err)
{
    sp_status status = sp_source_subjects(own->in.source, &own->p.plan.groups, &own->subjects, err);
    if (status != SP_OK || !own->subjects)
        return status;
    const int64_t N = own->subjects->n_recordings;
    if (!(own->subject_names = malloc(((size_t)N + 1) * sizeof *own->subject_names)))
        return sp_no_memory(err);
    for (int64_t n = 0; n < N; n++)
        own->subject_names[n] = own->subjects->names[own->subjects->of_recording[n]];
    return SP_OK;
}

/* The names of the columns: the file's, else the model's where it has as many classes. */
static void name_classes(sp_file_recordings *r)
{
    const sp_source_info *info = r->recordings.info;
    const sp_model *model = r->own->p.model;
    const bool are_models =
        !info->classes && model && (!info->n_classes || model->n_classes == info->n_classes);
    r->n_classes = are_models ? model->n_classes : info->n_classes;
    r->classes = are_models ? (const char *const *)model->classes : info->classes;
}

static sp_status open_all(sp_file_recordings *r, own_part *own, const char *file, bool needs_scores,
                          sp_error *err)
{
    sp_run_options *o = &own->options;
    sp_source_options places;
    own->p = (sp_pipeline){.opt = o, .file = file};
    own->in.takes_decided = !needs_scores;
    sp_status status = SP_OK;
    TRY(sp_run_plan_make(o, SP_CALL_CONVERT, &own->p.plan, err));
    TRY(sp_run_find_labels(o, &own->own, err));
    TRY(sp_run_places(o, file, &places, err));
    if (o->model_text || o->model)
        TRY(sp_run_load_model(o, NULL, NULL, &own->p.model, err));
    places.model = own->p.model;
    TRY(sp_file_input_open(&own->p, &own->in, &places, err));
    TRY(find_labels(own, err));
    TRY(sp_file_input_check_gaps(&own->p, &own->in, err));
    TRY(find_subjects(own, err));
    TRY(own->p.about.step_seconds(own->p.about.step_seconds_arg, &r->epoch_seconds, err));
    r->epoch_seconds = o->epoch_seconds > 0 ? o->epoch_seconds : r->epoch_seconds;
    r->recordings = own->p.from;
    r->recordings.subjects = own->subject_names;
    name_classes(r);
done:
    return status;
}

sp_status sp_file_recordings_open(sp_file_recordings *r, const char *file, const sp_run_options *o,
                                  bool needs_scores, sp_error *err)
{
    *r = (sp_file_recordings){.own = calloc(1, sizeof *r->own)};
    if (!r->own)
        return sp_no_memory(err);
    r->own->options = *o;
    return open_all(r, r->own, file, needs_scores, err);
}

sp_status sp_file_recordings_read(const sp_file_recordings *r, int64_t first, int64_t bytes, unsigned parts,
                                  sp_block *block, sp_error *err)
{
    const sp_source_info *info = r->recordings.info;
    const int64_t most = sp_source_fit(r->own->in.source, first, bytes), left = info->n_recordings - first;
    const sp_part part = {.recording = first, .count = most < left ? most : left};
    sp_run_progress(&r->own->options, "steps", info->offsets[first], info->n_steps);
    sp_status status = sp_run_go_on(&r->own->options, err);
    return status == SP_OK ? r->recordings.read(r->recordings.arg, &part, parts, block, err) : status;
}

void sp_file_recordings_close(sp_file_recordings *r)
{
    own_part *own = r->own;
    if (!own)
        return;
    free(own->subject_names);
    sp_subjects_free(own->subjects);
    sp_file_input_close(&own->in);
    sp_pipeline_close(&own->p);
    sp_owned_free(&own->own);
    free(own);
    r->own = NULL;
}
