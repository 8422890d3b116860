/* Paths as columns of CoNLL: the token, the label, and the class of each strategy. */
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/holes.h"
#include "io/paths_export.h"
#include "io/text/conll.h"
#include "io/text/text_buffer.h"

/* A column of CoNLL: what would part columns becomes "_". */
static void put_column(sp_text_buffer *out, const char *text)
{
    const size_t n = strlen(text), at = out->n;
    sp_text_buffer_put(out, n ? text : "_", n ? n : 1);
    for (size_t i = at; i < out->n; i++)
        if (strchr(" \t\r\n", out->text[i]))
            out->text[i] = '_';
}

static void put_class(sp_text_buffer *out, int32_t k, const char *const *classes)
{
    put_column(out, k < 0 ? "-1" : classes[k]);
}

/* The steps of one recording as a sentence of CoNLL. labels NULL: none; taking_part NULL: all. */
static void put_sentence(sp_text_buffer *out, const sp_paths_export *e, int64_t n, int32_t *const *paths,
                         const int32_t *labels, const uint8_t *taking_part, int64_t at)
{
    const sp_paths_info *info = &e->kept.info;
    for (int64_t t = 0; t < info->offsets[n + 1] - info->offsets[n]; t++) {
        if (taking_part && !taking_part[info->offsets[n] + t])
            continue;
        if (e->tokens) {
            put_column(out, e->tokens[info->offsets[n] + t]);
            sp_text_buffer_put(out, " ", 1);
        }
        if (labels) {
            put_class(out, labels[at + t], info->classes);
            sp_text_buffer_put(out, " ", 1);
        }
        for (int32_t s = 0; s < info->n_strategies; s++) {
            sp_text_buffer_put(out, " ", s > 0);
            put_class(out, paths[s][at + t], info->classes);
        }
        sp_text_buffer_put(out, "\n", 1);
    }
    sp_text_buffer_put(out, "\n", 1);
}

/* paths: room of `most` steps for each strategy */
static sp_status write_conll(sp_paths_export *e, int32_t **paths, int64_t most, sp_error *err)
{
    const sp_paths_info *info = &e->kept.info;
    sp_text_buffer out = {.text = NULL};
    int32_t *labels = info->has_labels ? malloc(((size_t)most + 1) * sizeof *labels) : NULL;
    uint8_t *taking_part = e->kept.holes ? sp_holes_flags(e->kept.holes, e->kept.n_kept) : NULL;
    sp_status status = SP_OK;
    TRY((labels || !info->has_labels) && (taking_part || !e->kept.holes) ? SP_OK : sp_no_memory(err));
    for (int64_t first = 0, n; first < info->n_recordings; first += n) {
        n = sp_kept_paths_fit(info, first);
        out.n = 0;
        for (int32_t s = 0; s < info->n_strategies; s++)
            TRY(sp_kept_paths_read(&e->kept, s, first, n, paths[s], err));
        if (labels)
            TRY(sp_kept_paths_read(&e->kept, info->n_strategies, first, n, labels, err));
        for (int64_t i = first; i < first + n; i++)
            put_sentence(&out, e, i, paths, labels, taking_part, info->offsets[i] - info->offsets[first]);
        TRY(out.failed ? sp_no_memory(err) : sp_text_put(e->text, out.text, out.n, err));
    }
done:
    free(labels);
    free(taking_part);
    free(out.text);
    return status;
}

const sp_path_format sp_conll_paths = {.endings = SP_CONLL_ENDINGS,
                                       .is_text = true,
                                       .takes_tokens = true,
                                       .takes_labels = true,
                                       .write = write_conll};
