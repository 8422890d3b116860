#include "decode/lengths.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/strategies/can_end.h"

/* May a recording of so many steps keep the rules? Yes where memory lacks. */
static bool is_possible(const sp_chain *c, sp_can_end *can_end, int64_t n_steps)
{
    const uint8_t *ends = sp_can_end_in(can_end, n_steps - 1);
    for (int32_t j = 0; ends && j < c->n_states; j++)
        if (ends[j] && c->start[j] > -INFINITY)
            return true;
    return !ends;
}

/* "N2 2 to 5, REM 4 or more", as far as there is room. */
static void say_durations(const sp_chain *c, const char *const *classes, char *out, size_t size)
{
    size_t n = 0;
    *out = 0;
    for (int32_t k = 0; k < c->n_classes; k++) {
        const sp_run_weights *w = &c->durations[k];
        char name[32], most[32] = " or more";
        int32_t least = 1;
        if (w->n_whole == 0)
            continue;
        if (n + 100 > size)
            break;
        while (least < w->n_whole && w->whole[least - 1] == -INFINITY)
            least++;
        if (w->longer == -INFINITY)
            snprintf(most, sizeof most, " to %d", (int)w->n_whole);
        snprintf(name, sizeof name, "class %d", (int)k);
        n += (size_t)snprintf(out + n, size - n, "%s%.40s %d%s", n > 0 ? ", " : "",
                              classes ? classes[k] : name, (int)least, most);
    }
}

bool sp_say_lengths(const sp_chain *chain, int64_t n_steps, const char *const *classes, char *out,
                    size_t size)
{
    enum { FAR = 4096 };
    sp_can_end can_end;
    char durations[300] = "", shorter[80] = "", longer[80] = "";
    int64_t below = n_steps - 1, above = n_steps + 1;
    uint8_t *last = chain->durations || chain->n_rules > 0 ? malloc((size_t)chain->n_states) : NULL;
    for (int32_t i = 0; last && i < chain->n_states; i++)
        last[i] = chain->end[i] > -INFINITY;
    if (!last || !sp_can_end_init(&can_end, chain, last)) {
        free(last);
        return false;
    }
    const bool is_blamed = !is_possible(chain, &can_end, n_steps);
    if (is_blamed) {
        while (below > 0 && n_steps - below < FAR && !is_possible(chain, &can_end, below))
            below--;
        while (above - n_steps < FAR && !is_possible(chain, &can_end, above))
            above++;
        if (below > 0 && n_steps - below < FAR)
            snprintf(shorter, sizeof shorter, "; the next shorter length that can is %lld", (long long)below);
        if (above - n_steps < FAR)
            snprintf(longer, sizeof longer, "; the next longer one is %lld", (long long)above);
        if (chain->durations)
            say_durations(chain, classes, durations, sizeof durations);
        snprintf(out, size, "no path of %lld steps can keep the rules%s%s%s%s%s", (long long)n_steps,
                 chain->durations ? " and the durations (" : "", durations, chain->durations ? " steps)" : "",
                 shorter, longer);
    }
    sp_can_end_clear(&can_end);
    return is_blamed;
}
