#include "json/json_memory.h"

#include <jansson.h>
#include <pthread.h>

static json_malloc_t take;
static json_free_t give;
static _Thread_local bool has_failed;

static void *take_and_note(size_t size)
{
    void *room = take(size);
    has_failed = has_failed || !room;
    return room;
}

static void watch(void)
{
    json_get_alloc_funcs(&take, &give);
    json_set_alloc_funcs(take_and_note, give);
}

void sp_json_memory_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, watch);
    has_failed = false;
}

bool sp_json_memory_failed(void)
{
    return has_failed;
}
