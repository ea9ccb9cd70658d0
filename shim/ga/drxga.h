/* drxga.h - arrays of Global Arrays, to and from arrays of DRX.
 *
 * A program on Global Arrays writes and reads sections of its arrays ("GAs" here), to and from any array of drx.h and
 * drxmp.h: raw, compressed, striped, grown at both ends, in the memory of the job. Compile with mpicc and what
 * `pkg-config --cflags --libs drxga` prints, and link Global Arrays after it. docs/ga.md begins with an example.
 *
 * Conventions
 *   - The conventions of drx.h and drxmp.h hold: statuses, drx_last_error(), collective calls.
 *   - Indices and axes are those of Global Arrays in C: they count from 0, and the last axis is the fastest.
 *     As there, hi[] belongs to the section.
 *   - Messages name a GA by its handle and its name.
 *   - Types must be equal. C_INT is DRX_INT32, C_LONG and C_LONGLONG are DRX_INT64, C_FLOAT, C_DBL, C_SCPL and C_DCPL
 *     are DRX_FLOAT32, DRX_FLOAT64, DRX_COMPLEX64 and DRX_COMPLEX128 (where these C types have this many bytes). GAs of
 *     other types are refused (DRX_EUNSUPPORTED).
 *   - Any distribution works: regular, irregular, restricted to some processes, block-cyclic in all forms, with ghost
 *     cells, on a group of processes. Ghost cells are neither written nor read. Two kinds are refused
 *     (DRX_EUNSUPPORTED): mirrored GAs, of which each node has a copy of its own, and block-cyclic GAs on a group that
 *     lacks processes of the job, since Global Arrays 5 itself finds wrong elements in them.
 *
 * The section of a GA and the box of the array
 *   glo, ghi  the first and the last index of the section, along each axis of the GA. NULL: the whole GA
 *   lo        where the box begins in the array, along each axis of the array. NULL: drx_lower
 *   perm      [drx_ndim(a)]: axis j of the array is axis perm[j] of the GA, when writing and when reading. -1: the GA
 *             has no such axis, and the box has the extent 1 there. Each axis of the GA appears once; one where the
 *             section has the extent 1 may be missing. NULL: the last axis is the last one, the one before it the one
 *             before it, and so on, so that a section of two axes goes to one plane of an array of three
 *
 * Threads: as Global Arrays, one thread makes all calls.
 */
#ifndef DRXGA_H
#define DRXGA_H

#include <drxmp.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- arrays -------------------------------------------------------------------------- */

/* Make an array with the type and the shape of a GA and open it for writing, as drxmp_create does. Nothing is written.
 *
 *   comm  GA_MPI_Comm(), or a communicator of the GA's group of processes
 *   path  as for drxmp_create. NULL: in the memory of the job
 *   spec  NULL, or what drxmp_create takes: flags, fill, codec, and so on. type and shape are NULL or 0, ndim as well
 *         or that of the GA. Without chunk, each axis is cut into a power of two of equal parts, so that the parts of
 *         GAs tend to be whole chunks, which have at most 1 MiB; then align 0 becomes 4096 if chunks have 32 KiB or
 *         more
 *
 * Collective: equal path, equal spec, equal type and shape of the GA (checked).
 * Errors: as drxmp_create, and DRX_EINVAL (not a handle of a GA), DRX_EUNSUPPORTED (see above). */
DRX_API drx_status drxga_create(MPI_Comm comm, const char *path, int g_a, const drx_spec *spec, drxmp_array **out);

/* ---- sections ------------------------------------------------------------------------ */

/* Write a section of a GA to the array, or read it from there, by all processes together.
 *
 *   g_a  on the processes of the array, in any order
 *
 * Each process moves the part that it has, straight between its memory and the file, as drxmp_write_box_all and
 * drxmp_read_box_all do. The parts of a block-cyclic GA are small; there the processes deal out boxes of whole chunks
 * and move each through NGA_Get or NGA_Put and a buffer of 4 MiB, which each process allocates for the call.
 *
 * The calls begin and end with GA_Pgroup_sync of the GA's group: they see what NGA_Put and others did before, and what
 * they read is seen by all afterwards. After an error in a read the section may be partly read; after an error in a
 * write the box may be partly written.
 *
 * Collective: equal glo, ghi, lo and perm (checked).
 * Errors: as drxmp_write_box_all and drxmp_read_box_all, and DRX_EINVAL (not a handle of a GA, perm), DRX_ERANGE (the
 * section is outside the GA, the box outside the array; then nothing has moved), DRX_EMISMATCH (types, axes that
 * are left over, other processes), DRX_EUNSUPPORTED. */
DRX_API drx_status drxga_write_all(int g_a, const int64_t glo[], const int64_t ghi[], drxmp_array *a,
                                   const int64_t lo[], const int perm[]);
DRX_API drx_status drxga_read_all(int g_a, const int64_t glo[], const int64_t ghi[], drxmp_array *a, const int64_t lo[],
                                  const int perm[]);

/* The same by one process alone, through NGA_Get or NGA_Put and a buffer of at most 4 MiB, or one element.
 *
 *   g_a  on any group that the process belongs to
 *   a    drxmp_serial of an array that is open on any communicator, or a handle of drx_open
 *
 * As of NGA_Put, other processes see what drxga_read reads after a GA_Sync.
 *
 * Not collective.
 * Errors: as drx_write_box and drx_read_box, and as above. */
DRX_API drx_status drxga_write(int g_a, const int64_t glo[], const int64_t ghi[], drx_array *a, const int64_t lo[],
                               const int perm[]);
DRX_API drx_status drxga_read(int g_a, const int64_t glo[], const int64_t ghi[], drx_array *a, const int64_t lo[],
                              const int perm[]);

/* ---- the Distributed Array Protocol (dap.h) ---------------------------------------- */

/* Describe what a process has of a GA: 'b' for each axis of a regular or irregular one, 'c' for a block-cyclic one on a
 * grid of processes. A block-cyclic GA without a grid (GA_Set_block_cyclic) has a description when only one axis is
 * cut. Ghost cells are not in the description.
 *
 *   process  in the GA's group, from 0 on
 *   dims     room for an axis description for each axis of the GA
 *
 * The rank that the protocol means is that of proc_grid_rank in row-major order. It is the number of the process,
 * except in a restricted GA. Processes after those of the grid have nothing, and no description (DRX_ENOENT).
 *
 * Not collective.
 * Errors: DRX_EINVAL, DRX_ERANGE (no such process), DRX_ENOENT, DRX_EUNSUPPORTED (mirrored, or not a distribution of
 * the protocol). */
DRX_API drx_status drxga_dims(int g_a, int process, struct dap_dim dims[]);

/* Export what this process has of a GA, without copying. Strides step over ghost cells. drxmp_darray_from_dap makes a
 * darray of it, on a communicator of the processes of the grid: that reads, writes, redistributes and gets elements.
 *
 *   out  the memory stays Global Arrays'. Do not destroy the GA before out->release
 *
 * Not collective.
 * Errors: as drxga_dims, and DRX_ENOMEM, DRX_EUNSUPPORTED (also: the blocks do not lie as one section; a tiled GA). */
DRX_API drx_status drxga_dap(int g_a, struct dap_array *out);

#ifdef __cplusplus
}
#endif

#endif
