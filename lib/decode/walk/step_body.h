/* One step of a recurrence over the states of a chain, to be included once for each algebra that needs it:
 *
 *     next[j] = (sum over what leads to j of now[i] w[i,j]) e[class of j]
 *
 * What leads to j: at the start of a recording start[j]; from step to step each predecessor i, by
 * log_trans[i,j]; after a gap every state i, by its weight of leaving, where j is an entry state. The
 * algebra says what sums and products are, by macros, which end here:
 *
 *     STEP, VALUE      the names of the function and of a value
 *     ZERO, ONE        nothing leads there; the value before the first step
 *     TIMES(v, w)      v and then a weight or score of w nats, -INFINITY where forbidden
 *     PLUS(sum, v, i)  adds to `sum` what comes from state i; sets `from` where that counts most
 *     BESIDE(sum, j)   if defined: adds to `sum` what `self` says that leads to j beside all that
 *
 * Predecessors ascend, so the first of equals is the lowest state. before [M]: `from` of each state; or
 * NULL. */
static void STEP(const void *self, const sp_chain *c, sp_reach how, const double *e, const VALUE *now,
                 VALUE *next, int32_t *before)
{
    const sp_chain *into = sp_chain_into(c, &how);
    VALUE left = ZERO;
    (void)self;
    int32_t from = 0;
    for (int32_t i = 0; how == SP_REACH_ENTRY && i < c->n_states; i++)
        PLUS(left, TIMES(now[i], sp_chain_leave(c, i)), i);
    const int32_t left_from = from;
    for (int32_t j = 0; j < c->n_states; j++) {
        VALUE sum = how == SP_REACH_START                  ? TIMES(ONE, c->start[j])
                    : how == SP_REACH_ENTRY && c->entry[j] ? left
                                                           : ZERO;
        from = left_from;
        for (int64_t p = into->pred_row[j]; how == SP_REACH_NEXT && p < into->pred_row[j + 1]; p++)
            PLUS(sum, TIMES(now[into->pred[p]], into->pred_weight[p]), into->pred[p]);
#ifdef BESIDE
        BESIDE(sum, j);
#endif
        next[j] = TIMES(sum, e[c->state_class[j]]);
        if (before)
            before[j] = from;
    }
}

#undef STEP
#undef VALUE
#undef ZERO
#undef ONE
#undef TIMES
#undef PLUS
#undef BESIDE
