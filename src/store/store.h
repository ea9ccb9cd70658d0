/* A store: a log, and the groups, dimensions, variables and types that it describes (spec/drx-format.md). A lone array
 * is a store with one variable; a dataset has many.
 *
 *   records.h   head, records and fields as bytes
 *   tables.c    things by number, by name and by stem
 *   apply_record.c    the records of a run, judged and applied; kinds.h: those of some kinds
 *   follow.c    the file read: what of it counts, and what follows
 *   bounds.c    the bounds and the map of a variable
 *   limits.c    the limits of growth
 *   encode.c    records of each kind; append.c: written to the file
 *   forget.c   a shorter log of a dataset; replace_log.c: it takes the place of the other
 *   live_words.c    what tells readers of trims, and of another log
 *
 * Invariants
 *   1. A store in memory is what the records up to store.end say; the last of these has C.
 *   2. Each number is that of one thing for ever. What was removed keeps its number, its stem and its place.
 *   3. Names of the things that are there differ at each C; `alike` counts those that do not, within a run.
 *   4. Nothing of a run is applied before its C was read. Of a run that fails, anything may be applied: then the store
 *      is read again from its begin (follow.c).
 *   5. Growths are checked against the limits of variables when a reading ends, first by an estimate (limits.c). */
#pragma once

#include "log/state.h"
#include "store/records.h"

enum {
    DRXI_MOST_THINGS = 65535, /* of each kind */
    DRXI_STEM_BYTES = 240,
    DRXI_MOST_MESSAGE_BYTES = 4096,
    DRXI_ANY_COMMIT = -1
};

/* What groups, dimensions, variables and types have. */
struct drxi_thing {
    uint8_t what; /* enum drxi_what */
    bool removed;
    uint16_t number, group;
    uint32_t before, behind; /* things of the same name; the first one is in the index. 0: none, but within a run */
    char *key;               /* what may have the same name, as 3 bytes, then the name; NULL: it has none */
    char *stem_key;   /* of a group or variable: the group, as 2 bytes, then the stem or the name of the folder */
    uint32_t next;    /* in its group: `what`, then the number in the low 16 bits, as above; 0: none */
    uint64_t made_by; /* the run of that number */
    uint64_t gone;    /* the sequence number of the REMOVE; 0: none */
    struct drxi_attrs attrs;
};

static inline const char *drxi_thing_name(const struct drxi_thing *t)
{
    return t->key ? t->key + 3 : "";
}

static inline const char *drxi_thing_stem(const struct drxi_thing *t)
{
    return t->stem_key ? t->stem_key + 2 : "";
}

struct drxi_group {
    struct drxi_thing thing;
    uint32_t depth;
    uint16_t jump;  /* a group above it, on the way to the root */
    uint32_t first; /* of the things in it, the last one first */
};

struct drxi_dimension {
    struct drxi_thing thing;
    int64_t lower, upper;
    int64_t ever; /* indices that it had at first, and all that growths added */
    int64_t growths;
    uint64_t trimmed; /* by the run of that number */
};

struct drxi_type {
    struct drxi_thing thing;
    int class;       /* 1 to 7, or one that is not known */
    uint32_t bytes;  /* of an element */
    bool known;      /* and so are the types of its fields */
    drx_type type;   /* as it was made; 0: not known, or texts */
    uint8_t *fields; /* the payload behind the class */
    size_t n_fields;
};

struct drxi_variable {
    struct drxi_thing thing;
    int ndim;
    bool null;    /* it has no elements */
    bool refused; /* values of a later version */
    uint8_t order, initial, flags, codec, level, shuffle;
    uint32_t type; /* 4.3 */
    uint32_t item_bytes;
    int64_t align;
    uint16_t dim[DRX_MAX_NDIM];
    int64_t chunk[DRX_MAX_NDIM];
    int made_ndim; /* the axes that it was made with, and the bounds of then */
    uint16_t made_dim[DRX_MAX_NDIM];
    int64_t made_chunk[DRX_MAX_NDIM], made_lower[DRX_MAX_NDIM], made_upper[DRX_MAX_NDIM];
    const uint8_t *fill; /* item_bytes, as stored, which are kept; NULL: zeros */
    int64_t first_step;  /* of store.step: what came after it */
    int64_t last_step;   /* what came before it was removed; INT64_MAX: it is there */
    uint64_t made;       /* the sequence number of VARIABLE */
    uint64_t axis_by;    /* the run of that number; 0: none */
    uint32_t epoch;
    struct drxi_stripes stripes;
    drx_source *source; /* the last one, as one block; NULL: none */
};

