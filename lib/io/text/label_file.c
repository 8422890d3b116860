#include "io/text/label_file.h"

#include <stdlib.h>
#include <string.h>

#include "io/text/text_read.h"

sp_status sp_label_file_new(sp_source *source, size_t size, const char *what, sp_label_file **out,
                            sp_error *err)
{
    sp_label_file *f = source->opened = calloc(1, size);
    if (!f)
        return sp_no_memory(err);
    f->file = source->file_name;
    f->names[0] = f->name = sp_file_stem(source->file_name);
    *out = f;
    return f->name ? sp_text_read(f->file, what, &f->text, err) : sp_no_memory(err);
}

void sp_label_file_free(sp_label_file *f)
{
    void *const owned[] = {f->text, f->name, f->offsets, f->labels, f->path, f->classes, f};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
}

void sp_label_file_fill(const sp_label_file *f, const char *const *ids, bool is_paths, sp_source *source)
{
    sp_source_info *info = &source->info;
    info->layout = SP_LAYOUT_PACKED;
    info->dtype = SP_F32;
    info->n_recordings = f->n_recordings;
    info->n_steps = f->n_steps;
    info->n_classes = f->n_classes;
    info->ids = ids;
    info->has_ids = f->has_ids;
    info->offsets = f->offsets;
    info->classes = (const char *const *)f->classes;
    info->has_labels = f->labels != NULL;
    if (is_paths) {
        source->paths.n_strategies = 1;
        source->paths.strategies = f->names;
        source->paths.has_path_scores = f->has_scores;
    }
}

static void copy_steps(const sp_label_file *f, const int32_t *from, const sp_wanted *wanted, int32_t *out)
{
    memcpy(out, from + f->offsets[wanted->first] + wanted->first_step, (size_t)wanted->n_steps * sizeof *out);
}

sp_status sp_label_file_read(sp_source *source, const sp_wanted *wanted, sp_block *block, sp_error *err)
{
    const sp_label_file *f = source->opened;
    (void)err;
    if (block->labels)
        copy_steps(f, f->labels, wanted, block->labels);
    return SP_OK;
}

sp_status sp_label_file_read_path(sp_source *source, int32_t strategy, const sp_wanted *wanted, int32_t *out,
                                  sp_error *err)
{
    const sp_label_file *f = source->opened;
    (void)strategy, (void)err;
    copy_steps(f, f->path, wanted, out);
    return SP_OK;
}
