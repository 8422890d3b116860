/* Body: forward-backward in lanes, see lanes_forward_backward.h. Included after exp_log.h, with two vectors a row of lanes.
 *
 * Kept of each step: a[t] [M,SUM_L] and p[t] [K,SUM_L]. Of a recording too long for that a block of steps at a time, and of each
 * block the row of a before it, from which the block is made again.
 */

enum { TILE = SP_LANES_TILE, SUM_G = 2, SUM_L = W * SUM_G };
#define BOTH(OP) OP(0) OP(1)

static const double least_mass = 0x1p-400; /* of a step, and of any number that must not be lost */
static const double widest = 277;          /* nats below the best class of a step: 2^-400 */

typedef struct lane_passes {
    sp_sum_group *group;
    size_t K, M; /* classes, states */
    int64_t shortest;
    int32_t ending, beginning;
    bool is_plain;  /* state j emits class j */
    bool is_strict; /* a, b and the marginals are 0 where the rules and scores of -INFINITY say so only */
    _Alignas(64) char tile[sizeof(double) * TILE * MOST * SUM_L];
    _Alignas(
        64) char tail[SUM_L][sizeof(double) * TILE * MOST]; /* rows behind which there are none to be read */
    _Alignas(64) uint64_t shift[TILE * L];                  /* N[t] of a tile */
    _Alignas(64) uint64_t taken[SUM_L];      /* all powers of two taken out so far, modulo 2^64 */
    _Alignas(64) int64_t is_bad[SUM_L];      /* all ones: to be left */
    _Alignas(64) int64_t fades_from[SUM_L];  /* the first step where a number of a fades */
    _Alignas(64) int64_t fades_until[SUM_L]; /* the last step where a number of b does, -1 */
    _Alignas(64) double back[2][MOST * L];   /* b of this step and of the one before */
    _Alignas(64) double value[TILE * MOST * L];
} lane_passes;

SP_ALWAYS_INLINE vd *kept_row(const lane_passes *f, int64_t t)
{
    return (vd *)f->group->kept + (size_t)(t % f->group->block) * (f->M + f->K) * SUM_G;
}

/* The scores of steps first .. first+TILE-1 to f->tile[TILE*K,SUM_L]; 0 behind the end of a recording. */
SP_ALWAYS_INLINE void load_tile(lane_passes *f, int64_t first)
{
    const sp_sum_group *group = f->group;
    size_t row = f->K * (size_t)group->dtype, n = TILE * f->K;
    const void *rows[SUM_L];
    if (first + TILE <= f->shortest && group->n_lanes == SUM_L) {
        if (group->dtype == SP_F32)
            gather_tile_ahead(SUM_L, SP_F32, group->rows, (size_t)first * f->K, n, f->tile);
        else
            gather_tile_ahead(SUM_L, SP_F64, group->rows, (size_t)first * f->K, n, f->tile);
        return;
    }
    for (int lane = 0; lane < SUM_L; lane++) {
        int64_t left = lane < group->n_lanes ? group->length[lane] - first : 0;
        rows[lane] = f->tail[lane];
        if (left >= TILE) {
            rows[lane] = (const char *)group->rows[lane] + (size_t)first * row;
            continue;
        }
        size_t used = left > 0 ? (size_t)left * row : 0;
        if (used)
            memcpy(f->tail[lane], (const char *)group->rows[lane] + (size_t)first * row, used);
        memset(f->tail[lane] + used, 0, TILE * row - used);
    }
    if (group->dtype == SP_F32)
        gather_tile_ahead(SUM_L, SP_F32, rows, 0, n, f->tile);
    else
        gather_tile_ahead(SUM_L, SP_F64, rows, 0, n, f->tile);
}

