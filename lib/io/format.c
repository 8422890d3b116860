/* The table of formats, and which of them a file is of. */
#include "io/format.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/arrays/npy.h"
#include "io/arrays/npz.h"
#include "io/events/event_format.h"
#include "io/file_list.h"
#include "io/foreign.h"
#include "io/hdf5/h5_formats.h"
#include "io/paths_export.h"
#include "io/source.h"
#include "io/text/conll.h"
#include "io/text/span_paths.h"
#include "io/text/text_labels.h"

#define KNOWN_BY(first_bytes) .magic = (first_bytes), .n_magic = sizeof(first_bytes) - 1
#define FOREIGN(what, ...)                                                                                   \
    &(const sp_format)                                                                                       \
    {                                                                                                        \
        .name = (what), __VA_ARGS__                                                                          \
    }

/* Rows of formats whose file has nothing else for others. */
extern const sp_format sp_csv_format;
extern const sp_format sp_mat5_format;

/* How files that are not read are converted. */
#define PYTHON "convert it with python3 -c \"import numpy, "
#define NAMES "; an array's name says what it holds: log_probs, probs, logits, scores or labels"
#define BY_PANDAS(reads)                                                                                     \
    "save it as CSV, a column a class, for example with python3 -c \"import pandas; pandas." reads           \
    "('{name}').to_csv('{stem}.csv', index=False)\""
#define IN_R(loads) "in R: write.csv(" loads ", '{stem}.csv', row.names = FALSE), a column a class"

/* THE table of formats, asked from the first row on. Rows without open() only name what a file is; a name with its own advice has
 * it after a semicolon. */
static const sp_format *const formats[] = {
    &sp_event_format,
    &sp_conll_format,
    &sp_csv_format,
    &sp_text_format,
    &sp_matlab_format,
    &sp_h5_format,
    &sp_mat5_format,
    &sp_npy_format,
    &sp_npz_format,
    FOREIGN("a PyTorch file", .recognise = sp_is_torch,
            .mend = PYTHON "torch; x = torch.load('{name}', map_location='cpu'); numpy.savez('{stem}.npz', "
                           "**{k: v.numpy() for k, v in "
                           "(x if isinstance(x, dict) else {'logits': x}).items()})\"" NAMES),
    FOREIGN("a safetensors file", .recognise = sp_is_safetensors,
            .mend = PYTHON
            "safetensors.numpy; numpy.savez('{stem}.npz', **safetensors.numpy.load_file('{name}'))\"" NAMES),
    FOREIGN("an Excel workbook", .recognise = sp_is_excel, .mend = BY_PANDAS("read_excel")),
    FOREIGN("a zip archive", KNOWN_BY("PK\x03\x04")),
    FOREIGN("a NetCDF 3 file", KNOWN_BY("CDF\x01")),
    FOREIGN("a NetCDF 3 file", KNOWN_BY("CDF\x02")),
    FOREIGN("a NetCDF 3 file", KNOWN_BY("CDF\x05")),
    FOREIGN("an HDF4 file", KNOWN_BY("\x0e\x03\x13\x01")),
    FOREIGN("an R file", .recognise = sp_is_rds, .mend = IN_R("readRDS('{name}')")),
    FOREIGN("an R file", .recognise = sp_is_r, .mend = IN_R("get(load('{name}'))")),
    FOREIGN("gzip-compressed; unpack it with gunzip", KNOWN_BY("\x1f\x8b")),
    FOREIGN("zstd-compressed; unpack it with unzstd", KNOWN_BY("\x28\xb5\x2f\xfd")),
    FOREIGN("xz-compressed; unpack it with unxz", KNOWN_BY("\xfd\x37zXZ")),
    FOREIGN("bzip2-compressed; unpack it with bunzip2", KNOWN_BY("BZh")),
    FOREIGN("a MATLAB file of version 4; save it with -v7", .recognise = sp_is_mat4),
    FOREIGN("a Parquet file", KNOWN_BY("PAR1"), .mend = BY_PANDAS("read_parquet")),
    FOREIGN("an Arrow file", KNOWN_BY("ARROW1"), .mend = BY_PANDAS("read_feather")),
    FOREIGN("a tar archive; unpack it with tar -xf", .recognise = sp_is_tar),
    FOREIGN("text in UTF-16; write it as UTF-8, for example with iconv -f UTF-16 -t UTF-8",
            .recognise = sp_is_utf16),
    FOREIGN("a PDF", KNOWN_BY("%PDF")),
    FOREIGN("an SQLite file", KNOWN_BY("SQLite format 3")),
    FOREIGN("a Git LFS pointer; run git lfs pull", KNOWN_BY("version https://git-lfs")),
    FOREIGN("a Python pickle", .recognise = sp_is_pickle,
            .mend = PYTHON "pickle; x = pickle.load(open('{name}', 'rb')); numpy.savez('{stem}.npz', **x) if "
                           "isinstance(x, dict) else "
                           "numpy.save('{stem}.npy', x)\"" NAMES),
    FOREIGN("a model; look at it with statepath model show, and give it to other commands as `model`",
            .recognise = sp_is_model),
    FOREIGN("a JSON text", .recognise = sp_is_json, .paths = &sp_span_paths),
    FOREIGN("a web page; save the file that it speaks of", .recognise = sp_is_html),
    FOREIGN("an XML text; hypnograms of NSRR and Profusion are read where labels are asked for",
            .recognise = sp_is_xml),
    FOREIGN("a table in text (CSV or the like)", .recognise = sp_is_table),
    FOREIGN("a table in text below other lines", .recognise = sp_is_titled_table,
            .mend =
                "the names of the columns must be its first line: tail -n +{line} {name} > {stem}_table.csv"),
    FOREIGN("a text file", .recognise = sp_is_text,
            .mend = "labels, one a line, are read where a model names their classes (`model` or `rules` M) "
                    "and the name ends in {texts}; "
                    "scores are a table with a column a class"),
};
enum { N_FORMATS = sizeof formats / sizeof formats[0] };

