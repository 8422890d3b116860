/* sp_merge_files(): parts are put together, finished as one run, and their paths written. */
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/paths_writer.h"
#include "io/text/texts.h"
#include "pipeline/files/open.h"
#include "pipeline/files/part_file.h"
#include "pipeline/files/paths.h"
#include "pipeline/options.h"
#include "pipeline/parts/merge.h"
#include "statepath/comparison.h"

/* The inputs of the parts, where the page draws from them: run->again reads them. */
typedef struct merged_inputs {
    sp_file_input in;
    bool is_open;
} merged_inputs;

/* ---- parts ---- */

/* Several files' recordings are called as sp_source_open() calls them. */
static sp_status name_inputs(sp_merged_parts *m, sp_error *err)
{
    if (m->is_one_run)
        return SP_OK;
    const char **names = sp_zeros(&m->own, (size_t)m->n_inputs + 1, sizeof *names);
    for (int64_t i = 0; names && i < m->n_inputs; i++) {
        char *stem = sp_file_stem(m->inputs[i].name);
        names[i] = m->inputs[i].name;
        m->inputs[i].stem = stem && m->n_inputs > 1 ? sp_owned_text(&m->own, stem) : NULL;
        m->own.is_short |= !stem;
        free(stem);
    }
    sp_file_list *list = NULL;
    sp_status status = SP_OK;
    TRY(sp_owned_status(&m->own, err));
    TRY(sp_file_list_new(names[0], names + 1, &list, err));
    m->about = sp_owned_text(&m->own, list->about);
    sp_file_list_free(list);
    TRY(sp_owned_status(&m->own, err));
done:
    return status;
}

static sp_status open_parts(sp_merged_parts *m, int64_t n, const char *const *files, bool allow_missing,
                            sp_error *err)
{
    sp_status status = n > 0 ? sp_merged_parts_new(m, n, err) : sp_fail(err, SP_EINVAL, "no part is named");
    for (int64_t p = 0; status == SP_OK && p < n; p++)
        status = sp_part_load(files[p], &m->parts[p], err);
    return status == SP_OK ? sp_merged_parts_arrange(m, allow_missing, name_inputs, err) : status;
}

/* ---- the command ---- */

/* For the shell, as the program's own command lines have it. */
static char *quote(char *to, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_";
    if (*word && word[strspn(word, plain)] == 0)
        return stpcpy(to, word);
    *to++ = '\'';
    for (; *word; word++)
        to = *word == '\'' ? stpcpy(to, "'\\''") : (*to = *word, to + 1);
    return stpcpy(to, "'");
}

/* The command of one run over all files. */
static sp_status make_command(sp_merge_run *r, sp_error *err)
{
    const json_t *command = sp_merge_member(r, "command");
    const char *text = json_string_value(json_object_get(command, "text")), *before, *after;
    before = json_string_value(json_object_get(command, "before"));
    after = json_string_value(json_object_get(command, "after"));
    if (r->parts.is_one_run || !before || !after) {
        r->options.command = text;
        return SP_OK;
    }
    size_t size = strlen(before) + strlen(after) + 1;
    for (int64_t i = 0; i < r->parts.n_inputs; i++)
        size += 4 * strlen(r->parts.inputs[i].name) + 3;
    char *made = sp_zeros(&r->own, size, 1), *to = made;
    if (!made)
        return sp_no_memory(err);
    to = stpcpy(to, before);
    for (int64_t i = 0; i < r->parts.n_inputs; i++) {
        *to++ = ' ';
        to = quote(to, r->parts.inputs[i].name);
    }
    stpcpy(to, after);
    r->options.command = made;
    return SP_OK;
}

/* ---- steps for the page ---- */

static bool are_inputs_there(const sp_merge_run *r)
{
    const sp_merged_parts *m = &r->parts;
    for (int64_t i = 0; i < m->n_inputs; i++) {
        sp_part_input now;
        const json_t *then = m->inputs[i].said;
        const char *checksum = json_string_value(json_object_get(then, "checksum"));
        if (sp_part_input_look(m->inputs[i].name, checksum && *checksum, &now, NULL) != SP_OK ||
            now.bytes != m->inputs[i].bytes ||
            now.modified != json_integer_value(json_object_get(then, "modified")) ||
            strcmp(now.checksum, checksum ? checksum : "") != 0)
            return false;
    }
    return true;
}

