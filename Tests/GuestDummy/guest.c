// SPDX-License-Identifier: Apache-2.0
//
// guest DATABASE WAY EVENT JAIL: starts Epitaph, does what daemons do (hiding.h), opens files of
// its own in the working directory's "files", lets something happen (events.h), and goes on with
// them where it lives on. Linked with absent.c it is the same program without Epitaph.

#include "events.h"
#include "files.h"
#include "hiding.h"
#include "starting.h"

#include <stdio.h>
#include <string.h>

int main(int count, char **arguments) {
    if (count != 5) {
        fprintf(stderr, "usage: guest DATABASE WAY EVENT JAIL\n");
        return 64;
    }
    const char *event = arguments[3];
    files_note_numbers_before_start();
    prepare_event(event);
    start_epitaph(arguments[1]);
    files_note_numbers_of_guest();
    if (!hide(arguments[2], arguments[4])) return 64;
    return happen(event) ? 0 : 64;
}
