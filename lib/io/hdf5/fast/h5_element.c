#include "io/hdf5/fast/h5_element.h"

#include <stdio.h>
#include <string.h>

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
    if (H5Tget_precision(type) != 8 * size || H5Tget_offset(type) != 0 ||
        H5Tget_norm(type) != H5T_NORM_IMPLIED)
        return false;
    if (H5Tget_fields(type, &sign, &exponent_at, &exponent, &fraction_at, &fraction) < 0)
        return false;
    H5T_order_t order = H5Tget_order(type);
    if (order != H5T_ORDER_LE && order != H5T_ORDER_BE)
        return false;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].size == size)
            return sign == 8 * size - 1 && exponent_at == layouts[i].fraction &&
                   exponent == layouts[i].exponent && fraction_at == 0 && fraction == layouts[i].fraction &&
                   H5Tget_ebias(type) == layouts[i].bias;
    return false;
}

static void integer_of(hid_t type, sp_element *out)
{
    size_t size = H5Tget_size(type);
    if ((size != 1 && size != 2 && size != 4 && size != 8) || H5Tget_precision(type) != 8 * size ||
        H5Tget_offset(type) != 0)
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

bool sp_element_is_named(hid_t type)
{
    return H5Tget_class(type) == H5T_ENUM && H5Tget_nmembers(type) > 0 && !is_bool(type);
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
                 element.kind == SP_ELEMENT_UINT ? "u" : "", 8 * H5Tget_size(type),
                 element.is_big ? " big-endian" : "");
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
