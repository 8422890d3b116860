/* Lists of labels that say how long each is: Elan's .hyp, DREAMS, the .STG text export, and Zurich's .vis, which has the epochs
 * where the stage changes. */
#include <string.h>
#include <strings.h>

#include "core/try.h"
#include "io/events/event_reader.h"
#include "io/text/texts.h"

/* ---- Elan: time_base, sampling_period, epoch_nb, epoch_list, then a label each time_base seconds ---- */

static bool is_elan(const sp_file_look *look)
{
    return sp_look_begins(look, "time_base");
}

static sp_status read_elan_header(sp_lines *l)
{
    const char *name = l->fields[0];
    sp_status status = SP_OK;
    if (strcasecmp(name, "epoch_list") == 0)
        l->has_header = true;
    else if (strcasecmp(name, "epoch_nb") == 0) {
        TRY(sp_lines_epoch(l, 1, 0, &l->n_epochs));
        l->n_epochs++;
    } else if (strcasecmp(name, "time_base") == 0) {
        TRY(sp_lines_seconds(l, 1, "time_base", &l->events->epoch));
        if (l->events->epoch <= 0)
            return sp_lines_fail(l, ": time_base is not above 0");
    } else if (strcasecmp(name, "sampling_period") != 0)
        return sp_lines_fail(l, ": \"%.40s\" is none of time_base, sampling_period, epoch_nb, epoch_list",
                             name);
done:
    return status;
}

static sp_status read_elan(sp_lines *l)
{
    sp_lines_split(l, ' ');
    return l->has_header ? sp_lines_add_epoch(l, l->events->n, l->fields[0]) : read_elan_header(l);
}

static sp_status end_elan(sp_lines *l)
{
    const int64_t n = l->events->n;
    return l->n_epochs && l->n_epochs - 1 != n
               ? sp_lines_fail(l, ": it ends with %lld labels, epoch_nb says %lld", (long long)n,
                               (long long)l->n_epochs - 1)
               : SP_OK;
}

const sp_event_reader sp_elan_events = {.name = "a hypnogram of Elan",
                                        .recognise = is_elan,
                                        .preset = "elan",
                                        .line = read_elan,
                                        .end = end_elan};

/* ---- DREAMS: a line [HypnogramAASM] or [HypnogramR&K], then a number each five seconds ---- */

static bool is_dreams(const sp_file_look *look)
{
    return sp_look_begins(look, "[Hypnogram");
}

static sp_status read_dreams(sp_lines *l)
{
    sp_lines_split(l, ' ');
    return *l->fields[0] == '[' ? SP_OK : sp_lines_add_epoch(l, l->events->n, l->fields[0]);
}

const sp_event_reader sp_dreams_events = {.name = "a hypnogram of DREAMS",
                                          .recognise = is_dreams,
                                          .preset = "dreams",
                                          .epoch = 5 * SP_SECOND,
                                          .line = read_dreams};

/* ---- .STG as text: columns Epoch (from 1) and User-Defined Stage; an epoch that is missing is unscored ---- */

enum { STAGE, EPOCH, N_COLUMNS };
static const char stage_name[] = "User-Defined Stage";

static bool is_stg(const sp_file_look *look)
{
    char line[256];
    sp_look_first_line(look, line, sizeof line);
    return sp_look_begins(look, "Epoch\t") && strstr(line, stage_name);
}

static sp_status read_stg(sp_lines *l)
{
    int64_t epoch;
    sp_status status = SP_OK;
    sp_lines_split(l, '\t');
    if (!l->has_header) {
        l->columns[STAGE] = sp_lines_find(l, stage_name);
        l->has_header = true;
        return l->columns[STAGE] < 0 ? sp_lines_fail(l, " names no column %s", stage_name) : SP_OK;
    }
    TRY(sp_lines_epoch(l, 0, 1, &epoch));
    TRY(sp_lines_check(l, N_COLUMNS));
    return sp_lines_add_epoch(l, epoch - 1, l->fields[l->columns[STAGE]]);
done:
    return status;
}

const sp_event_reader sp_stg_events = {.name = "a table of epochs and stages",
                                       .recognise = is_stg,
                                       .preset = "rk",
                                       .epoch = 30 * SP_SECOND,
                                       .line = read_stg};

/* ---- Zurich: a first line with the offset, then "epoch stage" (0 1 2 3 r e) where the stage changes, in epochs of 20 s ---- */

static bool is_vis(const sp_file_look *look)
{
    return sp_file_has_ending(look->file, SP_ZURICH_ENDINGS);
}

/* The recording is over with this epoch, and so is the last stage. */
static void end_vis(sp_lines *l, int64_t epoch)
{
    sp_events *e = l->events;
    l->is_over = true;
    e->total = epoch < SP_TIME_LIMIT / e->epoch ? (epoch - 1) * e->epoch : 0;
    if (e->n)
        e->list[e->n - 1].duration = e->total - e->list[e->n - 1].onset;
}

static sp_status read_vis(sp_lines *l)
{
    static const char *const stages[] = {"W", "N1", "N2", "N3", "N3"};
    const bool is_first = !l->has_header;
    int64_t epoch;
    sp_status status = SP_OK;
    if (l->is_over)
        return SP_OK;
    l->has_header = true;
    sp_lines_split(l, ' ');
    if (is_first && l->n_fields == 1) {
        if (strspn(l->fields[0], "0.") != strlen(l->fields[0]))
            l->events->remark = "the offset in its first line is passed over";
        return SP_OK;
    }
    TRY(sp_lines_epoch(l, 0, 1, &epoch));
    const char *code = l->n_fields > 1 ? l->fields[1] : "";
    if (strcasecmp(code, "e") == 0) {
        end_vis(l, epoch);
        return SP_OK;
    }
    const bool is_number = code[0] >= '0' && code[0] <= '4' && !code[1];
    TRY(sp_lines_add_epoch(l, epoch - 1, is_number ? stages[code[0] - '0'] : code));
    l->events->list[l->events->n - 1].duration = SP_EVENT_UNTIL_NEXT;
done:
    return status;
}

static sp_status check_vis(sp_lines *l)
{
    for (int64_t i = 0; i < l->events->n; i++)
        if (l->events->list[i].duration < SP_EVENT_UNTIL_NEXT)
            return sp_fail(l->err, SP_EDATA, "%s: line %lld: its epoch lies after the end of the recording",
                           l->file, (long long)l->events->list[i].place);
    return SP_OK;
}

const sp_event_reader sp_vis_events = {.name = "a hypnogram of Zurich",
                                       .recognise = is_vis,
                                       .preset = "words",
                                       .epoch = 20 * SP_SECOND,
                                       .line = read_vis,
                                       .end = check_vis};
