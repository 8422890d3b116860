#include "pipeline/read_ahead.h"
#include "core/subjects.h"

#include <stdlib.h>

static bool open_slot(sp_slot *slot, int32_t n_more)
{
    slot->block = sp_block_new();
    slot->more = calloc((size_t)n_more + 1, sizeof(sp_block *));
    bool is_whole = slot->block && slot->more;
    for (int32_t i = 0; is_whole && i < n_more; i++)
        is_whole = (slot->more[i] = sp_block_new()) != NULL;
    return is_whole;
}

bool sp_read_ahead_open(sp_read_ahead *a, const sp_recordings *from, const sp_raters_found *raters,
                        int32_t n_more, const sp_recordings *const *more)
{
    *a = (sp_read_ahead){.from = from, .n_more = n_more, .more = more};
    if (raters)
        a->now.raters.found = a->ahead.raters.found = *raters;
    const bool is_whole = open_slot(&a->now, n_more);
    return open_slot(&a->ahead, n_more) && is_whole;
}

void sp_read_ahead_close(sp_read_ahead *a)
{
    sp_read_ahead_rest(a);
    sp_slot *slots[] = {&a->now, &a->ahead};
    for (int i = 0; i < 2; i++) {
        sp_block_free(slots[i]->block);
        for (int32_t m = 0; slots[i]->more && m < a->n_more; m++)
            sp_block_free(slots[i]->more[m]);
        free(slots[i]->more);
        sp_rater_labels_clear(&slots[i]->raters);
    }
}

static void read_slot(const sp_read_ahead *a, sp_slot *slot)
{
    slot->status = a->from->read(a->from->arg, &slot->part, slot->parts, slot->block, &slot->err);
    for (int32_t i = 0; slot->status == SP_OK && i < a->n_more; i++)
        slot->status = a->more[i]->read(a->more[i]->arg, &slot->part, slot->parts, slot->more[i], &slot->err);
    if (slot->status == SP_OK)
        slot->status =
            sp_rater_labels_read(&slot->raters, a->from, &slot->part, slot->block->n_steps, &slot->err);
    slot->is_there = true;
}

static void *read_ahead(void *arg)
{
    sp_read_ahead *a = arg;
    read_slot(a, &a->ahead);
    return NULL;
}

void sp_read_ahead_rest(sp_read_ahead *a)
{
    if (a->is_reading)
        pthread_join(a->thread, NULL);
    a->is_reading = false;
}

void sp_read_ahead_start(sp_read_ahead *a, const sp_part *part, unsigned parts)
{
    sp_read_ahead_rest(a);
    a->ahead.part = *part;
    a->ahead.parts = parts;
    a->ahead.is_there = false;
    a->is_reading = pthread_create(&a->thread, NULL, read_ahead, a) == 0;
}

static bool is_it(const sp_slot *slot, const sp_part *part, unsigned parts)
{
    return slot->is_there && slot->part.recording == part->recording && slot->part.count == part->count &&
           (slot->parts & parts) == parts;
}

sp_status sp_read_ahead_get(sp_read_ahead *a, const sp_part *part, unsigned parts, bool *is_new,
                            sp_error *err)
{
    *is_new = !is_it(&a->now, part, parts);
    if (!*is_new)
        return SP_OK;
    sp_read_ahead_rest(a);
    if (is_it(&a->ahead, part, parts)) {
        sp_slot read = a->ahead;
        a->ahead = a->now;
        a->now = read;
    } else {
        a->now.part = *part;
        a->now.parts = parts;
        read_slot(a, &a->now);
    }
    a->ahead.is_there = false;
    if (a->now.status != SP_OK && err)
        *err = a->now.err;
    a->now.is_there = a->now.status == SP_OK;
    return a->now.status;
}
