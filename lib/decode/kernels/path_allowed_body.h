/* Body: are the transitions of a path allowed? See sp_path_allowed (verify.h). Included after single_body.h. */

#if LANE_W >= 4 && !defined(__clang__) /* clang makes a loop of a shuffle whose places are not constants */
typedef uint32_t path_steps __attribute__((vector_size(8 * LANE_W), aligned(4), may_alias));

/* Items from[] of follows[]: the places of a shuffle count modulo its items. */
SP_ALWAYS_INLINE p32 follows_of(const path_steps *follows, p32 from)
{
#if LANE_W == 8
    return __builtin_shuffle((p32)follows[0], from);
#else
    return __builtin_shuffle((p32)follows[0], (p32)follows[1], from);
#endif
}

/* The last vector overlaps the one before it. */
static bool path_is_allowed(const uint32_t *follows, const int32_t *path, int64_t n)
{
    p32 is_legal = ~(p32){0}, all = {0};
    if (n <= N32) /* not enough for a vector */
        return sp_path_is_allowed(follows, path, n);
    for (int64_t t = 1; t < n; t += N32) {
        const int32_t *at = path + (t < n - N32 ? t : n - N32);
        const p32 from = (p32) * (const path_steps *)(at - 1), k = (p32) * (const path_steps *)at;
        is_legal &= follows_of((const path_steps *)follows, from) >> (k & 31);
        all |= k;
    }
    return all_of((vu)((~is_legal & 1) | (all & ~(uint32_t)(SP_VERIFY_CLASSES - 1)))) == 0;
}
#else
static bool path_is_allowed(const uint32_t *follows, const int32_t *path, int64_t n)
{
    return sp_path_is_allowed(follows, path, n);
}
#endif
