/* Kernels that are wrong on purpose. The linker puts these in place of the real ones (tests/CMakeLists.txt); the environment
 * variable STATEPATH_FAULT names the one that does wrong, all others do what the real one does. A fault spoils recordings of
 * FAULT_STEPS steps only (for those that come in pieces: any), so that the other recordings can be compared.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/kernels/greedy_table.h"
#include "decode/kernels/isa_kernels.h"
#include "decode/kernels/kernels.h"
#include "decode/sequence.h"
#include "decode/strategies/backpointers.h"
#include "decode/strategies/frontier.h"
#include "decode/strategies/nbest_search.h"

enum { FAULT_STEPS = 43 };

static bool is_faulty(const char *name)
{
    const char *fault = getenv("STATEPATH_FAULT");
    return fault && strcmp(fault, name) == 0;
}

/* Another class at a step in the middle. */
static void spoil(int32_t *path, int64_t n_steps, int32_t n_classes)
{
    int32_t *at = &path[n_steps / 2];
    *at = (*at + 1) % n_classes;
}

/* A class that the rules forbid after the one before it, at the first step where there is such a class. */
static void break_rule(const sp_chain *chain, int32_t *path, int64_t n_steps)
{
    for (int64_t t = 1; t < n_steps; t++)
        for (int32_t k = 0; k < chain->n_classes; k++)
            if (!sp_chain_is_legal(chain, path[t - 1], k)) {
                path[t] = k;
                return;
            }
}

static void spoil_group(sp_lane_group *group, const char *name)
{
    for (int32_t lane = 0; lane < group->n_lanes && is_faulty(name); lane++)
        if (group->length[lane] == FAULT_STEPS && !group->is_left[lane])
            spoil(group->path[lane], FAULT_STEPS, group->dwell ? 2 : group->rules->n_classes);
}

/* The kernels of each instruction set: copies of the real tables with kernels that spoil what the real ones found. */
const sp_isa_kernels *__real_sp_isa_kernels_of(sp_isa isa);
const sp_isa_kernels *__wrap_sp_isa_kernels_of(sp_isa isa);
#define LANES(isa, kernel, name)                                                                             \
    static void spoiled_##kernel##_##isa(sp_lane_group *group)                                               \
    {                                                                                                        \
        __real_sp_isa_kernels_of(isa)->kernel(group);                                                        \
        spoil_group(group, name);                                                                            \
    }
#define KERNELS(isa)                                                                                         \
    LANES(isa, viterbi, "lanes") LANES(isa, greedy, "greedy-lanes") LANES(isa, dwell, "dwell")
KERNELS(SP_ISA_BASE)
KERNELS(SP_ISA_AVX2)
KERNELS(SP_ISA_AVX512)

static sp_isa_kernels spoiled[SP_N_ISAS];
#define SPOIL(isa)                                                                                           \
    spoiled[isa] = *__real_sp_isa_kernels_of(isa);                                                           \
    spoiled[isa].viterbi = spoiled_viterbi_##isa;                                                            \
    spoiled[isa].greedy = spoiled_greedy_##isa;                                                              \
    spoiled[isa].dwell = spoiled_dwell_##isa;

__attribute__((constructor)) static void spoil_kernels(void)
{
    SPOIL(SP_ISA_BASE)
    SPOIL(SP_ISA_AVX2)
    SPOIL(SP_ISA_AVX512)
}

const sp_isa_kernels *__wrap_sp_isa_kernels_of(sp_isa isa)
{
    return &spoiled[isa];
}

sp_status __real_sp_single_viterbi(sp_isa isa, const sp_single_rules *rules, const sp_scores *scores,
                                   sp_scratch *scratch, int32_t *path, double *score);
sp_status __wrap_sp_single_viterbi(sp_isa isa, const sp_single_rules *rules, const sp_scores *scores,
                                   sp_scratch *scratch, int32_t *path, double *score);
sp_status __wrap_sp_single_viterbi(sp_isa isa, const sp_single_rules *rules, const sp_scores *scores,
                                   sp_scratch *scratch, int32_t *path, double *score)
{
    sp_status status = __real_sp_single_viterbi(isa, rules, scores, scratch, path, score);
    if (status == SP_OK && scores->n_steps == FAULT_STEPS && is_faulty("single"))
        spoil(path, FAULT_STEPS, scores->n_classes);
    return status;
}

