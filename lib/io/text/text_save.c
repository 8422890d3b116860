#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/try.h"
#include "io/output_file.h"
#include "statepath/files.h"

struct sp_text_file {
    FILE *
        stream; /* a stream, a terminal, /dev/null: nothing to replace, so nothing atomic either; NULL: `output` */
    bool is_stdout;
    char *name; /* for messages; of the stream */
    sp_output output;
    int64_t n; /* bytes so far */
};

static sp_status stream_failed(const sp_text_file *f, sp_error *err)
{
    return sp_fail(err, SP_EFILE, "%s: cannot be written (%s)", f->name, strerror(errno));
}

static void text_free(sp_text_file *f)
{
    free(f->name);
    free(f);
}

sp_status sp_text_open(const char *file, bool force, sp_outputs *together, sp_text_file **out, sp_error *err)
{
    sp_text_file *f = calloc(1, sizeof *f);
    if (!f)
        return sp_no_memory(err);
    f->output.fd = -1;
    f->is_stdout = strcmp(file, "-") == 0;
    struct stat there;
    const bool is_stream =
        f->is_stdout || (stat(file, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode));
    sp_status status = SP_OK;
    if (is_stream && !(f->name = strdup(f->is_stdout ? "standard output" : file)))
        status = sp_no_memory(err);
    else if (is_stream && !(f->stream = f->is_stdout ? stdout : fopen(file, "w")))
        status = stream_failed(f, err);
    else if (!is_stream)
        status = sp_output_begin(&f->output, file, force, NULL, err);
    f->output.together = together;
    if (status == SP_OK)
        *out = f;
    else
        text_free(f);
    return status;
}

sp_status sp_text_put(sp_text_file *f, const char *text, size_t n, sp_error *err)
{
    const int64_t position = f->n;
    f->n += (int64_t)n;
    if (!f->stream)
        return sp_output_write(&f->output, text, n, position, err);
    return fwrite(text, 1, n, f->stream) == n ? SP_OK : stream_failed(f, err);
}

sp_status sp_text_close(sp_text_file *f, sp_error *err)
{
    sp_status status = SP_OK;
    if (!f->stream) {
        status = sp_output_commit(&f->output, err);
    } else {
        if (fflush(f->stream) != 0)
            status = stream_failed(f, err);
        if (!f->is_stdout && fclose(f->stream) != 0 && status == SP_OK)
            status = stream_failed(f, err);
    }
    text_free(f);
    return status;
}

void sp_text_abort(sp_text_file *f)
{
    if (!f)
        return;
    if (f->stream && !f->is_stdout)
        (void)fclose(f->stream);
    if (!f->stream)
        sp_output_abort(&f->output);
    text_free(f);
}

sp_status sp_text_save(const char *file, const char *text, bool force, sp_error *err)
{
    sp_text_file *f = NULL;
    sp_status status = SP_OK;
    TRY(sp_text_open(file, force, NULL, &f, err));
    TRY(sp_text_put(f, text, strlen(text), err));
    return sp_text_close(f, err);
done:
    sp_text_abort(f);
    return status;
}
