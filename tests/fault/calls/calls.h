/* Makes system calls, allocations and threads fail: the n-th call of some kinds from now on. Programs are linked
 * with --wrap for each of them (tests/CMakeLists.txt). Calls that make files durable do nothing, which is fast. */
#ifndef CALLS_H
#define CALLS_H

#include <stdbool.h>

enum {
    CALL_READ = 1 << 0,
    CALL_WRITE = 1 << 1,
    CALL_SYNC = 1 << 2,
    CALL_RESIZE = 1 << 3,
    CALL_RESERVE = 1 << 4,
    CALL_OPEN = 1 << 5,
    CALL_STAT = 1 << 6,
    CALL_CLOSE = 1 << 7,
    CALL_LOCK = 1 << 8,
    CALL_FOLDER_LOCK = 1 << 9,
    CALL_NAME = 1 << 10,
    CALL_REMOVE = 1 << 11,
    CALL_LIST = 1 << 12,
    CALL_EXTENT = 1 << 13, /* what of a file is stored */
    CALL_MAP = 1 << 14,
    CALL_HINT = 1 << 15,
    CALL_SLEEP = 1 << 16,
    CALL_THREAD = 1 << 17,
    CALL_MEMORY = 1 << 18,
    CALL_NEW_RENAME = 1 << 19, /* what not every file system has: renameat2, */
    CALL_NAMELESS = 1 << 20,   /* and files without a name */
    CALL_FAREWELL = 1 << 21,   /* the word that says that another log has the name for good */
    CALL_KINDS = 22,
    CALL_ALL = (1 << CALL_KINDS) - 1
};

/* What the call does instead: fails; moves one byte, or an odd number of about half of them, or half of them in words
 * of eight, and the next one fails; maps what cannot be read. */
enum calls_how { CALLS_FAIL, CALLS_MOVE_ONE, CALLS_MOVE_HALF, CALLS_MOVE_AND_FAIL, CALLS_MAP_NOTHING };

struct calls_plan {
    unsigned kinds;
    int error; /* an errno */
    enum calls_how how;
    long nth, times; /* the first one, and how many */
    long gap;        /* calls between two of them that pass */
};

void calls_arm(const struct calls_plan *plan);
void calls_disarm(void);

/* The kinds of the calls that were struck, 0: none; and the first one's name. */
unsigned calls_struck(void);
const char *calls_struck_name(void);

/* Calls that this kind has had, armed or not. */
long calls_made(unsigned kind);

#endif
