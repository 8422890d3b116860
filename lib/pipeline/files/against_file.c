#include "pipeline/files/against_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/try.h"
#include "io/source.h"
#include "pipeline/files/reading.h"
#include "pipeline/matched.h"
#include "statepath/model_json.h"

/* ---- words ---- */

void sp_against_clear(sp_against_words *words)
{
    free(words->name);
    free(words->file);
    free(words->dataset);
    *words = (sp_against_words){.name = NULL};
}

static bool is_file(const char *name)
{
    struct stat info;
    return stat(name, &info) == 0 && !S_ISDIR(info.st_mode);
}

/* The last ":/" of the text, where a dataset begins; NULL: there is none, or a file is called so. */
static const char *find_dataset(const char *text)
{
    const char *found = NULL;
    for (const char *at = text; (at = strstr(at, ":/")); at++)
        found = at;
    return found && !is_file(text) ? found : NULL;
}

sp_status sp_against_read(const char *text, sp_against_words *out, sp_error *err)
{
    const char *equals = strchr(text, '=');
    *out = (sp_against_words){.name = NULL};
    if (!equals || !equals[1])
        return sp_fail(err, SP_EINVAL,
                       "`against` %s: it is NAME=FILE, NAME=FILE:/DATASET, or NAME=:/DATASET for other "
                       "scores of the same file",
                       text);
    const char *place = equals + 1, *colon = find_dataset(place);
    const size_t n = colon ? (size_t)(colon - place) : strlen(place);
    out->name = strndup(text, (size_t)(equals - text));
    out->file = n ? strndup(place, n) : NULL;
    out->dataset = colon ? strdup(colon + 1) : NULL;
    if (!out->name || (n && !out->file) || (colon && !out->dataset)) {
        sp_against_clear(out);
        return sp_no_memory(err);
    }
    sp_status status = sp_against_check_name(out->name, err);
    if (status != SP_OK)
        sp_against_clear(out);
    return status;
}

/* ---- opening ---- */

/* A dataset that is called by its kind is of that kind, whatever the first one's are. */
static bool is_kind(const char *dataset)
{
    const char *slash = strrchr(dataset, '/');
    sp_kind kind;
    return sp_kind_parse(slash ? slash + 1 : dataset, &kind, NULL) == SP_OK;
}

/* Where things are in its file: as in the first's, but for the scores; labels are where they usually are. */
static sp_status places_of(const sp_rival *r, const sp_against_words *words, sp_source_options *places,
                           sp_error *err)
{
    sp_status status = sp_run_places(&r->options, NULL, places, err);
    if (words->dataset) {
        places->scores = words->dataset;
        places->has_kind &= !is_kind(words->dataset);
    }
    if (words->file)
        places->labels = NULL;
    places->model = r->p.model;
    return status;
}

/* The group of a dataset and a name in it; to be freed. */
static char *beside(const char *dataset, const char *name)
{
    const char *slash = strrchr(dataset, '/');
    const size_t n = slash ? (size_t)(slash - dataset) + 1 : 0;
    char *path = malloc(n + strlen(name) + 1);
    if (path) {
        memcpy(path, dataset, n);
        strcpy(path + n, name);
    }
    return path;
}

/* Other scores of the same file that have no lengths or offsets beside them are parted into recordings as the first's are. */
static sp_status open_as_first(sp_rival *r, sp_file_input *in, sp_source_options *places,
                               const sp_source_info *first, sp_error *err)
{
    char *offsets = beside(first->scores_path, "offsets"), *lengths = beside(first->scores_path, "lengths");
    char *ids = beside(first->scores_path, "ids");
    sp_source *one = in->source;
    sp_status status = offsets && lengths && ids ? SP_OK : sp_no_memory(err);
    in->source = NULL;
    places->offsets = places->offsets ? places->offsets : offsets;
    places->ids = places->ids || !first->has_ids ? places->ids : ids;
    if (status == SP_OK && sp_file_input_open(&r->p, in, places, NULL) != SP_OK) {
        places->offsets = places->offsets == offsets ? NULL : places->offsets;
        places->lengths = places->lengths ? places->lengths : lengths;
        if (sp_file_input_open(&r->p, in, places, NULL) != SP_OK) { /* then as it is, whatever comes of it */
            in->source = one;
            one = NULL;
            r->p.from.info = sp_source_info_of(in->source);
            r->p.from.arg = in->source;
        }
    }
    sp_source_close(one);
    free(offsets);
    free(lengths);
    free(ids);
    return status;
}

