// SPDX-License-Identifier: Apache-2.0
//
// main WAY: dies in the way of that name.

#include "ways.h"

#include <stdio.h>
#include <string.h>

int *volatile nowhere;
volatile int zero;

KEEP void touch(int value) {
    *nowhere = value;
    zero++;
}

static KEEP int go(const struct way *way, const char *name) {
    for (; way->name != NULL; way++) {
        if (strcmp(way->name, name) == 0) way->go();
    }
    return zero;
}

int main(int count, char **arguments) {
    if (count < 2) return 2;
    const struct way *tables[] = {call_ways, signal_ways, stack_ways, jump_ways};
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += go(tables[i], arguments[1]);
    fprintf(stderr, "%s: no such way\n", arguments[1]);
    return sum + 2;
}
