/* The fixed parts of the page, compiled in from lib/report/assets/. */
#ifndef STATEPATH_REPORT_HTML_ASSETS_H
#define STATEPATH_REPORT_HTML_ASSETS_H

extern const char *const sp_page_style;                                  /* CSS */
extern const char *const sp_page_script;                                 /* JavaScript */
extern const char *const sp_page_methods;                                /* HTML of the methods section */
extern const char *const sp_page_style_hash, *const sp_page_script_hash; /* base64 SHA-256 */

#endif
