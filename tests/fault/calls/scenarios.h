/* The whole public interface, in scenes of a few calls. */
#ifndef SCENARIOS_H
#define SCENARIOS_H

#include "trial.h"

/* Each ends with one that has no name, and is at the end of the file that it is called after. */
extern const struct scenario scenarios_life[], scenarios_make[], scenarios_elements[], scenarios_names[],
    scenarios_copy[], scenarios_open[], scenarios_shared[], scenarios_ends[];

#endif
