/* One dataset a recording: "/recordings/{id}/log_probs" and other patterns. Each object is opened once, when they are found. */
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/arrays/array_find.h"
#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_store.h"

/* ---- what stands beside ---- */

static const char *const beside_names[SP_H5_N_BESIDE] = {"labels", "segments", "weights", "mask"};

/* Which bit of each->beside stands for a pattern; -1: none. */
static int beside_bit(const sp_h5_each *each, const char *path)
{
    const char *name = sp_h5_path_name(path);
    const size_t n = (size_t)(name - path);
    if (!each->beside || n != (size_t)(sp_h5_path_name(each->pattern) - each->pattern) ||
        memcmp(path, each->pattern, n) != 0)
        return -1;
    for (int i = 0; i < SP_H5_N_BESIDE; i++)
        if (strcmp(name, beside_names[i]) == 0)
            return i;
    return -1;
}

const sp_h5_places *sp_h5_each_places(const sp_h5_each *each, const char *path)
{
    const int bit = each->pattern ? beside_bit(each, path) : -1;
    return !each->vfile                       ? NULL
           : strcmp(path, each->pattern) == 0 ? &each->places[0]
           : bit >= 0                         ? &each->places[1 + bit]
                                              : NULL;
}

int64_t sp_h5_each_absent(const sp_stored_file *f, const char *path, char *const *ids, int64_t n,
                          uint8_t *absent)
{
    const sp_h5_store *h = f->own;
    const int bit = beside_bit(&h->each, path);
    int64_t n_absent = 0;
    for (int64_t i = 0; i < n; i++) {
        bool is_there = strcmp(path, h->each.pattern) == 0;
        if (!is_there && bit >= 0) {
            is_there = h->each.beside[i] >> bit & 1;
        } else if (!is_there) {
            char *filled = sp_array_fill(path, ids[i]);
            if (!filled)
                sp_h5_note_lack();
            is_there = filled && sp_h5_has_link(h->file, filled);
            free(filled);
        }
        absent[i] = !is_there;
        n_absent += absent[i];
    }
    return n_absent;
}

/* `path` from the group that is open anyway, which saves walking there. */
static const char *path_inside(const sp_h5_each *each, const char *path)
{
    const size_t n = each->group ? strlen(each->group) : 0;
    return each->parent > 0 && n > 1 && strncmp(path, each->group, n) == 0 && path[n] == '/' ? path + n + 1
                                                                                             : NULL;
}

sp_status sp_h5_each_take(const sp_stored_file *f, const char *name, sp_stored *array, sp_error *err)
{
    const sp_h5_store *h = f->own;
    sp_h5_array *own = calloc(1, sizeof *own);
    char *path = sp_stored_path(name);
    *array = (sp_stored){.name = path, .own = own};
    if (!own || !path) {
        sp_h5_each_drop(array);
        return sp_no_memory(err);
    }
    const char *inside = path_inside(&h->each, path);
    const hid_t id = H5Dopen2(inside ? h->each.parent : h->file, inside ? inside : path, H5P_DEFAULT);
    sp_status status = id < 0 ? sp_h5_explain(h->file, f->file, path, "write it for every recording", err)
                              : sp_h5_array_adopt(f, id, array, err);
    if (status != SP_OK)
        sp_h5_each_drop(array);
    return status;
}

void sp_h5_each_drop(sp_stored *array)
{
    if (array->own)
        sp_h5_data_close(sp_h5_array_data(array));
    free(array->own);
    free(array->name);
    free(array->bytes);
    sp_label_words_free(array->words);
    *array = (sp_stored){.name = NULL};
}

void sp_h5_each_close(sp_h5_each *each)
{
    if (each->parent > 0)
        H5Gclose(each->parent);
    for (int i = 0; i < SP_H5_N_PLACES; i++)
        sp_h5_places_free(&each->places[i]);
    sp_chunk_jobs_free(each->jobs);
    free(each->pattern);
    free(each->group);
    free(each->beside);
    free(each->wide);
    *each = (sp_h5_each){.pattern = NULL};
}

/* ---- recordings ---- */

/* What stands in the group of a recording. */
typedef struct neighbours {
    const char *reference; /* its name there */
    uint8_t beside;        /* beside_names, bit by bit */
    bool is_hard;          /* they and the reference are hard links */
    int n;
} neighbours;

enum { FEW_LINKS = 64 };

