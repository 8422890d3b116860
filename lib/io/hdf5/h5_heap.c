#include "io/hdf5/h5_heap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/h5_driver.h"
#include "io/hdf5/h5_file.h"

hid_t sp_h5_texts_transfer(int64_t n)
{
    const int64_t usual = 1 << 20, each = 32,
                  least = 1024; /* a text takes 16 bytes in a file, in memory a pointer */
    if (n > (usual - least) / each)
        return H5P_DEFAULT;
    hid_t list = H5Pcreate(H5P_DATASET_XFER);
    if (list >= 0 && H5Pset_buffer(list, (size_t)(n * each + least), NULL, NULL) >= 0)
        return list;
    sp_h5_close(list);
    return H5P_DEFAULT;
}

/* Of the format: "GCOL", version 1, three zeros, size of the collection; then objects {index u16, count u16, four zeros, size,
 * bytes up to a multiple of 8}. Index 0 is what is free, to the end. Numbers are little-endian. */
enum { VERSION = 1, HEAD_BEFORE_SIZE = 8, OBJECT_BEFORE_SIZE = 8 };

typedef struct collection {
    uint64_t address;
    unsigned char *bytes;
    uint32_t *objects; /* [n_objects] by index: where its head begins; 0: there is no such object */
    uint32_t n_objects;
    uint64_t size;
} collection;

struct sp_h5_heap {
    const sp_h5_vfile *file;
    uint64_t base; /* where HDF5's addresses begin in the file: behind a user block */
    size_t address_size, length_size;
    uint64_t bytes_used; /* of all collections */
    collection *slots;   /* open addressing by address; bytes NULL: free */
    size_t n_slots, n_used;
    collection *last;
};

