#include "decode/strategy.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* THE table of strategies: the line that a strategy needs beside its own file, which exports sp_<name>_row. The first ones stand
 * in the order of the constants in statepath/decode.h; further ones go to the end. */
#define STRATEGIES(ROW)                                                                                      \
    ROW(argmax)                                                                                              \
    ROW(greedy)                                                                                              \
    ROW(beam)                                                                                                \
    ROW(viterbi)                                                                                             \
    ROW(posterior)                                                                                           \
    ROW(mea)                                                                                                 \
    ROW(posterior_viterbi)                                                                                   \
    ROW(online)

#define DECLARE(name) extern const sp_strategy_row sp_##name##_row;
STRATEGIES(DECLARE)

#define POINTER(name) &sp_##name##_row,
static const sp_strategy_row *const rows[] = {STRATEGIES(POINTER)};

#define ONE(name) +1
enum { N_ROWS = STRATEGIES(ONE) };

int sp_strategy_count(void)
{
    return N_ROWS;
}

const sp_strategy_row *sp_strategy_row_of(sp_strategy_kind kind)
{
    assert(kind >= 0 && kind < N_ROWS && rows[kind]->decode);
    return rows[kind];
}

const sp_strategy_info *sp_strategy_about(sp_strategy_kind kind)
{
    return &sp_strategy_row_of(kind)->about;
}

sp_status sp_strategy_check(const sp_strategy *strategy, sp_error *err)
{
    if (strategy->kind < 0 || strategy->kind >= N_ROWS)
        return sp_fail(err, SP_EINVAL, "strategy %d is not one that decodes a recording",
                       (int)strategy->kind);
    const sp_strategy_info *about = sp_strategy_about(strategy->kind);
    if (about->parameter && strategy->parameter < about->least)
        return sp_fail(err, SP_EINVAL, "%s:%d: %s must be at least %d", about->name, (int)strategy->parameter,
                       about->parameter, (int)about->least);
    return SP_OK;
}

/* Digits only, no sign, no space; -1 when it is not such a number or does not fit. */
static int32_t parse_number(const char *text)
{
    int64_t value = 0;
    if (*text == '\0')
        return -1;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return -1;
        value = value * 10 + (*text - '0');
        if (value > INT32_MAX)
            return -1;
    }
    return (int32_t)value;
}

static sp_status parse_parameter(const sp_strategy_info *row, const char *text, const char *number,
                                 int32_t *out, sp_error *err)
{
    if (!row->parameter && !number) {
        *out = 0;
        return SP_OK;
    }
    if (!row->parameter)
        return sp_fail(err, SP_EINVAL, "strategy \"%s\": %s takes no parameter, write \"%s\"", text,
                       row->name, row->name);
    if (!number)
        return sp_fail(err, SP_EINVAL,
                       "strategy \"%s\": it needs its parameter, write \"%s:%s\", for example \"%s:%" PRId32
                       "\"",
                       text, row->name, row->parameter, row->name, row->sample);
    int32_t value = parse_number(number);
    if (value < row->least)
        return sp_fail(err, SP_EINVAL,
                       "strategy \"%s\": %s must be a whole number from %" PRId32 " to %" PRId32, text,
                       row->parameter, row->least, INT32_MAX);
    *out = value;
    return SP_OK;
}

sp_status sp_strategy_parse(const char *text, sp_strategy *out, sp_error *err)
{
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    for (int kind = 0; kind < N_ROWS; kind++) {
        const sp_strategy_info *row = sp_strategy_about(kind);
        if (strlen(row->name) != length || memcmp(row->name, text, length) != 0)
            continue;
        int32_t parameter = 0;
        sp_status status = parse_parameter(row, text, colon ? colon + 1 : NULL, &parameter, err);
        if (status == SP_OK)
            *out = (sp_strategy){(sp_strategy_kind)kind, parameter};
        return status;
    }
    char all[256] = "";
    for (int kind = 0; kind < N_ROWS; kind++) {
        const sp_strategy_info *row = sp_strategy_about(kind);
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s%s%s", kind ? ", " : "", row->name,
                 row->parameter ? ":" : "", row->parameter ? row->parameter : "");
    }
    return sp_fail(err, SP_EINVAL, "unknown strategy \"%s\": choose from %s", text, all);
}

char *sp_strategy_format(const sp_strategy *strategy, char buffer[SP_STRATEGY_TEXT])
{
    const sp_strategy_info *row = sp_strategy_about(strategy->kind);
    if (row->parameter)
        snprintf(buffer, SP_STRATEGY_TEXT, "%s:%" PRId32, row->name, strategy->parameter);
    else
        snprintf(buffer, SP_STRATEGY_TEXT, "%s", row->name);
    return buffer;
}