/* ---- recognising ---- */

/* Reads the first bytes of an ordinary file. */
static void look_at(const char *file, const sp_request *request, sp_file_look *look)
{
    struct stat info;
    look->file = file;
    look->request = request;
    look->n = 0;
    if (request->options->access.image || stat(file, &info) != 0 || !S_ISREG(info.st_mode))
        return;
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, look->head, sizeof look->head) : 0;
    look->n = n > 0 ? (size_t)n : 0;
    if (fd >= 0)
        close(fd);
}

static bool is_of(const sp_format *format, const sp_file_look *look)
{
    return format->recognise
               ? format->recognise(look)
               : look->n >= format->n_magic && memcmp(look->head, format->magic, format->n_magic) == 0;
}

/* The sentence for a file that nothing here reads. */
static sp_status refuse(const sp_format *format, const sp_file_look *look, sp_error *err)
{
    char mend[700] =
        "write the scores as .npy, .npz, CSV or HDF5; an array's name says what it holds: log_probs, probs, "
        "logits or scores";
    if (!format)
        return sp_fail(err, SP_EFILE, "%s: is of no kind that is read here; %s", look->file, mend);
    if (strchr(format->name, ';'))
        return sp_fail(err, SP_EFILE, "%s: is %s", look->file, format->name);
    if (format->mend)
        sp_mend(format->mend, look, mend, sizeof mend);
    return sp_fail(err, SP_EFILE, "%s: looks like %s, which is not read; %s", look->file, format->name, mend);
}

/* The same where HDF5 is wanted, and in it a dataset (NULL: such a file is nobody's to write). */
static sp_status refuse_other(const sp_format *format, const sp_file_look *look, const char *dataset,
                              sp_error *err)
{
    char mend[700] = "";
    const bool has_advice = format && strchr(format->name, ';');
    if (dataset && !has_advice)
        sp_mend_as_h5(look, format ? format->python : NULL, dataset, mend, sizeof mend);
    return sp_fail(err, SP_EFILE, "%s: is not an HDF5 file%s%s%s%s", look->file,
                   !format      ? ""
                   : has_advice ? " but "
                                : " but looks like ",
                   format ? format->name : "", *mend ? "; " : "", mend);
}

/* The format that knows a file, or NULL. */
static const sp_format *recognise(const char *file, const sp_request *request, sp_file_look *look)
{
    const sp_format *found = NULL;
    look_at(file, request, look);
    for (int i = 0; i < N_FORMATS && !found; i++)
        if (is_of(formats[i], look))
            found = formats[i];
    return found;
}

sp_status sp_format_find(const char *file, const sp_request *request, const sp_format **out, sp_error *err)
{
    sp_file_look look;
    const sp_format *found = recognise(file, request, &look);
    if (look.n > 0 && !(found && found->open))
        return refuse(found, &look, err);
    *out = found ? found : &sp_h5_format;
    return SP_OK;
}

