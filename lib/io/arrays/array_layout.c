/* Layout, lengths and names of recordings, by the reference: scores, or labels or paths where there are none. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/arrays/array_find.h"
#include "io/arrays/array_map.h"
#include "io/holes.h"

/* What other sentences call the reference: "dataset /probs", "array probs". */
static const char *reference_name(const sp_array_map *map, char text[SP_STORED_WHERE])
{
    if (map->first->name)
        snprintf(text, SP_STORED_WHERE, "%s %.300s", sp_stored_noun(&map->file), map->first->name);
    else
        snprintf(text, SP_STORED_WHERE, "the array");
    return text;
}
/* ---- the reference ---- */

/* Stored [K,T] and wanted [T,K]: the same values, the first index running fastest. */
static void turn(sp_stored *array)
{
    const int64_t steps = array->dims[1];
    array->dims[1] = array->dims[0];
    array->dims[0] = steps;
    array->is_columns = !array->is_columns;
}

static sp_status check_scores(sp_array_map *map, sp_stored *array, int rank, sp_error *err)
{
    char where[SP_STORED_WHERE], shape[SP_STORED_SHAPE];
    sp_stored_subject(&map->file, array, where);
    sp_stored_shape(array, shape);
    if (sp_stored_is_whole(array) && array->rank == 1)
        return sp_fail(err, SP_EDATA,
                       "%s holds %s %s: labels, not scores; scores are floats [steps, classes], beside which "
                       "`labels` names these",
                       where, array->type, shape);
    if (!sp_stored_is_float(array))
        return sp_fail(err, SP_EDATA,
                       "%s holds %s, but scores must be float16, float32 or float64; write it again with "
                       ".astype('float32')%s",
                       where, array->type,
                       sp_stored_is_whole(array) && array->rank == 2
                           ? ", or where it is one-hot with .argmax(1), which are labels"
                           : "");
    if (array->rank != 2 && (rank || array->rank != 3))
        return sp_fail(err, SP_EDATA,
                       "%s has shape %s, but must have [steps, classes]%s; reshape it, or name another %s",
                       where, shape, rank ? "" : " or [recordings, steps, classes]",
                       sp_stored_noun(&map->file));
    if (map->is_turned && array->rank != 2)
        return sp_fail(err, SP_EINVAL, "%s has shape %s; `transpose` is for arrays [classes, steps]%s", where,
                       shape, sp_array_swap);
    if (map->is_turned)
        turn(array);
    if (array->rank == 3 && array->is_columns)
        return sp_fail(
            err, SP_EDATA,
            "%s has three dimensions in Fortran's order; write it again with numpy.ascontiguousarray", where);
    const int64_t K = array->dims[array->rank - 1];
    const bool may_be_turned =
        !map->file.store && !map->is_turned && map->first && array->dims[0] == map->first->dims[0];
    if (K < 1 || K > INT32_MAX)
        return sp_fail(err, SP_EDATA, "%s has shape %s: its last axis, the classes, must have at least one",
                       where, shape);
    if (map->n_classes && map->n_classes != K)
        return sp_fail(err, SP_EDATA,
                       "%s has %lld classes (shape %s), but %s%s has %lld; all recordings need the same%s",
                       where, (long long)K, shape, map->file.store ? "" : "recording ",
                       map->file.store ? map->first->name : map->ids[0], (long long)map->n_classes,
                       may_be_turned ? "; where they are [classes, steps], `transpose` reads them so" : "");
    map->n_classes = K;
    return SP_OK;
}
static sp_status check_whole(const sp_array_map *map, sp_stored *array, int rank, const char *noun,
                             sp_error *err)
{
    char where[SP_STORED_WHERE], shape[SP_STORED_SHAPE];
    sp_stored_subject(&map->file, array, where);
    if (array->form != SP_STORED_NUMBERS && !sp_array_takes_words(noun))
        return sp_stored_refuse_text(&map->file, array, err);
    sp_status status = sp_array_refuse_bool(map, array, noun, err);
    if (status != SP_OK)
        return status;
    if (array->rank > 1 && sp_stored_is_float(array) && !map->file.store)
        return sp_fail(err, SP_EDATA,
                       "%s holds %s %s, scores by their shape; a %s is the number of a class, one a step",
                       where, array->type, sp_stored_shape(array, shape), noun);
    if (array->rank < 1 || array->rank > 2 || (rank && array->rank != rank))
        return sp_fail(err, SP_EDATA, "%s has shape %s, but must have %s; reshape it, or name another %s",
                       where, sp_stored_shape(array, shape),
                       rank ? "[steps]" : "[steps] or [recordings, steps]", sp_stored_noun(&map->file));
    if (array->rank == 2 && array->is_columns)
        return sp_fail(err, SP_EDATA, "%s is in Fortran's order; write it again with numpy.ascontiguousarray",
                       where);
    return SP_OK;
}

