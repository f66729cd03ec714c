// SPDX-License-Identifier: Apache-2.0

#ifndef SEAL_H
#define SEAL_H

/// From here on the process, with all its threads, may make the calls of a crash and no others.
void seal(void);

#endif
