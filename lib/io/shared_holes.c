/* Steps that one of two sources of the same recordings leaves out are left out of the other, so that step t is the same in both.
 */
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/holes.h"
#include "io/many.h"
#include "io/source.h"

/* The steps of a source with its holes, and which of them take part. */
typedef struct side {
    const int64_t *offsets; /* [N+1] */
    uint8_t *kept;          /* [offsets[N]] owned */
} side;

static sp_status look_at(const sp_source *source, side *s, sp_error *err)
{
    const sp_source_info *info = &source->info;
    s->offsets = source->has_holes ? source->holes.offsets : info->offsets;
    const size_t n = (size_t)s->offsets[info->n_recordings];
    s->kept = source->has_holes ? sp_holes_flags(&source->holes, info->n_steps) : malloc(n + 1);
    if (s->kept && !source->has_holes)
        memset(s->kept, 1, n);
    return s->kept ? SP_OK : sp_no_memory(err);
}

static int64_t length_of(const side *s, int64_t n)
{
    return s->offsets[n + 1] - s->offsets[n];
}

/* Does any step of a recording from `first` on take part? */
static bool goes_on(const side *s, int64_t n, int64_t first)
{
    const int64_t length = length_of(s, n);
    return first < length && memchr(s->kept + s->offsets[n] + first, 1, (size_t)(length - first)) != NULL;
}

/* Are the steps of both known? */
static bool are_read(const sp_source *source, int64_t n, const sp_source *other, int64_t m)
{
    return m >= 0 && !(source->info.unread && source->info.unread[n]) &&
           !(other->info.unread && other->info.unread[m]);
}

/* Are all recordings as long, but for steps at the end that take no part? */
static bool are_aligned(const sp_source *source, const side *a, const sp_source *other, const side *b,
                        const int64_t *recording)
{
    for (int64_t n = 0; n < source->info.n_recordings; n++)
        if (are_read(source, n, other, recording[n]) &&
            (goes_on(a, n, length_of(b, recording[n])) || goes_on(b, recording[n], length_of(a, n))))
            return false;
    return true;
}

static void combine(side *a, side *b, int64_t n_recordings, const int64_t *recording)
{
    for (int64_t n = 0; n < n_recordings; n++) {
        const int64_t m = recording[n];
        if (m < 0)
            continue;
        const int64_t length = length_of(a, n) < length_of(b, m) ? length_of(a, n) : length_of(b, m);
        uint8_t *own = a->kept + a->offsets[n], *theirs = b->kept + b->offsets[m];
        for (int64_t t = 0; t < length; t++)
            own[t] = theirs[t] = own[t] && theirs[t];
    }
}

/* Takes the flags over. */
static sp_status use(sp_source *source, side *s, sp_gaps gaps, sp_error *err)
{
    uint8_t *kept = s->kept;
    s->kept = NULL;
    sp_status status = SP_OK;
    TRY(sp_holes_use_others(source, kept, gaps, err));
    if (source->format == &sp_many_format)
        sp_many_count_steps(source);
    sp_paths_reader_refresh(source);
done:
    return status;
}

sp_status sp_source_share_holes(sp_source *source, sp_source *other, const int64_t *recording, bool lengths,
                                bool is_mutual, sp_gaps gaps, sp_error *err)
{
    const int64_t N = source->info.n_recordings;
    side a = {.kept = NULL}, b = {.kept = NULL};
    if (!source->has_holes && !other->has_holes)
        return SP_OK;
    sp_status status = SP_OK;
    TRY(look_at(source, &a, err));
    TRY(look_at(other, &b, err));
    if (!lengths || are_aligned(source, &a, other, &b, recording)) {
        combine(&a, &b, N, recording);
        TRY(use(source, &a, gaps, err));
        if (is_mutual)
            TRY(use(other, &b, gaps, err));
    } else if (gaps == SP_GAPS_BREAK)
        TRY(sp_fail(err, SP_EDATA,
                    "%s leaves out other steps than %s, which has not as many: `gaps` break needs the same "
                    "steps in both; "
                    "`gaps` join takes those of each",
                    other->info.file, source->info.file));
done:
    free(a.kept);
    free(b.kept);
    return status;
}
