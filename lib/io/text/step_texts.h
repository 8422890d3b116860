/* The texts whose tokens the steps are, and where in them each step stands. Not installed.
 *
 * A file of .json, .jsonl or .ndjson: objects, one after the other or in a list, one a recording; `id` where they are not in its
 * order:
 *
 *     {"id": "n1", "text": "Dr Jane Austen", "offset_mapping": [[0, 2], [3, 7], [8, 14]]}
 *
 * offset_mapping is what tokenizers of transformers return: first character and that after the last one, [0, 0] of a token that is
 * not in the text; for each step of the recording, those of padding may follow, and further pieces of the last word, each of which
 * begins where the one before it ends. Without it the tokens are the words of the text,
 * between blanks. Any other file is the text itself: of one recording the whole file, of several a line each.
 */
#ifndef STATEPATH_IO_STEP_TEXTS_H
#define STATEPATH_IO_STEP_TEXTS_H

#include <stdint.h>

#include "statepath/status.h"

typedef struct sp_step_texts {
    char **texts;         /* [N] */
    int64_t *start, *end; /* [S] characters (code points) of the recording's text; both 0: not in it */
    int64_t n;            /* N */
} sp_step_texts;

/* offsets [N+1] of the steps, with those that take no part. `noun` and `steps` are what sentences call them. SP_OK; SP_EFILE; SP_EDATA
 * (a recording without a text, other than as many tokens, places outside of the text or that go back), SP_ENOMEM. */
sp_status sp_step_texts_read(const char *file, int64_t n, const char *const *ids, const int64_t *offsets,
                             sp_step_texts **out, sp_error *err);
void sp_step_texts_free(sp_step_texts *texts); /* NULL is fine */

/* Bytes of characters start .. end-1 of recording n's text: *at into it. */
int64_t sp_step_texts_cut(const sp_step_texts *texts, int64_t n, int64_t start, int64_t end, const char **at);

#endif
