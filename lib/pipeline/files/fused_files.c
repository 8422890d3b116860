/* Files of several classifiers of the same recordings, read as one. */
#include <stdlib.h>
#include <string.h>

#include "core/names.h"
#include "core/try.h"
#include "io/text/texts.h"
#include "pipeline/files/open.h"
#include "pipeline/files/reading.h"

/* ---- are they? ---- */

/* How many recordings of a source are called as some in `names`, and one of them. */
static int64_t count_known(const sp_source_info *info, const sp_names *names, const char **one)
{
    int64_t n = 0;
    for (int64_t i = 0; i < info->n_recordings; i++)
        if (sp_names_find(names, info->ids[i]) >= 0) {
            n++;
            *one = info->ids[i];
        }
    return n;
}

/* Do its recordings have the ids of the first's, all of them and no others? What cannot be opened is no classifier: what opens it again says why. */
static sp_status is_alike(const sp_source_info *first, const sp_names *names, const char *file,
                          const sp_source_options *places, bool *is, sp_error *err)
{
    sp_source *source = NULL;
    const char *one = NULL;
    *is = false;
    sp_status status = sp_source_open(file, places, &source, NULL);
    if (status == SP_ENOMEM)
        return sp_no_memory(err);
    if (status != SP_OK)
        return SP_OK;
    const sp_source_info *info = sp_source_info_of(source);
    const int64_t n = info->has_ids && info->has_scores ? count_known(info, names, &one) : 0;
    *is = n > 0;
    if (n > 0 && (n < first->n_recordings || n < info->n_recordings))
        status = sp_fail(err, SP_EDATA,
                         "%s and %s both hold a recording %s, but each other recordings too: classifiers of "
                         "the same recordings hold the same "
                         "ones; files of different recordings whose ids are the same are named as one: a "
                         "folder, or a pattern such as "
                         "'night{id}.h5'",
                         first->file, info->file, one);
    sp_source_close(source);
    return status;
}

static sp_status are_alike(const char *file, const sp_source_options *places, bool *are, sp_error *err)
{
    sp_source_options alone = *places;
    sp_source *source = NULL;
    sp_names names = {0};
    alone.more = NULL;
    *are = false;
    sp_status status = sp_source_open(file, &alone, &source, NULL);
    if (status != SP_OK)
        return status == SP_ENOMEM ? sp_no_memory(err) : SP_OK;
    const sp_source_info *info = sp_source_info_of(source);
    int64_t n_alike = 0, n = 0;
    TRY(sp_names_init(&names, info->n_recordings) == SP_OK ? SP_OK : sp_no_memory(err));
    for (int64_t i = 0; info->has_ids && info->has_scores && i < info->n_recordings; i++)
        sp_names_add(&names, info->ids[i], (int32_t)i);
    for (; places->more[n]; n++) {
        bool is;
        TRY(is_alike(info, &names, places->more[n], &alone, &is, err));
        n_alike += is;
    }
    if (n_alike > 0 && n_alike < n)
        TRY(sp_fail(err, SP_EDATA,
                    "some of the files hold the recordings of %s and others do not: classifiers of the same "
                    "recordings are fused, "
                    "and other recordings of one classifier are joined; name files of one kind",
                    info->file));
    *are = n_alike > 0;
done:
    sp_names_clear(&names);
    sp_source_close(source);
    return status;
}

sp_status sp_fused_files_ask(const sp_pipeline *p, const sp_file_input *in, const sp_source_options *places,
                             bool *are, sp_error *err)
{
    *are = false;
    if (!places->more || !places->more[0])
        return SP_OK;
    if (in->fuses_alike)
        return are_alike(p->file, places, are, err);
    *are = p->model && p->model->fusion;
    return SP_OK;
}

/* ---- opening ---- */

/* By which a model knows it: the name of the file without folder and ending; where two are called so, with the folder. */
static char *name_of(const char *const *files, int32_t n, int32_t i)
{
    char *own = sp_file_stem(files[i]);
    for (int32_t c = 0; own && c < n; c++) {
        char *other = c != i ? sp_file_stem(files[c]) : NULL;
        const bool is_same = other && strcmp(own, other) == 0;
        free(other);
        if (is_same) {
            free(own);
            return strdup(files[i]);
        }
    }
    return own;
}

static sp_status add_file(sp_file_input *in, const char *const *files, int32_t n, int32_t i,
                          const sp_source_options *places, sp_error *err)
{
    sp_source *source = i ? NULL : in->source;
    double first_seconds = 0, seconds = 0;
    char *name = NULL;
    sp_status status = SP_OK;
    for (int32_t c = 0; c < i; c++)
        if (strcmp(files[c], files[i]) == 0)
            TRY(sp_fail(err, SP_EINVAL, "%s is named twice; a fusion is of different classifiers", files[i]));
    if (i) {
        TRY(sp_source_open(files[i], places, &source, err));
        in->others[i] = source;
        TRY(sp_run_share_holes(source, in->source, places->gaps, err));
        TRY(sp_source_seconds(in->source, &first_seconds, err));
        TRY(sp_source_seconds(source, &seconds, err));
    }
    TRY((name = name_of(files, n, i)) ? SP_OK : sp_no_memory(err));
    const sp_recordings from = sp_recordings_of_source(source);
    status = sp_fused_add(&in->fused, &from, name, first_seconds, seconds, places->model, err);
done:
    free(name);
    return status;
}

sp_status sp_fused_files_open(sp_pipeline *p, sp_file_input *in, const sp_source_options *places,
                              sp_error *err)
{
    const char *files[SP_MOST_CLASSIFIERS] = {p->file};
    sp_source_options own = *places;
    int32_t n = 1;
    sp_status status = SP_OK;
    own.more = NULL;
    own.labels = NULL; /* beside the scores, where these have them */
    if (p->opt->join)
        return sp_fail(err, SP_EINVAL,
                       "`join` joins windows of one classifier, and the files are of several");
    for (; places->more[n - 1]; n++) {
        if (n == SP_MOST_CLASSIFIERS)
            return sp_fail(err, SP_EINVAL, "at most %d classifiers are fused", SP_MOST_CLASSIFIERS);
        files[n] = places->more[n - 1];
    }
    for (int32_t i = 0; i < n; i++)
        TRY(add_file(in, files, n, i, &own, err));
    TRY(sp_fused_open(&in->fused, &p->from, err));
    p->fused = &in->fused;
done:
    return status;
}
