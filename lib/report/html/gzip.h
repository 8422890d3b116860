/* Data of a page as gzip packs it: a browser unpacks it by itself (DecompressionStream). */
#ifndef STATEPATH_REPORT_HTML_GZIP_H
#define STATEPATH_REPORT_HTML_GZIP_H

#include <stddef.h>

/* Packs n bytes into a block of *n_packed bytes, which the caller frees; NULL where memory is short. Some 30 ms a megabyte. */
unsigned char *sp_gzip(const unsigned char *bytes, size_t n, size_t *n_packed);

#endif
