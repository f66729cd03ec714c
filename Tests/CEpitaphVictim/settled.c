// SPDX-License-Identifier: Apache-2.0

#include "settled.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

/// Whether thread `tid` sleeps: the third field of its stat, proc(5).
static int is_asleep(const char *tid) {
    char path[300];
    char state = 0;
    snprintf(path, sizeof path, "/proc/self/task/%s/stat", tid);
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    int got = fscanf(file, "%*d (%*[^)]) %c", &state);
    fclose(file);
    return got == 1 && state == 'S';
}

void wait_until_settled(void) {
    for (int attempt = 0; attempt < 10000; attempt++) {
        int awake = 0;
        DIR *tasks = opendir("/proc/self/task");
        for (struct dirent *task; tasks != NULL && (task = readdir(tasks)) != NULL;) {
            if (task->d_name[0] != '.' && !is_asleep(task->d_name)) awake++;
        }
        if (tasks != NULL) closedir(tasks);
        if (awake <= 1) return;
        usleep(1000);
    }
}
