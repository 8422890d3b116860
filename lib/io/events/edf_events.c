/* Annotations of EDF+ and BDF+ (Kemp & Olivan 2003, doi:10.1016/S1388-2457(03)00123-8).
 *
 * A header of 256 bytes, 256 more for each signal, then records of samples. The samples of a signal called "EDF Annotations" are
 * text: lists of onset, duration (after byte 21) and texts (between bytes 20), each ended by a byte 0. The first list of a record
 * says when the record begins. EDFlib would read it, too; but opening files with it is unsafe among threads, and it neither reads
 * bytes in memory nor says where a file is damaged. */
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/events/event_reader.h"

enum { HEADER = 256, LABEL = 16, SAMPLES_AT = 216, MOST_SIGNALS = 9999, TEXT_END = 0x14, DURATION = 0x15 };

typedef struct signal {
    int64_t at, n; /* bytes of it in a record */
} signal;

typedef struct recording {
    const sp_event_input *in;
    sp_events *events;
    int sample_bytes;
    int64_t data, n_records, record_bytes;
    int n_signals, n_annotations;
    signal *annotations;
    sp_time begin; /* of the first record, below a second */
    sp_error *err;
} recording;

static bool is_edf(const sp_file_look *look)
{
    const unsigned char *head = look->head;
    return look->n >= HEADER && (memcmp(head, "0       ", 8) == 0 || memcmp(head,
                                                                            "\xff"
                                                                            "BIOSEMI",
                                                                            8) == 0);
}

/* A whole number in a field of the header; -2: there is none. */
static int64_t number_of(const char *field, size_t n)
{
    char text[17] = "";
    memcpy(text, field, n < 16 ? n : 16);
    char *end;
    const long long value = strtoll(text, &end, 10);
    return end == text || end[strspn(end, " ")] ? -2 : value;
}

static sp_status damaged(const recording *r, int64_t byte, const char *what)
{
    return sp_fail(r->err, SP_EDATA, "%s: byte %lld: %s; it is no whole EDF+ file, write it again",
                   r->in->file, (long long)byte, what);
}

/* Which of the signals are annotations, and how long a record is. head: the part of the header that speaks of signals. */
static sp_status find_annotations(recording *r, const char *head)
{
    const char *wanted = r->sample_bytes == 2 ? "EDF Annotations " : "BDF Annotations ";
    const size_t n = (size_t)r->n_signals;
    r->annotations = calloc(n + 1, sizeof *r->annotations);
    if (!r->annotations)
        return sp_no_memory(r->err);
    for (size_t i = 0; i < n; i++) {
        const int64_t samples = number_of(head + n * SAMPLES_AT + i * 8, 8);
        if (samples < 0 || samples > INT32_MAX)
            return damaged(r, HEADER + (int64_t)(n * SAMPLES_AT + i * 8), "no number of samples of a signal");
        if (memcmp(head + i * LABEL, wanted, LABEL) == 0)
            r->annotations[r->n_annotations++] = (signal){r->record_bytes, samples * r->sample_bytes};
        r->record_bytes += samples * r->sample_bytes;
    }
    if (r->n_annotations == 0)
        return sp_fail(r->err, SP_EDATA,
                       "%s: is an EDF recording of %d signal%s without annotations: neither labels nor "
                       "scores of a classifier; the "
                       "hypnogram is mostly in another file beside it",
                       r->in->file, r->n_signals, r->n_signals == 1 ? "" : "s");
    return r->record_bytes > 0 ? SP_OK
                               : damaged(r, HEADER + (int64_t)(n * SAMPLES_AT), "its records are empty");
}

static sp_status read_header(recording *r)
{
    char fixed[HEADER];
    sp_status status = sp_event_input_at(r->in, 0, sizeof fixed, fixed, r->err);
    if (status != SP_OK)
        return status;
    r->sample_bytes = fixed[0] == '0' ? 2 : 3;
    const int64_t n_signals = number_of(fixed + 252, 4);
    if (n_signals < 1 || n_signals > MOST_SIGNALS)
        return damaged(r, 252, "no number of signals");
    r->n_signals = (int)n_signals;
    r->data = HEADER * (n_signals + 1);
    if (number_of(fixed + 184, 8) != r->data)
        return damaged(r, 184, "the length of the header is not that of its signals");
    char *head = malloc((size_t)n_signals * HEADER);
    if (!head)
        return sp_no_memory(r->err);
    status = sp_event_input_at(r->in, HEADER, (size_t)n_signals * HEADER, head, r->err);
    if (status == SP_OK)
        status = find_annotations(r, head);
    free(head);
    if (status != SP_OK)
        return status;
    const int64_t there = (r->in->size - r->data) / r->record_bytes;
    r->n_records = number_of(fixed + 236, 8);
    if (r->n_records < -1)
        return damaged(r, 236, "no number of records");
    if (r->n_records > there)
        return sp_fail(r->err, SP_EDATA,
                       "%s: is cut short: its header says %lld records of %lld bytes, it ends at byte %lld "
                       "in record %lld",
                       r->in->file, (long long)r->n_records, (long long)r->record_bytes,
                       (long long)r->in->size, (long long)there);
    if (r->n_records == -1) /* it was still being recorded */
        r->n_records = there;
    return SP_OK;
}

