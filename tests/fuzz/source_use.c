#include "source_use.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/subjects.h"
#include "io/source.h"
#include "statepath-kit.h"
#include "statepath/files.h"

enum { CLASSES = 3, MOST_BYTES = 1 << 22 };
static const char *const classes[CLASSES] = {"Wake", "N1", "a b"};
static sp_model *model;

static void begin(void)
{
    const uint8_t allow[CLASSES * CLASSES] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    sp_error err;
    if (model)
        return;
    model = sp_model_new("fuzz", CLASSES, classes);
    assert(model && sp_model_set_matrix(model, allow, NULL, &err) == SP_OK);
}

static void use_info(const sp_source_info *info)
{
    assert(info->n_recordings >= 0 && info->offsets[0] == 0 &&
           info->offsets[info->n_recordings] == info->n_steps);
    for (int64_t n = 0; n < info->n_recordings; n++)
        assert(info->offsets[n + 1] >= info->offsets[n] && info->ids[n]);
}

/* All recordings at once, then each one in two pieces: the same scores. */
static void read_all(sp_source *source)
{
    const unsigned parts =
        SP_BLOCK_SCORES | SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | SP_BLOCK_WEIGHTS | SP_BLOCK_MASK;
    const sp_source_info *info = sp_source_info_of(source);
    sp_error err = {.message = ""};
    if (info->n_steps * (info->n_classes + 8) > MOST_BYTES)
        return;
    sp_block *whole = sp_block_new(), *piece = sp_block_new();
    assert(whole && piece);
    const bool is_read = sp_source_read(source, 0, info->n_recordings, parts, whole, &err) == SP_OK;
    assert(is_read || err.message[0]);
    for (int64_t n = 0; is_read && n < info->n_recordings && n < 8; n++) {
        const int64_t length = info->offsets[n + 1] - info->offsets[n], half = length / 2;
        const size_t row = (size_t)info->n_classes * (size_t)info->dtype;
        assert(sp_source_read_steps(source, n, half, length - half, parts, piece, &err) == SP_OK);
        if (whole->scores && length > half)
            assert(memcmp(piece->scores, (char *)whole->scores + (size_t)(info->offsets[n] + half) * row,
                          (size_t)(length - half) * row) == 0);
    }
    sp_block_free(whole);
    sp_block_free(piece);
}

static void try_scores(const char *name, uint8_t how)
{
    sp_source_options options = sp_source_options_default();
    options.needs_scores = (how & 2) != 0;
    options.takes_scores = true;
    options.transpose = (how & 4) != 0;
    options.gaps = how & 8 ? (how & 16 ? SP_GAPS_JOIN : SP_GAPS_BREAK) : SP_GAPS_ERROR;
    options.ignores_100 = (how & 32) != 0;
    options.with_tokens = true;
    options.model = how & 128 ? NULL : model;
    sp_source *source = NULL;
    sp_subjects *subjects = NULL;
    sp_error err = {.message = ""};
    double seconds;
    if (sp_source_open(name, &options, &source, &err) != SP_OK) {
        assert(err.message[0]);
        return;
    }
    use_info(sp_source_info_of(source));
    const sp_holes *holes = sp_source_holes(source);
    for (int64_t t = 1; holes && t < sp_source_info_of(source)->n_steps; t++)
        assert(holes->step_at[t] > holes->step_at[t - 1] && holes->step_at[t] < holes->n_steps);
    read_all(source);
    if (sp_source_subjects(source, &(sp_groups){.by = SP_GROUPS_USUAL}, &subjects, &err) == SP_OK)
        sp_subjects_free(subjects);
    (void)sp_source_epoch_seconds(source, &seconds, &err);
    sp_source_close(source);
}

static void try_paths(const char *name)
{
    sp_source_options options = sp_source_options_default();
    options.model = model;
    sp_paths_reader *reader = NULL;
    sp_error err = {.message = ""};
    if (sp_paths_reader_open(name, NULL, &options, &reader, &err) != SP_OK) {
        assert(err.message[0]);
        return;
    }
    const sp_paths_info *info = sp_paths_reader_info(reader);
    int32_t *path = info->n_steps <= MOST_BYTES ? malloc(((size_t)info->n_steps + 1) * sizeof *path) : NULL;
    for (int32_t s = 0; path && s < info->n_strategies; s++)
        assert(sp_paths_reader_read(reader, s, 0, info->n_recordings, path, NULL, &err) == SP_OK ||
               err.message[0]);
    free(path);
    sp_source_close(reader);
}

void source_use(const char *name, const uint8_t *bytes, size_t n, uint8_t how)
{
    begin();
    FILE *out = fopen(name, "wb");
    assert(out && fwrite(bytes, 1, n, out) == n && fclose(out) == 0);
    if (how & 1)
        try_paths(name);
    else
        try_scores(name, how);
    unlink(name);
}
