// SPDX-License-Identifier: Apache-2.0
//
// The ways to send oneself a signal.

#include "random/random.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

void send(int signal) {
    unsigned way = chance(signal == SIGABRT ? 9 : 7);
    say("send %s %u\n", signal_name(signal), way);
    switch (way) {
    case 0: raise(signal); break;
    case 1: kill(getpid(), signal); break;
    case 2: pthread_kill(pthread_self(), signal); break;
    case 3: sigqueue(getpid(), signal, (union sigval){.sival_int = 7}); break;
    case 4: syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal); break;
    case 5: be_sent(signal, false); break;
    case 6: be_sent(signal, true); break;
    default: abort();
    }
}