/* p of the steps of a tile, the first of which is kept in `kept`, and their N. */
SP_ALWAYS_INLINE void weigh_tile(lane_passes *f, sp_dtype dtype, vd *kept)
{
    size_t K = f->K;
    vd infinite = spread(INFINITY), least = spread(-3e5),
       most = spread(3e5); /* farther off exp() would lose digits */
    for (size_t s = 0; s < TILE; s++) {
        vd *p = kept + (s * (f->M + K) + f->M) * SUM_G, best0 = -infinite, best1 = -infinite;
        for (size_t j = 0; j < K; j++) {
            vd x0, x1;
            tile_pair(SUM_G, dtype, f->tile, s * K + j, 0, &x0, &x1);
#define GREATEST(g)                                                                                          \
    p[j * SUM_G + g] = x##g;                                                                                 \
    best##g = PICK(vd, (vi)(x##g > best##g), x##g, best##g);
            BOTH(GREATEST)
        }
#define FLOOR(g)                                                                                             \
    vd power##g = nearest_power(best##g), floor##g = best##g - spread(widest);                               \
    ((vu64 *)f->shift)[s * SUM_G + g] = (vu64)power##g - (vu64)spread(integer_at);                           \
    vi bad##g = ~((vi)(best##g > least) & (vi)(best##g < most));
        BOTH(FLOOR)
        for (size_t j = 0; j < K; j++) {
#define WEIGH(g)                                                                                             \
    {                                                                                                        \
        vd x = p[j * SUM_G + g];                                                                             \
        vi counts = (vi)(x > floor##g);                                                                      \
        bad##g |= ~counts & (vi)(x > -infinite);                                                             \
        p[j * SUM_G + g] = (vd)((vi)scaled_exp(x, power##g) & counts);                                       \
    }
            BOTH(WEIGH)
        }
#define NOTE_BAD(g) ((vi *)f->is_bad)[g] |= bad##g;
        BOTH(NOTE_BAD)
    }
}

/* What brings a sum into [1,2), and its power of two. 0 stays 0. */
SP_ALWAYS_INLINE vd unscale(vd sum, vu64 *power)
{
    vu64 biased = (vu64)sum >> 52;
    *power = biased - 1023;
    return (vd)((2046 - biased) << 52);
}

/* Numbers so small that the next step may lose them. */
SP_ALWAYS_INLINE vi is_fading(vd x)
{
    return (vi)(x > spread(0)) & (vi)(x < spread(least_mass));
}

/* a[t] from a[t-1]; before NULL: from the start. */
SP_ALWAYS_INLINE void forward_step(lane_passes *f, size_t M, bool has_weights, const vd *before, vd *now,
                                   size_t s)
{
    const sp_sum_rules *r = f->group->rules;
    const vd *p = now + M * SUM_G;
    vd sum0 = {0}, sum1 = {0};
    for (size_t j = 0; j < M; j++) {
        const size_t k = (size_t)r->emits[j];
        vd a0 = spread(before ? 0 : r->start[j]), a1 = a0;
        for (int32_t n = r->pred_row[j]; before && n < r->pred_row[j + 1]; n++) {
            const vd *from = before + (ptrdiff_t)r->pred[n] * SUM_G;
            vd weight = spread(has_weights ? r->pred_weight[n] : 1);
#define ADD(g)                                                                                               \
    {                                                                                                        \
        vd part = from[g];                                                                                   \
        if (has_weights)                                                                                     \
            part *= weight;                                                                                  \
        a##g += part;                                                                                        \
    }
            BOTH(ADD)
        }
#define ARRIVE(g)                                                                                            \
    a##g *= p[k * SUM_G + g];                                                                                \
    now[j * SUM_G + g] = a##g;                                                                               \
    sum##g += a##g;
        BOTH(ARRIVE)
    }
#define SCALE(g)                                                                                             \
    vu64 power##g;                                                                                           \
    vd scale##g = unscale(sum##g, &power##g);                                                                \
    ((vu64 *)f->taken)[g] += power##g + ((const vu64 *)f->shift)[s * SUM_G + g];                             \
    ((vi *)f->is_bad)[g] |= (vi)(sum##g < spread(least_mass));
    BOTH(SCALE)
    for (size_t j = 0; j < M; j++) {
#define SCALE_ROW(g) now[j * SUM_G + g] *= scale##g;
        BOTH(SCALE_ROW)
    }
}

/* value[M] = a b / sum a b of step t, and b of the step before; b_next is where that goes. */
SP_ALWAYS_INLINE void backward_step(lane_passes *f, size_t M, bool has_weights, const vd *row, const vd *back,
                                    vd *back_next, vd *value)
{
    const sp_sum_rules *r = f->group->rules;
    vd ahead[MOST * SUM_G], sum0 = {0}, sum1 = {0}, next0 = {0}, next1 = {0};
    for (size_t j = 0; j < M; j++) {
        const size_t k = (size_t)r->emits[j];
#define JOIN(g)                                                                                              \
    vd b##g = back[j * SUM_G + g], joint##g = row[j * SUM_G + g] * b##g;                                     \
    ahead[j * SUM_G + g] = row[(M + k) * SUM_G + g] * b##g;                                                  \
    value[j * SUM_G + g] = joint##g;                                                                         \
    sum##g += joint##g;
        BOTH(JOIN)
    }
#define SHARE(g)                                                                                             \
    vd share##g = 1 / sum##g;                                                                                \
    ((vi *)f->is_bad)[g] |= (vi)(sum##g < spread(least_mass));
    BOTH(SHARE)
    for (size_t i = 0; i < M; i++) {
        vd b0 = {0}, b1 = {0};
        for (int32_t n = r->succ_row[i]; n < r->succ_row[i + 1]; n++) {
            const vd *to = ahead + (ptrdiff_t)r->succ[n] * SUM_G;
            vd weight = spread(has_weights ? r->succ_weight[n] : 1);
#define ADD_BACK(g)                                                                                          \
    {                                                                                                        \
        vd part = to[g];                                                                                     \
        if (has_weights)                                                                                     \
            part *= weight;                                                                                  \
        b##g += part;                                                                                        \
    }
            BOTH(ADD_BACK)
        }
#define LEAVE(g)                                                                                             \
    value[i * SUM_G + g] *= share##g;                                                                        \
    back_next[i * SUM_G + g] = b##g;                                                                         \
    next##g += b##g;
        BOTH(LEAVE)
    }
#define UNSCALE_BACK(g)                                                                                      \
    vu64 power##g;                                                                                           \
    vd scale##g = unscale(next##g, &power##g);
    BOTH(UNSCALE_BACK)
    for (size_t i = 0; i < M; i++) {
#define SCALE_BACK(g) back_next[i * SUM_G + g] *= scale##g;
        BOTH(SCALE_BACK)
    }
}

/* Where a number of row t of a (is_ahead) or b, though not 0, is so small that a product of it might be. */
SP_ALWAYS_INLINE void note_fading(lane_passes *f, size_t M, const vd *row, int64_t t, bool is_ahead)
{
    vi fades0 = {0}, fades1 = {0}, now = spread_i(t);
    for (size_t j = 0; j < M; j++) {
#define FADING(g) fades##g |= is_fading(row[j * SUM_G + g]);
        BOTH(FADING)
    }
#define NOTE_FADING(g)                                                                                       \
    {                                                                                                        \
        vi *noted = is_ahead ? (vi *)f->fades_from + g : (vi *)f->fades_until + g;                           \
        *noted = PICK(vi, fades##g & (is_ahead ? *noted > now : *noted < now), now, *noted);                 \
    }
    BOTH(NOTE_FADING)
}

/* log Z of a lane whose last step has row a. */
SP_ALWAYS_INLINE void lane_total(lane_passes *f, int32_t lane, const double *a)
{
    const sp_sum_rules *r = f->group->rules;
    double sum = 0;
    for (size_t j = 0; j < f->M; j++)
        sum += a[j * SUM_L + (size_t)lane] * r->end[j];
    bool fades =
        f->fades_from[lane] < f->group->length[lane] && (f->is_strict || f->group->use == SP_SUM_LOG_Z);
    f->group->is_left[lane] = f->is_bad[lane] || fades || !(sum >= least_mass);
    f->group->log_z[lane] = (double)(int64_t)f->taken[lane] * 0x1.62e42fefa39efp-1 + log(sum) + r->log_start +
                            r->log_end + (double)(f->group->length[lane] - 1) * r->log_step;
}

/* Steps first .. end-1, all of one block, from a of the step before (NULL: from the start). again: these are done a second time.
 */
SP_ALWAYS_INLINE void forward_block(lane_passes *f, size_t M, bool has_weights, int64_t first, int64_t end,
                                    const vd *before, bool again)
{
    sp_sum_group *group = f->group;
    for (int64_t t = first; t < end; t++) {
        vd *now = kept_row(f, t);
        if (t % TILE == 0) {
            load_tile(f, t);
            if (group->dtype == SP_F32)
                weigh_tile(f, SP_F32, now);
            else
                weigh_tile(f, SP_F64, now);
        }
        forward_step(f, M, has_weights, before, now, (size_t)(t % TILE));
        if (!again)
            note_fading(f, M, now, t, true);
        before = now;
        for (; !again && f->ending >= 0 && group->length[f->ending] == t + 1; f->ending--)
            lane_total(f, f->ending, (const double *)now);
    }
}

/* ---- what becomes of the marginals of a tile: steps first .. first+n-1 ---- */

/* Marginals to the scores of mea, or of posterior-viterbi: see mea.c. */
SP_ALWAYS_INLINE void make_scores(lane_passes *f, int64_t first, size_t n)
{
    vd *value = (vd *)f->value;
    vd grid = spread(0x1.8p22); /* 1.5 * 2^52 / 2^30: numbers below 2^20 lose what is finer than 2^-30 */
    bool is_product = f->group->use == SP_SUM_PRODUCT;
    for (size_t s = 0; s < n; s++) {
        const vd *p = kept_row(f, first + (int64_t)s) + f->M * SUM_G;
        for (size_t i = 0; i < f->K * SUM_G; i++) {
            vd *v = value + s * f->K * SUM_G + i;
            vi is_none = (vi)((is_product ? *v : p[i]) == spread(0));
            vd x = is_product ? normal_log(*v) : *v;
            *v = PICK(vd, is_none, spread(-INFINITY), (x + grid) - grid);
        }
    }
}

/* f->value[n,K,SUM_L] to the recordings' [.,K]. */
SP_ALWAYS_INLINE void write_values(const lane_passes *f, int64_t first, size_t n)
{
    const sp_sum_group *group = f->group;
    size_t K = f->K;
    if (n == TILE && first + TILE <= f->shortest && group->n_lanes == SUM_L) {
        for (size_t lane = 0; lane < SUM_L; lane += N64)
            for (size_t m = 0; m < TILE * K; m += 2)
                scatter64(f->value + m * SUM_L + lane, SUM_L, group->values + lane,
                          ((size_t)first * K + m) * sizeof(double));
        return;
    }
    for (size_t lane = 0; lane < (size_t)group->n_lanes; lane++)
        for (size_t s = 0; s < n && first + (int64_t)s < group->length[lane]; s++)
            for (size_t k = 0; k < K; k++)
                group->values[lane][((size_t)first + s) * K + k] = f->value[(s * K + k) * SUM_L + lane];
}

/* The lowest of the classes whose marginal is within 2^-40 of the greatest. */
SP_ALWAYS_INLINE void write_path(const lane_passes *f, int64_t first, size_t n)
{
    const sp_sum_group *group = f->group;
    _Alignas(64) int64_t chosen[TILE * L];
    for (size_t s = 0; s < n; s++) {
        const vd *value = (const vd *)f->value + s * f->K * SUM_G;
#define FIRST_CLASS(g) vd best##g = value[g];
        BOTH(FIRST_CLASS)
        for (size_t k = 1; k < f->K; k++) {
#define BETTER(g) best##g = PICK(vd, (vi)(value[k * SUM_G + g] > best##g), value[k * SUM_G + g], best##g);
            BOTH(BETTER)
        }
#define ENOUGH(g)                                                                                            \
    vd enough##g = best##g - spread(0x1p-40);                                                                \
    vi found##g = {0};
        BOTH(ENOUGH)
        for (size_t k = f->K; k-- > 0;) {
#define LOWEST(g)                                                                                            \
    found##g = PICK(vi, (vi)(value[k * SUM_G + g] >= enough##g), spread_i((int64_t)k), found##g);
            BOTH(LOWEST)
        }
#define STORE_FOUND(g) ((vi *)chosen)[s * SUM_G + g] = found##g;
        BOTH(STORE_FOUND)
    }
    for (size_t lane = 0; lane < (size_t)group->n_lanes; lane++)
        for (size_t s = 0; s < n && first + (int64_t)s < group->length[lane]; s++)
            group->path[lane][first + (int64_t)s] = (int32_t)chosen[s * SUM_L + lane];
}

SP_ALWAYS_INLINE void write_confidence(const lane_passes *f, int64_t first, size_t n)
{
    const sp_sum_group *group = f->group;
    for (size_t lane = 0; lane < (size_t)group->n_lanes; lane++)
        for (size_t s = 0; s < n && group->given[lane] && first + (int64_t)s < group->length[lane]; s++) {
            size_t k = (size_t)group->given[lane][first + (int64_t)s];
            group->confidence[lane][first + (int64_t)s] = (float)f->value[(s * f->K + k) * SUM_L + lane];
        }
}

SP_ALWAYS_INLINE void write_tile(lane_passes *f, int64_t first, size_t n)
{
    switch (f->group->use) {
    case SP_SUM_PATH:
        write_path(f, first, n);
        return;
    case SP_SUM_CONFIDENCE:
        write_confidence(f, first, n);
        return;
    case SP_SUM_MEA:
    case SP_SUM_PRODUCT:
        make_scores(f, first, n);
        write_values(f, first, n);
        return;
    default:
        write_values(f, first, n);
    }
}

/* ---- both passes ---- */

/* to[K]: the sums of what stands in of[M] for the states of each class. */
SP_ALWAYS_INLINE void add_states(const lane_passes *f, const vd *of, vd *to)
{
    const int32_t *emits = f->group->rules->emits;
    for (size_t i = 0; i < f->K * SUM_G; i++)
        to[i] = (vd){0};
    for (size_t j = 0; j < f->M; j++) {
#define ADD_STATE(g) to[(size_t)emits[j] * SUM_G + g] += of[j * SUM_G + g];
        BOTH(ADD_STATE)
    }
}

SP_ALWAYS_INLINE void backward_block(lane_passes *f, size_t M, bool has_weights, int64_t first, int64_t end)
{
    vd of_states[MOST * SUM_G];
    const sp_sum_group *group = f->group;
    for (int64_t t = end - 1; t >= first; t--) {
        double *back = f->back[t % 2], *next = f->back[(t + 1) % 2];
        for (; f->beginning < group->n_lanes && group->length[f->beginning] == t + 1; f->beginning++) {
            f->is_bad[f->beginning] = 0;
            f->fades_until[f->beginning] = -1;
            for (size_t j = 0; j < M; j++)
                back[j * SUM_L + (size_t)f->beginning] = group->rules->end[j];
        }
        note_fading(f, M, (vd *)back, t, false);
        int64_t s = t % TILE;
        vd *value = (vd *)f->value + (size_t)s * f->K * SUM_G;
        backward_step(f, M, has_weights, kept_row(f, t), (vd *)back, (vd *)next,
                      f->is_plain ? value : of_states);
        if (!f->is_plain)
            add_states(f, of_states, value);
        if (s == 0)
            write_tile(f, t, (size_t)(end - t < TILE ? end - t : TILE));
    }
}

SP_ALWAYS_INLINE void forward_backward(lane_passes *f, size_t M, bool has_weights)
{
    sp_sum_group *group = f->group;
    int64_t n_steps = group->length[0], block = group->block;
    const vd *before = NULL;
    bool any = false;
    for (int64_t first = 0; first < n_steps; first += block) {
        int64_t end = first + block < n_steps ? first + block : n_steps;
        vd *start =
            (vd *)group->starts + (group->use == SP_SUM_LOG_Z ? 0 : (size_t)(first / block) * M * SUM_G);
        if (before)
            memcpy(start, before, M * SUM_L * sizeof(double)); /* kept[] is about to be written over */
        forward_block(f, M, has_weights, first, end, before ? start : NULL, false);
        before = kept_row(f, end - 1);
    }
    for (int32_t lane = 0; lane < group->n_lanes; lane++)
        any = any || !group->is_left[lane];
    group->has_written = any && group->use != SP_SUM_LOG_Z;
    if (!group->has_written)
        return;
    for (size_t i = 0; i < M * SUM_L; i++)
        f->back[0][i] = f->back[1][i] = 1;
    f->beginning = 0;
    for (int64_t first = (n_steps - 1) / block * block; first >= 0; first -= block) {
        int64_t end = first + block < n_steps ? first + block : n_steps;
        if (end < n_steps)
            forward_block(f, M, has_weights, first, end,
                          first ? (vd *)group->starts + (size_t)(first / block) * M * SUM_G : NULL, true);
        backward_block(f, M, has_weights, first, end);
    }
    for (int32_t lane = 0; lane < group->n_lanes; lane++) {
        bool fades = f->fades_until[lane] >= (f->is_strict ? 0 : f->fades_from[lane]);
        group->is_left[lane] = group->is_left[lane] || f->is_bad[lane] || fades;
    }
}

static void sum_lanes_any(sp_sum_group *group)
{
    lane_passes f;
    f.group = group;
    f.K = (size_t)group->rules->n_classes;
    f.M = (size_t)group->rules->n_states;
    f.is_plain = group->rules->verifier.chain->is_plain;
    f.shortest = group->length[group->n_lanes - 1];
    f.is_strict = group->use == SP_SUM_PRODUCT;
    f.ending = group->n_lanes - 1;
    memset(f.taken, 0, sizeof f.taken);
    memset(f.is_bad, 0, sizeof f.is_bad);
    for (size_t lane = 0; lane < SUM_L; lane++) {
        f.fades_from[lane] = INT64_MAX;
        f.fades_until[lane] = -1;
    }
    if (group->rules->has_weights)
        forward_backward(&f, f.M, true);
    else
        forward_backward(&f, f.M, false);
}
