#include "io/events/hypnogram.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/try.h"
#include "io/events/event_format.h"
#include "io/events/event_reader.h"
#include "io/text/text_labels.h"
#include "io/text/texts.h"
#include "sleep/label_coding_new.h"

/* The labels of a source that is open. */
static sp_status read_labels(sp_source *source, sp_hypnogram *out, sp_error *err)
{
    const sp_wanted all = {.count = 1, .n_steps = source->info.n_steps};
    sp_hypnogram h = {.n_steps = source->info.n_steps};
    if (source->info.n_recordings != 1)
        return sp_fail(err, SP_EDATA, "%s: holds %lld recordings; a hypnogram is one", source->file_name,
                       (long long)source->info.n_recordings);
    sp_block block = {.labels = malloc(((size_t)h.n_steps + 1) * sizeof *h.labels)};
    if (!block.labels)
        return sp_no_memory(err);
    sp_status status = source->format->read(source, &all, &block, err);
    if (status == SP_OK && source->format->epoch_seconds)
        status = source->format->epoch_seconds(source, &h.epoch_seconds, err);
    if (status != SP_OK) {
        free(block.labels);
        return status;
    }
    h.labels = block.labels;
    snprintf(h.remark, sizeof h.remark, "%s", source->info.remark ? source->info.remark : "");
    *out = h;
    return SP_OK;
}

/* The format of a file that is there: events, or a text. SP_OK, SP_EFILE. */
static sp_status find_format(const char *file, const sp_format **out, sp_error *err)
{
    sp_event_input in;
    sp_status status = sp_event_input_open(file, NULL, &in, err); /* says why a file cannot be opened */
    if (status != SP_OK)
        return status;
    sp_event_input_close(&in);
    *out = sp_event_is_file(file) ? &sp_event_format : sp_text_has_ending(file) ? &sp_text_format : NULL;
    if (*out)
        return SP_OK;
    return sp_fail(err, SP_EFILE,
                   "%s: is no hypnogram that is known: EDF+ annotations, XML of NSRR or Profusion, "
                   "annotations of Luna, U-Time, "
                   "BIDS, visbrain, Elan, REMlogic, DOMINO, or a text with a label a line (.txt, .csv, .hyp)",
                   file);
}

sp_status sp_hypnogram_read(const char *file, const sp_model *model, const sp_codes *codes,
                            double epoch_seconds, sp_hypnogram *out, sp_error *err)
{
    sp_source source = {.file_name = (char *)file};
    sp_codes *words = NULL;
    sp_status status = SP_OK;
    TRY(find_format(file, &source.format, err));
    if (!codes && sp_file_has_ending(file, ".eannot")) /* Luna writes ? for unscored */
        TRY(sp_label_coding_new("words", NULL, NULL, model, &words, err));
    const sp_source_options options = {
        .model = model, .codes = codes ? codes : words, .epoch_seconds = epoch_seconds};
    const sp_request request = {.options = &options};
    TRY(source.format->open(&source, &request, err));
    TRY(read_labels(&source, out, err));
    if (out->epoch_seconds == 0)
        out->epoch_seconds = epoch_seconds;
done:
    if (source.opened)
        source.format->close(source.opened);
    sp_codes_free(words);
    return status;
}

sp_status sp_hypnogram_write(const char *file, const sp_event_night *night, bool force, sp_error *err)
{
    const sp_event_writer *writer = sp_event_writer_find(file);
    char *bytes = NULL, list[64];
    size_t n = 0;
    sp_text_file *out = NULL;
    if (!writer)
        return sp_fail(err, SP_EINVAL, "%s: hypnograms are written as %s", file,
                       sp_endings_say(SP_EVENT_WRITER_ENDINGS, list, sizeof list));
    sp_status status = SP_OK;
    TRY(sp_event_writer_bytes(writer, file, night, &bytes, &n, err));
    TRY(sp_text_open(file, force, NULL, &out, err));
    TRY(sp_text_put(out, bytes, n, err));
    status = sp_text_close(out, err);
    out = NULL;
done:
    sp_text_abort(out);
    free(bytes);
    return status;
}
