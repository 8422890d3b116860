#include "io/hdf5/fast/h5_element.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/isa.h"

/* ---- types ---- */

static bool is_big(hid_t type)
{
    return H5Tget_order(type) == H5T_ORDER_BE;
}

/* The bits of a float, as IEEE 754 lays out half, single and double precision: sign, exponent, fraction without the leading 1. */
static bool is_ieee(hid_t type, size_t size)
{
    static const struct {
        size_t size, exponent, fraction, bias;
    } layouts[] = {{2, 5, 10, 15}, {4, 8, 23, 127}, {8, 11, 52, 1023}};
    size_t sign, exponent_at, exponent, fraction_at, fraction;
    if (H5Tget_precision(type) != 8 * size || H5Tget_offset(type) != 0 || H5Tget_norm(type) != H5T_NORM_IMPLIED)
        return false;
    if (H5Tget_fields(type, &sign, &exponent_at, &exponent, &fraction_at, &fraction) < 0)
        return false;
    H5T_order_t order = H5Tget_order(type);
    if (order != H5T_ORDER_LE && order != H5T_ORDER_BE)
        return false;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].size == size)
            return sign == 8 * size - 1 && exponent_at == layouts[i].fraction && exponent == layouts[i].exponent &&
                   fraction_at == 0 && fraction == layouts[i].fraction && H5Tget_ebias(type) == layouts[i].bias;
    return false;
}

static void integer_of(hid_t type, sp_element *out)
{
    size_t size = H5Tget_size(type);
    if ((size != 1 && size != 2 && size != 4 && size != 8) || H5Tget_precision(type) != 8 * size || H5Tget_offset(type) != 0)
        return;
    H5T_order_t order = H5Tget_order(type);
    if (size > 1 && order != H5T_ORDER_LE && order != H5T_ORDER_BE)
        return;
    *out = (sp_element){.kind = H5Tget_sign(type) == H5T_SGN_NONE ? SP_ELEMENT_UINT : SP_ELEMENT_INT,
                        .size = (uint8_t)size,
                        .is_big = size > 1 && is_big(type)};
}

void sp_element_of(hid_t type, sp_element *out)
{
    *out = (sp_element){.kind = SP_ELEMENT_NONE};
    switch (H5Tget_class(type)) {
    case H5T_FLOAT: {
        size_t size = H5Tget_size(type);
        if (is_ieee(type, size))
            *out = (sp_element){.kind = SP_ELEMENT_FLOAT, .size = (uint8_t)size, .is_big = is_big(type)};
        break;
    }
    case H5T_INTEGER:
        integer_of(type, out);
        break;
    case H5T_ENUM: {
        hid_t base = H5Tget_super(type);
        if (base >= 0) {
            integer_of(base, out);
            H5Tclose(base);
        }
        break;
    }
    default:
        break;
    }
}

/* h5py's bool: an enum with the two members FALSE and TRUE. */
static bool is_bool(hid_t type)
{
    if (H5Tget_nmembers(type) != 2)
        return false;
    char *name = H5Tget_member_name(type, 0);
    bool is = name && (strcmp(name, "FALSE") == 0 || strcmp(name, "TRUE") == 0);
    H5free_memory(name);
    return is;
}

static const char *float_name(hid_t type, const sp_element *element, char buffer[SP_ELEMENT_NAME])
{
    size_t bits = H5Tget_precision(type), sign, at, exponent = 0, fraction_at, fraction;
    if (element->kind == SP_ELEMENT_NONE && bits == 16 &&
        H5Tget_fields(type, &sign, &at, &exponent, &fraction_at, &fraction) >= 0 && exponent == 8)
        snprintf(buffer, SP_ELEMENT_NAME, "bfloat16");
    else if (element->kind == SP_ELEMENT_NONE)
        snprintf(buffer, SP_ELEMENT_NAME, "%zu-bit floats%s", bits,
                 bits == 16 || bits == 32 || bits == 64 ? " not of IEEE 754" : "");
    else
        snprintf(buffer, SP_ELEMENT_NAME, "float%zu%s", bits, element->is_big ? " big-endian" : "");
    return buffer;
}

const char *sp_element_name(hid_t type, char buffer[SP_ELEMENT_NAME])
{
    sp_element element;
    sp_element_of(type, &element);
    H5T_class_t class = H5Tget_class(type);
    switch (class) {
    case H5T_FLOAT:
        return float_name(type, &element, buffer);
    case H5T_INTEGER:
    case H5T_ENUM:
        if (class == H5T_ENUM && is_bool(type))
            return "bool";
        snprintf(buffer, SP_ELEMENT_NAME, "%s%sint%zu%s", class == H5T_ENUM ? "enum of " : "",
                 element.kind == SP_ELEMENT_UINT ? "u" : "", 8 * H5Tget_size(type), element.is_big ? " big-endian" : "");
        return buffer;
    case H5T_STRING:
        return "text";
    case H5T_COMPOUND:
        return "compound";
    case H5T_VLEN:
        return "variable-length lists";
    case H5T_ARRAY:
        return "arrays";
    case H5T_REFERENCE:
        return "references";
    case H5T_BITFIELD:
        return "bit fields";
    case H5T_OPAQUE:
        return "opaque";
    default:
        return "of an unknown type";
    }
}

/* ---- values ---- */

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
    const uint32_t bits = (magnitude < UINT32_C(1) << 23 ? subnormal : magnitude + bias) | (uint32_t)(half & 0x8000u) << 16;
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

size_t sp_target_size(sp_target target)
{
    return target == SP_TO_BOOL ? 1 : target == SP_TO_F32 || target == SP_TO_I32 ? 4 : 8;
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

int64_t sp_element_convert(const sp_element *e, const void *raw, int64_t n, sp_target target, int64_t limit, void *out,
                           double *bad)
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
        for (int64_t i = 0; i < n; i++, p += element.size) {
            if (!load_whole(p, &element, &whole, bad) || whole < -1 || whole >= limit)
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
            *bad = element.kind == SP_ELEMENT_FLOAT ? load_f64(p, &element) : (double)load_integer(p, &element);
            if (!(*bad >= 0 && *bad <= 1.7976931348623157e308))
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
