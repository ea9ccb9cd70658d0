/* Connections made before they are needed: a request that will be followed by many lets them be made beside its own, so
 * that those that follow need not wait for a handshake each. Only the thread of the engine calls these, and a
 * forked child, which has none yet. */
#ifndef DRXI_SPARES_H
#define DRXI_SPARES_H

#include "remote/wire/ask.h"

/* Callbacks of libcurl, with the ask: a socket for a connection, one that is connected if there is such a one. */
curl_socket_t drxi_spares_open(void *ask, curlsocktype purpose, struct curl_sockaddr *address);
int drxi_spares_set_up(void *ask, curl_socket_t fd, curlsocktype purpose);

/* Close those that nobody has used in time; the milliseconds until there is more to close, `most` at most. */
int drxi_spares_sweep(double now, int most);
void drxi_spares_end(void);

#endif
