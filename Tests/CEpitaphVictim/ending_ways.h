// SPDX-License-Identifier: Apache-2.0
//
// Settings of ends without a crash:
//   marks          deaths by SIGTERM, SIGHUP, SIGINT, SIGPIPE, SIGALRM, SIGUSR1 and SIGUSR2 are
//                  marked
//   checks-state   the last exit handler says whether signal mask and stack are as before
//   crumb-file     there is a breadcrumb file
//   ignores-term   SIGTERM is ignored before Epitaph starts
//   last-run       how the last run ended is printed before Epitaph starts

#ifndef ENDING_WAYS_H
#define ENDING_WAYS_H

#include <epitaph.h>

void ending_settings_before_start(int count, char **settings, epitaph_options *options);

#endif
