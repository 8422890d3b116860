#include "core/packed_scores.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What is known of a bit from those seen there: it is 1 with probability 1/2 + lean 2^-16. */
typedef struct guess {
    int16_t lean;
    uint16_t n_seen;
} guess;

enum { HALF = 1 << 15, MOST_LEAN = HALF - 32, MOST_SEEN = 255, SLOT_BITS = 13, SHARED = 8, BYTE = 256 };

/* Guesses of a byte, or of a slot, stand in a tree: its bits from the highest on, the first at node 1. */
struct sp_packer {
    guess is_wide, is_gap[2], label[BYTE][BYTE]; /* after the gap, the label before */
    guess is_known[2],
        slot[SHARED][1 << SLOT_BITS];        /* after the number before; of the class, modulo SHARED */
    guess byte[8][BYTE], second[BYTE][BYTE]; /* by place; the second highest after the highest */
    bool was_known;
    uint64_t seen[1 << SLOT_BITS]; /* numbers as bits, each in its slot */
};

/* The bits so far leave an interval, low .. high. */
typedef struct coder {
    uint32_t low, high;
    uint32_t code; /* reading: where in it the number lies that all bytes together are */
    bool is_reading;
    sp_status status;
    const uint8_t *in;
    uint8_t *out;
    size_t at, n, most; /* bytes done; that there are, or room for; allowed */
} coder;

sp_packer *sp_packer_new(void)
{
    return calloc(1, sizeof(sp_packer));
}

void sp_packer_free(sp_packer *packer)
{
    free(packer);
}

/* ---- bits ---- */

static void put_byte(coder *c, uint8_t byte)
{
    if (c->at == c->most)
        c->status = SP_EINVAL;
    if (c->status == SP_OK && c->at == c->n) {
        const size_t room = c->n ? 2 * c->n : 4096;
        uint8_t *out = realloc(c->out, room);
        if (out) {
            c->out = out;
            c->n = room;
        } else {
            c->status = SP_ENOMEM;
        }
    }
    if (c->status == SP_OK)
        c->out[c->at++] = byte;
}

/* Codes a bit, or reads it; returns it. */
static bool code_bit(coder *c, guess *g, bool bit)
{
    const uint32_t likely = (uint32_t)(HALF + g->lean);
    const uint32_t middle = c->low + (uint32_t)((uint64_t)(c->high - c->low) * likely >> 16);
    if (c->is_reading)
        bit = c->code <= middle;
    if (bit)
        c->high = middle;
    else
        c->low = middle + 1;
    for (; (c->low ^ c->high) >> 24 == 0; c->low <<= 8, c->high = c->high << 8 | 255) {
        if (c->is_reading)
            c->code = c->code << 8 | (c->at < c->n ? c->in[c->at++] : 0);
        else
            put_byte(c, (uint8_t)(c->high >> 24));
    }
    g->lean = (int16_t)(g->lean + ((bit ? MOST_LEAN : -MOST_LEAN) - g->lean) * 2 / (2 * g->n_seen + 3));
    g->n_seen = (uint16_t)(g->n_seen + (g->n_seen < MOST_SEEN));
    return bit;
}

static uint32_t code_tree(coder *c, guess *tree, int n_bits, uint32_t value)
{
    uint32_t node = 1;
    for (int i = n_bits - 1; i >= 0; i--)
        node = node << 1 | code_bit(c, &tree[node], value >> i & 1);
    return node - (1U << n_bits);
}

static coder open_reading(const uint8_t *bytes, size_t n)
{
    coder c = {.high = UINT32_MAX, .is_reading = true, .in = bytes, .n = n};
    for (; c.at < 4; c.at++)
        c.code = c.code << 8 | (c.at < n ? bytes[c.at] : 0);
    return c;
}

/* ---- numbers ---- */

static uint64_t code_number(coder *c, sp_packer *p, int32_t k, int n_bytes, uint64_t bits)
{
    uint32_t slot = (uint32_t)(bits * UINT64_C(0x9E3779B97F4A7C15) >> (64 - SLOT_BITS));
    p->was_known = code_bit(c, &p->is_known[p->was_known], p->seen[slot] == bits);
    if (p->was_known)
        return p->seen[code_tree(c, p->slot[k % SHARED], SLOT_BITS, slot)];
    uint64_t found = 0;
    for (int i = n_bytes - 1; i >= 0; i--) {
        guess *tree = i == n_bytes - 2 ? p->second[found] : p->byte[i];
        found = found << 8 | code_tree(c, tree, 8, bits >> 8 * i & 255);
    }
    slot = (uint32_t)(found * UINT64_C(0x9E3779B97F4A7C15) >> (64 - SLOT_BITS));
    p->seen[slot] = found;
    return found;
}

static double code_float(coder *c, sp_packer *p, int32_t k, double x)
{
    float narrow = (float)x;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    bits = (uint32_t)code_number(c, p, k, 4, bits);
    memcpy(&narrow, &bits, sizeof bits);
    return narrow;
}

static double code_double(coder *c, sp_packer *p, int32_t k, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = code_number(c, p, k, 8, bits);
    memcpy(&x, &bits, sizeof bits);
    return x;
}

/* Codes, or reads, all of a recording. */
static void code_steps(coder *c, sp_packer *p, const sp_packed_steps *steps, bool is_wide)
{
    const size_t K = (size_t)steps->n_classes;
    uint32_t label = 0;
    bool gap = false;
    p->was_known = false;
    is_wide = code_bit(c, &p->is_wide, is_wide);
    for (int64_t t = 0; t < steps->n_steps && c->status == SP_OK; t++) {
        if (steps->labels) { /* -1 is 0 */
            label = code_tree(c, p->label[label], 8, (uint32_t)(steps->labels[t] + 1));
            steps->labels[t] = (int32_t)label - 1;
        }
        if (steps->gaps)
            steps->gaps[t] = gap = code_bit(c, &p->is_gap[gap], steps->gaps[t]);
        double *row = steps->scores + (size_t)t * K;
        for (int32_t k = 0; k < steps->n_classes; k++)
            row[k] = is_wide ? code_double(c, p, k, row[k]) : code_float(c, p, k, row[k]);
    }
}

/* Is one of them no float? */
static bool needs_f64(const sp_packed_steps *steps)
{
    const int64_t n = steps->n_steps * steps->n_classes;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(steps->scores[i]) && (double)(float)steps->scores[i] != steps->scores[i])
            return true;
    return false;
}

sp_status sp_pack(sp_packer *packer, const sp_packed_steps *steps, size_t most, uint8_t **bytes, size_t *n)
{
    sp_packer *before = malloc(sizeof *before);
    if (!before)
        return SP_ENOMEM;
    *before = *packer;
    coder c = {.high = UINT32_MAX, .most = most};
    code_steps(&c, packer, steps, needs_f64(steps));
    put_byte(&c, (uint8_t)((c.low >> 24) +
                           1)); /* what follows reads as zeros, so this lies above low, and at most at high */
    if (c.status == SP_OK) {
        *bytes = c.out;
        *n = c.at;
    } else {
        *packer = *before;
        free(c.out);
    }
    free(before);
    return c.status;
}

void sp_unpack(sp_packer *packer, const uint8_t *bytes, size_t n, const sp_packed_steps *steps)
{
    coder c = open_reading(bytes, n);
    code_steps(&c, packer, steps, false);
}