/* Things by number, from 1 on; NULL where a number was left out. */
struct drxi_table {
    int64_t room;
    uint16_t largest;
    void **of;
};

/* What changed bounds or axes. */
struct drxi_change_of {
    uint8_t kind;      /* DRXI_LOG_GROW, _TRIM, _AXIS */
    uint8_t at;        /* AXIS: its place */
    uint16_t number;   /* of the dimension */
    uint16_t variable; /* AXIS */
    uint64_t sequence; /* of the record */
    int64_t a, b;      /* GROW: by, bound; TRIM: lower, upper */
};

struct drxi_commit {
    int64_t number, time; /* microseconds since 1970 */
    char *message;        /* NULL where it is empty */
    uint64_t sequence;
    int64_t end; /* the offset behind it */
};

enum drxi_log_tail { DRXI_LOG_CLEAN, DRXI_LOG_OPEN, DRXI_LOG_TORN, DRXI_LOG_DAMAGED };

struct drxi_store {
    enum drxi_store_kind kind;
    uint8_t id[DRXI_STORE_ID_BYTES];
    struct drxi_log_place head, end, counts; /* of the head; of all; of what counts */
    struct drxi_table group, dimension, variable, type;
    struct drxi_group root;
    struct drxi_index names, stems;
    int64_t alike;
    int64_t steps, step_room;
    struct drxi_change_of *step;
    int64_t checked; /* of the steps: they keep within the limits */
    int64_t commits, commit_room;
    struct drxi_commit *commit;
    int64_t next_commit;
    uint64_t last_trim; /* sequence; that of BASE, if none came since */
    bool ends_with_sync;
    bool holes;                       /* attributes were deleted: drxi_store_pack_attributes */
    uint64_t last_sync;               /* sequence; 0: none; */
    int64_t sync_at;                  /* its offset */
    uint64_t named;                   /* counts changes of attributes, names and sources */
    bool optional;                    /* it has records of kinds that are not known */
    struct {                          /* of BASE; largest 0: none counts */
        uint16_t largest[DRXI_WHATS]; /* by what */
        bool is;
        uint64_t sequence;
    } base;
    uint64_t counted; /* the sequence of the last record with C before the first commit's run; 0: none */
    struct {          /* the run that is being applied */
        uint64_t number;
        uint32_t kinds;   /* bit k: it has such a record */
        uint16_t awaited; /* the variable whose STRIPES come next; 0: none */
        bool names;
    } run;
};

/* ---- follow.c ---- */

/* Read the head. DRX_EFORMAT, DRX_EDAMAGED, DRX_EUNSUPPORTED. Then, and after an error, drxi_store_free. */
drx_status drxi_store_begin(struct drxi_store *s, drxi_io *log, enum drxi_store_kind kind);
void drxi_store_free(struct drxi_store *s);
/* Make it one without records, behind a head of this CRC. */
void drxi_store_start(struct drxi_store *s, uint32_t head_crc);
void drxi_store_pack_attributes(struct drxi_store *s);
/* Make the store what it was when it ended at the offset `end`, by reading again up to there. On failure nothing
 * changes. */
drx_status drxi_store_return(struct drxi_store *s, drxi_io *log, int64_t end);
/* Read on, up to the run that ends with that commit, or all. `others`: somebody may be writing. *tail tells what
 * follows; at DRXI_LOG_DAMAGED the detail says why, and the store is as of the last run that can be. A store without
 * a C is DRX_EDAMAGED, one that is refused DRX_EUNSUPPORTED; DRX_ERANGE: the log does not have the commit. After
 * these, and DRX_ENOMEM, DRX_EIO, the store is what it was; if it cannot be read again, either, it is as of a later
 * C, or as drxi_store_begin made it. */