/* One list of bytes[n], which begins at a byte of the file: onset, duration, texts. Without texts it says when the record begins.
 */
static sp_status read_list(recording *r, const char *bytes, size_t n, int64_t byte, bool is_clock)
{
    const char *stop = memchr(bytes, TEXT_END, n);
    if (!stop || (*bytes != '+' && *bytes != '-'))
        return damaged(r, byte, "no annotation, which begins with + or - and a number of seconds");
    const size_t n_times = (size_t)(stop - bytes);
    const char *mark = memchr(bytes, DURATION, n_times);
    const size_t n_onset = mark ? (size_t)(mark - bytes) : n_times;
    sp_event event = {.duration = SP_EVENT_UNTIL_NEXT, .place = byte};
    if (!sp_time_seconds(bytes, n_onset, &event.onset))
        return damaged(r, byte, "the onset of an annotation is no number of seconds");
    if (mark && !sp_time_seconds(mark + 1, n_times - n_onset - 1, &event.duration))
        return damaged(r, byte + (int64_t)n_onset + 1,
                       "the duration of an annotation is no number of seconds");
    if (mark && event.duration < 0)
        return damaged(r, byte + (int64_t)n_onset + 1, "the duration of an annotation is below 0");
    if (event.duration == 0)
        event.duration = SP_EVENT_UNTIL_NEXT;
    if (is_clock && event.onset >= 0 && event.onset < SP_SECOND)
        r->begin = event.onset;
    event.onset -= r->begin;
    for (const char *text = stop + 1, *end = bytes + n; text < end;) {
        const char *after = memchr(text, TEXT_END, (size_t)(end - text));
        if (!after)
            return damaged(r, byte + (text - bytes), "the text of an annotation does not end");
        if (after > text) {
            sp_status status = sp_events_add(r->events, &event, text, (size_t)(after - text), r->err);
            if (status != SP_OK)
                return status;
        }
        text = after + 1;
    }
    return SP_OK;
}

/* The annotations of one signal in one record: bytes[n]. */
static sp_status read_lists(recording *r, const char *bytes, size_t n, int64_t byte, bool is_first_record)
{
    bool is_first = is_first_record;
    for (size_t i = 0; i < n;) {
        if (bytes[i] == 0) {
            i++;
            continue;
        }
        const char *end = memchr(bytes + i, 0, n - i);
        if (!end)
            return damaged(r, byte + (int64_t)i, "an annotation does not end");
        const size_t length = (size_t)(end - (bytes + i));
        sp_status status = read_list(r, bytes + i, length, byte + (int64_t)i, is_first);
        if (status != SP_OK)
            return status;
        is_first = false;
        i += length + 1;
    }
    return SP_OK;
}

static sp_status read_records(recording *r)
{
    int64_t longest = 0;
    for (int i = 0; i < r->n_annotations; i++)
        longest = r->annotations[i].n > longest ? r->annotations[i].n : longest;
    if (r->n_records <= 0)
        return damaged(r, r->data, "it has no records");
    char *bytes = malloc((size_t)longest + 1);
    sp_status status = SP_OK;
    TRY(bytes ? SP_OK : sp_no_memory(r->err));
    for (int64_t record = 0; record < r->n_records; record++)
        for (int i = 0; i < r->n_annotations; i++) {
            const int64_t at = r->data + record * r->record_bytes + r->annotations[i].at;
            TRY(sp_event_input_at(r->in, at, (size_t)r->annotations[i].n, bytes, r->err));
            TRY(read_lists(r, bytes, (size_t)r->annotations[i].n, at, record == 0 && i == 0));
        }
done:
    free(bytes);
    return status;
}

static sp_status read_edf(const sp_event_input *in, sp_events *events, sp_error *err)
{
    recording r = {.in = in, .events = events, .err = err};
    sp_status status = read_header(&r);
    if (status == SP_OK)
        status = read_records(&r);
    free(r.annotations);
    return status;
}

const sp_event_reader sp_edf_events = {.name = "EDF+ annotations",
                                       .recognise = is_edf,
                                       .preset = "words",
                                       .place_name = "byte",
                                       .read = read_edf};
