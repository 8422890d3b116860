/* Scales of charts: round limits, and where a value stands between them. */
#include "report/chart/chart.h"

#include <math.h>

sp_axis sp_axis_around(const char *name, double low, double high)
{
    double range = high - low > 1e-9 ? high - low : 0.01, power = pow(10, floor(log10(range / 4))),
           times = range / 4 / power;
    double step = power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
    sp_axis a = {.step = step, .name = name};
    a.low = floor(low / step + 1e-9) * step;
    a.high = ceil(high / step - 1e-9) * step;
    if (!(a.high > a.low))
        a.high = a.low + step;
    a.decimals = (int)fmax(0, ceil(-log10(step) - 1e-9));
    return a;
}

sp_axis sp_axis_powers(const char *name, double low, double high)
{
    double from = floor(log10(low)), to = ceil(log10(high));
    return (sp_axis){.low = pow(10, from),
                     .high = pow(10, to > from ? to : from + 1),
                     .step = 10,
                     .is_log = true,
                     .name = name};
}

sp_axis sp_axis_places(const char *name, int64_t n)
{
    return (sp_axis){.low = -0.5, .high = (double)n - 0.5, .name = name};
}

double sp_axis_share(const sp_axis *a, double value)
{
    return a->is_log ? log(value / a->low) / log(a->high / a->low) : (value - a->low) / (a->high - a->low);
}
