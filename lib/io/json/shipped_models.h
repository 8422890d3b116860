/* The models of models/, compiled in; the table is made by models/embed.cmake. */
#ifndef STATEPATH_IO_SHIPPED_MODELS_H
#define STATEPATH_IO_SHIPPED_MODELS_H

typedef struct sp_shipped_model {
    const char *name; /* "sleep-strict"; NULL ends the table */
    const char *text; /* JSON */
} sp_shipped_model;

extern const sp_shipped_model sp_shipped_models[]; /* sorted by name */

#endif
