/* files.c: what the tables say of whole files. */
#ifndef BRIDGE_FILES_H
#define BRIDGE_FILES_H

#include "bridge.h"

int bridge_create_file(const char *path, int mode, size_t bytes, int basepe, size_t *hint, void *parameters,
                       const NC_Dispatch *table, int ncid);
int bridge_open_file(const char *path, int mode, int basepe, size_t *hint, void *parameters, const NC_Dispatch *table,
                     int ncid);
int bridge_close_file(int ncid, void *unused);
int bridge_abort_file(int ncid);
int bridge_sync_file(int ncid);
int bridge_inq_format(int ncid, int *format);

#endif
