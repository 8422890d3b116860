/* Entities of tags as texts, for statepath.compat.seqeval. */
#include "extension.h"

#include <stdlib.h>
#include <string.h>

#include "core/names.h"
#include "tags/tags.h"

/* Bytes of the letter of UTF-8 that begins, or ends, where `at` is. */
static size_t letter_bytes(const char *at, int way, size_t most)
{
    size_t n = 1;
    while (n < most && ((unsigned char)(way > 0 ? at[n] : at[1 - (ptrdiff_t)n]) & 0xC0) == 0x80)
        n++;
    return n;
}

/* A tag as seqeval parts it, "B-PER" or with the letter last, "PER-B": the letter, and the type from *type on, of *n bytes. A
 * letter beyond ASCII is returned as its first byte or last one: none of any scheme. */
static char part_tag(const char *text, bool has_suffix, const char **type, size_t *n)
{
    const size_t length = strlen(text);
    if (length == 0)
        return 'O';
    const char letter = text[has_suffix ? length - 1 : 0];
    const size_t bytes = letter_bytes(has_suffix ? text + length - 1 : text, has_suffix ? -1 : 1, length);
    const char *from = has_suffix ? text : text + bytes, *hyphen;
    *n = length - bytes;
    if (has_suffix) {
        while (*n > 0 && from[*n - 1] == '-')
            --*n;
    } else if ((hyphen = strchr(from, '-'))) {
        *n = strlen(hyphen + 1);
        from = hyphen + 1;
    }
    *type = from;
    return letter;
}

/* One tag; types are numbered by the first step [T] that has them, and its type is kept in texts[t], a list. False with an
 * exception. Letters that no scheme has are inside, as seqeval reads them. */
static bool read_tag(PyObject *item, bool has_suffix, const sp_tag_scheme *scheme, sp_names *types, int32_t t,
                     PyObject *kept, sp_tag *out)
{
    const char *text = PyUnicode_AsUTF8AndSize(item, NULL), *type = "", *ignored;
    size_t n = 0;
    if (!text)
        return false;
    const char letter = part_tag(text, has_suffix, &type, &n);
    *out = sp_tag_outside;
    const char name[2] = {letter, '\0'};
    if (!sp_tag_parse(name, &out->kind, &ignored))
        out->kind = SP_TAG_INSIDE;
    if (scheme && sp_tag_letter(scheme, out->kind) != letter) {
        PyErr_Format(PyExc_ValueError, "Invalid token is found: %s. It is no tag of the scheme %s", text,
                     sp_tag_scheme_name(scheme));
        return false;
    }
    PyObject *own = letter == 'O' || n == 0 ? PyUnicode_FromString("_")
                                            : PyUnicode_FromStringAndSize(type, (Py_ssize_t)n);
    if (!own || PyList_Append(kept, own) != 0) {
        Py_XDECREF(own);
        return false;
    }
    Py_DECREF(own); /* the list has it */
    if (letter == 'O')
        return true;
    const char *key = PyUnicode_AsUTF8AndSize(own, NULL);
    out->type = key ? sp_names_add(types, key, t) : -1;
    return key != NULL;
}

static bool add_entity(PyObject *list, PyObject *kept, sp_tag tag, int32_t first, int32_t last)
{
    PyObject *one = Py_BuildValue("(Oii)", PyList_GetItem(kept, tag.type), (int)first, (int)last);
    const bool is_added = one && PyList_Append(list, one) == 0;
    Py_XDECREF(one);
    return is_added;
}

/* Entities of tags [n]; tags[n] is outside. NULL: an exception. */
static PyObject *list_entities(int32_t n, const sp_tag *tags, const sp_tag_scheme *scheme, PyObject *kept)
{
    PyObject *list = PyList_New(0);
    bool is_fine = list != NULL;
    int32_t first = -1;
    for (int32_t t = 0; is_fine && t <= n; t++) {
        const sp_tag before = t > 0 ? tags[t - 1] : sp_tag_outside, now = tags[t];
        if (!scheme) {
            is_fine = !sp_entity_ends(before, now) || add_entity(list, kept, before, first, t - 1);
            first = sp_entity_starts(before, now) ? t : first;
        } else if (first < 0 || !sp_entity_goes_on(scheme, before, now)) {
            is_fine = first < 0 || !sp_entity_ends_strictly(scheme, before, now) ||
                      add_entity(list, kept, before, first, t - 1);
            first = sp_entity_starts_strictly(scheme, before, now) ? t : -1;
        }
    }
    if (!is_fine)
        Py_CLEAR(list);
    return list;
}

PyObject *py_tag_entities(PyObject *module, PyObject *args)
{
    PyObject *given, *list, *kept, *out = NULL;
    const char *name;
    int has_suffix;
    const sp_tag_scheme *scheme = NULL;
    sp_names types;
    sp_error err;
    (void)module;
    if (!PyArg_ParseTuple(args, "Ozp", &given, &name, &has_suffix))
        return NULL;
    if (name && sp_tag_scheme_find(name, &scheme, &err) != SP_OK)
        return raise_error(&err);
    if (!(list = PySequence_List(given)))
        return NULL;
    const int32_t n = (int32_t)PyList_Size(list);
    sp_tag *tags = calloc((size_t)n + 1, sizeof *tags);
    kept = PyList_New(0);
    if (!tags || sp_names_init(&types, n) != SP_OK)
        PyErr_NoMemory();
    else {
        bool is_read = kept != NULL;
        for (int32_t t = 0; is_read && t < n; t++)
            is_read = read_tag(PyList_GetItem(list, t), has_suffix, scheme, &types, t, kept, &tags[t]);
        tags[n] = sp_tag_outside;
        out = is_read ? list_entities(n, tags, scheme, kept) : NULL;
        sp_names_clear(&types);
    }
    free(tags);
    Py_XDECREF(kept);
    Py_DECREF(list);
    return out;
}

PyObject *py_tag_scheme(PyObject *module, PyObject *given)
{
    PyObject *list = PySequence_List(given);
    (void)module;
    if (!list)
        return NULL;
    const int32_t n = (int32_t)PyList_Size(list);
    const char **tags = malloc(((size_t)n + 1) * sizeof *tags);
    PyObject *out = tags ? NULL : PyErr_NoMemory();
    bool is_read = tags != NULL;
    for (int32_t k = 0; is_read && k < n; k++)
        is_read = (tags[k] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, k), NULL)) != NULL;
    if (is_read)
        out = PyUnicode_FromString(sp_tag_scheme_name(sp_tag_scheme_of(n, tags)));
    free(tags);
    Py_DECREF(list);
    return out;
}
