#include "blas.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "network.h"

/* A function of the library, into a pointer of its type: C has no other way from void * to there. */
static int take(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

/* Why the last dlopen() failed: the loader says it in words only. */
static bool has_no_memory(void)
{
    const char *why = dlerror();
    return !why || strstr(why, strerror(ENOMEM)) != NULL;
}

bool sp_blas_find(sp_blas *out)
{
    *out = (sp_blas){.sgemm = cblas_sgemm, .name = "GSL CBLAS"};
    /* It stays: its threads would not survive that it goes, and looking again costs nothing. */
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return !has_no_memory();
    sp_blas found = {.name = NULL};
    char *(*config)(void) = NULL;
    if (take(library, "cblas_sgemm", &found.sgemm) &&
        take(library, "openblas_set_num_threads", &found.set_threads) &&
        take(library, "openblas_get_num_threads", &found.get_threads) &&
        take(library, "openblas_get_config", &config))
        found.name = config();
    dlclose(library);
    if (found.name)
        *out = found;
    return true;
}

int sp_blas_begin(const sp_blas *blas)
{
    int before = blas->get_threads ? blas->get_threads() : 1;
    if (before != 1)
        blas->set_threads(1);
    return before;
}

void sp_blas_end(const sp_blas *blas, int before)
{
    if (before != 1)
        blas->set_threads(before);
}
