/* Lists of texts: names of classes, ids. Private to io/. */
#ifndef STATEPATH_IO_TEXTS_H
#define STATEPATH_IO_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Texts in one allocation: free(texts). texts[n] is NULL. Bytes that are not UTF-8 are taken for Latin-1. */
typedef char **sp_texts;

typedef struct sp_text_span {
    const char *text;
    size_t length;
} sp_text_span;

/* Each copies; NULL on lack of memory. */
sp_texts sp_texts_pack(const sp_text_span *spans, int64_t n);
sp_texts sp_texts_copy(const char *const *texts, int64_t n);
sp_texts sp_texts_of_numbers(const int64_t *values, int64_t n); /* values NULL: 0 .. n-1 */

/* Two of n texts that are equal: true, with the lower and the higher index of one such pair. false also on lack of memory (*a is
 * -2 then). O(n log n). */
bool sp_texts_duplicate(const char *const *texts, int64_t n, int64_t *a, int64_t *b);

/* ".npy" of "scores/n1.npy"; "" where there is none. Points into the name. */
const char *sp_file_ending(const char *file);
/* Is that one of these, ".npy .npz", whatever the case? */
bool sp_file_has_ending(const char *file, const char *endings);

/* ".npy, .npz or .csv" of ".npy .npz .csv", for a sentence. Into text [size]; returns text. */
char *sp_endings_say(const char *endings, char *text, size_t size);

/* A file's name without folder and ending: "night1" of "/data/night1.h5". The caller frees it; NULL on lack of memory. */
char *sp_file_stem(const char *file);

#endif
