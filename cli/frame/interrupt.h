/* SIGINT, SIGTERM and SIGHUP noted instead of obeyed, where there is something
 * to tidy up first. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include <stdbool.h>

void watch_interrupts(void);   /* from now on */
bool interrupted(void);        /* ask between steps; then tidy up and return */
void die_if_interrupted(void); /* by that signal, as whoever sent it expects */

#endif
