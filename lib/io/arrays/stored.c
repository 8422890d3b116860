#include "io/arrays/stored.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/names.h"

/* ---- files ---- */

int sp_stored_open(const char *file, int64_t *size, sp_error *err)
{
    struct stat info;
    const int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) != 0) {
        (void)sp_fail(err, SP_EFILE, "%s: cannot be opened: %s", file, strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    *size = (int64_t)info.st_size;
    return fd;
}

void sp_stored_close(sp_stored_file *f)
{
    if (f->fd >= 0)
        close(f->fd);
    if (f->store && f->own)
        f->store->close(f);
    for (int64_t i = 0; i < f->n; i++) {
        free(f->arrays[i].name);
        free(f->arrays[i].bytes);
        sp_label_words_free(f->arrays[i].words);
    }
    free(f->arrays);
    free(f->by_name);
    free(f->passed_over);
    free(f->classes);
}

/* ---- names ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(sp_stored *const *)a)->name, (*(sp_stored *const *)b)->name);
}

/* A name without the root before it: HDF5's "/probs" is "probs". */
static const char *without_root(const char *name)
{
    return name + strspn(name, "/");
}

char *sp_stored_path(const char *name)
{
    char *path = malloc(strlen(name) + 2), *to = path;
    for (name = without_root(name); path && *name; name = without_root(name)) {
        const size_t n = strcspn(name, "/");
        *to++ = '/';
        memcpy(to, name, n);
        to += n;
        name += n;
    }
    if (path && to == path)
        *to++ = '/';
    if (path)
        *to = '\0';
    return path;
}

/* The name in UTF-8, as ids are made of it, and without the root. False: no memory. */
static bool clean_name(char **name)
{
    const char *const rest = without_root(*name);
    sp_texts text = sp_texts_copy(&rest, 1);
    char *clean = text ? strdup(text[0]) : NULL;
    free(text);
    if (!clean)
        return false;
    free(*name);
    *name = clean;
    return true;
}

sp_status sp_stored_index(sp_stored_file *f, sp_error *err)
{
    f->by_name = malloc(((size_t)f->n + 1) * sizeof(sp_stored *));
    if (!f->by_name)
        return sp_no_memory(err);
    for (int64_t i = 0; i < f->n; i++) {
        if (!clean_name(&f->arrays[i].name))
            return sp_no_memory(err);
        if (!*f->arrays[i].name)
            return sp_fail(err, SP_EDATA,
                           "%s: holds an array without a name; write it again with a name for each", f->file);
        f->by_name[i] = &f->arrays[i];
    }
    qsort(f->by_name, (size_t)f->n, sizeof(sp_stored *), compare_names);
    for (int64_t i = 1; i < f->n; i++)
        if (strcmp(f->by_name[i - 1]->name, f->by_name[i]->name) == 0)
            return sp_fail(err, SP_EDATA,
                           "%s: holds two arrays called %s; write it again with one of each name", f->file,
                           f->by_name[i]->name);
    return SP_OK;
}

sp_stored *sp_stored_find(const sp_stored_file *f, const char *name)
{
    sp_stored key = {.name = (char *)without_root(name)}, *at = &key;
    if (f->store)
        return f->store->find(f, name);
    if (!f->by_name)
        return NULL;
    sp_stored **found = bsearch(&at, f->by_name, (size_t)f->n, sizeof(sp_stored *), compare_names);
    return found ? *found : NULL;
}

/* The first array whose name is not before `name`. */
static int64_t place_of(const sp_stored_file *f, const char *name)
{
    int64_t low = 0, high = f->by_name ? f->n : 0;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (strcmp(f->by_name[middle]->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

sp_stored_what sp_stored_what_is(const sp_stored_file *f, const char *name)
{
    if (f->store)
        return f->store->what(f, name);
    name = without_root(name);
    const size_t length = strlen(name);
    for (int64_t i = place_of(f, name);
         f->by_name && i < f->n && strncmp(f->by_name[i]->name, name, length) == 0; i++)
        if (f->by_name[i]->name[length] == '\0' || f->by_name[i]->name[length] == '/')
            return f->by_name[i]->name[length] ? SP_STORED_GROUP : SP_STORED_ARRAY;
    return SP_STORED_ABSENT;
}

sp_status sp_stored_links(const sp_stored_file *f, const char *group, sp_texts *names, int64_t *n,
                          sp_error *err)
{
    if (f->store)
        return f->store->links(f, group ? group : "/", names, n, err);
    const size_t length = group && *group ? strlen(group) + 1 : 0;
    sp_text_span *spans = malloc(((size_t)f->n + 1) * sizeof *spans);
    if (!spans)
        return sp_no_memory(err);
    *n = 0;
    for (int64_t i = 0; f->by_name && i < f->n; i++) {
        const char *name = f->by_name[i]->name;
        if (length && (strncmp(name, group, length - 1) != 0 || name[length - 1] != '/'))
            continue;
        const sp_text_span link = {name + length, strcspn(name + length, "/")};
        if (*n == 0 || spans[*n - 1].length != link.length ||
            memcmp(spans[*n - 1].text, link.text, link.length) != 0)
            spans[(*n)++] = link;
    }
    *names = sp_texts_pack(spans, *n);
    free(spans);
    if (!*names)
        return sp_no_memory(err);
    sp_natural_sort(*names, *n);
    int64_t kept = 0; /* an array "a" and a group of that name have others between them: "a", "a-b", "a/x" */
    for (int64_t i = 0; i < *n; i++)
        if (kept == 0 || strcmp((*names)[kept - 1], (*names)[i]) != 0)
            (*names)[kept++] = (*names)[i];
    *n = kept;
    return SP_OK;
}

sp_status sp_stored_look(sp_stored_file *f, sp_stored *array, sp_error *err)
{
    return array->is_known || !f->look ? SP_OK : f->look(f, array, err);
}

void sp_stored_forget(sp_stored *array)
{
    if (!array->is_packed || !array->bytes)
        return;
    free(array->bytes);
    array->bytes = NULL;
    array->is_known = false;
}

sp_status sp_stored_load(const sp_stored_file *f, sp_stored *array, sp_error *err)
{
    return array->bytes || array->is_checked || !f->load ? SP_OK : f->load(f, array, err);
}

const char *sp_stored_noun(const sp_stored_file *f)
{
    return f->store ? "dataset" : "array";
}

char *sp_stored_where(const sp_stored_file *f, const sp_stored *array, char text[SP_STORED_WHERE])
{
    if (!array->name)
        snprintf(text, SP_STORED_WHERE, "%.300s", f->file);
    else if (f->store)
        snprintf(text, SP_STORED_WHERE, "%.300s: dataset %.300s", f->file, array->name);
    else
        snprintf(text, SP_STORED_WHERE, "%.300s: %s%.60s", f->file, f->fd < 0 ? "" : "array ", array->name);
    return text;
}

char *sp_stored_subject(const sp_stored_file *f, const sp_stored *array, char text[SP_STORED_WHERE])
{
    const size_t n = strlen(sp_stored_where(f, array, text));
    if (!f->store && n + 1 < SP_STORED_WHERE)
        memcpy(text + n, ":", 2);
    return text;
}

char *sp_stored_shape(const sp_stored *array, char text[SP_STORED_SHAPE])
{
    size_t used = (size_t)snprintf(text, SP_STORED_SHAPE, "[");
    for (int i = 0; i < array->rank; i++)
        used += (size_t)snprintf(text + used, SP_STORED_SHAPE - used, "%s%lld", i ? ", " : "",
                                 (long long)array->dims[i]);
    snprintf(text + used, SP_STORED_SHAPE - used, "]");
    return text;
}

/* ---- values ---- */

sp_status sp_stored_bytes(const sp_stored_file *f, int64_t place, int64_t n, void *out, sp_error *err)
{
    enum { MOST = 1 << 30 };
    for (int64_t done = 0; done < n;) {
        const int64_t left = n - done;
        const ssize_t got =
            pread(f->fd, (char *)out + done, (size_t)(left < MOST ? left : MOST), (off_t)(place + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return sp_fail(err, SP_EFILE, "%s: byte %lld cannot be read: %s", f->file,
                           (long long)place + done, strerror(errno));
        if (got == 0)
            return sp_fail(err, SP_EFILE,
                           "%s: ends at byte %lld, where values up to byte %lld are to be; it was cut short",
                           f->file, (long long)place + done, (long long)place + n);
        done += (int64_t)got;
    }
    return SP_OK;
}

/* Raw values first .. first+n-1 of an array in a store: one box of its dimensions, the widest that they fill. */
static sp_status read_box(const sp_stored_file *f, sp_stored *array, int64_t first, int64_t n, void *raw,
                          sp_error *err)
{
    int64_t start[SP_STORED_RANK] = {0}, count[SP_STORED_RANK] = {0}, inner = 1;
    int axis = array->rank - 1;
    for (int d = array->rank - 1; d >= 0; d--) {
        start[d] = first / inner % array->dims[d];
        count[d] = 1;
        if (n % inner == 0 && n / inner >= 1 && first % inner == 0) {
            axis = d;
            count[d] = n / inner;
        }
        inner *= array->dims[d];
    }
    for (int d = axis + 1; d < array->rank; d++) {
        start[d] = 0;
        count[d] = array->dims[d];
    }
    for (int d = 0; d < axis; d++)
        count[d] = 1;
    return f->store->read(f, array, start, count, raw, err);
}

/* Raw values are read to the end of their place where they grow in it, else by a buffer, piece by piece. */
sp_status sp_stored_read(const sp_stored_file *f, sp_stored *array, int64_t first, int64_t n,
                         sp_target target, int64_t limit, void *out, int64_t *bad_at, double *bad,
                         sp_error *err)
{
    enum { PIECE = 1 << 16 };
    const int64_t from = array->size, to = (int64_t)sp_target_size(target);
    *bad_at = -1;
    sp_status status = n == 0 ? SP_OK : sp_stored_load(f, array, err);
    if (n == 0 || status != SP_OK)
        return status;
    if (array->bytes) {
        *bad_at =
            sp_element_convert(&array->element, array->bytes + first * from, n, target, limit, out, bad);
        return SP_OK;
    }
    if (from <= to || f->store) {
        unsigned char *raw =
            from <= to ? (unsigned char *)out + n * (to - from) : f->store->room(f, (size_t)(n * from));
        if (!raw)
            return sp_no_memory(err);
        status = f->store ? read_box(f, array, first, n, raw, err)
                          : sp_stored_bytes(f, array->place + first * from, n * from, raw, err);
        if (status == SP_OK)
            *bad_at = sp_element_convert(&array->element, raw, n, target, limit, out, bad);
        return status;
    }
    unsigned char *raw = malloc(PIECE);
    status = raw ? SP_OK : sp_no_memory(err);
    for (int64_t i = 0; status == SP_OK && *bad_at < 0 && i < n;) {
        const int64_t now = n - i < PIECE / from ? n - i : PIECE / from;
        status = sp_stored_bytes(f, array->place + (first + i) * from, now * from, raw, err);
        if (status == SP_OK)
            *bad_at = sp_element_convert(&array->element, raw, now, target, limit, (char *)out + i * to, bad);
        *bad_at += *bad_at >= 0 ? i : 0;
        i += now;
    }
    free(raw);
    return status;
}

/* ---- all of an array ---- */

static sp_status check_list(const sp_stored_file *f, const sp_stored *array, sp_error *err)
{
    char where[SP_STORED_WHERE], shape[SP_STORED_SHAPE];
    if (array->rank == 1)
        return SP_OK;
    return sp_fail(err, SP_EDATA, "%s has shape %s, but must have one dimension",
                   sp_stored_subject(f, array, where), sp_stored_shape(array, shape));
}

sp_status sp_stored_refuse_text(const sp_stored_file *f, const sp_stored *array, sp_error *err)
{
    char where[SP_STORED_WHERE];
    return sp_fail(err, SP_EDATA,
                   "%s holds %s, which cannot be read as numbers here; write it again as integers or floats",
                   sp_stored_subject(f, array, where), array->type);
}

sp_status sp_stored_integers(const sp_stored_file *f, sp_stored *array, int64_t **out, sp_error *err)
{
    char where[SP_STORED_WHERE];
    sp_status status =
        array->form == SP_STORED_NUMBERS ? check_list(f, array, err) : sp_stored_refuse_text(f, array, err);
    if (status != SP_OK)
        return status;
    int64_t *values = malloc(((size_t)array->count + 1) * sizeof *values), bad_at;
    double bad = 0;
    if (!values)
        return sp_no_memory(err);
    status = sp_stored_read(f, array, 0, array->count, SP_TO_I64, 0, values, &bad_at, &bad, err);
    if (status == SP_OK && bad_at >= 0)
        status = sp_fail(err, SP_EDATA, "%s, value %lld is %g, not a whole number; write integers",
                         sp_stored_where(f, array, where), (long long)bad_at, bad);
    if (status == SP_OK)
        *out = values;
    else
        free(values);
    return status;
}

/* UTF-32 to UTF-8 in place of n bytes: no letter gets longer. Returns the bytes used; letters that are none become '?'. */
static size_t letters_to_utf8(unsigned char *text, size_t n, bool is_big)
{
    size_t used = 0;
    for (size_t i = 0; i + 4 <= n; i += 4) {
        const unsigned char *p = text + i;
        const uint32_t c = is_big ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
                                  : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
        if (c == 0)
            break;
        if (c < 0x80) {
            text[used++] = (unsigned char)c;
        } else if (c < 0x800) {
            text[used++] = (unsigned char)(0xc0 | c >> 6);
            text[used++] = (unsigned char)(0x80 | (c & 0x3f));
        } else if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) {
            text[used++] = '?';
        } else if (c < 0x10000) {
            text[used++] = (unsigned char)(0xe0 | c >> 12);
            text[used++] = (unsigned char)(0x80 | (c >> 6 & 0x3f));
            text[used++] = (unsigned char)(0x80 | (c & 0x3f));
        } else {
            text[used++] = (unsigned char)(0xf0 | c >> 18);
            text[used++] = (unsigned char)(0x80 | (c >> 12 & 0x3f));
            text[used++] = (unsigned char)(0x80 | (c >> 6 & 0x3f));
            text[used++] = (unsigned char)(0x80 | (c & 0x3f));
        }
    }
    return used;
}

static sp_status read_texts(const sp_stored_file *f, sp_stored *array, sp_texts *out, sp_error *err)
{
    const size_t n = (size_t)array->count, size = (size_t)array->size;
    if (f->store && f->store->texts)
        return f->store->texts(f, array, out, err);
    sp_status status = sp_stored_load(f, array, err);
    if (status != SP_OK)
        return status;
    unsigned char *raw = malloc(n * size + 1);
    sp_text_span *spans = malloc((n + 1) * sizeof *spans);
    status = raw && spans ? SP_OK : sp_no_memory(err);
    if (status == SP_OK && array->bytes)
        memcpy(raw, array->bytes, n * size);
    else if (status == SP_OK)
        status = sp_stored_bytes(f, array->place, (int64_t)(n * size), raw, err);
    for (size_t i = 0; status == SP_OK && i < n; i++) {
        unsigned char *text = raw + i * size;
        spans[i] = (sp_text_span){(const char *)text, array->form == SP_STORED_LETTERS
                                                          ? letters_to_utf8(text, size, array->element.is_big)
                                                          : strnlen((const char *)text, size)};
        if (memchr(text, 0, spans[i].length))
            spans[i].length = strlen((const char *)text);
    }
    if (status == SP_OK && !(*out = sp_texts_pack(spans, (int64_t)n)))
        status = sp_no_memory(err);
    free(spans);
    free(raw);
    return status;
}

sp_status sp_stored_texts(const sp_stored_file *f, sp_stored *array, sp_texts *out, sp_error *err)
{
    char where[SP_STORED_WHERE];
    sp_status status = check_list(f, array, err);
    if (status != SP_OK || array->form != SP_STORED_NUMBERS)
        return status == SP_OK ? read_texts(f, array, out, err) : status;
    if (f->store && array->element.kind == SP_ELEMENT_FLOAT)
        return sp_fail(err, SP_EDATA,
                       "%s holds %s, but must hold texts; write them with .astype(str), numbers of classes "
                       "with .astype(int)",
                       sp_stored_where(f, array, where), array->type);
    int64_t *numbers = NULL;
    status = sp_stored_integers(f, array, &numbers, err);
    if (status == SP_OK && !(*out = sp_texts_of_numbers(numbers, array->count)))
        status = sp_no_memory(err);
    free(numbers);
    return status;
}

sp_status sp_stored_use_words(const sp_stored_file *f, sp_stored *array, sp_error *err)
{
    const int one = 1;
    char where[SP_STORED_WHERE];
    sp_texts texts = NULL;
    int32_t *index = malloc(((size_t)array->count + 1) * sizeof *index);
    sp_status status = index ? read_texts(f, array, &texts, err) : sp_no_memory(err);
    if (status == SP_OK)
        status = sp_label_words_new(texts, array->count, sp_stored_where(f, array, where), index,
                                    &array->words, err);
    free(texts);
    if (status != SP_OK) {
        free(index);
        return status;
    }
    free(array->bytes);
    array->bytes = (unsigned char *)index;
    array->form = SP_STORED_NUMBERS;
    array->element =
        (sp_element){.kind = SP_ELEMENT_INT, .size = sizeof *index, .is_big = *(const char *)&one == 0};
    array->size = sizeof *index;
    return SP_OK;
}
