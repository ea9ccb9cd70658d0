/* Calls of sockets that fail, in libdrxmp as the driver links it (-Wl,--wrap); MPI's own calls are not touched. */
#ifndef SOCKET_FAULTS_H
#define SOCKET_FAULTS_H

#include <stdbool.h>

/* From now on the n-th call fails once. `ends`: a send or receive moves half of its bytes first, and then the
 * connection is gone. With n 0 no call fails. */
void socket_fault_arm(long n, bool ends);
bool socket_fault_fired(void);

/* Each send and receive moves a few bytes at most, and every other one is interrupted first, as are connect and
 * accept. */
void socket_disturb(bool on);

#endif
