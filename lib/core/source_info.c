/* The names of the layouts of recordings. */
#include "statepath/source_info.h"

const char *sp_layout_name(sp_layout layout)
{
    static const char *const names[] = {"packed", "padded", "single", "groups"};
    return (unsigned)layout < sizeof names / sizeof *names ? names[layout] : "unknown";
}
