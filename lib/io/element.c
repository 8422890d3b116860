#include "io/element.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/isa.h"
#include "core/numbers.h"

/* A half's exponent and fraction, shifted to where a float has them, want 112 more in the exponent; infinity and NaN, whose
 * exponent is the greatest, 224. Subnormal ones have no leading 1: with exponent 113 they get one that is not theirs, and 2^-14,
 * which it stands for, is taken away again: exact, and no float here is ever subnormal, which processors are slow with. No
 * branch, so that compilers do many at a time. */
SP_ALWAYS_INLINE float half_to_float(uint16_t half)
{
    const uint32_t magnitude = (uint32_t)(half & 0x7fffu) << 13, with_one = magnitude + (UINT32_C(113) << 23);
    const uint32_t bias = magnitude >= UINT32_C(31) << 23 ? UINT32_C(224) << 23 : UINT32_C(112) << 23;
    float value;
    uint32_t subnormal;
    memcpy(&value, &with_one, sizeof value);
    value -= 0x1p-14F;
    memcpy(&subnormal, &value, sizeof subnormal);
    const uint32_t bits =
        (magnitude < UINT32_C(1) << 23 ? subnormal : magnitude + bias) | (uint32_t)(half & 0x8000u) << 16;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float sp_half_to_float(uint16_t half)
{
    return half_to_float(half);
}

static uint16_t load16(const unsigned char *p, bool big)
{
    return (uint16_t)(big ? p[0] << 8 | p[1] : p[1] << 8 | p[0]);
}

static uint32_t load32(const unsigned char *p, bool big)
{
    uint32_t a = load16(p, big), b = load16(p + 2, big);
    return big ? a << 16 | b : b << 16 | a;
}

static uint64_t load64(const unsigned char *p, bool big)
{
    uint64_t a = load32(p, big), b = load32(p + 4, big);
    return big ? a << 32 | b : b << 32 | a;
}

enum { BLOCK = 1024 };

SP_ALWAYS_INLINE void halves_to_floats_any(const uint16_t *restrict halves, float *restrict out)
{
    for (int k = 0; k < BLOCK; k++)
        out[k] = half_to_float(halves[k]);
}

SP_FOR_EACH_ISA(void, halves_to_floats, (const uint16_t *restrict halves, float *restrict out),
                halves_to_floats_any(halves, out);)

static void swap_halves(uint16_t halves[BLOCK])
{
    for (int k = 0; k < BLOCK; k++)
        halves[k] = (uint16_t)(halves[k] << 8 | halves[k] >> 8);
}

static void swap_words(uint32_t words[BLOCK])
{
    for (int k = 0; k < BLOCK; k++)
        words[k] = words[k] << 24 | (words[k] << 8 & 0xff0000u) | (words[k] >> 8 & 0xff00u) | words[k] >> 24;
}

/* Values of 2 or 4 bytes to floats, BLOCK at a time: a block is loaded before its place is written, see below. Returns how many
 * were done; the others are fewer than a block. */
static int64_t widen_blocks(const sp_element *e, const unsigned char *raw, int64_t n, float *out)
{
    uint16_t halves[BLOCK];
    uint32_t words[BLOCK];
    const sp_isa isa = sp_isa_current();
    int64_t i = 0;
    for (; i + BLOCK <= n; i += BLOCK)
        if (e->size == 2) {
            memcpy(halves, raw + 2 * i, sizeof halves);
            if (e->is_big)
                swap_halves(halves);
            SP_BY_ISA(halves_to_floats, isa)(halves, out + i);
        } else {
            memcpy(words, raw + 4 * i, sizeof words);
            if (e->is_big)
                swap_words(words);
            memcpy(out + i, words, sizeof words);
        }
    return i;
}

static float load_f32(const unsigned char *p, const sp_element *e)
{
    if (e->size == 2)
        return sp_half_to_float(load16(p, e->is_big));
    uint32_t bits = load32(p, e->is_big);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double load_f64(const unsigned char *p, const sp_element *e)
{
    if (e->size < 8)
        return (double)load_f32(p, e);
    uint64_t bits = load64(p, e->is_big);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Two's complement is put together by hand: no conversion that the language leaves to the compiler. */
static int64_t load_integer(const unsigned char *p, const sp_element *e)
{
    uint64_t bits = e->size == 1   ? p[0]
                    : e->size == 2 ? load16(p, e->is_big)
                    : e->size == 4 ? load32(p, e->is_big)
                                   : load64(p, e->is_big);
    if (e->kind == SP_ELEMENT_UINT)
        return bits > INT64_MAX ? INT64_MAX : (int64_t)bits;
    uint64_t sign = UINT64_C(1) << (8 * e->size - 1);
    return bits & sign ? -(int64_t)((sign << 1) - 1 - bits) - 1 : (int64_t)bits;
}

/* One value as an integer. False: a float that is not whole (or NaN, or beyond int64); *value is the number. */
static bool load_whole(const unsigned char *p, const sp_element *e, int64_t *whole, double *value)
{
    if (e->kind != SP_ELEMENT_FLOAT) {
        *whole = load_integer(p, e);
        *value = (double)*whole;
        return true;
    }
    *value = load_f64(p, e);
    if (!(fabs(*value) < 9.2e18) || *value != floor(*value))
        return false;
    *whole = (int64_t)*value;
    return true;
}

static int64_t class_of(int64_t whole, sp_target target)
{
    return (target == SP_TO_LABEL && whole == -100) || (target == SP_TO_PREVIOUS && whole < 0) ? -1 : whole;
}

enum { BYTES = 128 };

/* So many bytes without a branch, as class_of() says; `out` may lie over p. False: one of them is no
 * class, and nothing is written. */
static bool widen_block(const unsigned char *p, bool is_signed, sp_target target, int64_t limit, int32_t *out)
{
    const int16_t sign = is_signed ? 0x80 : 0, end = (int16_t)(limit <= UINT8_MAX ? limit : UINT8_MAX + 1);
    const int16_t none = target == SP_TO_LABEL ? -100 : -1, least = target == SP_TO_PREVIOUS ? -1 : INT8_MIN;
    int16_t classes[BYTES], is_wrong = 0;
    for (int i = 0; i < BYTES; i++) {
        int16_t k = (int16_t)((p[i] ^ sign) - sign);
        k = (int16_t)(k == none ? -1 : k);
        k = (int16_t)(k < least ? least : k);
        is_wrong = (int16_t)(is_wrong | (k < -1) | (k >= end));
        classes[i] = k;
    }
    for (int i = 0; !is_wrong && i < BYTES; i++)
        out[i] = classes[i];
    return !is_wrong;
}

/* Classes of one byte, as nearly all files have them. Returns the first that is none, or n. */
static int64_t widen_bytes(const unsigned char *p, bool is_signed, int64_t n, sp_target target, int64_t limit,
                           int32_t *out, double *bad)
{
    int64_t i = 0;
    while (n - i >= BYTES && widen_block(p + i, is_signed, target, limit, out + i))
        i += BYTES;
    for (; i < n; i++) {
        const int64_t whole = class_of(is_signed && p[i] > INT8_MAX ? p[i] - 256 : p[i], target);
        *bad = (double)whole;
        if (whole < -1 || whole >= limit)
            return i;
        out[i] = (int32_t)whole;
    }
    return n;
}

size_t sp_target_size(sp_target target)
{
    return target == SP_TO_BOOL ? 1
           : target == SP_TO_F32 || target == SP_TO_I32 || target == SP_TO_LABEL || target == SP_TO_PREVIOUS
               ? 4
               : 8;
}

static bool is_little_here(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1;
}

bool sp_element_is(const sp_element *e, sp_target target)
{
    return e->kind == SP_ELEMENT_FLOAT && e->is_big == !is_little_here() &&
           ((target == SP_TO_F32 && e->size == 4) || (target == SP_TO_F64 && e->size == 8));
}

int64_t sp_element_convert(const sp_element *e, const void *raw, int64_t n, sp_target target, int64_t limit,
                           void *out, double *bad)
{
    if (sp_element_is(e, target)) {
        if (raw != out)
            memmove(out, raw, (size_t)n * e->size);
        return -1;
    }
    /* Each value is loaded before its own place is written, and no later value's raw form lies in that place. */
    const unsigned char *p = raw;
    const sp_element element = *e;
    int64_t whole = 0;
    switch (target) {
    case SP_TO_F32: {
        const int64_t done = is_little_here() ? widen_blocks(&element, p, n, out) : 0;
        p += done * element.size;
        for (int64_t i = done; i < n; i++, p += element.size)
            ((float *)out)[i] = load_f32(p, &element);
        break;
    }
    case SP_TO_F64:
        for (int64_t i = 0; i < n; i++, p += element.size)
            ((double *)out)[i] = load_f64(p, &element);
        break;
    case SP_TO_I32:
    case SP_TO_LABEL:
    case SP_TO_PREVIOUS:
        if (element.kind != SP_ELEMENT_FLOAT && element.size == 1) {
            const int64_t done = widen_bytes(p, element.kind == SP_ELEMENT_INT, n, target, limit, out, bad);
            return done < n ? done : -1;
        }
        for (int64_t i = 0; i < n; i++, p += element.size) {
            const bool is_whole = load_whole(p, &element, &whole, bad);
            whole = class_of(whole, target);
            if (!is_whole || whole < -1 || whole >= limit)
                return i;
            ((int32_t *)out)[i] = (int32_t)whole;
        }
        break;
    case SP_TO_I64:
        for (int64_t i = 0; i < n; i++, p += element.size) {
            if (!load_whole(p, &element, &whole, bad))
                return i;
            ((int64_t *)out)[i] = whole;
        }
        break;
    case SP_TO_WEIGHT:
        for (int64_t i = 0; i < n; i++, p += element.size) {
            *bad =
                element.kind == SP_ELEMENT_FLOAT ? load_f64(p, &element) : (double)load_integer(p, &element);
            if (!(*bad >= 0 && *bad <= SP_WEIGHT_MOST))
                return i;
            ((double *)out)[i] = *bad;
        }
        break;
    case SP_TO_BOOL:
        for (int64_t i = 0; i < n; i++, p += element.size) {
            if (!load_whole(p, &element, &whole, bad) || (whole != 0 && whole != 1))
                return i;
            ((uint8_t *)out)[i] = (uint8_t)whole;
        }
        break;
    }
    return -1;
}

/* ---- values that are refused ---- */

void sp_element_refuse(const char *noun, sp_target target, int64_t limit, double bad,
                       char text[SP_ELEMENT_REFUSAL])
{
    const char *none = strcmp(noun, "class") == 0 ? "undecoded" : "unscored"; /* what -1 stands for */
    char number[40], what[160];
    switch (target) {
    case SP_TO_I32:
    case SP_TO_LABEL:
    case SP_TO_PREVIOUS:
        if (bad != floor(bad))
            snprintf(what, sizeof what, "is not a whole number; %s steps are -1", none);
        else if (limit > INT32_MAX)
            snprintf(what, sizeof what, "is not the number of a class; %s steps are -1%s", none,
                     strcmp(noun, "label") == 0 && bad == -100 ? ", and -100 with `unscored` -100" : "");
        else
            snprintf(what, sizeof what, "is not one of the %lld classes 0..%lld; %s steps are -1%s",
                     (long long)limit, (long long)limit - 1, none,
                     strcmp(noun, "label") != 0 ? ""
                     : bad == -100              ? ", and -100 with `unscored` -100"
                                                : ", and `codes` or `map` reads others' numbers");
        break;
    case SP_TO_WEIGHT:
        snprintf(what, sizeof what,
                 bad > SP_WEIGHT_MOST && isfinite(bad)
                     ? "is more than 1e290; divide all weights by one number"
                     : "is not a number from 0 up");
        break;
    case SP_TO_BOOL:
        snprintf(what, sizeof what, "is neither 0 nor 1");
        break;
    default:
        snprintf(what, sizeof what, "is not a whole number");
        break;
    }
    if (bad == floor(bad) && fabs(bad) < 1e15)
        snprintf(number, sizeof number, "%.0f", bad);
    else
        snprintf(number, sizeof number, "%g", bad);
    snprintf(text, SP_ELEMENT_REFUSAL, "%s %s %s", noun, number, what);
}
