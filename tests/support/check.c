#include "check.h"

#include <unistd.h>

const char *shared_file(const char *relative)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", SHARED_DIR, relative);
    return access(path, R_OK) == 0 ? path : NULL;
}
