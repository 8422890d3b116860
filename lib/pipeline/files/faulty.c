#include "pipeline/files/faulty.h"

#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "pipeline/options.h"

enum { CHECK_BYTES = 8 << 20, NAMED_FILES = 5 };

void sp_faulty_files_clear(sp_faulty_files *known)
{
    for (int64_t i = 0; i < known->n; i++) {
        free((char *)known->files[i].name);
        free((char *)known->files[i].fault);
    }
    free(known->files);
    free(known->is_told);
    *known = (sp_faulty_files){.n = 0};
}

/* The files of an open run, with the faults that are known already. False: no memory. */
static bool begin(sp_faulty_files *known, const sp_source_info *info)
{
    sp_faulty_files_clear(known);
    known->files = calloc((size_t)info->n_files, sizeof *known->files);
    known->is_told = calloc((size_t)info->n_files, sizeof *known->is_told);
    for (; known->files && known->is_told && known->n < info->n_files; known->n++) {
        const sp_source_file *file = &info->files[known->n];
        sp_source_file *own = &known->files[known->n];
        own->name = strdup(file->name);
        own->fault = file->fault ? strdup(file->fault) : NULL;
        known->is_told[known->n] = file->fault != NULL;
        if (!own->name || (file->fault && !own->fault)) {
            known->n++;
            return false;
        }
    }
    return known->files && known->is_told;
}

/* Reads and prepares recordings first .. end-1, as the run does. */
static sp_status look_through(sp_pipeline *p, int64_t first, int64_t end, sp_block *block, sp_error *err)
{
    const unsigned parts =
        SP_BLOCK_SCORES | SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | SP_BLOCK_MASK | SP_BLOCK_WEIGHTS;
    const int64_t most = CHECK_BYTES / p->step_bytes + 1, *offsets = p->info->offsets;
    sp_status status = SP_OK;
    for (int64_t at = 0; first < end;) {
        sp_part part = sp_recordings_fit(&p->from, first, end, most);
        const int64_t length = offsets[first + 1] - offsets[first], left = length - at;
        if (length > most)
            part = (sp_part){.recording = first, .first = at, .n = left < most ? left : most};
        TRY(p->from.read(p->from.arg, &part, parts, block, err));
        if (block->scores)
            TRY(sp_prepare(block, &p->prepare, p->workers, NULL, err));
        at = length > most && at + part.n < length ? at + part.n : 0;
        first += at ? 0 : length > most ? 1 : part.count;
        TRY(sp_run_go_on(p->opt, err) == SP_OK ? SP_OK : SP_EINVAL);
    }
done:
    return status;
}

bool sp_faulty_files_find(sp_faulty_files *known, sp_pipeline *p, sp_status status)
{
    const sp_source_info *info = p->info;
    if (!p->done.reading_failed || info->n_files == 0 || (status != SP_EDATA && status != SP_EFILE) ||
        !begin(known, info))
        return false;
    sp_block *block = sp_block_new();
    sp_error err;
    bool is_new = false;
    status = block ? SP_OK : SP_ENOMEM;
    int64_t n_good = 0;
    for (int64_t i = 0, first = 0; status == SP_OK && i < info->n_files;
         first += info->files[i++].n_recordings) {
        if (info->files[i].fault)
            continue;
        status = look_through(p, first, first + info->files[i].n_recordings, block, &err);
        n_good += status == SP_OK;
        if (status != SP_EDATA && status != SP_EFILE)
            continue;
        known->files[i].fault = strdup(err.message);
        is_new |= known->files[i].fault != NULL;
        status = SP_OK;
    }
    sp_block_free(block);
    return is_new && status == SP_OK && n_good > 0;
}

void sp_faulty_files_tell(const sp_faulty_files *known, const sp_run_options *o, const sp_source_info *info)
{
    int64_t told = 0, more = 0;
    for (int64_t i = 0; i < info->n_files; i++) {
        if (!info->files[i].fault || (known && i < known->n && known->is_told[i]))
            continue;
        if (told++ < NAMED_FILES)
            sp_run_notice(o, SP_NOTICE_DATA, "%s; this file is left out", info->files[i].fault);
        else
            more++;
    }
    if (more > 0)
        sp_run_notice(o, SP_NOTICE_DATA, "%lld more file%s cannot be read and %s left out", (long long)more,
                      more == 1 ? "" : "s", more == 1 ? "is" : "are");
}
