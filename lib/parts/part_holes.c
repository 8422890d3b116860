/* Steps of a file that take no part, between others that do (`gaps`): paths have -1 there. A part keeps for each recording how
 * many steps it has with them, how many runs of them there are, then the place and the length of each. */
#include "parts/part.h"

bool sp_part_holes_add(const sp_holes *holes, const int64_t *offsets, int64_t r, sp_count_list *out)
{
    const int64_t begin = holes->offsets[r], end = holes->offsets[r + 1], *steps = offsets + r;
    const int64_t head[] = {end - begin, 0}, place_of_number = out->n + 1;
    bool is_whole = sp_count_list_put(out, head, 2);
    int64_t at = begin;
    for (int64_t t = steps[0]; is_whole && t <= steps[1]; t++) {
        const int64_t next = t < steps[1] ? holes->step_at[t] : end, run[] = {at - begin, next - at};
        if (next > at) {
            is_whole = sp_count_list_put(out, run, 2);
            out->at[place_of_number]++;
        }
        at = next + 1;
    }
    return is_whole;
}

/* Where the runs of each recording of a part begin. False: it is no such list. */
static bool find(const sp_count_list *list, int64_t n, int64_t *places)
{
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t n_runs = list->n - at < 2 ? -1 : sp_count_at(list, at + 1);
        if (n_runs < 0 || n_runs > (list->n - at - 2) / 2)
            return false;
        places[i] = at;
        at += 2 + 2 * n_runs;
    }
    return at == list->n;
}

/* Places [n] of the steps of a recording that begins at `begin`, whose runs stand at `from`; an empty list: it has no holes.
 * *all: its steps with them. False: the runs are not those of so many steps. */
static bool place_steps(const sp_count_list *list, int64_t from, int64_t begin, int64_t n, int64_t *step_at,
                        int64_t *all)
{
    const int64_t n_runs = list->n > 0 ? sp_count_at(list, from + 1) : 0;
    int64_t at = 0, t = 0, run = 0;
    *all = list->n > 0 ? sp_count_at(list, from) : n;
    if (*all < n || *all > SP_MOST_COUNTED - begin)
        return false;
    while (at < *all) {
        const bool is_hole = run < n_runs && sp_count_at(list, from + 2 + 2 * run) == at;
        const int64_t length = is_hole ? sp_count_at(list, from + 3 + 2 * run) : 1;
        if (length < 1 || length > *all - at || (!is_hole && t == n))
            return false;
        if (is_hole)
            run++;
        else
            step_at[t++] = begin + at;
        at += length;
    }
    return t == n && run == n_runs;
}

sp_status sp_part_holes_join(const sp_part_content *parts, const sp_joining *joining, const int64_t *offsets,
                             sp_owned *own, sp_holes *out, bool *is_there, sp_error *err)
{
    const int64_t N = joining->n_recordings;
    *is_there = false;
    for (int64_t p = 0; p < joining->n_parts; p++)
        *is_there |= parts[p].holes.n > 0;
    if (!*is_there)
        return SP_OK;
    int64_t **places = sp_zeros(own, (size_t)joining->n_parts, sizeof *places);
    int64_t *all = sp_zeros(own, (size_t)N + 1, sizeof *all);
    int64_t *step_at = sp_zeros(own, (size_t)offsets[N] + 1, sizeof *step_at);
    for (int64_t p = 0; places && p < joining->n_parts; p++) {
        const int64_t n = parts[p].counted.n_recordings;
        places[p] = sp_zeros(own, (size_t)n + 1, sizeof **places);
        if (places[p] && parts[p].holes.n > 0 && !find(&parts[p].holes, n, places[p]))
            return sp_fail(
                err, SP_EDATA,
                "%s: its holes are not those of its recordings; the file is damaged: make it again",
                parts[p].name);
    }
    sp_status status = sp_owned_status(own, err);
    for (int64_t r = 0; status == SP_OK && r < N; r++) {
        const sp_counted_place *from = &joining->order[r];
        int64_t steps;
        if (!place_steps(&parts[from->part].holes, places[from->part][from->recording], all[r],
                         offsets[r + 1] - offsets[r], step_at + offsets[r], &steps))
            return sp_fail(err, SP_EDATA,
                           "%s: the holes of recording %s are not what they should be; the file is damaged: "
                           "make it again",
                           parts[from->part].name, joining->ids[r]);
        all[r + 1] = all[r] + steps;
    }
    *out = (sp_holes){.n_steps = status == SP_OK ? all[N] : 0, .offsets = all, .step_at = step_at};
    return status;
}