/* The inputs, opened as the runs did that made the parts. */
static sp_status open_inputs(sp_merge_run *r, merged_inputs *inputs, sp_error *err)
{
    const sp_merged_parts *m = &r->parts;
    sp_run_options *o = &r->options;
    const json_t *words = sp_merge_member(r, "files");
    const size_t n = m->is_one_run ? json_array_size(words) : (size_t)m->n_inputs;
    const char **files = sp_zeros(&r->own, n + 1, sizeof *files);
    for (size_t i = 0; files && i < n; i++)
        files[i] = m->is_one_run ? json_string_value(json_array_get(words, i)) : m->inputs[i].name;
    if (!files || !files[0])
        return sp_no_memory(err);
    o->place.more = n > 1 ? files + 1 : NULL;
    inputs->in.takes_decided = true;
    inputs->is_open = true;
    sp_status status = SP_OK;
    TRY(sp_pipeline_open_file(&r->again, &inputs->in, files[0], o, &r->p.plan, NULL, err));
    if (r->p.folds)
        TRY(sp_merge_use_folds(r, &r->again, err));
    if (r->p.folds && inputs->in.is_decided)
        TRY(sp_decided_know_folds(&inputs->in.decided, r->p.folds, err));
    TRY(r->again.info->n_recordings == m->n_recordings ? SP_OK : SP_EDATA);
    for (int64_t i = 0; i <= m->n_recordings; i++)
        TRY(r->again.info->offsets[i] == m->offsets[i] ? SP_OK : SP_EDATA);
done:
    return status;
}

static void close_inputs(sp_merge_run *r, merged_inputs *inputs)
{
    if (!inputs->is_open)
        return;
    sp_pipeline_close(&r->again);
    sp_file_input_close(&inputs->in);
    inputs->is_open = false;
}

/* Where drawn recordings come from. SP_OK, also where there are none to be drawn; SP_ENOMEM. */
static sp_status open_drawn(sp_merge_run *r, merged_inputs *inputs, sp_error *err)
{
    const bool is_decoded = r->parts.info.has_scores;
    if (r->options.trace_steps <= 0)
        return SP_OK;
    sp_error own = {.status = SP_OK};
    const sp_status status =
        is_decoded && !r->parts.missing && are_inputs_there(r) ? open_inputs(r, inputs, &own) : SP_EFILE;
    if (status == SP_ENOMEM)
        return sp_fail(err, status, "%s", own.message);
    if (status == SP_OK) {
        r->draws = true;
        return SP_OK;
    }
    close_inputs(r, inputs);
    if (is_decoded)
        sp_run_notice(
            &r->options, SP_NOTICE_DATA,
            r->parts.steps
                ? "the inputs are not there as they were counted: the page draws paths without probabilities"
                : "the parts hold no steps, and the inputs are not there as they were counted: the page "
                  "draws none");
    else if (!r->parts.steps)
        sp_run_notice(&r->options, SP_NOTICE_DATA, "the parts hold no steps: the page draws none");
    sp_merge_draw_parts(r);
    return SP_OK;
}

/* ---- paths ---- */

static bool is_of_decode(const sp_merge_run *r)
{
    const char *kind = json_string_value(sp_merge_member(r, "kind"));
    return kind && strcmp(kind, "decode") == 0;
}

static sp_status check_paths(const sp_merge_run *r, sp_error *err)
{
    const sp_run_options *o = &r->options;
    if (!o->output)
        return is_of_decode(r)
                   ? sp_fail(err, SP_EINVAL,
                             "`output` is missing: parts of decode are merged into a file of paths")
                   : SP_OK;
    if (!r->parts.info.has_scores)
        return sp_fail(err, SP_EINVAL, "`output`: these parts were made by evaluate, which writes no paths");
    if (!r->parts.steps)
        return sp_fail(err, SP_EINVAL, "`output`: %s holds no paths (`part_steps` none)",
                       r->parts.parts[0].name);
    if (sp_paths_writer_takes_tokens(o->output))
        return sp_fail(err, SP_EINVAL,
                       "`output` %s: parts do not hold the tokens of the steps; use `statepath decode`",
                       o->output);
    return SP_OK;
}

/* Room for the longest recording. */
typedef struct path_room {
    int32_t *path, *runs;
    uint8_t *broken;
} path_room;