/* The same, and from here on texts are words. */
static sp_status use_whole(const sp_array_map *map, sp_stored *array, int rank, const char *noun,
                           sp_error *err)
{
    sp_status status = check_whole(map, array, rank, noun, err);
    return status != SP_OK || array->form == SP_STORED_NUMBERS ? status
                                                               : sp_stored_use_words(&map->file, array, err);
}

/* offsets [n_recordings + 1] of lengths, which `array` says. */
static sp_status lengths_to_offsets(sp_array_map *map, const sp_stored *array, const int64_t *lengths,
                                    sp_error *err)
{
    char where[SP_STORED_WHERE], other[SP_STORED_WHERE];
    const int64_t most = map->layout == SP_LAYOUT_PADDED ? map->padded_steps : map->n_steps;
    sp_stored_where(&map->file, array, where);
    for (int64_t n = 0; n < map->n_recordings; n++) {
        if (lengths[n] < 0 || lengths[n] > most)
            return sp_fail(
                err, SP_EDATA, "%s, recording %lld: length %lld, but %s has room for 0 to %lld steps%s",
                where, (long long)n, (long long)lengths[n], reference_name(map, other), (long long)most,
                lengths[n] > most && lengths[n] <= map->n_classes && map->layout == SP_LAYOUT_PADDED
                    ? sp_array_swap
                    : "");
        sp_status status = sp_steps_put(map->offsets, n, lengths[n], map->file.file, err);
        if (status != SP_OK)
            return status;
    }
    const int64_t total = map->offsets[map->n_recordings];
    if (map->layout == SP_LAYOUT_PADDED)
        map->n_steps = total;
    else if (total != map->n_steps)
        return sp_fail(err, SP_EDATA,
                       "%s adds up to %lld steps, but %s has %lld; the lengths of all recordings must add up "
                       "to its first axis",
                       sp_stored_subject(&map->file, array, where), (long long)total,
                       reference_name(map, other), (long long)map->n_steps);
    return SP_OK;
}

static sp_status check_offsets(sp_array_map *map, const sp_stored *array, sp_error *err)
{
    char where[SP_STORED_WHERE], other[SP_STORED_WHERE];
    const int64_t *o = map->offsets;
    sp_stored_subject(&map->file, array, where);
    for (int64_t n = 0; n < map->n_recordings; n++)
        if (o[n + 1] < o[n])
            return sp_fail(
                err, SP_EDATA, "%s goes down from %lld to %lld at value %lld; it must ascend from 0 to %lld",
                where, (long long)o[n], (long long)o[n + 1], (long long)n + 1, (long long)map->n_steps);
    if (o[0] != 0 || o[map->n_recordings] != map->n_steps)
        return sp_fail(err, SP_EDATA,
                       "%s goes from %lld to %lld, but %s has %lld steps; it must begin with 0 and end with "
                       "%lld (one value more "
                       "than there are recordings)",
                       where, (long long)o[0], (long long)o[map->n_recordings], reference_name(map, other),
                       (long long)map->n_steps, (long long)map->n_steps);
    return SP_OK;
}

