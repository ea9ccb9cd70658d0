/* The whole public interface, in scenes of a few calls. */
#ifndef SCENARIOS_H
#define SCENARIOS_H

#include "trial.h"

extern const struct scenario life, life_with_fill, life_striped;                         /* scenarios_life.c */
extern const struct scenario replacing, replacing_striped, persisting, shell, in_memory; /* scenarios_make.c */
extern const struct scenario reading, reading_mapped, reading_by_threads, reading_stripes, writing, writing_by_threads,
    single_elements, asynchronous; /* scenarios_elements.c */
extern const struct scenario renaming, renaming_to_folder, renaming_over, renaming_stripes, removing, removing_stripes,
    duplicating, duplicating_stripes, moving_over;                                         /* scenarios_names.c */
extern const struct scenario copying, copying_over, copying_to_stripes, copying_to_memory; /* scenarios_copy.c */
extern const struct scenario refreshing, refreshing_replaced, recovering, recovering_stripes, checking,
    checking_stripes;                                                                      /* scenarios_open.c */
extern const struct scenario sharing, sharing_with_others, compacting, compacting_stripes; /* scenarios_shared.c */

#endif
