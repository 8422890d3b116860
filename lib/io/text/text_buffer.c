#include "io/text/text_buffer.h"

#include <stdlib.h>
#include <string.h>

void sp_text_buffer_put(sp_text_buffer *out, const char *text, size_t n)
{
    if (n == 0)
        return;
    if (!out->text || out->n + n > out->room) {
        const size_t room = 2 * (out->n + n) + 256;
        char *more = realloc(out->text, room);
        out->failed |= !more;
        if (!more)
            return;
        out->text = more;
        out->room = room;
    }
    memcpy(out->text + out->n, text, n);
    out->n += n;
}