static sp_status map_packed(sp_array_map *map, const sp_source_options *options, sp_error *err)
{
    sp_stored *offsets = NULL, *lengths = NULL;
    char where[SP_STORED_WHERE];
    int64_t *values = NULL;
    sp_status status = SP_OK;
    map->n_steps = map->first->dims[0];
    if (options->offsets && options->lengths)
        TRY(sp_fail(err, SP_EINVAL, "%s: `offsets` and `lengths` say the same thing; give one",
                    map->file.file));
    if (!options->lengths)
        TRY(sp_array_named(map, options->offsets, "offsets", "offsets", &offsets, err));
    if (!offsets)
        TRY(sp_array_named(map, options->lengths, "lengths", "lengths", &lengths, err));
    map->layout = offsets || lengths ? SP_LAYOUT_PACKED : SP_LAYOUT_SINGLE;
    if (offsets) {
        TRY(sp_stored_integers(&map->file, offsets, &map->offsets, err));
        if (offsets->count < 1)
            TRY(sp_fail(err, SP_EDATA,
                        "%s is empty, but must hold where each recording begins and the end, from 0 to %lld",
                        sp_stored_subject(&map->file, offsets, where), (long long)map->n_steps));
        map->n_recordings = offsets->count - 1;
        TRY(check_offsets(map, offsets, err));
        goto done;
    }
    map->n_recordings = lengths ? lengths->count : 1;
    if (!(map->offsets = calloc((size_t)map->n_recordings + 1, sizeof *map->offsets)))
        TRY(sp_no_memory(err));
    if (lengths) {
        TRY(sp_stored_integers(&map->file, lengths, &values, err));
        TRY(lengths_to_offsets(map, lengths, values, err));
    } else {
        map->offsets[1] = map->n_steps;
    }
done:
    free(values);
    return status;
}

/* An array that says which steps take part. */
typedef struct step_flags {
    sp_stored *array; /* NULL: there is none */
    bool is_valid;    /* it is called valid */
    bool are_words;   /* it says which word each token is of: the first tokens of words take part */
} step_flags;

/* The first that is there: valid, word_ids, attention_mask. */
static sp_status find_flags(sp_array_map *map, step_flags *out, sp_error *err)
{
    static const char *const names[] = {"valid", "word_ids", "attention_mask"};
    sp_status status = SP_OK;
    *out = (step_flags){.array = NULL};
    for (int i = 0; i < 3 && !out->array; i++) {
        TRY(sp_array_named(map, NULL, names[i], "", &out->array, err));
        out->is_valid = out->array && i == 0;
        out->are_words = out->array && i == 1;
    }
done:
    return status;
}

/* Flags of the first tokens of words, of values [n] from step `first` on; rows of T steps, or those of packed recordings. *before: the
 * word before. Returns the index of a word that goes back; -1: none. */
static int64_t flag_words(const sp_array_map *map, int64_t first, int64_t n, const int64_t *values,
                          int64_t *before, uint8_t *flags)
{
    const bool is_padded = map->layout == SP_LAYOUT_PADDED;
    int64_t greatest = -1, recording = 0;
    for (int64_t i = 0; i < n; i++) {
        while (!is_padded && map->offsets[recording + 1] <= first + i)
            recording++;
        const bool is_first =
            is_padded ? (first + i) % map->padded_steps == 0 : map->offsets[recording] == first + i;
        greatest = is_first ? -1 : greatest;
        *before = greatest;
        if (values[i] >= 0 && values[i] < greatest)
            return i;
        flags[i] = values[i] > greatest; /* a word has one first token, even where others stand inside it */
        greatest = values[i] > greatest ? values[i] : greatest;
    }
    return -1;
}