static sp_status open_one(sp_rival *r, sp_file_input *in, const sp_against_words *words, const sp_pipeline *p,
                          const sp_file_input *first, sp_error *err)
{
    const sp_source_info *ours = sp_source_info_of(first->source);
    sp_source_options places;
    double first_seconds = 0, seconds = 0;
    sp_status status = SP_OK;
    TRY(sp_against_begin(r, p, words->name, words->file ? words->file : p->file, err));
    r->options.labels_file = NULL;
    TRY(sp_model_load(r->options.model, &r->p.model,
                      err)); /* text may have labels by other names that the model knows */
    TRY(places_of(r, words, &places, err));
    TRY(sp_file_input_open(&r->p, in, &places, err));
    if (!words->file && r->p.from.info->layout == SP_LAYOUT_SINGLE && ours->layout == SP_LAYOUT_PACKED)
        TRY(open_as_first(r, in, &places, ours, err));
    const bool has_labels = r->p.from.info->has_labels && !in->is_decided;
    if (!has_labels && !in->is_decided) /* there is nothing to be read by codes */
        r->options.codes = r->options.map = NULL;
    TRY(sp_file_input_label(&r->p, in, err));
    if (in->is_decided)
        TRY(sp_decided_know(&in->decided, &r->p, err));
    TRY(sp_source_seconds(first->source, &first_seconds, err));
    TRY(sp_source_seconds(in->source, &seconds, err));
    TRY(sp_run_share_holes(in->source, first->source, places.gaps, err));
    TRY(sp_against_match(r, p, first_seconds, seconds, err));
    if (has_labels && !p->info->has_labels)
        sp_run_notice(p->opt, SP_NOTICE_DATA,
                      "note: %s has no labels, %s has; `labels` %s judges both by them", p->file, r->own_name,
                      r->p.file);
    TRY(sp_against_compile(r, p, err));
    sp_source_use_threads(in->source, sp_workers_count(r->p.workers));
done:
    return status;
}

sp_status sp_file_against_open(sp_file_against *a, sp_pipeline *p, const sp_file_input *in, sp_error *err)
{
    char *const *texts = p->opt->against;
    size_t n = 0;
    while (texts && texts[n])
        n++;
    if (n == 0)
        return SP_OK;
    a->rivals = calloc(n, sizeof *a->rivals);
    a->inputs = calloc(n, sizeof *a->inputs);
    a->words = calloc(n, sizeof *a->words);
    if (!a->rivals || !a->inputs || !a->words)
        return sp_no_memory(err);
    sp_status status = SP_OK;
    for (size_t i = 0; i < n; i++) {
        a->n++;
        a->inputs[i].takes_decided = true;
        TRY(sp_against_read(texts[i], &a->words[i], err));
        TRY(open_one(&a->rivals[i], &a->inputs[i], &a->words[i], p, in, err));
    }
    TRY(sp_pipeline_set_against(p, a->n, a->rivals, err));
done:
    return status;
}

void sp_file_against_close(sp_file_against *a)
{
    for (int32_t i = 0; i < a->n; i++) {
        sp_against_close(&a->rivals[i]);
        sp_file_input_close(&a->inputs[i]);
        sp_against_clear(&a->words[i]);
    }
    free(a->rivals);
    free(a->inputs);
    free(a->words);
}
