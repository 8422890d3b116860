/* Body: greedy and argmax in lanes. Included after lanes_viterbi.h.
 *
 *     reach[t,j] = log_trans[chosen before, j], -INFINITY when forbidden; start[j] at step 0
 *     greedy     takes the first j of the greatest reach[t,j] + e[t,j], + end[j] at the last step
 *     argmax     takes the first j of the greatest e[t,j]
 *     score      = (score + reach[t,j]) + e[t,j] of what was taken, + end[j] after the last: sp_path_score() of the path
 *
 * Without weights at all lanes_bare.h does both. With them, here, argmax looks the weight of what it took up; for greedy now[j]
 * is -0.0, which changes no number that it is added to, for the class just chosen and -INFINITY for the others, so reach is a
 * maximum over predecessors as in Viterbi.
 */

/* What goes on from step to step. */
typedef struct lane_choice {
    _Alignas(64) double now[MOST * L];
    _Alignas(64) double score[L];
    _Alignas(64) int64_t chosen[L];
    _Alignas(64) int64_t is_alive[L]; /* all ones while every step had a class to take */

    /* Argmax: it needs but one weight a step, which is looked up. */
    double weight[(MOST + 1) * MOST]; /* [K+1,K], start weights last */
    int32_t row[L];                   /* of the class just chosen */
} lane_choice;

SP_ALWAYS_INLINE void choice_init(const sp_lane_rules *r, lane_choice *c)
{
    int32_t K = r->n_classes;
    for (int32_t i = 0; i < K * K; i++)
        c->weight[i] = -INFINITY;
    for (int32_t j = 0; j < K; j++) {
        c->weight[K * K + j] = r->start[j];
        for (int32_t p = r->row[j]; p < r->row[j + 1]; p++)
            c->weight[r->from[p] * K + j] = r->weight[p];
    }
    for (int lane = 0; lane < L; lane++) {
        c->score[lane] = 0;
        c->is_alive[lane] = -1;
        c->row[lane] = K * K;
    }
}

