#ifndef FILE_FAULTS_H
#define FILE_FAULTS_H

#include <stdbool.h>

/* Make the nth call of the tables (drxi_files, and the files opened through it) fail with the errno `error`, and, if
 * `persistent`, all calls after it. With nth 0 no call fails. With error 0 SIGKILL ends the process before the call. */
void drxi_fault_arm(long nth, int error, bool persistent);
bool drxi_fault_fired(void);

#endif
