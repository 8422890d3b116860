/* Lists of labels that say how long each is: Elan's .hyp, DREAMS, the .STG text export, and Zurich's .vis, which has the epochs
 * where the stage changes. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/events/event_reader.h"
#include "io/text/texts.h"

/* Adds a label of epoch `index`. */
static sp_status add_epoch(const sp_lines *l, sp_events *events, int64_t index, sp_time epoch, const char *text, sp_error *err)
{
    if (index >= SP_TIME_LIMIT / epoch)
        return sp_fail(err, SP_EDATA, "%s: line %lld: epoch %lld is too far from the beginning", l->file, (long long)l->line,
                       (long long)index + 1);
    const sp_event event = {.onset = index * epoch, .duration = epoch, .place = l->line, .is_stage = true};
    return sp_events_add(events, &event, text, strlen(text), err);
}

/* A whole number from `least` on in field i. */
static sp_status read_index(const sp_lines *l, int i, int64_t least, int64_t *out, sp_error *err)
{
    const char *text = i < l->n_fields ? l->fields[i] : "";
    const size_t digits = strspn(text, "0123456789");
    *out = digits && digits < 16 ? strtoll(text, NULL, 10) : -1;
    if (*out >= least && !text[digits])
        return SP_OK;
    return sp_fail(err, SP_EDATA, "%s: line %lld: \"%.40s\" is no number of an epoch from %lld on", l->file, (long long)l->line,
                   text, (long long)least);
}

/* ---- Elan: time_base, sampling_period, epoch_nb, epoch_list, then a label each time_base seconds ---- */

static bool is_elan(const sp_file_look *look)
{
    char line[64];
    sp_look_first_line(look, line, sizeof line);
    return strncasecmp(line, "time_base", 9) == 0;
}

static sp_status read_elan_header(sp_lines *l, sp_events *events, int64_t *n_epochs, bool *is_list, sp_error *err)
{
    sp_lines_split(l, ' ');
    const char *name = l->fields[0];
    if (strcasecmp(name, "epoch_list") == 0)
        *is_list = true;
    else if (strcasecmp(name, "epoch_nb") == 0)
        return read_index(l, 1, 0, n_epochs, err);
    else if (strcasecmp(name, "time_base") == 0) {
        sp_status status = sp_lines_seconds(l, 1, "time_base", &events->epoch, err);
        if (status != SP_OK || events->epoch > 0)
            return status;
        return sp_fail(err, SP_EDATA, "%s: line %lld: time_base is not above 0", l->file, (long long)l->line);
    } else if (strcasecmp(name, "sampling_period") != 0)
        return sp_fail(err, SP_EDATA, "%s: line %lld: \"%.40s\" is none of time_base, sampling_period, epoch_nb, epoch_list",
                       l->file, (long long)l->line, name);
    return SP_OK;
}

static sp_status read_elan(const sp_event_input *in, sp_events *events, sp_error *err)
{
    sp_lines l;
    bool is_list = false;
    int64_t n_epochs = -1;
    events->place_name = "line";
    events->preset = "elan";
    sp_status status = sp_lines_open(in, &l, err);
    while (status == SP_OK && sp_lines_next(&l))
        if (!is_list)
            status = read_elan_header(&l, events, &n_epochs, &is_list, err);
        else {
            sp_lines_split(&l, ' ');
            status = add_epoch(&l, events, events->n, events->epoch, l.fields[0], err);
        }
    if (status == SP_OK && n_epochs >= 0 && n_epochs != events->n)
        status = sp_fail(err, SP_EDATA, "%s: line %lld: it ends with %lld labels, epoch_nb says %lld", in->file,
                         (long long)l.line, (long long)events->n, (long long)n_epochs);
    sp_lines_close(&l);
    return status;
}

const sp_event_reader sp_elan_events = {.name = "a hypnogram of Elan", .recognise = is_elan, .read = read_elan};

/* ---- DREAMS: a line [HypnogramAASM] or [HypnogramR&K], then a number each five seconds ---- */

static bool is_dreams(const sp_file_look *look)
{
    char line[64];
    sp_look_first_line(look, line, sizeof line);
    return strncasecmp(line, "[Hypnogram", 10) == 0;
}

static sp_status read_dreams(const sp_event_input *in, sp_events *events, sp_error *err)
{
    sp_lines l;
    events->place_name = "line";
    events->preset = "dreams";
    events->epoch = 5 * SP_SECOND;
    sp_status status = sp_lines_open(in, &l, err);
    while (status == SP_OK && sp_lines_next(&l)) {
        sp_lines_split(&l, ' ');
        if (*l.fields[0] != '[')
            status = add_epoch(&l, events, events->n, events->epoch, l.fields[0], err);
    }
    sp_lines_close(&l);
    return status;
}

