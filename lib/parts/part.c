/* What a part holds. Its header is a JSON object:
 *
 *   statepath   version of the library
 *   kind        "compare" (decoded), "evaluate" (paths that were there), "decode" (no figures are made of them)
 *   strategies, model (its JSON as text), n_classes, classes (of the columns; null: not named)
 *   options     part_options.c
 *   has         what was there: labels, segments, nll (likelihood), reliability, path_scores, simulated, length_trim,
 *               steps; calibrations: how many
 *   seconds     length of a step as the files say it, 0: they do not
 *   raters      names of several raters
 *   subjects_place, labels_file, path_codes, label_codes   texts, or null
 *   files       what was asked for, word by word; about: what the files are called together; n_files as sp_source_info has it
 *   command     text, before, after (sp_run_options); read: the model, maps and rules as they were named, which may be files
 *   inputs      of each file name, bytes, modified, checksum, recordings, steps
 *   shard       [i, n]
 *   folds       with cv: by its number the model of each fold of the shard, its JSON as text
 *
 * Equal headers are of equal runs: a part whose header is that of the run is not counted again. */
#include "parts/part.h"

#include <stdlib.h>
#include <string.h>

void sp_part_content_clear(sp_part_content *part)
{
    free(part->name);
    json_decref(part->header);
    sp_counted_free(&part->counted);
    sp_count_list_free(&part->run);
    sp_count_list_free(&part->origins);
    sp_count_list_free(&part->folds);
    sp_count_list_free(&part->holes);
    free(part->ids);
    free(part->subjects);
    *part = (sp_part_content){.name = NULL};
}

/* ---- its lists, its header as text ---- */

sp_count_list *sp_part_list(sp_part_content *part, int i)
{
    sp_count_list *const others[] = {&part->run, &part->origins, &part->holes, &part->folds};
    return i < SP_N_COUNTED ? &part->counted.lists[i] : others[i - SP_N_COUNTED];
}

int64_t sp_part_steps(const sp_part_content *part, int64_t r)
{
    const sp_count_list *rows = &part->counted.lists[SP_COUNTED_ROWS];
    const int64_t width = rows->n / part->counted.n_recordings;
    const int64_t steps = width > 0 ? sp_count_at(rows, r * width) : -1;
    return steps <= SP_MOST_COUNTED ? steps : -1;
}

char *sp_part_header_write(const sp_part_content *part)
{
    return json_dumps(part->header, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17));
}

/* What a header holds. */
typedef enum value_kind { WHOLE, REAL, WORD, WORD_OR_NONE, WORDS, WORDS_OR_NONE, THINGS, THING } value_kind;
static const struct {
    const char *key;
    value_kind kind;
} members[] = {{"kind", WORD},
               {"strategies", WORDS},
               {"model", WORD},
               {"n_classes", WHOLE},
               {"classes", WORDS_OR_NONE},
               {"options", THING},
               {"has", THING},
               {"seconds", REAL},
               {"raters", WORDS},
               {"subjects_place", WORD_OR_NONE},
               {"labels_file", WORD_OR_NONE},
               {"path_codes", WORD_OR_NONE},
               {"label_codes", WORD_OR_NONE},
               {"files", WORDS},
               {"about", WORD},
               {"n_files", WHOLE},
               {"command", THING},
               {"inputs", THINGS}};

static bool are_all(const json_t *list, json_type type)
{
    bool is_right = json_is_array(list);
    for (size_t i = 0; is_right && i < json_array_size(list); i++)
        is_right = json_typeof(json_array_get(list, i)) == type;
    return is_right;
}

static bool is_right(const json_t *value, value_kind kind)
{
    switch (kind) {
    case WHOLE:
        return json_is_integer(value) && json_integer_value(value) >= 0 &&
               json_integer_value(value) <= SP_MOST_COUNTED;
    case REAL:
        return json_is_number(value) && json_number_value(value) >= 0;
    case WORD:
        return json_is_string(value);
    case WORD_OR_NONE:
        return json_is_string(value) || json_is_null(value);
    case WORDS:
        return are_all(value, JSON_STRING);
    case WORDS_OR_NONE:
        return json_is_null(value) || are_all(value, JSON_STRING);
    case THINGS:
        return are_all(value, JSON_OBJECT);
    case THING:
        return json_is_object(value);
    }
    return false;
}

/* The first member that is not as it should be; NULL: none. */
static const char *wrong_member(const json_t *header)
{
    const json_t *classes = json_object_get(header, "classes");
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (!is_right(json_object_get(header, members[i].key), members[i].kind))
            return members[i].key;
    const json_int_t n = json_integer_value(json_object_get(header, "n_classes"));
    if (n < 1 || n > INT32_MAX || (json_is_array(classes) && (json_int_t)json_array_size(classes) != n))
        return "classes";
    return NULL;
}

sp_status sp_part_header_read(const char *text, sp_part_content *part, sp_error *err)
{
    part->header = json_loads(text, 0, NULL);
    if (!json_is_object(part->header))
        return sp_fail(err, SP_EDATA, "%s: its header is no JSON object; it is damaged: make it again",
                       part->name);
    const char *version = json_string_value(json_object_get(part->header, "statepath"));
    if (!version || strcmp(version, sp_version()) != 0)
        return sp_fail(err, SP_EDATA,
                       "%s: was made by statepath %s, and this is %s; make all parts with one version",
                       part->name, version ? version : "?", sp_version());
    const char *wrong = wrong_member(part->header);
    return wrong ? sp_fail(err, SP_EDATA,
                           "%s: its header says nothing right of \"%s\"; it is damaged: make it again",
                           part->name, wrong)
                 : SP_OK;
}

uint64_t sp_checksum(uint64_t sum, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < n; i++)
        sum = (sum ^ at[i]) * UINT64_C(1099511628211);
    return sum;
}

sp_status sp_part_check_lists(sp_part_content *part, int64_t n_ids, int64_t n_subjects, sp_error *err)
{
    const int64_t N = part->counted.n_recordings = part->origins.n / 2;
    const bool has_subjects = json_is_string(json_object_get(part->header, "subjects_place"));
    const bool has_folds = json_is_object(json_object_get(part->header, "folds"));
    return part->origins.n == 2 * N && n_ids == N && n_subjects == (has_subjects ? N : 0) &&
                   part->folds.n == (has_folds ? N : 0)
               ? SP_OK
               : sp_fail(err, SP_EDATA,
                         "%s: its lists are not those of so many recordings; it is damaged: make it again",
                         part->name);
}
