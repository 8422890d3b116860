/* Body: greedy and argmax in lanes where no transition, start or end has a weight. lanes_choose.h includes it with BARE_F32 1,
 * for scores in floats, and with 0, for doubles.
 *
 * Scores are compared as they stand in the file, floats in half as many vectors as doubles need. What may follow a class is a bit
 * each of `open`; what is picked along with the greatest score is its class and what may follow that, in one number (bare_code).
 */

#if BARE_F32
#define BARE(name) name##_f32
#define BARE_DTYPE SP_F32
#define BARE_EACH(OP) OP(0) OP(1)
#define BARE_VECTORS 2
typedef float BARE(bare_vf) __attribute__((vector_size(8 * LANE_W), may_alias));
typedef int32_t BARE(bare_vi) __attribute__((vector_size(8 * LANE_W), may_alias));
typedef int32_t BARE(bare_int);
#else
#define BARE(name) name##_f64
#define BARE_DTYPE SP_F64
#define BARE_EACH EACH
#define BARE_VECTORS 4
typedef double BARE(bare_vf) __attribute__((vector_size(8 * LANE_W), may_alias));
typedef int64_t BARE(bare_vi) __attribute__((vector_size(8 * LANE_W), may_alias));
typedef int64_t BARE(bare_int);
#endif
#define VF BARE(bare_vf)
#define VI BARE(bare_vi)
#define INT BARE(bare_int)
#define BARE_PICK(type, m, a, b) ((type)(((m) & (VI)(a)) | (~(m) & (VI)(b))))

/* What goes on from step to step, when it is looked at. */
typedef struct BARE(bare_lanes) {
    _Alignas(64) INT chosen[L];
    _Alignas(64) INT is_alive[L]; /* not 0 while every step had a class to take */
    _Alignas(64) INT is_legal[L]; /* bit 0: while what was taken could follow what was before */
    _Alignas(64) double score[L];
} BARE(bare_lanes);

/* Greedy has taken nothing that may not be there. */
SP_ALWAYS_INLINE void BARE(bare_put)(sp_lane_group *group, const BARE(bare_lanes) * c, int32_t lane,
                                     bool is_greedy)
{
    bool is_legal = is_greedy || (c->is_legal[lane] & group->rules->bare_end >> c->chosen[lane] & 1);
    group->score[lane] = is_legal ? c->score[lane] : -INFINITY;
    group->is_left[lane] = !c->is_alive[lane];
}