static bool make_room(path_room *room, const sp_merged_parts *m, bool is_relaxed)
{
    int64_t longest = 1;
    for (int64_t n = 0; n < m->n_recordings; n++)
        longest = m->offsets[n + 1] - m->offsets[n] > longest ? m->offsets[n + 1] - m->offsets[n] : longest;
    *room = (path_room){.path = malloc((size_t)longest * sizeof *room->path)};
    if (is_relaxed) {
        room->runs = malloc((size_t)longest * sizeof *room->runs);
        room->broken = malloc((size_t)longest);
    }
    return room->path && (!is_relaxed || (room->runs && room->broken));
}

/* Recording n by strategy s: its path, and of a relaxed one the steps that break a rule. */
static sp_status write_path(sp_merge_run *r, const sp_comparison *made, int64_t n, int s,
                            const path_room *room, sp_error *err)
{
    const sp_merged_parts *m = &r->parts;
    const sp_part part = {.recording = n, .count = 1};
    const int64_t first = m->offsets[n], T = m->offsets[n + 1] - first;
    sp_decoded result = made->strategies[s].recordings[n].decoded;
    const sp_decode_output output = {.paths = room->path, .results = &result, .broken = room->broken};
    sp_status status = r->given.read(r, s, &part, room->path, NULL, err);
    if (status != SP_OK)
        return status;
    if (room->broken)
        sp_merged_parts_steps(m, n, SP_KEPT_PATHS + r->p.n_strategies + s, 0, T, room->runs, NULL);
    for (int64_t t = 0; room->broken && t < T; t++)
        room->broken[t] = room->runs[t] == 1;
    return sp_consumers_paths(&r->p, s, n, 1, first, T, &output, err);
}

/* One recording after the other, to the file of paths. holes: of the inputs, kept until that is closed. */
static sp_status write_paths(sp_merge_run *r, const sp_comparison *made, sp_holes *holes, sp_error *err)
{
    const sp_merged_parts *m = &r->parts;
    bool has_holes = false;
    path_room room = {.path = NULL};
    sp_block *block = sp_block_new();
    sp_status status = SP_OK;
    TRY(make_room(&room, m, m->is_relaxed) && block ? SP_OK : sp_no_memory(err));
    TRY(sp_part_holes_join(m->parts, &r->joining, m->offsets, &r->own, holes, &has_holes, err));
    r->p.about.holes = has_holes ? holes : NULL;
    TRY(sp_consumers_open(&r->p, err));
    for (int64_t n = 0; n < m->n_recordings; n++) {
        const sp_part part = {.recording = n, .count = 1};
        const int64_t first = m->offsets[n], T = m->offsets[n + 1] - first;
        for (int s = 0; s < r->p.n_strategies; s++)
            TRY(write_path(r, made, n, s, &room, err));
        TRY(r->p.from.read(r, &part, SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS, block, err));
        TRY(sp_consumers_labels(&r->p, first, T, block->labels, block->segments, err));
        TRY(sp_run_go_on(&r->options, err));
    }
done:
    free(room.path);
    free(room.runs);
    free(room.broken);
    sp_block_free(block);
    return status;
}

/* ---- all of it ---- */

sp_status sp_merge_files(int64_t n, const char *const *files, const sp_run_options *given,
                         sp_comparison **out, sp_run_result *result, sp_error *err)
{
    sp_merge_run r = {.draws = false};
    sp_path_file paths = {.p = NULL};
    merged_inputs inputs = {.is_open = false};
    sp_comparison *made = NULL;
    sp_holes holes = {.n_steps = 0};
    sp_status status = SP_OK;
    TRY(open_parts(&r.parts, n, files, given->part.allow_missing, err));
    TRY(sp_merge_open(&r, given, err));
    TRY(make_command(&r, err));
    TRY(check_paths(&r, err));
    TRY(sp_path_file_open(&paths, &r.p, NULL, err));
    TRY(open_drawn(&r, &inputs, err));
    TRY(sp_merge_join(&r, &made, err));
    if (r.options.output)
        TRY(write_paths(&r, made, &holes, err));
    sp_merge_tell_missing(&r);
done:
    if (paths.p)
        status = sp_path_file_close(&paths, status, err);
    sp_pipeline_result(&r.p, result);
    close_inputs(&r, &inputs);
    const bool has_paths_alone = status == SP_OK && is_of_decode(&r);
    sp_merge_close(&r);
    if (status == SP_OK && !has_paths_alone) {
        *out = made;
        made = NULL;
    }
    sp_comparison_free(made);
    return status;
}