SP_ALWAYS_INLINE void argmax_step(const sp_lane_rules *r, sp_dtype dtype, bool is_start, lane_choice *c,
                                  const void *tile, size_t m)
{
    _Alignas(64) double weight[L];
    vd least = spread(-INFINITY);
#define DECLARE_GREATEST(g)                                                                                  \
    vd best##g = least;                                                                                      \
    vi chosen##g = {0};
    EACH(DECLARE_GREATEST)
    for (int32_t j = 0; j < r->n_classes; j++) {
        vi place = spread_i(j);
#define TAKE_GREATEST(g)                                                                                     \
    {                                                                                                        \
        vd value = tile_vector(G, dtype, tile, m + (size_t)j, g);                                            \
        vi is_better = (vi)(value > best##g);                                                                \
        best##g = PICK(vd, is_better, value, best##g);                                                       \
        chosen##g = PICK(vi, is_better, place, chosen##g);                                                   \
    }
        EACH(TAKE_GREATEST)
    }
#define KEEP_CHOSEN(g) ((vi *)c->chosen)[g] = chosen##g;
    EACH(KEEP_CHOSEN)
    for (int lane = 0; lane < L; lane++) {
        int32_t chosen = (int32_t)c->chosen[lane];
        weight[lane] = c->weight[c->row[lane] + chosen];
        c->row[lane] = chosen * r->n_classes;
    }
#define KEEP_SCORE(g)                                                                                        \
    {                                                                                                        \
        vd w = ((const vd *)weight)[g];                                                                      \
        ((vd *)c->score)[g] = is_start ? w + best##g : (((vd *)c->score)[g] + w) + best##g;                  \
        ((vi *)c->is_alive)[g] &= (vi)(best##g > least);                                                     \
    }
    EACH(KEEP_SCORE)
}

/* ends: [K,L] what is added for lanes that end here, or NULL. */
SP_ALWAYS_INLINE void greedy_step(const sp_lane_rules *r, sp_dtype dtype, bool is_start, lane_choice *c,
                                  const void *tile, size_t m, const double *ends)
{
    vd *now = (vd *)c->now;
#define DECLARE_CHOICE(g)                                                                                    \
    vd best##g = spread(-INFINITY), weight##g = best##g, taken##g = best##g;                                 \
    vi chosen##g = {0};
    EACH(DECLARE_CHOICE)
    for (int32_t j = 0; j < r->n_states; j++) {
        const size_t at = m + (size_t)r->emits[j];
        vi place = spread_i(j);
#define START(g) vd reach##g = spread(is_start ? r->start[j] : -INFINITY);
        EACH(START)
        for (int32_t p = r->row[j]; !is_start && p < r->row[j + 1]; p++) {
            const vd *before = now + (ptrdiff_t)r->from[p] * G;
            vd step = spread(r->weight[p]);
#define REACH(g)                                                                                             \
    {                                                                                                        \
        vd candidate = before[g] + step;                                                                     \
        vi is_more = (vi)(candidate > reach##g);                                                             \
        reach##g = PICK(vd, is_more, candidate, reach##g);                                                   \
    }
            EACH(REACH)
        }
        vd e0, e1, e2, e3;
        tile_pair(G, dtype, tile, at, 0, &e0, &e1);
        tile_pair(G, dtype, tile, at, 1, &e2, &e3);
#define TAKE(g)                                                                                              \
    {                                                                                                        \
        vd value = reach##g + e##g;                                                                          \
        if (ends)                                                                                            \
            value += ((const vd *)ends)[j * G + g];                                                          \
        vi is_better = (vi)(value > best##g);                                                                \
        best##g = PICK(vd, is_better, value, best##g);                                                       \
        chosen##g = PICK(vi, is_better, place, chosen##g);                                                   \
        weight##g = PICK(vd, is_better, reach##g, weight##g);                                                \
        taken##g = PICK(vd, is_better, e##g, taken##g);                                                      \
    }
        EACH(TAKE)
    }
#define KEEP(g)                                                                                              \
    ((vd *)c->score)[g] = is_start ? weight##g + taken##g : (((vd *)c->score)[g] + weight##g) + taken##g;    \
    ((vi *)c->chosen)[g] = chosen##g;                                                                        \
    ((vi *)c->is_alive)[g] &= (vi)(best##g > spread(-INFINITY));
    EACH(KEEP)
    for (int32_t j = 0; j < r->n_states; j++) {
#define STAND(g)                                                                                             \
    {                                                                                                        \
        vi is_chosen = (vi)(chosen##g == spread_i(j));                                                       \
        now[j * G + g] = PICK(vd, is_chosen, spread(-0.0), spread(-INFINITY));                               \
    }
        EACH(STAND)
    }
}

/* ends[K,L] for the lanes that have their last step at t; false when there is none. Lanes from *ending on are over. */
SP_ALWAYS_INLINE bool lane_ends(const sp_lane_group *group, int64_t t, int32_t *ending, double *ends)
{
    int32_t last = *ending;
    while (*ending >= 0 && group->length[*ending] == t + 1)
        (*ending)--;
    if (*ending == last)
        return false;
    for (int32_t j = 0; j < group->rules->n_states; j++)
        for (int32_t lane = 0; lane < L; lane++)
            ends[j * L + lane] = lane > *ending && lane <= last ? group->rules->end[j] : 0;
    return true;
}

SP_ALWAYS_INLINE void lanes_choose(sp_lane_group *group, sp_dtype dtype, bool is_greedy)
{
    const sp_lane_rules *r = group->rules;
    lane_choice c;
    _Alignas(64) double ends[MOST * L];
    _Alignas(64) char tile[sizeof(double) * SP_LANES_TILE * MOST * L];
    _Alignas(64) uint16_t block[SP_LANES_TILE * L];
    lane_paths paths;
    lane_paths_init(&paths, group, false);
    size_t K = (size_t)r->n_classes;
    int32_t ending = group->n_lanes - 1;
    choice_init(r, &c);
    for (int64_t t = 0; t < group->length[0]; t++) {
        int64_t s = t % SP_LANES_TILE;
        if (s == 0)
            gather_tile_ahead(L, dtype, group->rows, (size_t)t * K, SP_LANES_TILE * K, tile);
        int32_t last = ending;
        bool is_end = lane_ends(group, t, &ending, ends);
        if (is_greedy && t == 0)
            greedy_step(r, dtype, true, &c, tile, 0, is_end ? ends : NULL);
        else if (is_greedy)
            greedy_step(r, dtype, false, &c, tile, (size_t)s * K, is_end ? ends : NULL);
        else if (t == 0)
            argmax_step(r, dtype, true, &c, tile, 0);
        else
            argmax_step(r, dtype, false, &c, tile, (size_t)s * K);
        const vu64 *chosen = (const vu64 *)c.chosen;
        const vu64 emits = (vu64)spread_i((int64_t)r->all_emits);
#define CLASS_OF(g) vu64 class##g = emits >> (chosen[g] << 2) & 15;
        EACH(CLASS_OF)
        put_classes(class0, class1, class2, class3, block, s);
        for (int32_t lane = ending + 1; lane <= last; lane++) {
            group->score[lane] = c.score[lane] + r->end[c.chosen[lane]];
            group->is_left[lane] = !c.is_alive[lane];
        }
        if (s == SP_LANES_TILE - 1 || t == group->length[0] - 1)
            lanes_write(&paths, block, t - s, 1);
    }
}

#define BARE_F32 1
#include "decode/kernels/lanes/lanes_bare.h"
#undef BARE_F32
#define BARE_F32 0
#include "decode/kernels/lanes/lanes_bare.h"
#undef BARE_F32

/* Every kind its own code. */
SP_ALWAYS_INLINE void lanes_choose_any(sp_lane_group *group, bool is_greedy)
{
    bool is_float = group->dtype == SP_F32;
    if (group->rules->is_bare && is_float)
        lanes_bare_f32(group, is_greedy);
    else if (group->rules->is_bare)
        lanes_bare_f64(group, is_greedy);
    else if (is_float)
        lanes_choose(group, SP_F32, is_greedy);
    else
        lanes_choose(group, SP_F64, is_greedy);
}
