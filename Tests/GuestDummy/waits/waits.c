// SPDX-License-Identifier: Apache-2.0
//
// waits DATABASE WAY [ARGUMENT]: a program in which something waits, or is not as a crash handler
// likes it, when it crashes or is dumped alive. Scripts/lib/compare_endings/waits.py says what is
// expected.

#include "ways.h"

#include <stdio.h>
#include <string.h>

int main(int count, char **arguments) {
    static const way *const all[] = {filter_ways, handler_ways, live_ways, memory_ways,
                                     place_ways,  thread_ways,  timer_ways};
    for (size_t i = 0; count > 2 && i < sizeof all / sizeof *all; i++) {
        for (const way *each = all[i]; each->name != NULL; each++) {
            if (strcmp(arguments[2], each->name) != 0) continue;
            each->function(arguments[1], count > 3 ? arguments[3] : "");
            return 0;
        }
    }
    fprintf(stderr, "usage: waits DATABASE WAY [ARGUMENT]\n");
    return 64;
}
