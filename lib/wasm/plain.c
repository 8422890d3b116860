/* What the module has in place of threads and fast kernels: one thread, no kernel. Those for vectors would
 * be six times as large as the rest, and nothing but speed would come of them. */
#include "core/workers.h"
#include "decode/kernels/lanes/lanes_forward_backward.h"

void sp_workers_share(sp_workers *workers, int64_t n_items, sp_task *task, void *arg)
{
    (void)workers;
    task(arg, NULL, 0, n_items);
}

/* Ask the plain kernel. */
sp_status sp_sum_recording(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                           sp_sum_group *group)
{
    (void)chain, (void)scores, (void)scratch, (void)group;
    return SP_ENOPATH;
}