static herr_t neighbour_add(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    neighbours *seen = data;
    (void)group;
    bool is_ours = strcmp(name, seen->reference) == 0;
    for (int i = 0; !is_ours && i < SP_H5_N_BESIDE; i++)
        if (strcmp(name, beside_names[i]) == 0) {
            seen->beside |= (uint8_t)(1u << i);
            is_ours = true;
        }
    seen->is_hard &= !is_ours || info->type == H5L_TYPE_HARD;
    return ++seen->n > FEW_LINKS; /* stop: asking for the names is quicker */
}

/* Going through the links of a group once is quicker than asking for five names. */
static neighbours look_beside(hid_t group, const char *reference)
{
    neighbours seen = {.reference = reference, .is_hard = true};
    if (H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, neighbour_add, &seen) == 0)
        return seen;
    seen = (neighbours){.reference = reference};
    for (int i = 0; i < SP_H5_N_BESIDE; i++)
        if (strcmp(reference, beside_names[i]) == 0 || H5Lexists(group, beside_names[i], H5P_DEFAULT) > 0)
            seen.beside |= (uint8_t)(1u << i);
    return seen;
}

/* Finding the recordings of a pattern. */
typedef struct search {
    sp_array_search of;
    sp_stored_file *f;
    sp_h5_each *each;
    int64_t *n; /* recordings so far */
    sp_status (*check)(void *arg, sp_stored *array, sp_error *err);
    void *arg;
} search;

/* Opens the group that a recording's path leads into, where the recording has one of its own; *name is what is left of the path.
 * 0: it has none; < 0: it cannot be opened. */
static hid_t group_open(const search *s, char *path, const char **name)
{
    const sp_h5_store *h = s->f->own;
    const char *inside = path_inside(s->each, path);
    char *slash = strrchr(path, '/');
    if (!s->each->beside || slash == path)
        return 0;
    *slash = '\0';
    hid_t group = H5Gopen2(inside ? s->each->parent : h->file, inside ? inside : path, H5P_DEFAULT);
    *slash = '/';
    *name = slash + 1;
    return group;
}

/* Is an object in the file of the map? By a link that is not hard it may be in another one. */
static bool is_here(const sp_h5_each *each, hid_t object, bool is_hard)
{
    H5O_info_t info;
    return is_hard || (H5Oget_info2(object, &info, H5O_INFO_BASIC) >= 0 && info.fileno == each->file_number);
}

/* Notes the datasets that stand beside recording n's, one value a step (mask: a class and step) as they should; what is wrong
 * with others is said when they are read. */
static sp_status beside_note(const search *s, hid_t group, const neighbours *seen, bool is_hard, int64_t n,
                             const sp_stored *reference)
{
    for (int i = 0; i < SP_H5_N_BESIDE; i++) {
        const bool is_reference = strcmp(seen->reference, beside_names[i]) == 0,
                   is_mask = strcmp(beside_names[i], "mask") == 0;
        sp_h5_data data = {0};
        if (is_reference || !(seen->beside >> i & 1))
            continue;
        const hid_t object = H5Oopen(group, beside_names[i], H5P_DEFAULT);
        if (object >= 0 && H5Iget_type(object) != H5I_DATASET) {
            H5Oclose(object);
            continue;
        }
        sp_status status =
            object < 0 ? SP_EFILE : sp_h5_data_adopt(object, s->f->file, beside_names[i], false, &data, NULL);
        if (status == SP_ENOMEM)
            return status;
        if (status != SP_OK)
            continue;
        if (data.rank == 1 + is_mask && (int64_t)data.dims[0] == reference->dims[0] &&
            (!is_mask || (int64_t)data.dims[1] == reference->dims[reference->rank - 1]) &&
            is_here(s->each, data.id, is_hard))
            status = sp_h5_places_note(&s->each->places[1 + i], n, &data);
        sp_h5_data_close(&data);
        if (status != SP_OK)
            return status;
    }
    return SP_OK;
}

/* Looks at the dataset of recording n, which is open in `array`. */
static sp_status reference_look(const search *s, sp_stored *array, int64_t n, bool is_hard, sp_error *err)
{
    sp_h5_data *data = sp_h5_array_data(array);
    const bool is_number = array->form == SP_STORED_NUMBERS;
    sp_status status = SP_OK;
    TRY(s->check(s->arg, array, err));
    if (n == 0 && is_number)
        TRY(sp_h5_filters_check(data->id, s->f->file, array->name, err));
    if (n == 0)
        TRY(s->f->store->describe(s->f, array, err));
    if (is_number && s->each->vfile && is_here(s->each, data->id, is_hard) &&
        sp_h5_places_note(s->each->places, n, data) != SP_OK)
        TRY(sp_no_memory(err));
done:
    return status;
}

