/* The axis under the tracks of a recording. */
#include "evaluate/work.h"
#include "report/html/steps/steps.h"

enum { MOST_TICKS = 7 /* of steps */, MOST_TIMES = 9 /* of hours, which are shorter */ };

/* A round step between ticks: few enough of them to have room on a telephone. */
static int64_t tick_step(int64_t n)
{
    int64_t step = 1;
    for (;;) {
        if (n / step <= MOST_TICKS)
            return step;
        if (n / (2 * step) <= MOST_TICKS)
            return 2 * step;
        if (n / (5 * step) <= MOST_TICKS)
            return 5 * step;
        step *= 10;
    }
}

/* The same of seconds, in steps that clocks have; days beyond. */
static int64_t tick_seconds(int64_t n)
{
    static const int64_t steps[] = {1,   2,   5,    10,   15,   30,    60,    120,  300,
                                    600, 900, 1800, 3600, 7200, 10800, 21600, 43200};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (n / steps[i] <= MOST_TIMES)
            return steps[i];
    return 86400 * tick_step(n / 86400);
}

/* "7:30", hours and minutes; "0:00:05" where ticks are less than a minute apart. */
static void add_time(sp_buffer *out, int64_t seconds, int64_t step)
{
    sp_buffer_format(out, "%lld:%02d", (long long)(seconds / 3600), (int)(seconds / 60 % 60));
    if (step < 60)
        sp_buffer_format(out, ":%02d", (int)(seconds % 60));
}

void sp_page_step_axis(sp_page *page, int64_t first_step, int64_t n_steps)
{
    sp_buffer *out = &page->out;
    const double length = page->comparison->epoch_seconds;
    const bool in_hours = length > 0 && (double)n_steps * length >= 5 && (double)n_steps * length < 1e12;
    const int64_t n = in_hours ? (int64_t)((double)n_steps * length) : n_steps,
                  step = in_hours ? tick_seconds(n) : tick_step(n);
    const double whole = in_hours ? (double)n_steps * length : (double)n_steps;
    sp_track_open(page, in_hours ? "hours" : sp_word_of(&page->comparison->words, SP_STEPS), NULL);
    sp_buffer_text(out, " class=\"ticks\" text-anchor=\"middle\" height=\"16\" aria-hidden=\"true\">");
    const double origin =
        in_hours ? (double)first_step * length : (double)sp_step_number(page->comparison->work, first_step);
    int64_t from = (int64_t)origin;
    from += from % step && first_step ? step - from % step
                                      : 0; /* a recording's first step has a tick, whatever its number */
    for (int64_t t = from; (double)t <= origin + whole; t += step - t % step) {
        sp_buffer_say(out, "<text y=\"11\"%s x=\"%.1f%%\">",
                      t == from && (double)t <= origin ? " text-anchor=\"start\"" : "",
                      100.0 * ((double)t - origin) / whole);
        if (in_hours)
            add_time(out, t, step);
        else
            sp_buffer_count(out, t);
        sp_buffer_text(out, "</text>");
    }
    sp_track_classes(page);
    sp_buffer_text(out, " height=\"16\" aria-hidden=\"true\">");
    sp_track_close(page, 16);
}
