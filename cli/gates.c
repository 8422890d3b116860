#include "gates.h"

#include <stdlib.h>
#include <string.h>

/* The options one after the other, as one text: a condition ends where an option does. */
static char *join(char *const *texts)
{
    size_t size = 1;
    for (int i = 0; texts[i]; i++)
        size += strlen(texts[i]) + 2;
    char *out = malloc(size), *end = out;
    for (int i = 0; out && texts[i]; i++)
        end = stpcpy(stpcpy(end, i ? "; " : ""), texts[i]);
    return out;
}

sp_status gates_open(const options *o, const sp_gate_scope *scope, sp_gate **out, sp_error *err)
{
    *out = NULL;
    if (!o->fail_if)
        return SP_OK;
    for (int i = 0; o->fail_if[i]; i++) { /* one by one first, so that no option leans on the next one */
        sp_gate *one = NULL;
        sp_status status = sp_gate_new(o->fail_if[i], scope, &one, err);
        sp_gate_free(one);
        if (status != SP_OK)
            return sp_fail(err, status, "--fail-if: %s", err->message);
    }
    char *text = join(o->fail_if);
    sp_status status = text ? sp_gate_new(text, scope, out, err) : sp_fail(err, SP_ENOMEM, "no memory");
    free(text);
    return status;
}

bool gates_trip(const sp_gate *gate, const sp_comparison *comparison)
{
    bool trips = false;
    for (int32_t i = 0; gate && i < sp_gate_n_conditions(gate); i++) {
        char sentence[SP_ERROR_SIZE];
        if (sp_gate_judge(gate, i, comparison, sentence, sizeof sentence) == SP_GATE_PASSED)
            continue;
        complain("--fail-if: %s", sentence);
        trips = true;
    }
    return trips;
}