/* Looks at what would be the next recording: each object is opened here, once. */
static sp_status recording_look(void *arg, const char *id, bool *is_one, sp_error *err)
{
    const search *s = arg;
    const sp_h5_store *h = s->f->own;
    const int64_t n = *s->n;
    sp_h5_array own = {.is_tuned = false};
    sp_stored array = {.name = sp_array_fill(s->each->pattern, id), .own = &own};
    const char *name = array.name;
    sp_status status = SP_OK;
    hid_t group = 0, object = -1;
    *is_one = false;
    if (!array.name)
        TRY(sp_no_memory(err));
    group = group_open(s, array.name, &name);
    object = group < 0 ? -1 : H5Oopen(group > 0 ? group : h->file, name, H5P_DEFAULT);
    if (object >= 0 && H5Iget_type(object) != H5I_DATASET) {
        H5Oclose(object);
        object = -1;
    }
    if (object < 0)
        TRY(sp_array_search_missing(&s->of, id, array.name, err));
    *is_one = object >= 0;
    if (object < 0)
        goto done;
    const neighbours seen = group > 0 ? look_beside(group, name) : (neighbours){.is_hard = true};
    const bool is_hard = s->each->is_hard && seen.is_hard;
    TRY(sp_h5_array_adopt(s->f, object, &array, err));
    TRY(reference_look(s, &array, n, is_hard, err));
    if (s->each->beside)
        s->each->beside[n] = seen.beside;
    if (group > 0 && s->each->vfile && beside_note(s, group, &seen, is_hard, n, &array) != SP_OK)
        TRY(sp_no_memory(err));
done:
    sp_h5_data_close(&own.data);
    free(array.bytes);
    sp_label_words_free(array.words);
    if (group > 0)
        H5Gclose(group);
    free(array.name);
    return status;
}

/* Whether what links lead to can be read past HDF5. `are_hard`: the links of the group of recordings are. */
static void find_file(const search *s, bool are_hard)
{
    const hid_t file = ((sp_h5_store *)s->f->own)->file;
    H5O_info_t whole = {0}, parent = {0};
    const bool is_known = H5Oget_info2(file, &whole, H5O_INFO_BASIC) >= 0 && s->each->parent >= 0 &&
                          H5Oget_info2(s->each->parent, &parent, H5O_INFO_BASIC) >= 0;
    const char *rest = strstr(s->each->pattern, "{id}");
    rest += strcspn(rest, "/");
    const bool is_near = s->of.is_leaf || strchr(rest + 1, '/') ==
                                              NULL; /* a recording's dataset is in its group, not deeper */
    s->each->vfile = is_known ? sp_h5_vfile_of(file) : NULL;
    s->each->file_number = whole.fileno;
    s->each->is_hard = are_hard && is_near && whole.fileno == parent.fileno;
}

sp_status sp_h5_each_find(sp_stored_file *f, const char *path, const char *mend, sp_texts *ids, int64_t *n,
                          sp_status (*check)(void *arg, sp_stored *array, sp_error *err), void *arg,
                          sp_error *err)
{
    sp_h5_store *h = f->own;
    search s = {.f = f, .each = &h->each, .n = n, .check = check, .arg = arg};
    int64_t n_found = 0;
    bool are_hard = false;
    sp_status status = SP_OK;
    TRY(sp_array_search_open(&s.of, f, path, mend, err));
    if (!(h->each.pattern = strdup(path)) || !(h->each.group = strdup(s.of.group)))
        TRY(sp_no_memory(err));
    TRY(sp_h5_links(h->file, f->file, s.of.group, ids, &n_found, &are_hard, err));
    h->each.beside = s.of.is_leaf ? NULL : calloc((size_t)n_found + 1, 1);
    h->each.parent = H5Gopen2(h->file, s.of.group, H5P_DEFAULT);
    find_file(&s, are_hard);
    if (!s.of.is_leaf && !h->each.beside)
        TRY(sp_no_memory(err));
    TRY(sp_array_search_each(&s.of, *ids, n_found, recording_look, &s, n, err));
done:
    sp_array_search_close(&s.of);
    return status;
}
