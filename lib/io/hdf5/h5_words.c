/* Labels, raters and paths that are words: read whole when they are opened, in each layout. */
#include <stdio.h>
#include <stdlib.h>

#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_map.h"

/* *is_text: is a dataset of texts there? Then its shape is looked at. */
static sp_status look(const sp_h5_map *map, const sp_h5_part *part, const char *path, int64_t n_steps, bool *is_text,
                      sp_error *err)
{
    const hid_t object = H5Dopen2(map->file, path, H5P_DEFAULT);
    sp_h5_data data = {0};
    *is_text = object >= 0 && sp_h5_is_text(object);
    if (!*is_text) {
        if (object >= 0)
            H5Dclose(object);
        return SP_OK;
    }
    sp_status status = sp_h5_data_adopt_texts(object, map->file_name, path, &data, err);
    if (status == SP_OK)
        status = sp_h5_part_check(map, part, &data, path, n_steps, err);
    sp_h5_data_close(&data);
    return status;
}

/* Numbers the words of all steps; NULL: there is none. */
static sp_status number_words(const sp_h5_map *map, sp_h5_part *part, char *const *at, sp_error *err)
{
    char where[512];
    snprintf(where, sizeof where, "%s: dataset %s", map->file_name, part->path);
    const int64_t S = map->n_steps;
    char **texts = malloc(((size_t)S + 1) * sizeof *texts);
    int32_t *numbers = malloc(((size_t)S + 1) * sizeof *numbers);
    part->word_at = malloc(((size_t)S + 1) * sizeof *part->word_at);
    int64_t n = 0;
    for (int64_t t = 0; texts && t < S; t++)
        if (at[t])
            texts[n++] = at[t];
    sp_status status =
        texts && numbers && part->word_at ? sp_label_words_new(texts, n, where, numbers, &part->words, err) : sp_no_memory(err);
    for (int64_t t = 0, i = 0; status == SP_OK && t < S; t++)
        part->word_at[t] = at[t] ? numbers[i++] : -1;
    free(numbers);
    free(texts);
    return status;
}

/* ---- one dataset ---- */

static sp_status read_one(const sp_h5_map *map, sp_h5_part *part, sp_error *err)
{
    sp_texts texts = NULL;
    int64_t n = 0;
    sp_status status = sp_h5_texts_table(map->file, map->file_name, part->path, &texts, &n, err);
    if (status != SP_OK || map->layout != SP_LAYOUT_PADDED) {
        if (status == SP_OK)
            status = number_words(map, part, texts, err);
        free(texts);
        return status;
    }
    char **at = malloc(((size_t)map->n_steps + 1) * sizeof *at);
    for (int64_t r = 0, t = 0; at && r < map->n_recordings; r++)
        for (int64_t i = 0; i < map->offsets[r + 1] - map->offsets[r]; i++)
            at[t++] = texts[r * map->padded_steps + i];
    status = at ? number_words(map, part, at, err) : sp_no_memory(err);
    free(at);
    free(texts);
    return status;
}

sp_status sp_h5_words_lengths(const sp_h5_map *map, int64_t *lengths, sp_error *err)
{
    sp_texts texts = NULL;
    int64_t n = 0;
    const int64_t T = map->padded_steps;
    sp_status status = sp_h5_texts_table(map->file, map->file_name, map->path, &texts, &n, err);
    for (int64_t r = 0; status == SP_OK && r < map->n_recordings; r++)
        for (lengths[r] = T; lengths[r] > 0 && !*texts[r * T + lengths[r] - 1];)
            lengths[r]--;
    free(texts);
    return status;
}

/* ---- one dataset a recording ---- */

/* The texts of recording n, which are the caller's to free. first: the first recording that has labels; its are words. */
static sp_status read_recording(const sp_h5_map *map, const sp_h5_part *part, int64_t n, int64_t first, sp_texts *out,
                                sp_error *err)
{
    int64_t count = 0;
    bool is_text = false;
    char *path = sp_h5_map_path(map, part->path, n);
    sp_status status = path ? look(map, part, path, map->offsets[n + 1] - map->offsets[n], &is_text, err) : sp_no_memory(err);
    if (status == SP_OK && !is_text)
        status =
            sp_fail(err, SP_EDATA,
                    "%s: dataset %s holds no text, but recording %s has labels that are words; write all as words, or all as "
                    "numbers",
                    map->file_name, path, map->ids[first]);
    if (status == SP_OK)
        status = sp_h5_texts_table(map->file, map->file_name, path, out, &count, err);
    free(path);
    return status;
}

static bool is_absent(const sp_h5_part *part, int64_t n)
{
    return part->absent && part->absent[n];
}

static sp_status read_each(const sp_h5_map *map, sp_h5_part *part, int64_t first, sp_error *err)
{
    const int64_t N = map->n_recordings;
    sp_texts *texts = calloc((size_t)N + 1, sizeof *texts);
    char **at = calloc((size_t)map->n_steps + 1, sizeof *at);
    sp_status status = texts && at ? SP_OK : sp_no_memory(err);
    for (int64_t n = first; status == SP_OK && n < N; n++) {
        if (is_absent(part, n))
            continue;
        status = read_recording(map, part, n, first, &texts[n], err);
        for (int64_t t = map->offsets[n]; status == SP_OK && t < map->offsets[n + 1]; t++)
            at[t] = texts[n][t - map->offsets[n]];
    }
    if (status == SP_OK)
        status = number_words(map, part, at, err);
    for (int64_t n = 0; texts && n < N; n++)
        free(texts[n]);
    free(texts);
    free(at);
    return status;
}

sp_status sp_h5_part_words(const sp_h5_map *map, sp_h5_part *part, sp_error *err)
{
    const bool is_each = map->layout == SP_LAYOUT_GROUPS;
    bool is_text = false;
    int64_t first = 0;
    while (is_each && first < map->n_recordings && is_absent(part, first))
        first++;
    if (is_each && first == map->n_recordings)
        return SP_OK;
    char *path = sp_h5_map_path(map, part->path, first);
    const int64_t n_steps = is_each ? map->offsets[first + 1] - map->offsets[first] : map->n_steps;
    sp_status status = path ? look(map, part, path, n_steps, &is_text, err) : sp_no_memory(err);
    free(path);
    if (status != SP_OK || !is_text)
        return status;
    return is_each ? read_each(map, part, first, err) : read_one(map, part, err);
}
