/* Paths as CSV and TSV: a line a step. */
#include <stdio.h>
#include <stdlib.h>

#include "core/try.h"
#include "io/paths_export.h"
#include "io/text/cells.h"
#include "io/text/text_labels.h"
#include "io/text/texts.h"

/* The steps of one recording, all strategies side by side. */
static void put_steps(sp_text_buffer *out, const sp_paths_export *e, char delimiter, int64_t n,
                      int32_t *const *paths, int64_t at)
{
    const sp_paths_info *info = &e->kept.info;
    char number[32];
    for (int64_t t = 0; t < info->offsets[n + 1] - info->offsets[n]; t++) {
        sp_cells_put(out, info->ids[n], delimiter);
        sp_text_buffer_put(out, number,
                           (size_t)snprintf(number, sizeof number, "%c%lld", delimiter, (long long)t));
        for (int32_t s = 0; s < info->n_strategies; s++) {
            sp_text_buffer_put(out, &delimiter, 1);
            sp_cells_put(out, paths[s][at + t] < 0 ? "-1" : info->classes[paths[s][at + t]], delimiter);
        }
        sp_text_buffer_put(out, "\n", 1);
    }
}

static sp_status write_text(sp_paths_export *e, int32_t **paths, int64_t most, sp_error *err)
{
    const char delimiter = sp_file_has_ending(e->file, ".tsv") ? '\t' : ',';
    (void)most;
    const sp_paths_info *info = &e->kept.info;
    sp_text_buffer out = {.text = NULL};
    sp_cells_put(&out, "recording", delimiter);
    sp_text_buffer_put(&out, &delimiter, 1);
    sp_cells_put(&out, "step", delimiter);
    for (int32_t s = 0; s < info->n_strategies; s++) {
        sp_text_buffer_put(&out, &delimiter, 1);
        sp_cells_put(&out, info->n_strategies == 1 ? "label" : info->strategies[s], delimiter);
    }
    sp_text_buffer_put(&out, "\n", 1);
    sp_status status = SP_OK;
    for (int64_t first = 0, n; first < info->n_recordings; first += n) {
        n = sp_kept_paths_fit(info, first);
        for (int32_t s = 0; s < info->n_strategies; s++)
            TRY(sp_kept_paths_read(&e->kept, s, first, n, paths[s], err));
        for (int64_t i = first; i < first + n; i++)
            put_steps(&out, e, delimiter, i, paths, info->offsets[i] - info->offsets[first]);
        TRY(out.failed ? sp_no_memory(err) : sp_text_put(e->text, out.text, out.n, err));
        out.n = 0;
    }
    if (out.n)
        TRY(out.failed ? sp_no_memory(err) : sp_text_put(e->text, out.text, out.n, err));
done:
    free(out.text);
    return status;
}

const sp_path_format sp_text_paths = {.endings = ".csv .tsv", .is_text = true, .write = write_text};
