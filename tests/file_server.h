/* A server of files over HTTP, in threads of the test's process: ranges and conditions, as DRX asks for them. */
#ifndef FILE_SERVER_H
#define FILE_SERVER_H

#include "testing.h"

/* Serve the file `root` + PATH as URL + PATH from now on, on a free port of the loopback; returns the URL, without a
 * slash at its end. States of a file differ by its bytes, since the system's clock for files ticks slowly, or by its
 * length alone. */
const char *file_server_start(const char *root, bool states_by_bytes);

/* One request in this many meets trouble: its connection ends, the server is busy, or the answer is cut short. 0:
 * none. */
void file_server_trouble(int one_in);

/* No more connections; those that are open have a second to end. */
void file_server_end(void);

#endif
