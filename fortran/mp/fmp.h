/* fmp.h - what the C files under the module drxmp have in common. */
#ifndef FMP_H
#define FMP_H

#include "../drxf.h"
#include "drxmp_dataset.h"

/* The communicator that a program gives: an integer, or a type(MPI_Comm), which has this integer. */
drx_status drxfi_comm(const CFI_cdesc_t *given, MPI_Comm *out);
/* The array that many processes have open. */
drx_status drxfi_mp_array(int64_t id, drxmp_array **out);

#endif