/* Steps that take part: [N,T], and of packed steps [S], flags that are not 0. */
static sp_status read_flags(sp_array_map *map, const step_flags *from, uint8_t *flags, sp_error *err)
{
    sp_stored *array = from->array;
    const bool are_words = from->are_words;
    enum { AT_ONCE = 1 << 20 };
    char where[SP_STORED_WHERE], shape[SP_STORED_SHAPE], other[SP_STORED_SHAPE], reference[SP_STORED_WHERE],
        row[40] = "";
    const bool is_padded = map->layout == SP_LAYOUT_PADDED;
    const int64_t N = is_padded ? map->n_recordings : 1, T = is_padded ? map->padded_steps : map->n_steps;
    const int64_t rows = T < AT_ONCE ? AT_ONCE / (T + 1) + 1 : 1;
    int64_t *values = malloc(((size_t)((rows < N ? rows : N) * T) + 1) * sizeof *values);
    sp_status status = SP_OK;
    if (!values)
        TRY(sp_no_memory(err));
    TRY(check_whole(map, array, 0, are_words ? "word" : "value of valid", err));
    if (array->rank != 1 + is_padded || array->dims[0] != (is_padded ? N : T) ||
        (is_padded && array->dims[1] != T))
        TRY(sp_fail(err, SP_EDATA, "%s has shape %s, but %s has %s; it must be one flag per %sstep",
                    sp_stored_subject(&map->file, array, where), sp_stored_shape(array, shape),
                    reference_name(map, reference), sp_stored_shape(map->first, other),
                    is_padded ? "recording and " : ""));
    for (int64_t n = 0; n < N; n += rows) {
        const int64_t count = (n + rows < N ? rows : N - n) * T;
        int64_t bad_at = -1;
        double bad = 0;
        TRY(sp_stored_read(&map->file, array, n * T, count, SP_TO_I64, 0, values, &bad_at, &bad, err));
        int64_t before = 0;
        const bool is_read = bad_at < 0;
        if (are_words && is_read)
            bad_at = flag_words(map, n * T, count, values, &before, flags + n * T);
        for (int64_t i = 0; !are_words && bad_at < 0 && i < count; i++) {
            flags[n * T + i] = values[i] != 0;
            if (values[i] != 0 && values[i] != 1) {
                bad_at = i;
                bad = (double)values[i];
            }
        }
        if (bad_at < 0)
            continue;
        if (is_padded)
            snprintf(row, sizeof row, "recording %lld, ", (long long)n + bad_at / T);
        if (are_words && is_read)
            TRY(sp_fail_at(err, SP_EDATA, bad_at % T,
                           "%s, %sstep %lld: word %lld after word %lld; word ids do not go back",
                           sp_stored_where(&map->file, array, where), row, (long long)(bad_at % T),
                           (long long)values[bad_at], (long long)before));
        TRY(sp_fail_at(err, SP_EDATA, bad_at % T, "%s, %sstep %lld: %g is neither 0 nor 1",
                       sp_stored_where(&map->file, array, where), row, (long long)(bad_at % T), bad));
    }
done:
    free(values);
    return status;
}

/* No step takes part that the lengths say is none. */
static sp_status check_lengths(const sp_array_map *map, const sp_stored *array, const uint8_t *flags,
                               const int64_t *lengths, sp_error *err)
{
    char where[SP_STORED_WHERE];
    for (int64_t n = 0; n < map->n_recordings; n++)
        for (int64_t t = lengths[n] > 0 ? lengths[n] : 0; t < map->padded_steps; t++)
            if (flags[n * map->padded_steps + t])
                return sp_fail_at(err, SP_EDATA, t,
                                  "%s, recording %lld: step %lld takes part, but the lengths say that it has "
                                  "%lld steps; leave one of "
                                  "both out",
                                  sp_stored_where(&map->file, array, where), (long long)n, (long long)t,
                                  (long long)lengths[n]);
    return SP_OK;
}

/* Of padded recordings their lengths, and where they have holes map->kept. What is read for other than scores keeps the width of
 * its rows, so that recordings of another file can be matched. are_known: lengths are there, which the flags must not exceed. */
static sp_status find_kept(sp_array_map *map, const step_flags *from, bool are_known, bool cuts,
                           int64_t *lengths, sp_error *err)
{
    const int64_t N = map->n_recordings, T = map->padded_steps;
    uint8_t *flags = malloc((size_t)(N * T) + 1);
    if (!flags)
        return sp_no_memory(err);
    map->kept_name = from->array->name;
    sp_status status = read_flags(map, from, flags, err);
    if (status == SP_OK && are_known)
        status = check_lengths(map, from->array, flags, lengths, err);
    if (status == SP_OK && cuts)
        status = sp_holes_lengths(N, T, flags, lengths, &map->kept, err);
    if (status != SP_OK || cuts)
        free(flags);
    else
        map->kept = flags;
    return status;
}