drx_status drxi_store_read(struct drxi_store *s, drxi_io *log, int64_t commit, bool others, enum drxi_log_tail *tail);
/* Call `see` with each valid record of a later number behind what counts, at any multiple of 8, whatever lies
 * between. */
drx_status drxi_store_look_behind(const struct drxi_store *s, drxi_io *log,
                                  void (*see)(void *user, const struct drxi_log_record *record), void *user);

/* The same of records alone, without a store: call `visit` with those behind *at that count, and move *at behind them.
 * Nothing of them is judged but their place in the chain; runs that end behind the offset `most` are left. *open,
 * unless it is NULL: valid records follow that do not count. */
typedef drx_status drxi_store_visit(void *arg, const struct drxi_log_record *record);
drx_status drxi_store_skim(drxi_io *log, struct drxi_log_place *at, int64_t most, bool others, drxi_store_visit *visit,
                           void *arg, bool *open);
/* Call `visit` with the records behind `from` that are next in the chain and do not count. */
drx_status drxi_store_see_open(drxi_io *log, const struct drxi_log_place *from, drxi_store_visit *visit, void *arg);

/* ---- apply_record.c ---- */

/* What no folder of a group ends like. */
bool drxi_ends_like_a_file(struct drxi_text stem);

/* Apply a record of a run. DRX_EDAMAGED: it cannot be; DRX_EUNSUPPORTED: a later version wrote it; the detail is
 * set. */
drx_status drxi_store_apply(struct drxi_store *s, const struct drxi_log_record *record);

/* ---- tables.c ---- */

struct drxi_thing *drxi_store_thing(const struct drxi_store *s, enum drxi_what what,
                                    uint16_t number); /* NULL: none is there */
static inline struct drxi_group *drxi_store_group(const struct drxi_store *s, uint16_t number)
{
    return number == 0 ? (struct drxi_group *)&s->root : number <= s->group.largest ? s->group.of[number] : NULL;
}
static inline struct drxi_dimension *drxi_store_dimension(const struct drxi_store *s, uint16_t number)
{
    return number >= 1 && number <= s->dimension.largest ? s->dimension.of[number] : NULL;
}
static inline struct drxi_variable *drxi_store_variable(const struct drxi_store *s, uint16_t number)
{
    return number >= 1 && number <= s->variable.largest ? s->variable.of[number] : NULL;
}
static inline struct drxi_type *drxi_store_type(const struct drxi_store *s, uint16_t number)
{
    return number >= 1 && number <= s->type.largest ? s->type.of[number] : NULL;
}
/* The number that the next thing of the kind gets: numbers that BASE tells of were given out. */
uint16_t drxi_store_next(const struct drxi_store *s, enum drxi_what what);
/* The thing of that name in a group; 0: there is none. */
uint16_t drxi_store_find(const struct drxi_store *s, enum drxi_what what, uint16_t group, const char *name);
/* Whether group `above` is `group`, or one that it lies in. */
bool drxi_store_is_above(const struct drxi_store *s, uint16_t above, uint16_t group);
/* Add a thing whose memory is `bytes` long and begins with the struct drxi_thing; `name` may be empty. DRX_ENOMEM,
 * DRX_EDAMAGED: another number would be next. */
drx_status drxi_store_add(struct drxi_store *s, enum drxi_what what, uint16_t number, uint16_t group,
                          struct drxi_text name, size_t bytes, void *out);
/* DRX_ENOMEM */
drx_status drxi_store_rename(struct drxi_store *s, struct drxi_thing *t, struct drxi_text name);
void drxi_store_remove(struct drxi_store *s, struct drxi_thing *t);
/* Give a variable or group its stem. DRX_EDAMAGED: its group has had that one. */
drx_status drxi_store_set_stem(struct drxi_store *s, struct drxi_thing *t, struct drxi_text stem);
/* The variable or group with that stem in a group, also one that was removed; NULL: none. */
const struct drxi_thing *drxi_store_of_stem(const struct drxi_store *s, uint16_t group, const char *stem);
void drxi_store_free_things(struct drxi_store *s);

