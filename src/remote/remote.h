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
 *   prefetch.c     what will probably be read next
 *   web_state.c   the state of a file that is read
 *   web_read.c    reads of a file
 *   web_file.c    the other calls of a file
 *   opening.c     opening files, many at a time
 *   look.c        what there is under a path
 *
 * What a reader may believe: docs/remote.md. The rule in short:
 *   1. A file is pinned to the state (ETag, or else Last-Modified and length) in which it was first met. Each request
 *      names that state, and each answer is compared with it. So one read never mixes two states of a file unknowingly.
 *   2. Growth changes no element inside the bounds that a handle shows. When a file of data has another state, its
 *      judge reads the log again, from the server. If the log still holds what the handle knows, and records growth
 *      that the file was not yet seen with, the file is pinned to its new state, and the read goes on.
 *   3. Otherwise elements were overwritten, or the files were replaced: DRX_EMISMATCH. A refresh pins the files again.
 *   4. A file that was changed a moment ago may be changed again without another ETag, since some servers count
 *      seconds. Nothing of it is kept, and the log is compared after each read, until it has settled.
 *   5. After the first read of a handle, the log is compared once: what was read belongs to the log that was read
 *      before it (array/watch/judge.c). */
#pragma once

#include "remote/wire/wire.h"

/* Where a path goes on behind the nearest folder above that has a dataset.xds, as far as the path tells; 0: behind the
 * working folder; -1: there is none. Errors of a server. */
DRXI_SHARED drx_status drxi_look_above(const char *path, int64_t *at);
DRXI_SHARED char *drxi_folder_above(const char *path, int64_t at); /* to be freed; NULL: no memory */

/* ---- of this room: calls of struct drxi_files and struct drxi_state_ops ---- */

drx_status drxi_remote_open(const char *url, enum drxi_how how, drxi_io **out);
bool drxi_remote_expect(const char *path, const char *suffix, bool fresh, int connections);
void drxi_remote_unexpect(const char *path);
extern const struct drxi_state_ops drxi_remote_states;
void drxi_remote_keep(drxi_io *io); /* close it, unless it is opened again soon */
