/* Any text where users write short languages: gates, groups of classes, strategies; and a CSV of step labels. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "evaluate/comparison.h"
#include "evaluate/evaluate.h"
#include "sleep/label_coding_use.h"
#include "statepath-kit.h"
#include "statepath/status.h"

enum { CLASSES = 3 };
static const char *const classes[CLASSES] = {"Wake", "N1", "a b"};

static void try_gate(const char *text)
{
    const char *const strategies[] = {"argmax", "viterbi", "beam:4"};
    const sp_gate_scope scope = {.n_strategies = 3,
                                 .strategies = strategies,
                                 .n_classes = CLASSES,
                                 .classes = classes,
                                 .has_labels = true};
    sp_gate *gate = NULL;
    sp_error err = {.message = ""};
    sp_status status = sp_gate_new(text, &scope, &gate, &err);
    assert(status == SP_OK ? sp_gate_n_conditions(gate) > 0 : err.message[0] && !gate);
    sp_gate_free(gate);
}

static void try_collapse(const char *text)
{
    sp_collapse c = {0};
    sp_error err = {.message = ""};
    if (sp_collapse_parse(text, CLASSES, classes, &c, &err) != SP_OK) {
        assert(err.message[0]);
        return;
    }
    for (int k = 0; k < CLASSES; k++)
        assert(c.group_of_class[k] >= 0 && c.group_of_class[k] < c.n_groups);
    sp_collapse_clear(&c);
}

static void try_names(const char *text)
{
    sp_error err = {.message = ""};
    sp_strategy strategy;
    sp_kind kind;
    assert(sp_strategy_parse(text, &strategy, &err) == SP_OK || err.message[0]);
    assert(sp_kind_parse(text, &kind, &err) == SP_OK || err.message[0]);
    (void)sp_name_nearest(text, CLASSES, classes);
}

/* The text as a map of label codes; then numbers and words by it. */
static void try_codes(const char *text, const sp_model *model)
{
    sp_error err = {.message = ""};
    sp_codes *codes = NULL;
    if (strchr(text, '=') == NULL)
        return; /* the name of a file */
    if (sp_codes_new(NULL, text, model, &codes, &err) != SP_OK) {
        assert(err.message[0]);
        return;
    }
    for (int i = -2; i < 12; i++)
        assert(sp_codes_number(codes, i) < CLASSES);
    assert(sp_codes_text(codes, text) < CLASSES);
    sp_codes_free(codes);
}

static void try_csv(const uint8_t *data, size_t size)
{
    static char name[] = "/tmp/statepath-fuzz-XXXXXX.csv";
    static sp_model *model;
    sp_error err = {.message = ""};
    if (!model) {
        const uint8_t allow[CLASSES * CLASSES] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
        close(mkstemps(name, 4));
        model = sp_model_new("fuzz", CLASSES, classes);
        assert(model && sp_model_set_matrix(model, allow, NULL, &err) == SP_OK);
    }
    char *text = strndup((const char *)data, size);
    if (text)
        try_codes(text, model);
    free(text);
    FILE *out = fopen(name, "wb");
    assert(out && fwrite(data, 1, size, out) == size && fclose(out) == 0);
    sp_paths_reader *paths = NULL;
    const sp_source_options options = {.model = model};
    if (sp_paths_reader_open(name, NULL, &options, &paths, &err) != SP_OK) {
        assert(err.message[0]);
        unlink(name);
        return;
    }
    const sp_paths_info *info = sp_paths_reader_info(paths);
    int32_t *labels = malloc((size_t)info->n_steps * sizeof *labels + 1);
    assert(labels && sp_paths_reader_read(paths, 0, 0, info->n_recordings, labels, NULL, &err) == SP_OK);
    for (int64_t t = 0; t < info->n_steps; t++)
        assert(labels[t] >= -1 && labels[t] < CLASSES);
    free(labels);
    sp_source_close(paths);
    unlink(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    try_gate(text);
    try_collapse(text);
    try_names(text);
    try_csv(data, size);
    free(text);
    return 0;
}
