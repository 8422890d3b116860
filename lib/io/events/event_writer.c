#include "io/events/event_writer.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/events/event_reader.h"
#include "io/events/times.h"
#include "io/text/text_buffer.h"
#include "io/text/texts.h"
#include "sleep/stages.h"

enum { USUAL_STEP = 30 };

static void put_text(sp_text_buffer *b, const char *text)
{
    sp_text_buffer_put(b, text, strlen(text));
}

/* ---- what is written ---- */

typedef struct night {
    const sp_event_night *of;
    sp_time step;
    const char *const *words; /* [n_classes+1] of unscored, class 0, ... */
} night;

struct sp_event_writer {
    const char *ending;
    const char *unscored, *stages[SP_N_STAGES];
    const char *forbidden; /* letters that no name may have */
    bool needs_time;
    void (*write)(const night *night, sp_text_buffer *out);
};

typedef struct run {
    int64_t first, n;
    const char *word;
} run;

/* The next run from r->first + r->n on; false: there is none. */
static bool next_run(const night *v, run *r)
{
    const int32_t *labels = v->of->labels;
    r->first += r->n;
    for (r->n = 0; r->first + r->n < v->of->n_steps && labels[r->first + r->n] == labels[r->first]; r->n++)
        ;
    if (r->n)
        r->word = v->words[labels[r->first] + 1];
    return r->n > 0;
}

static void put_time(sp_text_buffer *out, sp_time time)
{
    char text[SP_TIME_TEXT];
    put_text(out, sp_time_text(time, text));
}

static void write_annot(const night *v, sp_text_buffer *out)
{
    put_text(out, "class\tinstance\tchannel\tstart\tstop\tmeta\n");
    for (run r = {0}; next_run(v, &r);) {
        put_text(out, r.word);
        put_text(out, "\t.\t.\t");
        put_time(out, r.first * v->step);
        put_text(out, "\t");
        put_time(out, (r.first + r.n) * v->step);
        put_text(out, "\t.\n");
    }
}

static void write_eannot(const night *v, sp_text_buffer *out)
{
    for (int64_t t = 0; t < v->of->n_steps; t++) {
        put_text(out, v->words[v->of->labels[t] + 1]);
        put_text(out, "\n");
    }
}

static void write_ids(const night *v, sp_text_buffer *out)
{
    for (run r = {0}; next_run(v, &r);) {
        put_time(out, r.first * v->step);
        put_text(out, ",");
        put_time(out, r.n * v->step);
        put_text(out, ",");
        put_text(out, r.word);
        put_text(out, "\n");
    }
}

/* ---- EDF+ ---- */

enum { MOST_RECORD = 61440 }; /* bytes of a record, as the format recommends */

static void put_field(sp_text_buffer *out, size_t width, const char *text)
{
    char field[81];
    snprintf(field, sizeof field, "%-*s", (int)width, text);
    sp_text_buffer_put(out, field, width);
}

static void put_number(sp_text_buffer *out, size_t width, long long number)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", number);
    put_field(out, width, text);
}

/* A header of one signal, the annotations; its records take no time, as there is nothing else to be recorded. */
static void put_header(sp_text_buffer *out, int64_t n_records, int64_t n_samples)
{
    static const struct {
        size_t width;
        const char *text;
    } fields[] = {{16, "EDF Annotations"}, {80, ""},     {8, ""}, {8, "-1"}, {8, "1"},
                  {8, "-32768"},           {8, "32767"}, {80, ""}};
    put_field(out, 8, "0");
    put_field(out, 80, "X X X X");
    put_field(out, 80, "Startdate X X X X");
    put_field(out, 8, "01.01.85");
    put_field(out, 8, "00.00.00");
    put_number(out, 8, 512);
    put_field(out, 44, "EDF+C");
    put_number(out, 8, n_records);
    put_number(out, 8, 0);
    put_number(out, 4, 1);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        put_field(out, fields[i].width, fields[i].text);
    put_number(out, 8, n_samples);
    put_field(out, 32, "");
}

/* The records: each begins with its time, and holds as many annotations as go into it. out NULL: only counts them, and their
 * greatest length. false: out of memory. */
