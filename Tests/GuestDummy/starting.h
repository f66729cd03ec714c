// SPDX-License-Identifier: Apache-2.0

#ifndef STARTING_H
#define STARTING_H

/// Starts Epitaph, or ends the program with status 70.
void start_epitaph(const char *database);

/// Without virtual signal actions.
void start_displaceable_epitaph(const char *database);

#endif
