// SPDX-License-Identifier: Apache-2.0
//
// exit(3) and quick_exit(3) mark the armed file, so that the next launch can tell an end from a
// kill.

#include "internal.h"

#include <stdlib.h>
#include <unistd.h>

static int is_watching;

static void mark(void) {
    epitaph_dump_file *file = &epitaph_capture_settings_now.dump_file;
    // A forked child that exits is not the process whose end the file is about.
    if (is_watching && file->owner_pid == getpid()) epitaph_dump_file_mark_clean_exit(file);
}

void epitaph_exit_watch(int watches) {
    static int is_registered;
    is_watching = watches;
    if (!watches || is_registered) return;
    // Neither can be undone, so once is enough. Without memory for them an end is taken for a kill.
    is_registered = atexit(mark) == 0 && at_quick_exit(mark) == 0;
}
