/* UTF-8, character by character. Not installed. */
#ifndef STATEPATH_JSON_UTF8_H
#define STATEPATH_JSON_UTF8_H

#include <stddef.h>
#include <stdint.h>

enum { SP_REPLACEMENT = 0xFFFD, SP_UTF8_MOST = 4 };

/* Reads one code point at *at, which is not the end of the text, and moves on; bytes that are no UTF-8 (overlong, surrogate, cut
 * off) give U+FFFD, one at a time. */
uint32_t sp_utf8_next(const char **at);
/* Writes a code point; returns how many bytes it takes. */
size_t sp_utf8_put(uint32_t code, char bytes[SP_UTF8_MOST]);

#endif
