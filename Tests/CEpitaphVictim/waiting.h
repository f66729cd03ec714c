// SPDX-License-Identifier: Apache-2.0
//
// Threads that wait in system calls again and again, until all are to end, and count how often that
// was interrupted.

#ifndef WAITING_H
#define WAITING_H

int waiting_is_over(void);
void waiting_end(void);

/// Counts a result that says EINTR.
void waiting_note(long result);
int waiting_interruptions(void);

// Bodies of threads.
void *wait_in_poll(void *argument);
void *wait_in_nanosleep(void *argument);
void *wait_in_epoll(void *argument);
void *wait_in_recv(void *argument);

#endif
