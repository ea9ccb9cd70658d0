/* How the chunks of an array are stored: as they are (stored_raw.c), with checksums (stored_summed.c), or compressed
 * (stored_packed.c). Each kind is one file behind a table, and nobody else asks which it is. */
#pragma once

#include "drx_tools.h"
#include "lone/log.h"

struct drxi_data;
struct drxi_hold;

/* A file of the array. */
struct drxi_stored_file {
    drxi_io *io;
    bool compares; /* it only tells whether elements are right */
    bool unique;   /* its name is, and stays when the array gets another */
};

/* An exact copy of the files. */
struct drxi_twin {
    struct drxi_data *from, *to; /* `to` is described alike, and has no files yet */
    const char *path;            /* of `to` */
    bool elements;               /* false: they stay where they are */
    bool damaged;                /* all that is there goes along */
    uint8_t *buf;
    int64_t buf_bytes;
    /* Copy what the first bytes of a file store; `holes`, too. */
    drx_status (*copy)(struct drxi_twin *t, drxi_io *from, drxi_io *to, int64_t length, bool holes);
    drx_status (*tell)(struct drxi_twin *t); /* DRX_EINTERRUPTED */
};

enum drxi_storage_kind { DRXI_STORED_RAW, DRXI_STORED_SUMMED, DRXI_STORED_PACKED, DRXI_STORED_KINDS };

struct drxi_storage {
    enum drxi_storage_kind kind; /* the index of a table of another room */
    bool held;                   /* whoever writes a part of a chunk takes it first: drxi_hold_start */
    bool verified;               /* chunks that are read whole are compared with their checksums */
    bool empty_is_fill;          /* a chunk that was never written needs no fill */
    bool closes;                 /* growth closes the chunks that it has passed */
    bool epochs;                 /* what was written counts when a SYNC has told its epoch */
    int least_chunks;            /* of a piece that is read by itself */

    /* The files, in the order of drx_file; stripes come first. Of the description, and of those that are open. */
    int (*count)(const struct drxi_state *s);
    char *(*name)(const struct drxi_data *data, const char *path, int k);
    bool (*file)(const struct drxi_data *data, int k, struct drxi_stored_file *out);
    /* The bytes of file k that this many chunks take; INT64_MAX: that depends on the elements. */
    int64_t (*length)(const struct drxi_data *data, int k, int64_t chunks);
    drxi_io *(*elements)(const struct drxi_data *data); /* that has them; NULL: data->file->io */
    drx_status (*open)(struct drxi_data *data, const char *path, enum drxi_how how);     /* path NULL: in memory */
    drx_status (*join)(struct drxi_data *data, const char *path, drxi_io *const file[]); /* takes them */
    drx_status (*close)(struct drxi_data *data); /* what there is beside data->file->io */
    drx_status (*copy)(struct drxi_twin *t);
    drx_status (*copied)(struct drxi_twin *t); /* the log was looked at again; NULL: nothing is to be done */

    /* Elements. */
    drx_status (*put)(struct drxi_data *data, const void *buf, size_t n, int64_t offset);
    drxi_io *(*through)(struct drxi_data *data); /* whose `write` does the same; NULL: data->file->io */
    drx_status (*complete)(struct drxi_data *data, void *buf, size_t n, size_t got, int64_t offset);
    drx_status (*verify)(struct drxi_data *data, int64_t address); /* a chunk; NULL where none are verified */
    drx_status (*hold_start)(struct drxi_hold *h);
    drx_status (*hold_write)(struct drxi_hold *h, const void *buf, size_t n, int64_t within);
    drx_status (*hold_end)(struct drxi_hold *h, drx_status st);
    drx_status (*place)(struct drxi_data *data, int64_t address, drx_place *out);
    /* What lies beside data->file->io, or NULL: before that gets another length, and after chunks were given back. */
    drx_status (*resize)(struct drxi_data *data, int64_t chunks);
    drx_status (*give_back)(struct drxi_data *data, int64_t first, int64_t end);

    /* Promises. */
    drx_status (*settle)(struct drxi_data *data);            /* the elements are durable */
    drx_status (*promise)(struct drxi_data *data);           /* a SYNC is about to be appended */
    drx_status (*guard)(struct drxi_data *data, bool on);    /* nobody else writes meanwhile; where there are epochs */
    drx_status (*reclaim)(struct drxi_data *data, bool all); /* what was replaced, if it is much; or NULL */
    drx_status (*recover)(struct drxi_data *data);           /* after an open for writing: array/recover.c */
    void (*report)(const struct drxi_data *data);            /* add to the detail what that did; NULL: nothing */
};
extern const struct drxi_storage drxi_stored_raw, drxi_stored_summed, drxi_stored_packed;

drx_status drxi_nothing(struct drxi_data *data); /* DRX_OK */
/* What others have from the raw kind. */
drx_status drxi_raw_complete(struct drxi_data *data, void *buf, size_t n, size_t got, int64_t offset);
drx_status drxi_raw_place(struct drxi_data *data, int64_t address, drx_place *out);

/* ---- storage.c ---- */

/* Open the files of the array `path` (NULL: in memory), whose log has been read. DRX_ENOENT names what is missing; a
 * file that only compares may be. */
drx_status drxi_data_start(struct drxi_data *data, const char *path, enum drxi_how how);
/* The name of the first file with elements, to be freed; NULL: out of memory. */
char *drxi_data_name(const struct drxi_state *s, const char *path);
/* Set *damaged, and the detail, when a file is shorter than the last SYNC implies: of the elements, or what only
 * compares. DRX_ENOENT: the latter is missing. */
enum { DRXI_ELEMENTS = 1, DRXI_BESIDE = 2, DRXI_ALL_FILES = 3 };
drx_status drxi_data_check_lengths(struct drxi_data *data, const char *path, unsigned which, bool *damaged);

/* Aliases by which another process can open the files, stored->count of them. A file without a name may be reachable
 * only once it is parked. */
DRXI_SHARED drx_status drxi_data_aliases(struct drxi_data *data, bool park, struct drxi_alias alias[]);
/* Open them in that process, for the array `path`, after reading the log. */
drx_status drxi_data_open_aliases(struct drxi_data *data, const char *path, const struct drxi_alias alias[],
                                  enum drxi_how how);

/* How much of file k of t->from is copied. */
drx_status drxi_twin_length(const struct drxi_twin *t, int k, int64_t *length);
