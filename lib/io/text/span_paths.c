#include "io/text/span_paths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/holes.h"
#include "io/paths_export.h"
#include "io/text/step_texts.h"
#include "io/text/text_buffer.h"
#include "tags/tags.h"
#include "json/json_write.h"

typedef struct span_writer {
    const sp_paths_export *e;
    const sp_paths_info *info;
    sp_tag *tags;         /* [K] */
    bool are_tags;        /* else spans are runs */
    uint8_t *taking_part; /* [S], or NULL: all steps */
    /* Steps of the recordings at hand. */
    int64_t *segments;
    double *values; /* [strategies][SP_SPAN_VALUES][most], or NULL */
    int64_t most;
    /* Of one recording, those that take part. */
    int32_t *path;
    int64_t *own_segments, *at;
    sp_tagged_span *spans;
    sp_json_writer json;
    sp_status put; /* what writing the file has said */
    sp_error *err;
} span_writer;

static sp_status check(const char *file, const sp_paths_header *header, sp_error *err)
{
    return header->classes
               ? SP_OK
               : sp_fail(err, SP_EINVAL,
                         "%s: names the class of each run, and the classes have no names; write .csv or .h5",
                         file);
}

static bool make_room(span_writer *w)
{
    const size_t S = (size_t)w->most + 1,
                 rows = w->e->has_values ? (size_t)w->info->n_strategies * SP_SPAN_VALUES : 0;
    w->tags = malloc(((size_t)w->info->n_classes + 1) * sizeof *w->tags);
    w->taking_part = w->e->kept.holes ? sp_holes_flags(w->e->kept.holes, w->e->kept.n_kept) : NULL;
    w->segments = malloc(S * sizeof *w->segments);
    w->values = rows ? malloc(rows * S * sizeof *w->values) : NULL;
    w->path = malloc(S * sizeof *w->path);
    w->own_segments = malloc(S * sizeof *w->own_segments);
    w->at = malloc(S * sizeof *w->at);
    w->spans = malloc(S * sizeof *w->spans);
    return w->tags && (w->taking_part || !w->e->kept.holes) && w->segments && (w->values || !rows) &&
           w->path && w->own_segments && w->at && w->spans;
}

static void free_room(span_writer *w)
{
    free(w->tags);
    free(w->taking_part);
    free(w->segments);
    free(w->values);
    free(w->path);
    free(w->own_segments);
    free(w->at);
    free(w->spans);
}

/* Segments and values of recordings first .. first+n-1. */
static sp_status read_values(const span_writer *w, int64_t first, int64_t n, sp_error *err)
{
    sp_status status = SP_OK;
    if (w->info->has_segments)
        TRY(sp_kept_paths_segments(&w->e->kept, first, n, w->segments, err));
    for (int32_t row = 0; w->values && row < w->info->n_strategies * SP_SPAN_VALUES; row++)
        TRY(sp_kept_paths_values(&w->e->kept, row, first, n, w->values + row * w->most, err));
done:
    return status;
}

static void put_text(void *to, const char *text, size_t n)
{
    span_writer *w = to;
    if (w->put == SP_OK)
        w->put = sp_text_put(w->e->text, text, n, w->err);
}

/* Where in the recording's text the steps first .. last stand, both of the whole file. */
static void put_place(span_writer *w, int64_t recording, int64_t first, int64_t last)
{
    const sp_step_texts *texts = w->e->texts;
    int64_t start = -1, end = 0;
    for (int64_t t = first; texts && t <= last; t++) {
        if (texts->end[t] == texts->start[t])
            continue;
        start = start < 0 ? texts->start[t] : start;
        end = texts->end[t];
    }
    /* Further pieces of the last word take no part. */
    for (int64_t t = last + 1;
         start >= 0 && w->taking_part && t < w->info->offsets[recording + 1] && !w->taking_part[t]; t++)
        end = texts->start[t] == end && texts->end[t] > end ? texts->end[t] : end;
    sp_text_buffer words = {.text = NULL};
    if (start >= 0) {
        const char *from;
        const int64_t n = sp_step_texts_cut(texts, recording, start, end, &from);
        sp_text_buffer_put(&words, from, (size_t)n);
        sp_json_putf(&w->json, ", \"start\": %lld, \"end\": %lld", (long long)start, (long long)end);
    }
    for (int64_t t = first; !texts && w->e->tokens && t <= last; t++) {
        sp_text_buffer_put(&words, " ", t > first);
        sp_text_buffer_put(&words, w->e->tokens[t], strlen(w->e->tokens[t]));
    }
    if (words.n)
        sp_text_buffer_put(&words, "", 1);
    if (words.failed)
        w->json.status = SP_ENOMEM;
    if (words.n && !words.failed) {
        sp_json_put(&w->json, ", \"text\": ");
        sp_json_put_cleaned(&w->json, words.text);
    }
    free(words.text);
}