static uint64_t number(const unsigned char *bytes, size_t n)
{
    uint64_t value = 0;
    for (size_t i = n; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

/* ---- a file's heap ---- */

sp_status sp_h5_heap_new(hid_t object, sp_h5_heap **out)
{
    const sp_h5_vfile *file = sp_h5_vfile_of(object);
    hid_t id = H5Iget_file_id(object), created = id >= 0 ? H5Fget_create_plist(id) : -1;
    hsize_t base = 0;
    size_t address_size = 0, length_size = 0;
    const bool is_known = file && created >= 0 && H5Pget_userblock(created, &base) >= 0 &&
                          H5Pget_sizes(created, &address_size, &length_size) >= 0 && address_size >= 2 &&
                          address_size <= 8 && length_size >= 2 && length_size <= 8;
    sp_h5_close(created);
    if (id >= 0)
        H5Fclose(id);
    if (!is_known)
        return SP_EFILE;
    sp_h5_heap *heap = calloc(1, sizeof *heap);
    if (!heap)
        return SP_ENOMEM;
    *heap =
        (sp_h5_heap){.file = file, .base = base, .address_size = address_size, .length_size = length_size};
    *out = heap;
    return SP_OK;
}

void sp_h5_heap_free(sp_h5_heap *heap)
{
    if (!heap)
        return;
    for (size_t i = 0; i < heap->n_slots; i++) {
        free(heap->slots[i].bytes);
        free(heap->slots[i].objects);
    }
    free(heap->slots);
    free(heap);
}

/* ---- references ---- */

size_t sp_h5_heap_reference(const sp_h5_heap *heap)
{
    return 4 + heap->address_size + 4;
}

/* "Converts" references to bytes: they are left as they are. */
static herr_t leave(hid_t from, hid_t to, H5T_cdata_t *data, size_t n, size_t stride, size_t back_stride,
                    void *values, void *back, hid_t transfer)
{
    (void)from, (void)to, (void)n, (void)stride, (void)back_stride, (void)values, (void)back, (void)transfer;
    if (data->command == H5T_CONV_INIT)
        data->need_bkg = H5T_BKG_NO;
    return 0;
}

herr_t sp_h5_heap_references(const sp_h5_heap *heap, hid_t object, int is_dataset, hid_t type, int64_t n,
                             void *references)
{
    static const char name[] = "statepath references";
    hid_t bytes = H5Tcreate(H5T_OPAQUE, sp_h5_heap_reference(heap));
    herr_t done = bytes >= 0 ? H5Tregister(H5T_PERS_SOFT, name, type, bytes, leave) : -1;
    if (done >= 0) {
        hid_t transfer = sp_h5_texts_transfer(n);
        done = is_dataset ? H5Dread(object, bytes, H5S_ALL, H5S_ALL, transfer, references)
                          : H5Aread(object, bytes, references);
        if (transfer != H5P_DEFAULT)
            H5Pclose(transfer);
        (void)H5Tunregister(H5T_PERS_SOFT, name, -1, -1, leave);
    }
    sp_h5_close(bytes);
    return done;
}

/* ---- collections ---- */

static size_t head_size(const sp_h5_heap *heap)
{
    return (HEAD_BEFORE_SIZE + heap->length_size + 7) / 8 * 8;
}

static size_t object_head_size(const sp_h5_heap *heap)
{
    return (OBJECT_BEFORE_SIZE + heap->length_size + 7) / 8 * 8;
}

/* Walks along the objects: counts them (objects NULL), or notes where each begins. False: one reaches beyond the end. */
static bool objects_walk(const sp_h5_heap *heap, const collection *c, uint32_t *objects, uint32_t *n_objects)
{
    const uint64_t head = object_head_size(heap);
    for (uint64_t at = head_size(heap); c->size - at >= head;) {
        const uint32_t index = (uint32_t)number(c->bytes + at, 2);
        const uint64_t size = number(c->bytes + at + OBJECT_BEFORE_SIZE, heap->length_size),
                       room = c->size - at - head;
        if (index == 0)
            break;
        if (size > room)
            return false;
        if (objects)
            objects[index] = (uint32_t)at;
        else if (index >= *n_objects)
            *n_objects = index + 1;
        const uint64_t padded = (size + 7) / 8 * 8;
        if (padded > room)
            break;
        at += head + padded;
    }
    return true;
}

/* Reads the collection at an address. Real ones do not overlap, so all that are read are no larger than the file. */
static sp_status collection_read(sp_h5_heap *heap, uint64_t address, collection *out)
{
    const uint64_t file_size = sp_h5_vfile_size(heap->file), head = head_size(heap);
    unsigned char start[16];
    if (address > file_size || heap->base > file_size - address ||
        !sp_h5_vfile_read(heap->file, start, head, heap->base + address) || memcmp(start, "GCOL", 4) != 0 ||
        start[4] != VERSION)
        return SP_EDATA;
    collection c = {.address = address, .size = number(start + HEAD_BEFORE_SIZE, heap->length_size)};
    if (c.size < head || c.size > UINT32_MAX || c.size > file_size || c.size > file_size - heap->bytes_used)
        return SP_EDATA;
    if (!(c.bytes = malloc((size_t)c.size)))
        return SP_ENOMEM;
    sp_status status = sp_h5_vfile_read(heap->file, c.bytes, c.size, heap->base + address) &&
                               objects_walk(heap, &c, NULL, &c.n_objects)
                           ? SP_OK
                           : SP_EDATA;
    if (status == SP_OK && !(c.objects = calloc((size_t)c.n_objects + 1, sizeof *c.objects)))
        status = SP_ENOMEM;
    if (status != SP_OK) {
        free(c.bytes);
        return status;
    }
    (void)objects_walk(heap, &c, c.objects, NULL);
    heap->bytes_used += c.size;
    *out = c;
    return SP_OK;
}

static size_t slot_of(const sp_h5_heap *heap, uint64_t address)
{
    size_t i = (size_t)((address * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (heap->n_slots - 1);
    while (heap->slots[i].bytes && heap->slots[i].address != address)
        i = (i + 1) & (heap->n_slots - 1);
    return i;
}

static bool slots_grow(sp_h5_heap *heap)
{
    if (heap->n_slots > 0 && 2 * heap->n_used < heap->n_slots)
        return true;
    sp_h5_heap old = *heap;
    heap->n_slots = old.n_slots ? 2 * old.n_slots : 16;
    if (!(heap->slots = calloc(heap->n_slots, sizeof *heap->slots))) {
        *heap = old;
        return false;
    }
    for (size_t i = 0; i < old.n_slots; i++)
        if (old.slots[i].bytes)
            heap->slots[slot_of(heap, old.slots[i].address)] = old.slots[i];
    free(old.slots);
    return true;
}

static sp_status collection_at(sp_h5_heap *heap, uint64_t address)
{
    if (heap->last && heap->last->address == address)
        return SP_OK;
    heap->last = NULL; /* slots may move */
    if (!slots_grow(heap))
        return SP_ENOMEM;
    collection *c = &heap->slots[slot_of(heap, address)];
    if (!c->bytes) {
        sp_status status = collection_read(heap, address, c);
        if (status != SP_OK)
            return status;
        heap->n_used++;
    }
    heap->last = c;
    return SP_OK;
}

sp_status sp_h5_heap_text(sp_h5_heap *heap, const unsigned char *reference, const char **text, size_t *length)
{
    const uint64_t n = number(reference, 4), address = number(reference + 4, heap->address_size),
                   index = number(reference + 4 + heap->address_size, 4);
    *text = "";
    *length = 0;
    if (n == 0 || address == 0)
        return SP_OK;
    sp_status status = collection_at(heap, address);
    if (status != SP_OK)
        return status;
    const collection *c = heap->last;
    if (index == 0 || index >= c->n_objects || c->objects[index] == 0)
        return SP_EDATA;
    const unsigned char *object = c->bytes + c->objects[index];
    if (n > number(object + OBJECT_BEFORE_SIZE, heap->length_size))
        return SP_EDATA;
    *text = (const char *)object + object_head_size(heap);
    *length = strnlen(*text, (size_t)n);
    return SP_OK;
}
