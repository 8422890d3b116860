/* Bytes that grow. Private to io/. */
#ifndef STATEPATH_IO_TEXT_BUFFER_H
#define STATEPATH_IO_TEXT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/* Begins as {0}; free(text). */
typedef struct sp_text_buffer {
    char *text;
    size_t n, room;
    bool failed; /* there was no memory for something */
} sp_text_buffer;

void sp_text_buffer_put(sp_text_buffer *out, const char *text, size_t n);

#endif