/* Of packed recordings map->kept, where an array says which steps take part. */
static sp_status find_packed_kept(sp_array_map *map, sp_error *err)
{
    step_flags from = {.array = NULL};
    sp_status status = SP_OK;
    if (map->file.store || map->file.by_name)
        TRY(find_flags(map, &from, err));
    if (!from.array)
        goto done;
    map->kept_name = from.array->name;
    if (!(map->kept = malloc((size_t)map->n_steps + 1)))
        TRY(sp_no_memory(err));
    TRY(read_flags(map, &from, map->kept, err));
done:
    return status;
}

/* Words in rows: what is empty at the end of one is padding; before it nothing says what it is. */
static sp_status lengths_of_words(const sp_array_map *map, int64_t *lengths, sp_error *err)
{
    const sp_stored *array = map->first;
    const int64_t T = map->padded_steps;
    char where[SP_STORED_WHERE];
    for (int64_t n = 0; n < map->n_recordings; n++) {
        const int32_t *word = (const int32_t *)(const void *)array->bytes + n * T;
        while (lengths[n] > 0 && !*array->words->words[word[lengths[n] - 1]])
            lengths[n]--;
        for (int64_t t = 0; t < lengths[n]; t++)
            if (!*array->words->words[word[t]])
                return sp_fail_at(
                    err, SP_EDATA, t,
                    "%s, recording %lld: step %lld is empty, and a later one is not; write a flag for each "
                    "step "
                    "beside it, valid, which says what takes part, or lengths where such steps have no label",
                    sp_stored_where(&map->file, array, where), (long long)n, (long long)t);
    }
    return SP_OK;
}

static sp_status map_padded(sp_array_map *map, const sp_source_options *options, sp_error *err)
{
    char where[SP_STORED_WHERE], shape[SP_STORED_SHAPE], other[SP_STORED_WHERE];
    sp_stored *lengths = NULL;
    step_flags from;
    const sp_stored *array = map->first;
    int64_t *values = NULL;
    sp_status status = SP_OK;
    map->layout = SP_LAYOUT_PADDED;
    map->n_recordings = array->dims[0];
    map->padded_steps = array->dims[1];
    sp_stored_subject(&map->file, array, where);
    sp_stored_shape(array, shape);
    if (options->offsets)
        TRY(sp_fail(err, SP_EINVAL,
                    "%s has shape %s, one row a recording; offsets do not apply, use `lengths`", where,
                    shape));
    TRY(sp_array_named(map, options->lengths, "lengths", "lengths", &lengths, err));
    TRY(find_flags(map, &from, err));
    map->ignores_100 = options->ignores_100 || (!lengths && !from.is_valid);
    map->is_unsized = !lengths && !from.array && !array->words;
    if (!lengths && !from.array && map->padded_steps == 0 && map->n_recordings > 0)
        TRY(sp_fail(err, SP_EDATA, "%s has shape %s: %lld recordings without a step", where, shape,
                    (long long)map->n_recordings));
    if (!(map->offsets = calloc((size_t)map->n_recordings + 1, sizeof *map->offsets)))
        TRY(sp_no_memory(err));
    if (lengths) {
        TRY(sp_stored_integers(&map->file, lengths, &values, err));
        if (lengths->count != map->n_recordings)
            TRY(sp_fail(err, SP_EDATA, "%s has %lld lengths, but %s has shape %s, so %lld recordings",
                        sp_stored_subject(&map->file, lengths, where), (long long)lengths->count,
                        reference_name(map, other), shape, (long long)map->n_recordings));
    } else {
        if (!(values = malloc(((size_t)map->n_recordings + 1) * sizeof *values)))
            TRY(sp_no_memory(err));
        for (int64_t n = 0; n < map->n_recordings; n++)
            values[n] = map->padded_steps;
    }
    if (from.array)
        TRY(find_kept(map, &from, lengths != NULL, options->needs_scores, values, err));
    else if (!lengths && array->words)
        TRY(lengths_of_words(map, values, err));
    TRY(lengths_to_offsets(map, lengths ? lengths : from.array ? from.array : array, values, err));
done:
    free(values);
    return status;
}