static void put_value(span_writer *w, const char *key, double value)
{
    if (isfinite(value)) {
        sp_json_put(&w->json, key);
        sp_json_put_number(&w->json, value);
    }
}

static void begin_line(span_writer *w, int64_t recording, int32_t s)
{
    sp_json_put(&w->json, "{\"recording\": ");
    sp_json_put_cleaned(&w->json, w->info->ids[recording]);
    if (w->info->n_strategies > 1) {
        sp_json_put(&w->json, ", \"strategy\": ");
        sp_json_put_string(&w->json, w->info->strategies[s]);
    }
}

/* A span whose steps are numbered among those of the recording that take part; `from`: its first step of those at hand. */
static void put_span(span_writer *w, int64_t recording, int32_t s, const sp_tagged_span *span, int64_t from,
                     const sp_decoded *result)
{
    const int64_t first = w->at[span->first], last = w->at[span->last], begin = w->info->offsets[recording];
    const char *type = w->info->classes[span->type];
    sp_tag_kind kind;
    if (w->are_tags)
        sp_tag_parse(type, &kind, &type);
    begin_line(w, recording, s);
    sp_json_put(&w->json, w->are_tags ? ", \"type\": " : ", \"class\": ");
    sp_json_put_cleaned(&w->json, type);
    sp_json_putf(&w->json, ", \"first\": %lld, \"last\": %lld", (long long)first, (long long)last);
    put_place(w, recording, begin + first, begin + last);
    for (int v = 0; w->values && v < SP_SPAN_VALUES; v++)
        put_value(w, v == SP_SPAN_SCORE ? ", \"score\": " : ", \"posterior\": ",
                  w->values[(s * SP_SPAN_VALUES + v) * w->most + from + first]);
    sp_json_put(&w->json, result->n_broken ? ", \"relaxed\": true}\n" : "}\n");
}

/* Steps from .. of those at hand. */
static void put_recording(span_writer *w, int64_t recording, int32_t s, const int32_t *path, int64_t from)
{
    const sp_decoded *result = &w->e->kept.results[s * w->info->n_recordings + recording];
    const int64_t begin = w->info->offsets[recording], T = w->info->offsets[recording + 1] - begin;
    int64_t m = 0;
    if (result->status != SP_OK) {
        begin_line(w, recording, s);
        sp_json_putf(&w->json, ", \"status\": %s, \"step\": %lld}\n", sp_status_name(result->status),
                     (long long)result->step);
        return;
    }
    for (int64_t t = 0; t < T; t++) {
        if (w->taking_part && !w->taking_part[begin + t])
            continue;
        w->path[m] = path[from + t];
        w->own_segments[m] = w->segments[from + t];
        w->at[m++] = t;
    }
    const int64_t n =
        sp_tagged_spans(w->tags, m, w->path, w->info->has_segments ? w->own_segments : NULL, w->spans);
    for (int64_t i = 0; i < n; i++)
        put_span(w, recording, s, &w->spans[i], from, result);
}

static sp_status write_spans(sp_paths_export *e, int32_t **paths, int64_t most, sp_error *err)
{
    const sp_paths_info *info = &e->kept.info;
    span_writer w = {.e = e, .info = info, .most = most, .err = err};
    sp_status status = SP_OK;
    sp_json_writer_open_on(&w.json, put_text, &w);
    TRY(make_room(&w) ? sp_tags_or_runs(info->n_classes, info->classes, w.tags, &w.are_tags, err)
                      : sp_no_memory(err));
    for (int64_t first = 0, n; first < info->n_recordings; first += n) {
        n = sp_kept_paths_fit(info, first);
        for (int32_t s = 0; s < info->n_strategies; s++)
            TRY(sp_kept_paths_read(&e->kept, s, first, n, paths[s], err));
        TRY(read_values(&w, first, n, err));
        for (int64_t i = first; i < first + n; i++)
            for (int32_t s = 0; s < info->n_strategies; s++)
                put_recording(&w, i, s, paths[s], info->offsets[i] - info->offsets[first]);
        TRY(w.put);
    }
    TRY(sp_json_writer_close(&w.json, NULL, err));
done:
    free_room(&w);
    return status;
}

const sp_path_format sp_span_paths = {.endings = ".jsonl .ndjson",
                                      .is_text = true,
                                      .takes_tokens = true,
                                      .takes_spans = true,
                                      .check = check,
                                      .write = write_spans};
