// SPDX-License-Identifier: Apache-2.0
//
// sampled HOW: uses an allocator in every way that has to be the same when allocations are sampled,
// or wrongly. Says "as it should be" at the end.

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 64, ROUNDS = 20000, THREADS = 8, MANY_THREADS = 1000 };

/// Where memory is scarce, glibc's functions that succeed may have tried something that failed.
static int keeps_errno = 1;

static void fail(const char *why) {
    printf("wrong: %s\n", why);
    fflush(stdout);
    _exit(1);
}

static void expect(int holds, const char *why) {
    if (!holds) fail(why);
}

typedef struct block {
    unsigned char *bytes;
    size_t size;
} block;

static void fill(block *block, unsigned char value) {
    memset(block->bytes, value, block->size);
}

static void check(const block *block, unsigned char value) {
    for (size_t i = 0; i < block->size; i += block->size / 8 + 1)
        expect(block->bytes[i] == value, "a block's contents changed");
}

static unsigned next_random(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void *allocate(unsigned how, size_t size) {
    void *made = NULL;
    switch (how % 6) {
    case 0:
        made = calloc(size, 1);
        for (size_t i = 0; i < size; i++)
            expect(((char *)made)[i] == 0, "calloc's memory is not zero");
        return made;
    case 1:
        expect(posix_memalign(&made, 64, size) == 0 && (uintptr_t)made % 64 == 0, "posix_memalign");
        return made;
    case 2:
        made = memalign(256, size);
        expect((uintptr_t)made % 256 == 0, "memalign");
        return made;
    case 3:
        made = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
        expect((uintptr_t)made % 4096 == 0, "aligned_alloc");
        return made;
    default: return malloc(size);
    }
}

static void *work(void *number) {
    unsigned state = (unsigned)(uintptr_t)number;
    block blocks[BLOCKS] = {{NULL, 0}};
    for (int i = 0; i < ROUNDS; i++) {
        unsigned which = next_random(&state) % BLOCKS, how = next_random(&state);
        size_t size = 1 + next_random(&state) % (how % 5 == 0 ? 40000 : 300);
        block *block = &blocks[which];
        if (block->bytes != NULL) check(block, (unsigned char)which);
        errno = 77;
        if (how % 4 == 0 && block->bytes != NULL) {
            block->bytes = realloc(block->bytes, size);
        } else {
            free(block->bytes);
            block->bytes = allocate(how, size);
        }
        expect(errno == 77 || !keeps_errno, "errno changed");
        expect(block->bytes != NULL && (uintptr_t)block->bytes % 16 == 0, "alignment");
        expect(malloc_usable_size(block->bytes) >= size, "malloc_usable_size");
        block->size = size;
        fill(block, (unsigned char)which);
    }
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i].bytes);
    return NULL;
}

static void run_threads(int count, void *(*run)(void *)) {
    pthread_t threads[MANY_THREADS];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 << 10);
    for (int i = 0; i < count; i++)
        expect(pthread_create(&threads[i], &attributes, run, (void *)(intptr_t)(i + 1)) == 0,
               "thread");
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static void *work_little(void *number) {
    for (int i = 0; i < 20; i++) {
        char *made = malloc(100 + (size_t)i);
        memset(made, (int)(intptr_t)number, 100);
        free(made);
    }
    return NULL;
}

static void wait_for(pid_t child) {
    int status = -1;
    expect(waitpid(child, &status, 0) == child && status == 0, "a child failed");
}

static void *fork_often(void *number) {
    char *kept = malloc(64);
    memset(kept, 9, 64);
    for (int i = 0; i < 50; i++) {
        pid_t child = fork();
        if (child == 0) {
            expect(kept[63] == 9, "a block of the parent");
            work_little(number);
            free(kept);
            _exit(0);
        }
        wait_for(child);
    }
    free(kept);
    return NULL;
}

static void execute_often(void) {
    for (int i = 0; i < 200; i++) {
        char *kept = malloc(64);
        memset(kept, 9, 64);
        pid_t child = vfork();
        if (child == 0) {
            execl("/bin/true", "true", (char *)NULL);
            _exit(1);
        }
        wait_for(child);
        expect(kept[63] == 9, "a block of the parent");
        free(kept);
    }
}

/// Calls that the sampler makes kill from now on.
static void refuse_calls(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof code / sizeof *code, code};
    expect(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no new privileges");
    expect(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0, "a filter");
}

static void filtered(void) {
    char *early = malloc(100);
    char *large = malloc(9000);
    refuse_calls();
    for (int i = 0; i < 100; i++)
        work_little(NULL);
    free(early);
    free(realloc(large, 20));
}

static void *churn(void *number) {
    for (int i = 0; i < 20000; i++)
        work_little(number);
    return NULL;
}

static volatile sig_atomic_t handled;

static void handle(int signal) {
    char *made = malloc(200);
    free(made);
    handled++;
    (void)signal;
}

/// malloc(3) is not for signal handlers, because it may hold its lock. A block of the sampler takes
/// none: with every allocation sampled, a handler may come at any moment.
static void signals(void) {
    struct itimerval often = {{0, 200}, {0, 200}};
    signal(SIGALRM, handle);
    setitimer(ITIMER_REAL, &often, NULL);
    while (handled < 2000)
        work_little(NULL);
    signal(SIGALRM, SIG_IGN);
}