static bool put_records(const night *v, size_t size, sp_text_buffer *out, int64_t *n_records, size_t *longest)
{
    static const char begin[] = "+0\x14\x14"; /* and the 0 that ends it */
    sp_text_buffer one = {0};
    size_t used = 0;
    *n_records = 0;
    for (run r = {0}; next_run(v, &r);) {
        one.n = 0;
        put_text(&one, "+");
        put_time(&one, r.first * v->step);
        put_text(&one, "\x15");
        put_time(&one, r.n * v->step);
        put_text(&one, "\x14");
        put_text(&one, r.word);
        sp_text_buffer_put(&one, "\x14", 2);
        if (!*n_records || used + one.n > MOST_RECORD) {
            for (; *n_records && out && used < size; used++)
                sp_text_buffer_put(out, "", 1);
            ++*n_records;
            used = sizeof begin;
            if (out)
                sp_text_buffer_put(out, begin, sizeof begin);
        }
        used += one.n;
        *longest = used > *longest ? used : *longest;
        if (out && !one.failed)
            sp_text_buffer_put(out, one.text, one.n);
    }
    for (; out && *n_records && used < size; used++)
        sp_text_buffer_put(out, "", 1);
    free(one.text);
    return !one.failed;
}

static void write_edf(const night *v, sp_text_buffer *out)
{
    int64_t n_records;
    size_t longest = 0;
    bool is_ok = put_records(v, 0, NULL, &n_records, &longest);
    longest += longest % 2;
    put_header(out, n_records, (int64_t)longest / 2);
    is_ok = is_ok && put_records(v, longest, out, &n_records, &longest);
    out->failed |= !is_ok;
}

/* ---- the table ---- */

static const sp_event_writer writers[] = {
    {".annot", "?", {"W", "N1", "N2", "N3", "R"}, "\t\n\r#", true, write_annot},
    {".eannot", "?", {"W", "N1", "N2", "N3", "R"}, "\n\r", false, write_eannot},
    {".ids", "UNKNOWN", {"W", "N1", "N2", "N3", "REM"}, ",\n\r", true, write_ids},
    {".edf",
     "Sleep stage ?",
     {"Sleep stage W", "Sleep stage N1", "Sleep stage N2", "Sleep stage N3", "Sleep stage R"},
     "\x14\x15",
     true,
     write_edf},
};

const sp_event_writer *sp_event_writer_find(const char *file)
{
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        if (sp_file_has_ending(file, writers[i].ending))
            return &writers[i];
    return NULL;
}

static bool are_stages(const sp_event_night *n)
{
    for (int32_t k = 0; k < n->n_classes; k++) {
        const sp_stage_name *stage = sp_stage_name_find(n->classes[k]);
        if (!stage || stage->is_coarse)
            return false;
    }
    return true;
}

static sp_time step_of(const sp_event_night *n, bool is_sleep)
{
    return sp_time_of_step(n->epoch_seconds > 0 || !is_sleep ? n->epoch_seconds : USUAL_STEP);
}

sp_status sp_event_writer_check(const sp_event_writer *writer, const char *file, const sp_event_night *of,
                                sp_error *err)
{
    const bool is_sleep = are_stages(of);
    if (writer->needs_time && step_of(of, is_sleep) == 0)
        return sp_fail(err, SP_EINVAL,
                       "%s: nobody says how long a step is; `epoch_seconds` X does, or attribute "
                       "epoch_seconds of the scores",
                       file);
    for (int32_t k = 0; k < of->n_classes; k++)
        if (!is_sleep && of->classes[k][strcspn(of->classes[k], writer->forbidden)])
            return sp_fail(
                err, SP_EINVAL,
                "%s: the name of class \"%.60s\" has a letter that parts fields there; write .csv or .h5",
                file, of->classes[k]);
    return SP_OK;
}

sp_status sp_event_writer_bytes(const sp_event_writer *writer, const char *file, const sp_event_night *of,
                                char **out, size_t *n, sp_error *err)
{
    const bool is_sleep = are_stages(of);
    night v = {.of = of, .step = step_of(of, is_sleep)};
    sp_text_buffer b = {0};
    sp_status status = sp_event_writer_check(writer, file, of, err);
    if (status != SP_OK)
        return status;
    const char **words = malloc(((size_t)of->n_classes + 1) * sizeof *words);
    if (!words)
        return sp_no_memory(err);
    words[0] = writer->unscored;
    for (int32_t k = 0; k < of->n_classes; k++)
        words[k + 1] = is_sleep ? writer->stages[sp_stage_name_find(of->classes[k])->stage] : of->classes[k];
    v.words = words;
    writer->write(&v, &b);
    free(words);
    if (b.failed || (!b.text && !(b.text = malloc(1)))) {
        free(b.text);
        return sp_no_memory(err);
    }
    *out = b.text;
    *n = b.n;
    return SP_OK;
}
