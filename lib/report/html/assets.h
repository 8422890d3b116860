/* The fixed parts of the page, compiled in from lib/report/assets/. */
#ifndef STATEPATH_REPORT_HTML_ASSETS_H
#define STATEPATH_REPORT_HTML_ASSETS_H

#include <stddef.h>

extern const char *const sp_page_style;         /* CSS */
extern const char *const sp_page_picture_style; /* CSS of pictures that stand in files, light */
extern const char *const sp_page_script;        /* JavaScript */
extern const char *const sp_page_methods;       /* HTML of the methods section */
extern const char *const sp_page_style_hash, *const sp_page_script_hash; /* base64 SHA-256 */
extern const char *const sp_page_decoding_script; /* JavaScript of the section that decodes */
extern const char *const sp_page_decoding_script_hash;
extern const unsigned char sp_page_module[]; /* statepath.wasm, as gzip packs it */
extern const size_t sp_page_module_size;     /* 0: it was not built */

#endif