/* ---- typed.c ---- */

/* The bytes of an element of the type, of which there are 0 for texts; *known is false for one of a later version.
 * DRX_EDAMAGED: there is no such type. */
drx_status drxi_store_type_bytes(const struct drxi_store *s, uint32_t type, uint32_t *bytes, bool *known);
/* Its number in this process; 0: one of a later version, or texts. */
drx_type drxi_store_drx_type(const struct drxi_store *s, uint32_t type);

/* ---- put_types.c ---- */

/* A new TYPE in a group, which is free to take its name. */
void drxi_put_new_type(struct drxi_run *run, const struct drxi_store *s, uint16_t group, drx_type type);
/* The number in the log of a type for a thing of that group: that of a TYPE which is there, in the group or above it if
 * there is one, else anywhere; or of a new one, which is put before, as are those of fields. What fails is in
 * run->failed; DRX_EEXIST: its name is taken in the group, or is that of the thing, `beside`. */
uint32_t drxi_put_type(struct drxi_run *run, const struct drxi_store *s, uint16_t group, const char *beside,
                       drx_type type);

/* ---- bounds.c ---- */

/* The bounds and the map of a variable as the store has them: a state without names and attributes, to be freed also on
 * failure. Its type is that of this many bytes where drx_type has none. A scalar has one axis, with the index 0 alone,
 * a null variable one without an index.
 * DRX_EOVERFLOW: the format allows it, but its indices are too far from 0 for this library's maps; *step is the one
 * that is. DRX_EDAMAGED: its chunk is too large. */
drx_status drxi_store_map(const struct drxi_store *s, const struct drxi_variable *v, struct drxi_state *out,
                          int64_t *step);
/* Let the state of a variable follow store.step[*step], and those behind it: *step is where it stopped. dim[]: the
 * dimensions of its axes. */
drx_status drxi_store_follow(const struct drxi_store *s, const struct drxi_variable *v, struct drxi_state *out,
                             uint16_t dim[], int64_t *step);
/* ---- limits.c ---- */

/* Whether a variable can be as it was made. DRX_EDAMAGED. */
drx_status drxi_store_check_made(const struct drxi_variable *v);
/* Whether no growth has led beyond a limit. DRX_EDAMAGED: *sequence is that of the first record that has. */
drx_status drxi_store_check_growths(const struct drxi_store *s, uint64_t *sequence);

/* ---- encode.c ---- */

/* Records of each kind, whose fields are as the format has them. */
void drxi_put_group(struct drxi_run *run, uint16_t number, uint16_t in, const char *name, const char *folder);
void drxi_put_dimension(struct drxi_run *run, uint16_t number, uint16_t group, const int64_t bounds[2],
                        const char *name);
/* Its name and stem are empty in a lone array. */
void drxi_put_variable(struct drxi_run *run, const struct drxi_variable *v);
void drxi_put_grow(struct drxi_run *run, uint16_t dimension, int64_t by, int64_t bound);
void drxi_put_trim(struct drxi_run *run, uint16_t dimension, int64_t lower, int64_t upper);
void drxi_put_axis(struct drxi_run *run, uint16_t variable, int at, uint16_t dimension);
void drxi_put_rename(struct drxi_run *run, enum drxi_what what, uint16_t number, const char *name);
void drxi_put_remove(struct drxi_run *run, enum drxi_what what, uint16_t number);
/* The payload's n is that of one axis; its type is put before. */
void drxi_put_attribute(struct drxi_run *run, const struct drxi_store *s, enum drxi_what what, uint16_t number,
                        const struct drxi_attr_payload *attr);