/* Asks the file, or the first of several that it stands for. */
static bool ask_first(const char *file, bool (*question)(const char *file))
{
    sp_file_list *list = NULL;
    struct stat info;
    if (stat(file, &info) == 0 && !S_ISDIR(info.st_mode))
        return question(file);
    const bool is_so = sp_file_list_new(file, NULL, &list, NULL) == SP_OK && question(list->names[0]);
    sp_file_list_free(list);
    return is_so;
}

bool sp_source_is_several(const char *file)
{
    struct stat info;
    return (stat(file, &info) == 0 && S_ISDIR(info.st_mode)) || sp_file_is_pattern(file);
}

bool sp_source_is_events(const char *file)
{
    return ask_first(file, sp_event_is_file);
}

static bool is_hdf5(const char *file)
{
    const sp_source_options options = sp_source_options_default();
    const sp_request request = {.options = &options};
    sp_file_look look;
    const sp_format *found = recognise(file, &request, &look);
    return look.n == 0 || found == &sp_h5_format || found == &sp_matlab_format;
}

bool sp_source_is_hdf5(const char *file)
{
    return ask_first(file, is_hdf5);
}

bool sp_source_has_columns(const char *file)
{
    return ask_first(file, sp_conll_is_file);
}

static bool is_table(const char *file)
{
    const sp_source_options options = sp_source_options_default();
    const sp_request request = {.options = &options};
    sp_file_look look;
    return recognise(file, &request, &look) == &sp_csv_format;
}

bool sp_source_is_table(const char *file)
{
    return ask_first(file, is_table);
}

bool sp_source_is_text(const char *file)
{
    return sp_text_has_ending(file) || ask_first(file, sp_text_has_ending) ||
           ask_first(file, sp_text_is_frames) || sp_source_has_columns(file) || sp_source_is_events(file);
}

sp_status sp_format_check_h5(const char *file, const char *dataset, const sp_file_access *access,
                             sp_error *err)
{
    sp_source_options options = sp_source_options_default();
    if (access)
        options.access = *access;
    const sp_request request = {.options = &options};
    sp_file_look look;
    const sp_format *found = recognise(file, &request, &look);
    return look.n > 0 && found != &sp_h5_format && found != &sp_matlab_format
               ? refuse_other(found, &look, dataset, err)
               : SP_OK;
}

const sp_path_format *sp_format_of_paths(const char *file)
{
    for (int i = 0; i < N_FORMATS; i++)
        if (formats[i]->paths && sp_file_has_ending(file, formats[i]->paths->endings))
            return formats[i]->paths;
    return NULL;
}

sp_status sp_output_name_check(const char *file, const char *others, sp_error *err)
{
    static const char hdf5[] = ".h5 .hdf5 .he5";
    char endings[300] = "";
    if (others && strcmp(others, "paths") == 0) {
        size_t n = 0;
        for (int i = 0; i < N_FORMATS && n < sizeof endings; i++)
            if (formats[i]->paths)
                n += (size_t)snprintf(endings + n, sizeof endings - n, "%s%s", n ? " " : "",
                                      formats[i]->paths->endings);
        others = endings;
    }
    if (!*sp_file_ending(file) || sp_file_has_ending(file, hdf5) ||
        (others && sp_file_has_ending(file, others)))
        return SP_OK;
    return sp_fail(
        err, SP_EINVAL,
        "`output` %s: %s is not written here; end the name with %s%s%s, or give it no ending: HDF5", file,
        sp_file_ending(file), others ? others : "", others ? ", or with " : "", hdf5);
}

bool sp_paths_writer_takes_tokens(const char *file)
{
    const sp_path_format *format = sp_format_of_paths(file);
    return format && format->takes_tokens;
}

bool sp_paths_writer_takes_labels(const char *file)
{
    const sp_path_format *format = sp_format_of_paths(file);
    return !format || format->takes_labels;
}

bool sp_paths_writer_takes_seconds(const char *file)
{
    const sp_path_format *format = sp_format_of_paths(file);
    return !format || format->takes_seconds;
}

bool sp_paths_writer_takes_spans(const char *file)
{
    const sp_path_format *format = sp_format_of_paths(file);
    return format && format->takes_spans;
}

bool sp_format_is_readable(const char *file)
{
    for (int i = 0; i < N_FORMATS; i++)
        if (formats[i]->endings && sp_file_has_ending(file, formats[i]->endings))
            return true;
    return sp_text_is_frames(file);
}

char *sp_format_endings(char *text, size_t size)
{
    size_t n = 0;
    text[0] = '\0';
    for (int i = 0; i < N_FORMATS && n < size; i++)
        if (formats[i]->endings)
            n += (size_t)snprintf(text + n, size - n, "%s%s", n ? " " : "", formats[i]->endings);
    return text;
}
