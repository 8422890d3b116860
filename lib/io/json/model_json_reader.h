/* Inside of sp_model_from_json(): what its parts share. Not installed. */
#ifndef STATEPATH_IO_MODEL_JSON_READER_H
#define STATEPATH_IO_MODEL_JSON_READER_H

#include "core/names.h"
#include "statepath/model.h"
#include "json/json_read.h"

/* Rows of rules are looked at cell by cell: what has more than these takes minutes and all memory. */
#define SP_MODEL_MOST_STATES 65536
#define SP_MODEL_MOST_TRANSITIONS (INT64_C(1) << 28)

typedef struct sp_model_reader {
    sp_json_doc doc;
    sp_json_at root;
    sp_model *model;  /* being filled */
    sp_names classes; /* name -> class */
    sp_names states;  /* name -> state, where states are declared; else empty */
    bool has_states;  /* states are declared: rules speak of states, not of classes */
} sp_model_reader;

/* Rules: `allow`, `forbid` or `matrix`, then `probabilities` or `log_weights`. */
sp_status sp_model_read_transitions(sp_model_reader *reader);
/* `start`, `end` and their log weights. */
sp_status sp_model_read_ends(sp_model_reader *reader);

/* `aliases`; `min_dwell` and `min_dwell_at_end`; `durations` and `durations_at_ends`; `rules`; `prior`; `decoding`; `labeller`;
 * `windows`. */
sp_status sp_model_read_aliases(sp_model_reader *reader);
sp_status sp_model_read_dwell(sp_model_reader *reader);
sp_status sp_model_read_durations(sp_model_reader *reader);
sp_status sp_model_read_expressions(sp_model_reader *reader);
sp_status sp_model_read_prior(sp_model_reader *reader);
sp_status sp_model_read_decoding(sp_model_reader *reader);
sp_status sp_model_read_labeller(sp_model_reader *reader);
sp_status sp_model_read_windows(sp_model_reader *reader);

/* ---- helpers ---- */

/* Member of the document, or NULL. */
static inline json_t *sp_model_member(const sp_model_reader *reader, const char *key)
{
    return json_object_get(reader->doc.root, key);
}

/* "class" or "state": what the rules speak of. */
static inline const char *sp_model_noun(const sp_model_reader *reader)
{
    return reader->has_states ? "state" : "class";
}

/* Name of what the rules call s. */
static inline const char *sp_model_reader_state(const sp_model_reader *reader, int32_t s)
{
    return sp_model_state_name(reader->model, s);
}

/* Is the value a non-empty string? `what` begins the message: "a class". SP_OK or SP_EMODEL. */
sp_status sp_model_want_name(const sp_model_reader *reader, const sp_json_at *at, const char *key,
                             const json_t *value, const char *what);

/* Fails at `at` when `value` is not an object (`what` says of what). SP_OK or SP_EMODEL. */
sp_status sp_model_want_object(const sp_model_reader *reader, const sp_json_at *at, const json_t *value,
                               const char *what);

/* Are all keys of the object names that the rules may speak of? SP_OK or SP_EMODEL. */
sp_status sp_model_check_members(const sp_model_reader *reader, const sp_json_at *at, json_t *object);

/* Number of the class (of_classes) or of what the rules speak of; fails at `at`, which stands under the key `key`. */
sp_status sp_model_find(const sp_model_reader *reader, const sp_json_at *at, const char *key,
                        const char *name, bool of_classes, int32_t *out);

#endif
