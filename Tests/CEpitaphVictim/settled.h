// SPDX-License-Identifier: Apache-2.0

#ifndef SETTLED_H
#define SETTLED_H

/// Waits until all threads but this one sleep, ten seconds at most.
void wait_until_settled(void);

#endif