sp_status __real_sp_dense_viterbi(const sp_dense *dense, const sp_scores *scores, sp_scratch *scratch,
                                  int32_t *path, double *score);
sp_status __wrap_sp_dense_viterbi(const sp_dense *dense, const sp_scores *scores, sp_scratch *scratch,
                                  int32_t *path, double *score);
sp_status __wrap_sp_dense_viterbi(const sp_dense *dense, const sp_scores *scores, sp_scratch *scratch,
                                  int32_t *path, double *score)
{
    sp_status status = __real_sp_dense_viterbi(dense, scores, scratch, path, score);
    if (status == SP_OK && scores->n_steps == FAULT_STEPS && is_faulty("dense"))
        spoil(path, FAULT_STEPS, scores->n_classes);
    return status;
}

/* The plain kernel's way back, and that of relaxed decoding: states. */
void __real_sp_backpointers_trace(const sp_backpointers *back, int32_t last, int32_t *states);
void __wrap_sp_backpointers_trace(const sp_backpointers *back, int32_t last, int32_t *states);
void __wrap_sp_backpointers_trace(const sp_backpointers *back, int32_t last, int32_t *states)
{
    __real_sp_backpointers_trace(back, last, states);
    if (back->n_steps == FAULT_STEPS && is_faulty("trace"))
        states[FAULT_STEPS / 2] =
            (states[FAULT_STEPS / 2] + 3) % (int32_t)back->n_states; /* of another class */
}

/* A beam whose values are not those of its paths. */
void __real_sp_frontier_step(const sp_chain *chain, const double *e, bool is_gap, const sp_frontier *from,
                             sp_frontier *to, int32_t *back, sp_frontier_room *room);
void __wrap_sp_frontier_step(const sp_chain *chain, const double *e, bool is_gap, const sp_frontier *from,
                             sp_frontier *to, int32_t *back, sp_frontier_room *room);
void __wrap_sp_frontier_step(const sp_chain *chain, const double *e, bool is_gap, const sp_frontier *from,
                             sp_frontier *to, int32_t *back, sp_frontier_room *room)
{
    __real_sp_frontier_step(chain, e, is_gap, from, to, back, room);
    for (int32_t i = 0; i < to->n_live && is_faulty("beam"); i++)
        to->value[to->live[i]] += 1e-3;
}

sp_status __real_sp_nbest_search(const sp_nbest_graph *graph, int32_t n, sp_scratch *scratch,
                                 sp_nbest_paths *out);
sp_status __wrap_sp_nbest_search(const sp_nbest_graph *graph, int32_t n, sp_scratch *scratch,
                                 sp_nbest_paths *out);
sp_status __wrap_sp_nbest_search(const sp_nbest_graph *graph, int32_t n, sp_scratch *scratch,
                                 sp_nbest_paths *out)
{
    const sp_status status = __real_sp_nbest_search(graph, n, scratch, out);
    if (status == SP_OK && graph->T == FAULT_STEPS && is_faulty("nbest"))
        spoil(out->paths + (out->n_found - 1) * out->stride, FAULT_STEPS, graph->scores->n_classes);
    return status;
}

/* What every decoder of one recording hands out. */
sp_status __real_sp_decode_finish(const sp_chain *chain, const sp_scores *scores, const int32_t *found,
                                  bool must_be_legal, int32_t *path, double *score, sp_error *err);
sp_status __wrap_sp_decode_finish(const sp_chain *chain, const sp_scores *scores, const int32_t *found,
                                  bool must_be_legal, int32_t *path, double *score, sp_error *err);
sp_status __wrap_sp_decode_finish(const sp_chain *chain, const sp_scores *scores, const int32_t *found,
                                  bool must_be_legal, int32_t *path, double *score, sp_error *err)
{
    if (scores->n_steps == FAULT_STEPS && is_faulty("finish"))
        break_rule(chain, (int32_t *)found, FAULT_STEPS);
    return __real_sp_decode_finish(chain, scores, found, must_be_legal, path, score, err);
}