static sp_status find_names(sp_array_map *map, const sp_source_options *options, sp_error *err)
{
    char where[SP_STORED_WHERE], other[SP_STORED_WHERE];
    sp_stored *ids = NULL;
    int64_t a = 0, b = 0;
    sp_status status = SP_OK;
    TRY(sp_array_named(map, options->ids, "ids", "ids", &ids, err));
    if (!ids && map->layout == SP_LAYOUT_SINGLE) {
        char *name = sp_file_stem(map->file.file);
        map->ids = name ? sp_texts_copy((const char *const *)&name, 1) : NULL;
        free(name);
    } else if (!ids) {
        map->ids = sp_texts_of_numbers(NULL, map->n_recordings);
    } else {
        TRY(sp_stored_texts(&map->file, ids, &map->ids, err));
        ids->is_used = true;
    }
    if (!map->ids)
        TRY(sp_no_memory(err));
    map->has_ids = ids != NULL;
    if (!ids)
        goto done;
    if (ids->count != map->n_recordings)
        TRY(sp_fail(err, SP_EDATA, "%s has %lld ids, but %s has %lld recordings",
                    sp_stored_subject(&map->file, ids, where), (long long)ids->count,
                    reference_name(map, other), (long long)map->n_recordings));
    if (sp_texts_duplicate((const char *const *)map->ids, ids->count, &a, &b))
        TRY(sp_fail(err, SP_EDATA, "%s: recordings %lld and %lld are both called '%s'; give each its own id",
                    sp_stored_where(&map->file, ids, where), (long long)a, (long long)b, map->ids[a]));
    if (a == -2)
        TRY(sp_no_memory(err));
done:
    return status;
}

/* ---- several arrays ---- */

/* Looks at the array of the last recording that was found, in groups. */
typedef struct looking {
    sp_array_map *map;
    const sp_array_part *part;
} looking;

static sp_status look_at_recording(void *arg, sp_stored *array, sp_error *err)
{
    const looking *l = arg;
    sp_array_map *map = l->map;
    const int64_t n = map->n_recordings;
    sp_status status = l->part->has_classes ? check_scores(map, array, 2, err)
                                            : check_whole(map, array, 1, l->part->noun, err);
    if (status != SP_OK)
        return status;
    if (n == 0) {
        map->first_taken =
            (sp_stored){.name = strdup(array->name), .form = array->form, .element = array->element};
        map->first_taken.size = array->size;
        map->first_taken.rank = array->rank;
        memcpy(map->first_taken.dims, array->dims, sizeof array->dims);
        memcpy(map->first_taken.type, array->type, sizeof array->type);
        map->first = &map->first_taken;
        if (!map->first_taken.name)
            return sp_no_memory(err);
    }
    map->is_wide |= array->size == 8;
    map->is_mixed |= strcmp(array->type, map->first->type) != 0;
    if ((n & (n - 1)) == 0) {
        int64_t *grown = realloc(map->offsets, (2 * (size_t)n + 2) * sizeof *grown);
        if (!grown)
            return sp_no_memory(err);
        map->offsets = grown;
        grown[0] = 0;
    }
    return sp_steps_put(map->offsets, n, array->dims[0], map->file.file, err);
}

/* Recordings of one array each. */
static sp_status map_groups(sp_array_map *map, sp_array_part *part, const sp_source_options *options,
                            sp_error *err)
{
    looking l = {.map = map, .part = part};
    char mend[SP_ARRAY_MEND], list[700];
    sp_status status = SP_OK;
    map->has_ids = true;
    if (map->file.store && (options->offsets || options->lengths || options->ids))
        TRY(sp_fail(err, SP_EINVAL,
                    "%s: %s has one dataset a recording ({id}); `offsets`, `lengths` and `ids` do not apply",
                    map->file.file, part->path));
    if (map->file.store) {
        sp_array_mend(part == &map->scores ? "scores" : part == &map->labels ? "labels" : "paths", mend);
        TRY(map->file.store->each(&map->file, part->path, mend, &map->ids, &map->n_recordings,
                                  look_at_recording, &l, err));
        part->is_taken = true;
        if (sp_array_takes_words(part->noun))
            TRY(sp_array_use_words(map, part, err));
        goto done;
    }
    TRY(sp_array_find_ids(map, part->path, err));
    TRY(sp_array_find_each(map, part, err));
    const int64_t N = map->n_recordings;
    if (N == 0) {
        sp_array_list(map, list, sizeof list);
        TRY(sp_fail(err, SP_EFILE, "%s: no array is called %s; it holds %s", map->file.file, part->path,
                    list));
    }
    for (map->n_recordings = 0; map->n_recordings < N; map->n_recordings++) {
        TRY(look_at_recording(&l, part->each[map->n_recordings], err));
        if (!part->has_classes)
            TRY(use_whole(map, part->each[map->n_recordings], 1, part->noun, err));
    }
done:
    return status;
}

