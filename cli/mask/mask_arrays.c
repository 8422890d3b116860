#include "mask/mask_arrays.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values of one result: 2 GB of float64. */
#define MOST_VALUES (INT64_C(1) << 28)

/* ---- what is read ---- */

bool word_is_list(const char *word)
{
    return *word && word[strspn(word, "0123456789,")] == 0;
}

sp_status lengths_parse(const char *word, sp_array *out, sp_error *err)
{
    int64_t n = 1;
    for (const char *c = word; *c; c++)
        n += *c == ',';
    int64_t *lengths = malloc((size_t)n * sizeof *lengths);
    if (!lengths)
        return sp_no_memory(err);
    *out = (sp_array){.rank = 1, .dims = {n}, .count = n, .data = lengths};
    const char *at = word;
    for (int64_t i = 0; i < n; i++) {
        char *end;
        errno = 0;
        const long long value = strtoll(at, &end, 10);
        if (end == at || errno || *end != (i + 1 < n ? ',' : 0))
            return sp_fail(err, SP_EINVAL,
                           "lengths \"%s\": number %lld is missing or too large; write them as 3,5,4", word,
                           (long long)i + 1);
        lengths[i] = value;
        at = end + 1;
    }
    return SP_OK;
}

sp_status array_read(const char *file, const char *path, sp_array_type type, const options *o,
                     const char *mend, sp_array *out, sp_error *err)
{
    const sp_file_access how = sp_run_access(&o->run);
    return sp_array_read(file, path, type, &how, mend, out, err);
}

sp_status array_read_optional(const char *file, const char *given, const char *usual, sp_array_type type,
                              const options *o, sp_array *out, sp_error *err)
{
    const sp_file_access how = sp_run_access(&o->run);
    bool exists = given != NULL;
    sp_status status = given ? SP_OK : sp_array_exists(file, usual, &how, &exists, err);
    return status == SP_OK && exists
               ? array_read(file, given ? given : usual, type, o, "name another dataset", out, err)
               : status;
}

char *shape_text(const sp_array *a, char text[100])
{
    size_t used = (size_t)snprintf(text, 100, "[");
    for (int d = 0; d < a->rank && used < 100; d++)
        used += (size_t)snprintf(text + used, 100 - used, d ? ", %lld" : "%lld", (long long)a->dims[d]);
    if (used < 100)
        snprintf(text + used, 100 - used, "]");
    return text;
}

sp_status shape_wrong(const char *file, const char *path, const sp_array *a, const char *wanted,
                      sp_error *err)
{
    char shape[100];
    return sp_fail(err, SP_EDATA, "%s: dataset %s has shape %s, but must have shape %s", file, path,
                   shape_text(a, shape), wanted);
}

const char *or_usual(const char *given, const char *usual)
{
    return given ? given : usual;
}

sp_status lengths_check(const char *file, const options *o, const sp_array *lengths, sp_error *err)
{
    return lengths->rank == 1
               ? SP_OK
               : shape_wrong(file, or_usual(o->run.place.lengths, "/lengths"), lengths, "[N]", err);
}

sp_status lengths_read(const char *word, const options *o, sp_array *out, sp_error *err)
{
    if (word_is_list(word))
        return lengths_parse(word, out, err);
    sp_status status = array_read(word, or_usual(o->run.place.lengths, "/lengths"), SP_ARRAY_I64, o,
                                  "name the dataset of the sequences' lengths with `lengths`", out, err);
    return status == SP_OK ? lengths_check(word, o, out, err) : status;
}

int64_t steps_of(const options *o, const sp_array *lengths)
{
    int64_t most = o->most_steps;
    for (int64_t i = 0; !o->most_steps && i < lengths->count; i++)
        most = ((const int64_t *)lengths->data)[i] > most ? ((const int64_t *)lengths->data)[i] : most;
    return most;
}

sp_status size_check(int64_t a, int64_t b, int64_t c, sp_error *err)
{
    int64_t count;
    if (a >= 0 && b >= 0 && c >= 0 && !__builtin_mul_overflow(a, b, &count) &&
        !__builtin_mul_overflow(count, c, &count) && count <= MOST_VALUES)
        return SP_OK;
    return sp_fail(err, SP_EDATA,
                   "%lld times %lld times %lld values are more than the %lld that are made at once; take "
                   "fewer sequences or shorter ones",
                   (long long)a, (long long)b, (long long)c, (long long)MOST_VALUES);
}

void *room(int64_t count, size_t size)
{
    return malloc(((size_t)count + 1) * size);
}

double *as_numbers(const uint8_t *mask, int64_t count)
{
    double *out = room(count, sizeof *out);
    for (int64_t i = 0; out && i < count; i++)
        out[i] = mask[i];
    return out;
}

/* ---- what is written ---- */

sp_status tensors_write(const options *o, const sp_tensor *tensors, int32_t n, sp_error *err)
{
    const sp_tensor_text texts[] = {{"statepath_version", sp_version()}, {"command", o->run.command}};
    const sp_tensors all = {
        .n_tensors = n, .tensors = tensors, .n_texts = o->run.command ? 2 : 1, .texts = texts};
    sp_status status = sp_tensors_save(&all, o->run.output, o->run.force, err);
    if (status == SP_OK && !o->quiet)
        tell("wrote %s", o->run.output);
    return status;
}

void table_rows(mask_table *t, cell_form form, const char *what, const double *x, int64_t n, int64_t width)
{
    table_word(t, what);
    table_end(t);
    t->n_rows = 0;
    for (int64_t i = 0; i < n; i++) {
        char number[24];
        if (!table_has_room(t)) {
            t->n_rows = n;
            break;
        }
        snprintf(number, sizeof number, "%lld", (long long)i);
        table_word(t, number);
        fputc(' ', t->to);
        table_cells(t, form, x + i * width, width);
        table_end(t);
    }
    table_rest(t);
}