SP_ALWAYS_INLINE void BARE(lanes_bare)(sp_lane_group *group, bool is_greedy)
{
    const sp_lane_rules *r = group->rules;
    const size_t K = (size_t)r->n_classes, M = (size_t)r->n_states;
    _Alignas(64) char tile[(size_t)BARE_DTYPE * SP_LANES_TILE * MOST * L];
    _Alignas(64) uint16_t block[SP_LANES_TILE * L] = {0};
    _Alignas(64) INT closed[L];
    BARE(bare_lanes) c;
    lane_paths paths;
    lane_paths_init(&paths, group, BARE_F32);
    int32_t ending = group->n_lanes - 1;
    const VI zero = {0};
    const VF least = (VF){0} - INFINITY;
#define BARE_BEGIN(v) VI open##v = zero + (INT)r->bare_start, is_alive##v = ~zero, is_legal##v = ~zero;
    BARE_EACH(BARE_BEGIN)
#define BARE_ZERO(g) vd score##g = {0};
    EACH(BARE_ZERO)
    for (int64_t first = 0; first < group->length[0]; first += SP_LANES_TILE) {
        const lane_ahead ahead = lanes_ahead(group, BARE_DTYPE, first);
        int64_t n = group->length[0] - first < SP_LANES_TILE ? group->length[0] - first : SP_LANES_TILE;
        gather_tile(L, BARE_DTYPE, group->rows, (size_t)first * K, SP_LANES_TILE * K, tile);
        const VF *e = (const VF *)tile;
        for (int64_t s = 0; s < n; s++) {
            int32_t last = ending;
            while (ending >= 0 && group->length[ending] == first + s + 1)
                ending--;
            if (is_greedy && ending < last) {
                for (int32_t lane = 0; lane < L; lane++)
                    closed[lane] = lane > ending && lane <= last ? ~(INT)r->bare_end : 0;
#define BARE_CLOSE(v) open##v &= ~((const VI *)closed)[v];
                BARE_EACH(BARE_CLOSE)
            }
            ask_ahead(&ahead, 2 * s);
            ask_ahead(&ahead, 2 * s + 1);
#define BARE_LEAST(v)                                                                                        \
    VF best##v = least;                                                                                      \
    VI code##v = zero;
            BARE_EACH(BARE_LEAST)
            for (size_t j = 0; j < M; j++) {
                const VF *at = e + (size_t)r->emits[j] * BARE_VECTORS;
                VI bit = zero + ((INT)1 << j), code = zero + (INT)r->bare_code[j];
#define BARE_TAKE(v)                                                                                         \
    {                                                                                                        \
        VF value = at[v];                                                                                    \
        HOLD(value);                                                                                         \
        VI is_better = (VI)(value > best##v);                                                                \
        if (is_greedy)                                                                                       \
            is_better &= (VI)((open##v & bit) != zero);                                                      \
        best##v = BARE_PICK(VF, is_better, value, best##v);                                                  \
        code##v = BARE_PICK(VI, is_better, code, code##v);                                                   \
    }
                BARE_EACH(BARE_TAKE)
            }
            e += K * BARE_VECTORS;
#define BARE_KEEP(v)                                                                                         \
    VI chosen##v = code##v >> 16;                                                                            \
    is_alive##v &= (VI)(best##v > least);                                                                    \
    if (!is_greedy)                                                                                          \
        is_legal##v &= open##v >> chosen##v;                                                                 \
    open##v = code##v;
            BARE_EACH(BARE_KEEP)
#if BARE_F32
            vd2 both0 = __builtin_convertvector(best0, vd2), both1 = __builtin_convertvector(best1, vd2);
            vd taken0, taken1, taken2, taken3;
            LOW_HALF(&taken0, both0);
            HIGH_HALF(&taken1, both0);
            LOW_HALF(&taken2, both1);
            HIGH_HALF(&taken3, both1);
            ((VI *)block)[s] = chosen0 | chosen1 << 16;
#else
            vd taken0 = best0, taken1 = best1, taken2 = best2, taken3 = best3;
            put_classes((vu64)chosen0, (vu64)chosen1, (vu64)chosen2, (vu64)chosen3, block, s);
#endif
#define BARE_ADD(g) score##g += taken##g;
            EACH(BARE_ADD)
            if (ending == last)
                continue;
#define BARE_SHOW(v)                                                                                         \
    ((VI *)c.chosen)[v] = chosen##v;                                                                         \
    ((VI *)c.is_alive)[v] = is_alive##v;                                                                     \
    ((VI *)c.is_legal)[v] = is_legal##v;
            BARE_EACH(BARE_SHOW)
#define BARE_SHOW_SCORE(g) ((vd *)c.score)[g] = score##g;
            EACH(BARE_SHOW_SCORE)
            for (int32_t lane = ending + 1; lane <= last; lane++)
                BARE(bare_put)(group, &c, lane, is_greedy);
        }
        lanes_write(&paths, block, first, 1);
    }
}

#undef VF
#undef VI
#undef INT
#undef BARE
#undef BARE_DTYPE
#undef BARE_EACH
#undef BARE_VECTORS
#undef BARE_PICK
#undef BARE_BEGIN
#undef BARE_ZERO
#undef BARE_CLOSE
#undef BARE_LEAST
#undef BARE_TAKE
#undef BARE_KEEP
#undef BARE_ADD
#undef BARE_SHOW
#undef BARE_SHOW_SCORE