/* Has the group an array of one of these names? *failed: no memory. */
static bool has_array(sp_array_map *map, const char *group, const char *const names[], bool *failed)
{
    bool is_there = false;
    for (int i = 0; names[i] && !is_there && !*failed; i++) {
        char *path = sp_array_join(group, names[i]);
        *failed = !path;
        is_there = path && sp_stored_what_is(&map->file, path) != SP_STORED_ABSENT;
        free(path);
    }
    return is_there;
}

/* The nearest group, from `group` upwards, that has an array of one of these names; NULL: none. */
static char *nearest_with(sp_array_map *map, const char *group, const char *const names[], bool *failed)
{
    char *at = strdup(group);
    while (at && !has_array(map, at, names, failed)) {
        char *above = strcmp(at, "/") == 0 || *failed ? NULL : sp_array_group(at);
        *failed |= !above && strcmp(at, "/") != 0;
        free(at);
        at = above;
        if (!above)
            return NULL;
    }
    *failed |= !at;
    return at;
}

/* The group whose arrays stand beside the reference: its own, or, of paths in a store, the nearest that
 * says where recordings begin, or else that has something beside them. */
static sp_status find_base(sp_array_map *map, const char *path, bool are_paths, sp_error *err)
{
    static const char *const begins[] = {"offsets", "lengths", NULL}, *const beside[] = {"labels", "segments",
                                                                                         "ids", NULL};
    char *own = sp_array_group(path);
    bool failed = !own;
    if (own && are_paths)
        map->base = nearest_with(map, own, begins, &failed);
    if (own && are_paths && !map->base && !failed)
        map->base = nearest_with(map, own, beside, &failed);
    if (map->base)
        free(own);
    else
        map->base = own;
    return failed ? sp_no_memory(err) : SP_OK;
}

/* The group of the recordings' arrays: "/recordings" of "/recordings/{id}/probs". */
static sp_status find_group(sp_array_map *map, const char *pattern, sp_error *err)
{
    char *until = strndup(pattern, (size_t)(strstr(pattern, SP_ARRAY_HOLE) - pattern));
    map->base = until ? sp_array_group(until) : NULL;
    free(until);
    return map->base ? SP_OK : sp_no_memory(err);
}

/* Layout, lengths and names by the reference: one array, or those of its pattern. */
sp_status sp_array_map_recordings(sp_array_map *map, sp_array_part *part, const sp_source_options *options,
                                  sp_error *err)
{
    const bool is_one = part->one != NULL;
    sp_status status = SP_OK;
    map->reference = part->path;
    if (map->file.store)
        TRY(is_one ? find_base(map, part->one->name, part == map->paths, err)
                   : find_group(map, part->path, err));
    if (!is_one) {
        map->layout = SP_LAYOUT_GROUPS;
        TRY(map_groups(map, part, options, err));
        map->n_steps = map->offsets[map->n_recordings];
        goto done;
    }
    map->first = part->one;
    TRY(part->has_classes ? check_scores(map, part->one, 0, err)
                          : check_whole(map, part->one, 0, part->noun, err));
    if (map->file.store)
        TRY(map->file.store->describe(&map->file, part->one, err));
    if (part->one->form != SP_STORED_NUMBERS)
        TRY(sp_stored_use_words(&map->file, part->one, err));
    map->is_wide = part->one->size == 8;
    TRY(part->one->rank == 2 + part->has_classes ? map_padded(map, options, err)
                                                 : map_packed(map, options, err));
    if (map->layout != SP_LAYOUT_PADDED)
        TRY(find_packed_kept(map, err));
    TRY(find_names(map, options, err));
done:
    return status;
}
