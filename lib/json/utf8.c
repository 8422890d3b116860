#include "json/utf8.h"

uint32_t sp_utf8_next(const char **at)
{
    const unsigned char *s = (const unsigned char *)*at;
    int n = s[0] < 0x80             ? 0
            : (s[0] & 0xE0) == 0xC0 ? 1
            : (s[0] & 0xF0) == 0xE0 ? 2
            : (s[0] & 0xF8) == 0xF0 ? 3
                                    : -1;
    static const uint32_t least[4] = {0, 0x80, 0x800, 0x10000};
    uint32_t code = n <= 0 ? s[0] : s[0] & (0x3Fu >> n);
    for (int i = 1; i <= n; i++) {
        if ((s[i] & 0xC0) != 0x80) {
            n = -1;
            break;
        }
        code = code << 6 | (s[i] & 0x3F);
    }
    if (n < 0 || code < least[n] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
        *at += 1;
        return SP_REPLACEMENT;
    }
    *at += n + 1;
    return code;
}

size_t sp_utf8_put(uint32_t code, char bytes[SP_UTF8_MOST])
{
    size_t n = 0;
    if (code < 0x80) {
        bytes[n++] = (char)code;
    } else if (code < 0x800) {
        bytes[n++] = (char)(0xC0 | code >> 6);
        bytes[n++] = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        bytes[n++] = (char)(0xE0 | code >> 12);
        bytes[n++] = (char)(0x80 | (code >> 6 & 0x3F));
        bytes[n++] = (char)(0x80 | (code & 0x3F));
    } else {
        bytes[n++] = (char)(0xF0 | code >> 18);
        bytes[n++] = (char)(0x80 | (code >> 12 & 0x3F));
        bytes[n++] = (char)(0x80 | (code >> 6 & 0x3F));
        bytes[n++] = (char)(0x80 | (code & 0x3F));
    }
    return n;
}