static void sizes(void) {
    volatile size_t huge = PTRDIFF_MAX;
    char *none = malloc(0);
    expect(none != NULL, "malloc(0)");
    free(none);
    expect(malloc(huge) == NULL && errno == ENOMEM, "a huge size");
    expect(calloc(huge, 3) == NULL, "a product that overflows");
    expect(reallocarray(NULL, huge, 3) == NULL, "reallocarray");
    void *made = (void *)1;
    expect(posix_memalign(&made, 3, 8) == EINVAL, "a wrong alignment");
    for (size_t alignment = 16; alignment <= 1 << 20; alignment *= 2) {
        expect(posix_memalign(&made, alignment, 10) == 0 && (uintptr_t)made % alignment == 0,
               "alignment");
        free(made);
    }
    char *grown = malloc(10);
    strcpy(grown, "012345678");
    for (size_t size = 10; size < 100000; size += size / 2)
        grown = realloc(grown, size);
    expect(strcmp(grown, "012345678") == 0, "realloc's contents");
    free(grown);
    char *valloced = valloc(5);
    expect((uintptr_t)valloced % 4096 == 0, "valloc");
    free(valloced);
    free(NULL);
    expect(malloc_usable_size(NULL) == 0, "the size of nothing");
}

static char *make(size_t size) {
    char *made = malloc(size);
    memset(made, 1, size);
    return made;
}

static void drop(char *block) {
    free(block);
}

static void beside(size_t place) {
    for (int i = 0; i < 20; i++) {
        char *made = make(40);
        made[place] = 7;
        drop(made);
    }
}

/// More blocks a second than may be sampled.
static void *hurry(void *number) {
    for (int i = 0; i < 4000000; i++)
        drop(make(16 + (size_t)(i & 127)));
    return number;
}

static void hurry_and_use_freed(void) {
    run_threads(THREADS, hurry);
    for (;;) {
        char *block = make(64);
        // Only a sampled block's usable size is what was asked for.
        int is_sampled = malloc_usable_size(block) == 64;
        drop(block);
        if (is_sampled) block[16] = 1;
    }
}

static int mappings(void) {
    FILE *maps = fopen("/proc/self/maps", "r");
    int lines = 0;
    for (int byte; (byte = getc(maps)) != EOF;)
        lines += byte == '\n';
    fclose(maps);
    return lines;
}

/// Of some thousand blocks none is left.
static void leave_nothing(void) {
    int before = mappings();
    for (int i = 0; i < ROUNDS; i++)
        drop(make(16 + (size_t)(i & 127)));
    expect(mappings() < before + 32, "mappings of blocks that were freed");
}

static void *make_and_end(void *place) {
    pthread_setname_np(pthread_self(), "maker");
    *(char **)place = make(64);
    return NULL;
}

static void use_what_another_made(void) {
    pthread_t thread;
    char *block;
    pthread_create(&thread, NULL, make_and_end, &block);
    pthread_join(thread, NULL);
    drop(block);
    block[16] = 1;
}

static void count_and_die(void) {
    for (int i = 0; i < 1000000; i++)
        free(malloc(32));
    abort();
}

int main(int count, char **arguments) {
    const char *how = count > 1 ? arguments[1] : "";
    struct rlimit small = {64 << 20, 64 << 20};
    volatile char *block = NULL;
    if (strcmp(how, "threads") == 0) run_threads(THREADS, work);
    if (strcmp(how, "many-threads") == 0) run_threads(MANY_THREADS, work_little);
    if (strcmp(how, "forks") == 0) {
        pthread_t busy;
        pthread_create(&busy, NULL, churn, NULL);
        run_threads(4, fork_often);
        pthread_join(busy, NULL);
    }
    if (strcmp(how, "executions") == 0) execute_often();
    if (strcmp(how, "filtered") == 0) filtered();
    if (strcmp(how, "signals") == 0) signals();
    if (strcmp(how, "sizes") == 0) sizes();
    if (strcmp(how, "freed-of-another") == 0) use_what_another_made();
    if (strcmp(how, "freed-all") == 0) leave_nothing();
    if (strcmp(how, "count") == 0) count_and_die();
    if (strcmp(how, "hurried") == 0) run_threads(THREADS, hurry);
    if (strcmp(how, "hurried-freed") == 0) hurry_and_use_freed();
    if (strcmp(how, "limited") == 0) {
        keeps_errno = 0;
        setrlimit(RLIMIT_AS, &small);
        run_threads(4, work);
    }
    if (strcmp(how, "locked") == 0) {
        keeps_errno = 0;
        mlockall(MCL_CURRENT | MCL_FUTURE);
        run_threads(4, work);
    }
    if (strcmp(how, "freed") == 0) {
        block = make(64);
        drop((char *)block);
        block[16] = 1;
    }
    if (strcmp(how, "called") == 0) {
        block = make(64);
        drop((char *)block);
        ((void (*)(void))(uintptr_t)(block + 16))();
    }
    if (strcmp(how, "twice") == 0) {
        block = make(64);
        drop((char *)block);
        drop((char *)block);
    }
    if (strcmp(how, "inside") == 0) drop(make(64) + 16);
    if (strcmp(how, "beside") == 0) beside(41);
    puts("as it should be");
    return 0;
}
