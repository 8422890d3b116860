/* Files of events: EDF+, XML, .annot, .ids, tables and hypnograms of other programs. The first byte chooses the ending of the
 * name and what a step is; the rest is the file. What can be opened is read whole and in pieces, as labels and as paths, and
 * written. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/events/event_writer.h"
#include "statepath-kit.h"
#include "statepath/files.h"

enum {
    MOST_STEPS = 1 << 16
}; /* that are written: a million lines take long where the machine does other work */

static const char *const endings[] = {".edf", ".xml", ".annot", ".ids", ".tsv", ".txt", ".vis", ""};
static const double steps[] = {0, 30, 1, 1.0 / 3};
static char base[] = "/tmp/statepath-fuzz-XXXXXX";

static void read_all(sp_source *source)
{
    const sp_source_info *info = sp_source_info_of(source);
    sp_error err = {.message = ""};
    assert(info->n_recordings == 1 && info->offsets[1] == info->n_steps && info->n_steps > 0 && info->ids[0]);
    const int64_t n = info->n_steps < MOST_STEPS ? info->n_steps : MOST_STEPS, half = n / 2;
    sp_block *whole = sp_block_new(), *piece = sp_block_new();
    assert(whole && piece);
    assert(sp_source_read_steps(source, 0, 0, n, SP_BLOCK_LABELS, whole, &err) == SP_OK);
    assert(sp_source_read_steps(source, 0, half, n - half, SP_BLOCK_LABELS, piece, &err) == SP_OK);
    assert(memcmp(whole->labels + half, piece->labels, (size_t)(n - half) * sizeof *whole->labels) == 0);
    assert(sp_source_read_steps(source, 0, info->n_steps - 1, 1, SP_BLOCK_LABELS, piece, &err) == SP_OK);
    for (int64_t t = 0; t < n; t++)
        assert(whole->labels[t] >= -1 && whole->labels[t] < info->n_classes);
    const sp_event_night night = {n, whole->labels, info->n_classes, info->classes, 30};
    for (int i = 0; i < 4; i++) {
        static const char *const names[] = {"x.annot", "x.eannot", "x.ids", "x.edf"};
        char *bytes = NULL;
        size_t size;
        assert(sp_event_writer_bytes(sp_event_writer_find(names[i]), names[i], &night, &bytes, &size, &err) ==
               SP_OK);
        free(bytes);
    }
    sp_block_free(whole);
    sp_block_free(piece);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[64];
    sp_error err = {.message = ""};
    sp_source *source = NULL;
    if (size == 0)
        return 0;
    if (strchr(base, 'X'))
        close(mkstemp(base));
    snprintf(name, sizeof name, "%s%s", base, endings[data[0] & 7]);
    FILE *out = fopen(name, "wb");
    assert(out && fwrite(data + 1, 1, size - 1, out) == size - 1 && fclose(out) == 0);
    sp_source_options options = sp_source_options_default();
    options.needs_scores = false;
    options.epoch_seconds = steps[data[0] >> 3 & 3];
    if (sp_source_open(name, &options, &source, &err) == SP_OK &&
        sp_source_info_of(source)->layout == SP_LAYOUT_SINGLE)
        read_all(source);
    else
        assert(source || err.message[0]);
    sp_source_close(source);
    unlink(name);
    return 0;
}
