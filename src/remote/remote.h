/* Files on servers, for reading: http://, https:// and s3://.
 *
 *   anywhere.c    the table of names: files of the system, or files on servers
 *   wire/         requests
 *     address.c     where a file lies, and how requests are signed
 *     version.c     states of a file, as a server tells them apart
 *     curl_table.c  the functions of libcurl, loaded when they are first needed
 *     engine.c      the thread that carries requests
 *     ask.c         one request
 *     spares.c      connections made before they are needed
 *   blocks.c      what was read last
 *   guesses.c     what will probably be read next
 *   web_state.c   the state of a file that is read
 *   web_read.c    reads of a file
 *   web_file.c    the other calls of a file
 *   opening.c     opening files, many at a time
 *   look.c        what there is under a path
 *
 * What a reader may believe: docs/remote.md. The rule in short:
 *   1. A file is pinned to the state (ETag, or else Last-Modified and length) in which it was first met. Each request
 *      names that state, and each answer is compared with it. So one read never mixes two states of a file unknowingly.
 *   2. Growth changes no element inside the bounds that a handle shows. When a file of data has another state, its judge
 *      reads the log again, from the server. If the log still holds what the handle knows, and records growth that the
 *      file was not yet seen with, the file is pinned to its new state, and the read goes on.
 *   3. Otherwise elements were overwritten, or the files were replaced: DRX_EMISMATCH. A refresh pins the files anew.
 *   4. A file that was changed a moment ago may be changed again without another ETag, since some servers count seconds.
 *      Nothing of it is kept, and the log is compared after each read, until it has settled.
 *   5. After the first read of a handle, the log is compared once: what was read belongs to the log that was read before
 *      it (array/watch/judge.c). */
#ifndef DRXI_REMOTE_H
#define DRXI_REMOTE_H

#include "io/io.h"
#include "remote/wire/address.h"
#include "remote/wire/ask.h"

/* Begin to open a file, which drxi_files->open will soon be asked for. Failures are left to that. `fresh`: what was
 * asked for earlier does not serve. When a connection must be made, so many more are made beside it, for what will
 * follow. Does nothing for other paths. */
enum { DRXI_FEW_CONNECTIONS = 6, DRXI_MANY_CONNECTIONS = DRXI_MOST_SPARES };
void drxi_remote_expect(const char *path, bool fresh, int connections);

/* Expect none of those any more whose path begins so. */
void drxi_remote_unexpect(const char *path);

/* The calls below do nothing for files of the system, nor for sets of files. */

/* Decides whether a file that has another state may be read on; otherwise sets the detail. *as_of is the file's: zero
 * at first and after drxi_remote_repin; the judge notes there how much of the log it has taken into account. Many
 * threads may ask at once. */
typedef drx_status drxi_remote_judge(void *of, const drxi_io *io, int64_t *as_of);
void drxi_remote_set_judge(drxi_io *io, drxi_remote_judge *judge, void *of);

/* Ask the server for the present state of a file, and pin it to that. ops->named is false from then on when the file is
 * gone or has become shorter. */
drx_status drxi_remote_renew(drxi_io *io);
/* The same in two steps, for a file on a server: ask, and go on when there is an answer. An inquiry is to be answered
 * or forgotten, both of which wait for it, before the file is closed. */
struct drxi_inquiry;
drx_status drxi_remote_inquire(drxi_io *io, struct drxi_inquiry **out);
drx_status drxi_remote_renew_by(drxi_io *io, struct drxi_inquiry *inquiry);
void drxi_remote_forget(struct drxi_inquiry *inquiry);
/* Forget what was read of a file, so that it is asked for again, in the state to which the file is pinned. */
void drxi_remote_drop(drxi_io *io);
/* Where a path goes on behind the nearest folder above that has a dataset.xds, as far as the path tells; 0: behind the
 * working folder; -1: there is none. Errors of a server. */
DRXI_SHARED drx_status drxi_look_above(const char *path, int64_t *at);
DRXI_SHARED char *drxi_folder_above(const char *path, int64_t at); /* to be freed; NULL: no memory */

/* Whether the file was found to have another state, and has no judge. */
bool drxi_remote_changed(const drxi_io *io);

/* Whether the file was changed a moment before it was pinned: the server may not be able to tell that it is changed
 * again. */
bool drxi_remote_fresh(const drxi_io *io);

/* Whether the file is pinned to a state that no later one is mistaken for. */
bool drxi_remote_firm(const drxi_io *io);

/* Begin to fetch bytes that will probably be read next; `sparing`: leave half of the room to others. Returns how many
 * are asked for now, 0 when they are there or on their way; -1: there is no room, or the file may change without a
 * sign. The read that takes them, or drxi_remote_unguess, or the end of the file frees their memory. */
int64_t drxi_remote_guess(drxi_io *io, int64_t offset, int64_t n, bool sparing);
void drxi_remote_unguess(drxi_io *io);

/* Pin n files on servers (io->remote, and no sets) to their present states, at once. */
drx_status drxi_remote_repin(drxi_io *const io[], int n);

/* ---- of this room ---- */

drx_status drxi_remote_open(const char *url, enum drxi_how how, drxi_io **out);
void drxi_remote_keep(drxi_io *io); /* close it, unless it is opened again soon */

#endif
