/* Parts: the bytes choose a true part and change it; it is then read as a block of bytes or as a file, alone or with another
 * part, merged, and the results are written.
 *
 *   byte 0   which part; 4: as a file; 8: with another part
 *   byte 1   how many edits of its lists and header, each of 4 bytes: what, where (2), with what. The checksum is that of the
 *            edited part, so that what is behind it is reached
 *   rest     edits of the file's bytes
 *
 * Whatever fails must have one sentence. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image.h"
#include "pipeline/files/part_file.h"
#include "statepath/comparison.h"
#include "statepath/pipeline_file.h"
#include "statepath/report.h"

enum { N_PARTS = 4, N = 4, K = 5, S = 40, MOST_BYTES = 1 << 16 };
static const char *const classes[K] = {"Wake", "N1", "N2", "N3", "REM"}, *const tags[K] = {"O", "B-a", "I-a",
                                                                                           "B-b", "I-b"};
static const char *const ids[2 * N] = {"n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"};
/* Of one subject there are no intervals, which take most of the time; the parts of kind 1 are of several. */
static const char *const of_one[N] = {"p", "p", "p", "p"}, *const of_several[N] = {"p", "p", "q", "r"};
static struct {
    unsigned char *bytes;
    size_t n;
} parts[N_PARTS], others[N_PARTS];
static char file[] = "/tmp/statepath-fuzz-XXXXXX", other_file[] = "/tmp/statepath-fuzz-XXXXXX";

/* ---- true parts ---- */

/* Of four recordings, the last without steps. */
static void make(int kind, bool is_other, unsigned char **bytes, size_t *n)
{
    static const int64_t offsets[N + 1] = {0, 7, 15, S, S};
    float scores[S * K];
    int32_t labels[S];
    int64_t segments[S];
    for (int t = 0; t < S; t++) {
        for (int k = 0; k < K; k++)
            scores[t * K + k] = (float)((t * 7 + k * 13 + kind * 5 + is_other * 3) % 11);
        labels[t] = (t * 3 + kind) % 7 - 1;
        labels[t] = labels[t] < K ? labels[t] : 0;
        segments[t] = t / 6;
    }
    const bool is_tagged = kind == 2, is_bare = kind == 3;
    sp_arrays arrays = {.info = {.file = "fuzz",
                                 .kind = SP_KIND_SCORES,
                                 .dtype = SP_F32,
                                 .n_recordings = N,
                                 .offsets = offsets,
                                 .ids = ids + (is_other ? N : 0),
                                 .n_classes = K,
                                 .classes = is_tagged ? tags : classes},
                        .scores = scores,
                        .labels = is_bare ? NULL : labels,
                        .segments = kind == 1 ? segments : NULL,
                        .subjects = kind == 1 ? of_several : of_one};
    const sp_recordings recordings = sp_recordings_of_arrays(&arrays);
    sp_run_options o = sp_run_options_default();
    char model[400], *at = model;
    at += sprintf(at, "{\"statepath_model\": 1, \"name\": \"fuzz\", \"classes\": [");
    for (int k = 0; k < K; k++)
        at += sprintf(at, "%s\"%s\"", k ? ", " : "", arrays.info.classes[k]);
    sprintf(at, "], \"forbid\": {\"%s\": [\"%s\"]}}", arrays.info.classes[1], arrays.info.classes[0]);
    o.model_text = model;
    o.decode.threads = 1;
    o.part.steps = is_bare ? (char *)"none" : NULL;
    sp_error err;
    assert(sp_compare_part(&recordings, &o, bytes, n, NULL, &err) == SP_OK);
}

static void begin(void)
{
    if (parts[0].bytes)
        return;
    for (int i = 0; i < N_PARTS; i++) {
        make(i, false, &parts[i].bytes, &parts[i].n);
        make(i, true, &others[i].bytes, &others[i].n);
    }
    close(mkstemp(file));
    close(mkstemp(other_file));
}

/* ---- edits ---- */

static int64_t value_of(unsigned byte)
{
    static const int64_t odd[] = {INT64_MIN, INT64_MAX, INT32_MAX,     INT32_MIN,
                                  1000000,   -1000000,  INT64_MAX / 4, 1LL << 40};
    return byte < 240 ? (int64_t)byte - 100 : odd[byte % 8];
}

static json_t *json_of(unsigned byte)
{
    switch (byte % 8) {
    case 0:
        return json_null();
    case 1:
        return json_string(byte & 128 ? "viterbi" : "");
    case 2:
        return json_array();
    case 3:
        return json_object();
    case 4:
        return json_true();
    case 5:
        return json_real(1e300);
    default:
        return json_integer(value_of(byte));
    }
}

/* Member number `where` of an object or list, or one of a member. */
static void edit_json(json_t *at, unsigned where, unsigned with)
{
    const size_t n = json_is_object(at) ? json_object_size(at) : json_array_size(at);
    if (n == 0)
        return;
    unsigned i = where % (unsigned)n;
    const unsigned deeper = where / (unsigned)n;
    if (json_is_array(at)) {
        json_t *one = json_array_get(at, i);
        if (deeper % 2 && (json_is_object(one) || json_is_array(one)))
            edit_json(one, deeper / 2, with);
        else if (with == 255)
            json_array_remove(at, i);
        else
            json_array_set_new(at, i, json_of(with));
        return;
    }
    void *member = json_object_iter(at);
    while (i--)
        member = json_object_iter_next(at, member);
    json_t *one = json_object_iter_value(member);
    if (deeper % 2 && (json_is_object(one) || json_is_array(one)))
        edit_json(one, deeper / 2, with);
    else if (with == 255)
        json_object_del(at, json_object_iter_key(member));
    else
        json_object_iter_set_new(at, member, json_of(with));
}

