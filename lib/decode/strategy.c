#include "statepath/strategy.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct strategy_row {
    const char *name;
    const char *parameter; /* what it is called in messages, or NULL: the strategy takes none */
    int32_t least;         /* least value of the parameter */
    bool is_legal;
    const char *summary;
} strategy_row;

static const strategy_row rows[SP_N_STRATEGIES] = {
    [SP_ARGMAX] = {"argmax", NULL, 0, false, "each step alone; may be illegal"},
    [SP_GREEDY] = {"greedy", NULL, 0, true, "the best class allowed after the previous prediction; may meet a dead end"},
    [SP_BEAM] = {"beam", "WIDTH", 1, true, "the WIDTH best partial paths; between greedy and viterbi"},
    [SP_VITERBI] = {"viterbi", NULL, 0, true, "the allowed path of the greatest score"},
    [SP_POSTERIOR] = {"posterior", NULL, 0, false, "each step's most probable class given all steps; may be illegal"},
    [SP_MEA] = {"mea", NULL, 0, true, "the allowed path of the greatest expected number of right steps"},
    [SP_POSTERIOR_VITERBI] = {"posterior-viterbi", NULL, 0, true, "the allowed path of the greatest product of marginals"},
    [SP_ONLINE] = {"online", "LAG", 0, true, "decides each step once LAG more steps have been seen"},
};

static const char all_strategies[] = "argmax, greedy, beam:WIDTH, viterbi, posterior, mea, posterior-viterbi, online:LAG";

static const strategy_row *row_of(sp_strategy_kind kind)
{
    assert((unsigned)kind < SP_N_STRATEGIES);
    return &rows[kind];
}

const char *sp_strategy_name(sp_strategy_kind kind)
{
    return row_of(kind)->name;
}

const char *sp_strategy_summary(sp_strategy_kind kind)
{
    return row_of(kind)->summary;
}

const char *sp_strategy_parameter(sp_strategy_kind kind)
{
    return row_of(kind)->parameter;
}

bool sp_strategy_is_legal(sp_strategy_kind kind)
{
    return row_of(kind)->is_legal;
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

static sp_status parse_parameter(const strategy_row *row, const char *text, const char *number, int32_t *out, sp_error *err)
{
    if (!row->parameter && !number) {
        *out = 0;
        return SP_OK;
    }
    if (!row->parameter)
        return sp_fail(err, SP_EINVAL, "strategy \"%s\": %s takes no parameter, write \"%s\"", text, row->name, row->name);
    if (!number)
        return sp_fail(err, SP_EINVAL, "strategy \"%s\": it needs its parameter, write \"%s:%s\", for example \"%s:8\"", text,
                       row->name, row->parameter, row->name);
    int32_t value = parse_number(number);
    if (value < row->least)
        return sp_fail(err, SP_EINVAL, "strategy \"%s\": %s must be a whole number from %" PRId32 " to %" PRId32, text,
                       row->parameter, row->least, INT32_MAX);
    *out = value;
    return SP_OK;
}

sp_status sp_strategy_parse(const char *text, sp_strategy *out, sp_error *err)
{
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    for (int kind = 0; kind < SP_N_STRATEGIES; kind++) {
        const strategy_row *row = &rows[kind];
        if (strlen(row->name) != length || memcmp(row->name, text, length) != 0)
            continue;
        int32_t parameter = 0;
        sp_status status = parse_parameter(row, text, colon ? colon + 1 : NULL, &parameter, err);
        if (status == SP_OK)
            *out = (sp_strategy){(sp_strategy_kind)kind, parameter};
        return status;
    }
    return sp_fail(err, SP_EINVAL, "unknown strategy \"%s\": choose from %s", text, all_strategies);
}

char *sp_strategy_format(const sp_strategy *strategy, char buffer[SP_STRATEGY_TEXT])
{
    const strategy_row *row = row_of(strategy->kind);
    if (row->parameter)
        snprintf(buffer, SP_STRATEGY_TEXT, "%s:%" PRId32, row->name, strategy->parameter);
    else
        snprintf(buffer, SP_STRATEGY_TEXT, "%s", row->name);
    return buffer;
}