const sp_event_reader sp_dreams_events = {.name = "a hypnogram of DREAMS", .recognise = is_dreams, .read = read_dreams};

/* ---- .STG as text: columns Epoch (from 1) and User-Defined Stage; an epoch that is missing is unscored ---- */

static bool is_stg(const sp_file_look *look)
{
    char line[256];
    sp_look_first_line(look, line, sizeof line);
    return strncasecmp(line, "Epoch\t", 6) == 0 && strstr(line, "User-Defined Stage");
}

static sp_status read_stg(const sp_event_input *in, sp_events *events, sp_error *err)
{
    sp_lines l;
    int stage = -1;
    events->place_name = "line";
    events->preset = "rk";
    events->epoch = 30 * SP_SECOND;
    sp_status status = sp_lines_open(in, &l, err);
    while (status == SP_OK && sp_lines_next(&l)) {
        int64_t epoch;
        sp_lines_split(&l, '\t');
        if (stage < 0) {
            for (int i = 0; i < l.n_fields; i++)
                if (strcasecmp(l.fields[i], "User-Defined Stage") == 0)
                    stage = i;
            if (stage < 0)
                status = sp_fail(err, SP_EDATA, "%s: line %lld names no column User-Defined Stage", l.file, (long long)l.line);
            continue;
        }
        status = read_index(&l, 0, 1, &epoch, err);
        if (status == SP_OK && stage >= l.n_fields)
            status = sp_fail(err, SP_EDATA, "%s: line %lld has %d fields, fewer than the header", l.file, (long long)l.line,
                             l.n_fields);
        if (status == SP_OK)
            status = add_epoch(&l, events, epoch - 1, events->epoch, l.fields[stage], err);
    }
    sp_lines_close(&l);
    return status;
}

const sp_event_reader sp_stg_events = {.name = "a table of epochs and stages", .recognise = is_stg, .read = read_stg};

/* ---- Zurich: a first line with the offset, then "epoch stage" (0 1 2 3 r e) where the stage changes, in epochs of 20 s ---- */

static bool is_vis(const sp_file_look *look)
{
    return sp_file_has_ending(look->file, ".vis");
}

static sp_status read_vis(const sp_event_input *in, sp_events *events, sp_error *err)
{
    sp_lines l;
    bool is_first = true, is_over = false;
    events->place_name = "line";
    events->preset = "words";
    events->epoch = 20 * SP_SECOND;
    sp_status status = sp_lines_open(in, &l, err);
    for (; status == SP_OK && !is_over && sp_lines_next(&l); is_first = false) {
        int64_t epoch;
        sp_lines_split(&l, ' ');
        if (is_first && l.n_fields == 1) {
            if (strspn(l.fields[0], "0.") != strlen(l.fields[0]))
                events->remark = "the offset in its first line is passed over";
            continue;
        }
        if ((status = read_index(&l, 0, 1, &epoch, err)) != SP_OK)
            break;
        const char *code = l.n_fields > 1 ? l.fields[1] : "";
        is_over = strcasecmp(code, "e") == 0; /* the end of the recording */
        if (is_over) {
            events->total = epoch < SP_TIME_LIMIT / events->epoch ? (epoch - 1) * events->epoch : 0;
            if (events->n) /* the last one ends there */
                events->list[events->n - 1].duration = events->total - events->list[events->n - 1].onset;
            break;
        }
        const char *stage = strcmp(code, "0") == 0                             ? "W"
                            : strcmp(code, "1") == 0                           ? "N1"
                            : strcmp(code, "2") == 0                           ? "N2"
                            : strcmp(code, "3") == 0 || strcmp(code, "4") == 0 ? "N3"
                                                                               : code;
        status = add_epoch(&l, events, epoch - 1, events->epoch, stage, err);
        if (status == SP_OK)
            events->list[events->n - 1].duration = SP_EVENT_UNTIL_NEXT;
    }
    for (int64_t i = 0; status == SP_OK && i < events->n; i++)
        if (events->list[i].duration < SP_EVENT_UNTIL_NEXT)
            status = sp_fail(err, SP_EDATA, "%s: line %lld: its epoch lies after the end of the recording", in->file,
                             (long long)events->list[i].place);
    sp_lines_close(&l);
    return status;
}

const sp_event_reader sp_vis_events = {.name = "a hypnogram of Zurich", .recognise = is_vis, .read = read_vis};