void drxi_put_attributes(struct drxi_run *run, const struct drxi_store *s); /* all that it has */
void drxi_put_attribute_delete(struct drxi_run *run, enum drxi_what what, uint16_t number, const char *name);
void drxi_put_epoch(struct drxi_run *run, uint16_t variable, uint32_t epoch);
void drxi_put_stripes(struct drxi_run *run, uint16_t variable, const struct drxi_stripes *stripes); /* or none */
void drxi_put_source(struct drxi_run *run, uint16_t variable, const drx_source *source);            /* NULL: none */
void drxi_put_commit(struct drxi_run *run, int64_t number, int64_t time, const char *message);
void drxi_put_sync(struct drxi_run *run);
void drxi_put_base(struct drxi_run *run, const struct drxi_store *s, int64_t commit); /* the next one's number */
/* A record of another log, without its flags. */
void drxi_put_again(struct drxi_run *run, const struct drxi_log_record *r);

/* ---- append.c ---- */

/* A run that goes on where `end` is. */
struct drxi_run drxi_run_at(const struct drxi_log_place *end);
/* Apply the records of a run behind its first `applied` bytes, and write those behind the first `written` ones, which
 * the file has; no file: only apply them. On failure the file has what is applied, and the store is as before, or *lost
 * is set. */
drx_status drxi_store_append(struct drxi_store *s, drxi_io *log, const struct drxi_run *run, int64_t applied,
                             int64_t written, bool *lost);
/* Apply the records of the run from `from` up to `end`; what fails may have been applied in part. */
drx_status drxi_store_apply_run(struct drxi_store *s, const struct drxi_run *run, int64_t from, int64_t end);
/* Let the store be as the first `from` bytes of the run leave it, which begins behind what counts. */
drx_status drxi_store_rewind(struct drxi_store *s, drxi_io *log, const struct drxi_run *run, int64_t from);
/* Write the log from its last SYNC on again, as it is: a failed fdatasync left pages that count as clean (5.4.5). */
drx_status drxi_store_write_anew(const struct drxi_store *s, drxi_io *log);
/* Write the records of a run that is open. On failure the file is as before, or *lost is set. */
drx_status drxi_store_append_open(const struct drxi_store *s, drxi_io *log, const struct drxi_run *run, bool *lost);
drx_status drxi_store_write_head(const struct drxi_store *s, drxi_io *log, uint64_t trims);
/* Write the head, live words of 0, and the first run, which is applied. `s` is zero but for `kind` and `id`. */
drx_status drxi_store_create(struct drxi_store *s, drxi_io *log, void (*first)(struct drxi_run *run, void *with),
                             void *with);

/* ---- forget.c ---- */

/* The records of a log, after its head, which has the commits from number n on, but for its SYNC. */
drx_status drxi_store_forget(const struct drxi_store *s, drxi_io *log, int64_t n, struct drxi_run *run);

/* ---- replace_log.c ---- */

/* Put another log in the place of `old`, which is locked and has nothing behind what counts, durably: the head of the
 * store, the run, and a SYNC. *log is its file, locked, and *out what it says. On failure nothing changes; when
 * *broken is set, also after success, nobody can know which of the two a crash of the machine will leave. */
drx_status drxi_store_replace_log(const struct drxi_store *s, drxi_io *old, const struct drxi_run *run, drxi_io **log,
                                  struct drxi_store *out, drx_status *broken);

/* ---- live_words.c ---- */

/* The live words, each read and written at once (spec/drx-format.md, 5.5). */
struct drxi_live {
    uint64_t trims, replaced;
    bool known;
};
drx_status drxi_live_load(drxi_io *log, struct drxi_live *out);
/* Whether others change the file under its readers. What is read of one on a server is of one state, and its tail tells
 * trims. */
bool drxi_live_may_change(const drxi_io *log);
/* Before a log is read on: load them if that may be. */
drx_status drxi_live_note(drxi_io *log, struct drxi_live *out);
drx_status drxi_live_set_trims(drxi_io *log, uint64_t sequence);
drx_status drxi_live_set_replaced(drxi_io *log, uint64_t state);
/* The log at the path, which nobody replaces. */
drx_status drxi_live_has_path(drxi_io *log);
