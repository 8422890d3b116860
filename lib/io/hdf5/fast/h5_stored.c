#include "io/hdf5/fast/h5_stored.h"

#include "io/hdf5/fast/h5_lzf.h"

haddr_t sp_h5_position(hid_t dataset)
{
    haddr_t position = H5Dget_offset(dataset);
    /* Of what was never written HDF5 says -1, plus the length of the file's user block. */
    return position == HADDR_UNDEF || H5Dget_storage_size(dataset) == 0 ? HADDR_UNDEF : position;
}

/* Which of the filters we know, in the only order that makes sense: shuffle, deflate or LZF, checksum, each at most once. */
static bool plan_filters(sp_h5_stored *s, hid_t created)
{
    const int n = H5Pget_nfilters(created);
    s->form.shuffle = s->form.packed = s->form.checked = -1;
    for (int i = 0; i < n; i++) {
        unsigned flags = 0, values[8] = {0};
        size_t n_values = 8;
        H5Z_filter_t id = H5Pget_filter2(created, (unsigned)i, &flags, &n_values, values, 0, NULL, NULL);
        const bool is_packer = id == H5Z_FILTER_DEFLATE || id == SP_LZF_FILTER;
        if (s->form.checked >= 0)
            return false;
        if (id == H5Z_FILTER_SHUFFLE && s->form.shuffle < 0 && s->form.packed < 0 && n_values > 0 &&
            values[0] == s->form.size)
            s->form.shuffle = i;
        else if (is_packer && s->form.packed < 0)
            s->form.packed = i;
        else if (id == H5Z_FILTER_FLETCHER32)
            s->form.checked = i;
        else
            return false;
        s->form.is_lzf |= id == SP_LZF_FILTER;
    }
    return n >= 0;
}

/* Three axes [rows, n1, n2] from the dataset's: [S] is [S,1,1], [S,K] is [S,1,K]. */
static void three_axes(int rank, const hsize_t *axes, int64_t out[3])
{
    out[0] = (int64_t)axes[0];
    out[1] = rank == 3 ? (int64_t)axes[1] : 1;
    out[2] = rank == 1 ? 1 : (int64_t)axes[rank - 1];
}

static bool plan_chunked(sp_h5_stored *s, hid_t created)
{
    const uint64_t most = UINT64_C(1) << 34; /* of rows that are held */
    hsize_t chunk[H5S_MAX_RANK] = {0};
    unsigned options = 0;
    if (H5Pget_chunk(created, H5S_MAX_RANK, chunk) != s->rank || H5Pget_chunk_opts(created, &options) < 0 ||
        options != 0 || !plan_filters(s, created))
        return false;
    three_axes(s->rank, chunk, s->chunk);
    s->form.bytes = (size_t)(s->chunk[0] * s->chunk[1] * s->chunk[2]) * s->form.size;
    uint64_t row = (uint64_t)(s->dims[1] * s->dims[2]) * s->form.size;
    if (row > 0 && (uint64_t)s->chunk[0] > most / row)
        return false;
    return true;
}

void sp_h5_own_axes(int rank, int64_t rows, int64_t n1, int64_t n2, hsize_t out[3])
{
    out[0] = (hsize_t)rows;
    out[1] = (hsize_t)(rank == 3 ? n1 : n2);
    out[2] = (hsize_t)n2;
}

bool sp_h5_stored_of(const sp_h5_request *request, sp_h5_stored *out)
{
#if H5_VERSION_GE(2, 0, 0)
    return false; /* with another H5Dread_chunk() */
#endif
    if (request->rank < 1 || request->rank > 3)
        return false;
    sp_h5_stored s = {.rank = request->rank, .form.size = request->size};
    three_axes(s.rank, request->dims, s.dims);
    const haddr_t position = sp_h5_position(request->dataset);
    if (position != HADDR_UNDEF) { /* so it needs no look at its properties, which are slow to copy */
        s.position = position;
        *out = s;
        return true;
    }
    hid_t created = request->created > 0 ? request->created : H5Dget_create_plist(request->dataset);
    bool can = created >= 0 && H5Pget_layout(created) == H5D_CHUNKED && plan_chunked(&s, created);
    if (created >= 0 && created != request->created)
        H5Pclose(created);
    if (can)
        *out = s;
    return can;
}