/* As it is before it is written. */
static void widen(sp_count_list *list)
{
    sp_count_list wide = {.n = 0};
    for (int64_t i = 0; i < list->n; i++)
        assert(sp_count_list_put_one(&wide, sp_count_at(list, i)));
    sp_count_list_free(list);
    *list = wide;
}

static void edit(sp_part_content *part, unsigned what, unsigned where, unsigned with)
{
    sp_count_list *list = sp_part_list(part, (int)(what / 4 % SP_PART_LISTS));
    switch (what % 4) {
    case 0:
        if (list->n > 0)
            list->at[where % list->n] = value_of(with);
        break;
    case 1:
        list->n -= list->n < (int64_t)with ? list->n : (int64_t)with;
        break;
    case 2:
        assert(sp_count_list_put_one(list, value_of(with)));
        break;
    default:
        edit_json(part->header, where, with);
    }
}

/* ---- reading them ---- */

static void check(sp_status status, const sp_error *err)
{
    assert(status == SP_OK || (err->message[0] && !strchr(err->message, '\n')));
}

/* The next edits are of the file's bytes. */
static void damage(const char *name, fuzz_bytes *b)
{
    struct stat info;
    FILE *f = fopen(name, "r+b");
    assert(f && fstat(fileno(f), &info) == 0);
    while (b->left > 3) {
        const unsigned where = fuzz_take(b, 256) | fuzz_take(b, 256) << 8, with = fuzz_take(b, 256);
        fseek(f, (long)(where % (unsigned)info.st_size), SEEK_SET);
        fputc((int)with, f);
        fuzz_take(b, 256);
    }
    fclose(f);
}

static void use(sp_status status, sp_comparison *made, const sp_error *err)
{
    static sp_status (*const forms[])(const sp_comparison *c, char **out,
                                      sp_error *err) = {sp_report_json, sp_report_csv, sp_report_html};
    check(status, err);
    for (int i = 0; status == SP_OK && i < 3; i++) {
        char *text = NULL;
        sp_error own;
        const sp_status written = forms[i](made, &text, &own);
        check(written, &own);
        free(text);
    }
    sp_comparison_free(made);
}

static void use_files(sp_part_content *part, fuzz_bytes *b, const sp_part_content *other,
                      const sp_run_options *o)
{
    const char *const names[] = {file, other_file};
    sp_comparison *made = NULL;
    sp_error err = {.message = ""};
    if (part->origins.n / 2 > N) /* as many ids are written */
        return;
    assert(sp_part_save(file, true, part, &err) == SP_OK);
    assert(!other || sp_part_save(other_file, true, (sp_part_content *)other, &err) == SP_OK);
    damage(file, b);
    const sp_status status = sp_merge_files(other ? 2 : 1, names, o, &made, NULL, &err);
    use(status, made, &err);
}

static void use_blocks(sp_part_content *part, int other, const sp_run_options *o)
{
    unsigned char *bytes = NULL;
    sp_comparison *made = NULL;
    sp_error err = {.message = ""};
    sp_part_bytes blocks[2];
    sp_part_about about;
    if (part->origins.n / 2 > N) /* as many ids are written */
        return;
    assert(sp_part_write(part, &bytes, &blocks[0].n, &err) == SP_OK);
    blocks[0].bytes = bytes;
    if (other >= 0)
        blocks[1] = (sp_part_bytes){others[other].bytes, others[other].n};
    const sp_status looked = sp_part_look(&blocks[0], &about, &err);
    check(looked, &err);
    sp_part_about_clear(&about);
    const sp_status status = sp_merge_parts(other >= 0 ? 2 : 1, blocks, NULL, o, &made, NULL, &err);
    use(status, made, &err);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes b = {data, size};
    const unsigned first = fuzz_take(&b, 256), kind = first % N_PARTS, n_edits = fuzz_take(&b, 8);
    sp_part_content part, other = {.name = NULL};
    sp_run_options o = sp_run_options_default();
    sp_error err;
    begin();
    if (size > MOST_BYTES)
        return 0;
    o.decode.threads = 1;
    o.trace_steps = 30;
    assert(sp_part_read(parts[kind].bytes, parts[kind].n, "part", &part, &err) == SP_OK);
    assert(sp_part_read(others[kind].bytes, others[kind].n, "other", &other, &err) == SP_OK);
    for (int i = 0; i < SP_PART_LISTS; i++) {
        widen(sp_part_list(&part, i));
        widen(sp_part_list(&other, i));
    }
    for (unsigned i = 0; i < n_edits; i++) {
        const unsigned what = fuzz_take(&b, 256), where = fuzz_take(&b, 256) | fuzz_take(&b, 256) << 8;
        edit(&part, what, where, fuzz_take(&b, 256));
    }
    if (first & 4)
        use_files(&part, &b, first & 8 ? &other : NULL, &o);
    else
        use_blocks(&part, first & 8 ? (int)kind : -1, &o);
    sp_part_content_clear(&part);
    sp_part_content_clear(&other);
    return 0;
}
