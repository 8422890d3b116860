#include "statepath/status.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const status_names[SP_N_STATUS] = {"ok",      "invalid",  "data",   "model", "file",
                                                      "no_path", "dead_end", "memory", "bug",   "unread"};

const char *sp_status_name(sp_status status)
{
    return (unsigned)status < SP_N_STATUS ? status_names[status] : "unknown";
}

const char *sp_version(void)
{
    return STATEPATH_VERSION;
}

static void error_write(sp_error *err, sp_status status, int64_t step, const char *format, va_list arguments)
{
    char text[SP_ERROR_SIZE]; /* apart from err->message, which the arguments may point into */
    int length = vsnprintf(text, sizeof text, format, arguments);
    if (length < 0)
        snprintf(text, sizeof text, "%s", sp_status_name(status));
    else if ((size_t)length >= sizeof text)
        memcpy(text + sizeof text - 4, "...", 4);
    err->status = status;
    err->step = step;
    err->recurrence = err->along_path = NAN;
    memcpy(err->message, text, sizeof text);
}

sp_status sp_fail(sp_error *err, sp_status status, const char *format, ...)
{
    if (err) {
        va_list arguments;
        va_start(arguments, format);
        error_write(err, status, -1, format, arguments);
        va_end(arguments);
    }
    return status;
}

sp_status sp_fail_at(sp_error *err, sp_status status, int64_t step, const char *format, ...)
{
    if (err) {
        va_list arguments;
        va_start(arguments, format);
        error_write(err, status, step, format, arguments);
        va_end(arguments);
    }
    return status;
}

sp_status sp_no_memory(sp_error *err)
{
    return sp_fail(err, SP_ENOMEM, "not enough memory");
}
