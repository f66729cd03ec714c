// SPDX-License-Identifier: Apache-2.0

extension DiagnosisProgram {
    /// The second argument chooses how it fails: the name of one of the functions marked `WAY`.
    static let source = """
        #include <epitaph.h>
        #include <fcntl.h>
        #include <immintrin.h>
        #include <pthread.h>
        #include <signal.h>
        #include <stdio.h>
        #include <stdint.h>
        #include <stdlib.h>
        #include <string.h>
        #include <linux/filter.h>
        #include <linux/seccomp.h>
        #include <stddef.h>
        #include <sys/mman.h>
        #include <sys/prctl.h>
        #include <sys/syscall.h>
        #include <sys/resource.h>
        #include <unistd.h>
        #define WAY __attribute__((noinline)) static void
        struct node { struct node *next; long value[4]; };
        struct node *volatile nothing; char *volatile place; volatile long number;
            volatile int one = 1;
        void (*volatile target)(void);
        WAY null_read(void) { number = nothing->value[2]; one++; }
        WAY null_element(void) { long i = number + 1000; number = ((volatile long *)nothing)[i];
            one++; }
        WAY null_negative(void) { number = ((volatile long *)nothing)[-one]; one++; }
        WAY read_only(void) {
            place = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            place[7] = 'x'; one++;
        }
        WAY write_code(void) { place = (char *)(uintptr_t)write_code; *place = 1; one++; }
        WAY no_access(void) {
            place = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            number = place[64]; one++;
        }
        WAY unmapped(void) { place = (char *)0x123400000000; number = place[8]; one++; }
        WAY past_end(void) {
            place = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            munmap(place + 4096, 4096); place[4096 + 16] = 1; one++;
        }
        WAY not_canonical(void) { place = (char *)0xdead0000beef0000; number = place[0x20]; one++; }
        WAY text_pointer(void) { memcpy((void *)&place, "overflow", 8); number = *place; one++; }
        WAY flipped(void) {
            static long here[8]; place = (char *)((uintptr_t)here ^ 1ull << 44); place[8] = 2;
            one++;
        }
        WAY misaligned(void) {
            static _Alignas(16) char room[64]; place = room + 1;
            _mm_store_ps((float *)place, _mm_setzero_ps()); one++;
        }
        WAY wild_jump(void) { target = (void (*)(void))0x123400000000; target(); one++; }
        WAY impossible_jump(void) { target = (void (*)(void))0xdead0000beef0000; target(); one++; }
        WAY null_jump(void) { target(); one++; }
        WAY run_data(void) { static char data[64]; target = (void (*)(void))(uintptr_t)data;
            target(); one++; }
        WAY privileged(void) { __asm__ volatile("hlt"); one++; }
        WAY unknown_opcode(void) { __asm__ volatile(".byte 0x06, 0x06, 0x06"); one++; }
        WAY trap(void) { __builtin_trap(); }
        WAY divide(void) { volatile int zero = 0; one = 7 / zero; }
        WAY divide_smallest(void) { volatile int low = (-2147483647 - 1), minus = -1;
            one = low / minus; }
        WAY divide_too_large(void) {
            __asm__ volatile("movl $5, %edx; xorl %eax, %eax; movl $2, %ecx; divl %ecx"); one++;
        }
        WAY cpu_time(void) {
            struct rlimit limit = {1, 5}; setrlimit(RLIMIT_CPU, &limit); for (;;) one++;
        }
        WAY file_size(void) {
            struct rlimit limit = {4096, RLIM_INFINITY}; setrlimit(RLIMIT_FSIZE, &limit);
            char path[] = "/tmp/diagnosis-XXXXXX"; int fd = mkstemp(path); unlink(path);
            static char room[8192];
            for (int i = 0; i < 3; i++) if (write(fd, room, sizeof room) < 0) _exit(9);
        }
        WAY past_file(void) {
            char path[] = "/tmp/diagnosis-XXXXXX"; int fd = mkstemp(path);
            if (ftruncate(fd, 10) != 0) _exit(9);
            place = mmap(NULL, 16384, PROT_READ, MAP_SHARED, fd, 0); unlink(path);
            number = place[4096 + 8]; one++;
        }
        WAY fortified(void) {
            extern void __chk_fail(void) __attribute__((noreturn)); __chk_fail();
        }
        WAY raise_trap(void) { raise(SIGTRAP); one++; }
        #define SMASHED __attribute__((noinline, no_stack_protector)) static void
        SMASHED smash(long value) {
            volatile long room[2]; __asm__ volatile("" :: "r"(room));
            for (int i = 0; i < 12 * one; i++) room[i] = value;
        }
        WAY smashed_return(void) { smash(0x414141414141); one++; }
        WAY smashed_return_impossible(void) { smash(0x4141414141414141); one++; }
        static struct sigaction earlier[65];
        static void hand_on(int signal) { sigaction(signal, &earlier[signal], NULL); }
        static void raise_again(int signal) { hand_on(signal); raise(signal); one++; }
        static void end_by_abort(int signal) { hand_on(signal); abort(); }
        static void queue_again(int signal, siginfo_t *info, void *context) {
            (void)context; hand_on(signal);
            syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), signal, info); one++;
        }
        static void fail_too(int signal) { hand_on(signal); place[0x30] = 1; one++; }
        WAY handle(int signal, void *handler, int flags) {
            struct sigaction action = {.sa_flags = flags};
            action.sa_handler = (void (*)(int))(uintptr_t)handler;
            sigaction(signal, &action, &earlier[signal]);
        }
        WAY raised_again(void) { handle(SIGSEGV, raise_again, SA_NODEFER); null_read(); }
        WAY raised_again_later(void) { handle(SIGSEGV, raise_again, 0); null_read(); }
        WAY raised_division(void) { handle(SIGFPE, raise_again, SA_NODEFER); divide(); }
        WAY aborted_in_handler(void) {
            handle(SIGSEGV, end_by_abort, SA_SIGINFO); null_read();
        }
        WAY queued_again(void) { handle(SIGSEGV, queue_again, SA_SIGINFO | SA_NODEFER);
            null_read(); }
        WAY failing_handler(void) {
            handle(SIGSEGV, fail_too, SA_SIGINFO | SA_NODEFER); null_read();
        }
        WAY failing_user_handler(void) {
            handle(SIGUSR1, fail_too, SA_SIGINFO); raise(SIGUSR1);
        }
        static void *fails(void *argument) { null_read(); return argument; }
        static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER,
            second = PTHREAD_MUTEX_INITIALIZER;
        static pthread_barrier_t both;
        static void *other_order(void *argument) {
            pthread_setname_np(pthread_self(), "other");
            pthread_mutex_lock(&second); pthread_barrier_wait(&both); pthread_mutex_lock(&first);
            return argument;
        }
        static void *waits_for_first(void *argument) { pthread_mutex_lock(&first);
            return argument; }
        static void *watches(void *argument) {
            usleep(300000); epitaph_live_dump(NULL, NULL); kill(getpid(), SIGKILL); return argument;
        }
        static void *joins(void *argument) { pthread_join(*(pthread_t *)argument, NULL);
            return argument; }
        WAY start(void *(*function)(void *), void *argument) {
            static pthread_t thread[8]; static int count;
            pthread_create(&thread[count++], NULL, function, argument);
        }
        WAY deadlock(void) {
            static pthread_t self; self = pthread_self();
            pthread_barrier_init(&both, NULL, 2); start(other_order, NULL);
            pthread_mutex_lock(&first); pthread_barrier_wait(&both);
            start(waits_for_first, NULL); start(joins, &self); start(watches, NULL);
            pthread_mutex_lock(&second); one++;
        }
        WAY in_thread(void) { start(fails, NULL); sleep(20); }
        WAY denied(void) {
            struct sock_filter filter[] = {
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 0, 1),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
            };
            struct sock_fprog program = {4, filter};
            prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
            getpgid(0); one++;
        }
        WAY large_array(void) {
            volatile char room[100 << 20]; room[one] = 1; number = room[one + 1]; one++;
        }
        static void *makes_room(void *argument) { large_array(); return argument; }
        WAY large_array_in_thread(void) { start(makes_room, NULL); sleep(20); }
        WAY in_port(void) { __asm__ volatile("in $0x60, %%al" ::: "rax"); one++; }
        WAY interrupt(void) { __asm__ volatile("int $0x42"); one++; }
        WAY checked_alignment(void) {
            static long room[2]; place = (char *)room + 1;
            __asm__ volatile("pushfq; orl $0x40000, (%%rsp); popfq; movl $1, (%0)" ::
                "r"(place) : "memory"); one++;
        }
        WAY system_call_page(void) { place = (char *)0xffffffffff600000; *place = 1; one++; }
        WAY system_call_jump(void) { target = (void (*)(void))0xffffffffff600010; target();
            one++; }
        WAY free_variable(void) {
            static long room[16]; free((char *)(void *)room + 8 * one); one++;
        }
        WAY realloc_middle(void) {
            char *block = malloc(100); memset(block, 1, 100); place = realloc(block + 8, 200);
            one++;
        }
        WAY raise_here(void) { raise(SIGTRAP); one++; }
        WAY free_local(void) { long room[4] = {0}; free((char *)room + 8 * one); one++; }
        WAY interrupts_off(void) { __asm__ volatile("cli"); one++; }
        WAY remainder_of_zero(void) { volatile long zero = 0; number = 7 % zero; one++; }
        WAY raise_fault(void) { raise(SIGSEGV); one++; }
        static int deeper(int level) { volatile char room[500]; room[one] = 1;
            return level + deeper(level + 1) + room[one]; }
        static void *recurses(void *argument) { one = deeper(0); return argument; }
        WAY recursion_in_thread(void) { start(recurses, NULL); sleep(20); }
        WAY call_trap(void) { syscall(SYS_tgkill, getpid(), gettid(), SIGTRAP); one++; }
        WAY queue_trap(void) {
            union sigval value = {0}; sigqueue(getpid(), SIGTRAP, value); one++;
        }
        WAY wait_forever(void) { puts("waiting"); fflush(stdout); for (;;) pause(); }
        static void tick(int signal) { (void)signal; place[0x30] = 1; one++; }
        WAY await_tick(void) { handle(SIGALRM, tick, 0); ualarm(1000, 0); }
        WAY interrupted_here(void) { await_tick(); for (;;) one++; }
        WAY interrupted_there(void) { await_tick(); for (;;) one--; }
        WAY raised_tick(void) { handle(SIGALRM, tick, 0); raise(SIGALRM); one++; }
        #define PAGE __attribute__((noinline, section(".text.page"), aligned(4096))) static
        static void lose(int how);
        static int (*volatile lost)(void *, size_t) = munmap;
        static int protect(void *page, size_t size) { return mprotect(page, size, PROT_NONE); }
        PAGE void lose(int how) { lost((void *)(uintptr_t)lose, 4096); one += how; }
        PAGE void behind_lost(void) { one++; }
        WAY unmapped_code(void) { lose(1); one++; behind_lost(); }
        WAY protected_code(void) { lost = protect; lose(2); one++; behind_lost(); }
        #define ENTRY(name) {#name, name}
        static const struct { const char *name; void (*function)(void); } ways[] = {
            ENTRY(null_read), ENTRY(null_element), ENTRY(null_negative), ENTRY(read_only),
            ENTRY(write_code), ENTRY(no_access), ENTRY(unmapped), ENTRY(past_end),
            ENTRY(not_canonical), ENTRY(text_pointer), ENTRY(flipped), ENTRY(misaligned),
            ENTRY(wild_jump), ENTRY(impossible_jump), ENTRY(null_jump), ENTRY(run_data),
            ENTRY(unmapped_code), ENTRY(protected_code),
            ENTRY(privileged), ENTRY(unknown_opcode), ENTRY(trap), ENTRY(divide),
            ENTRY(divide_smallest), ENTRY(divide_too_large), ENTRY(cpu_time), ENTRY(file_size),
            ENTRY(past_file), ENTRY(fortified), ENTRY(raise_trap), ENTRY(deadlock),
            ENTRY(wait_forever), ENTRY(denied), ENTRY(smashed_return),
            ENTRY(smashed_return_impossible), ENTRY(raised_again), ENTRY(raised_again_later),
            ENTRY(raised_division), ENTRY(aborted_in_handler), ENTRY(queued_again),
            ENTRY(interrupted_here), ENTRY(interrupted_there), ENTRY(raised_tick),
            ENTRY(failing_handler), ENTRY(failing_user_handler), ENTRY(in_thread),
            ENTRY(large_array), ENTRY(large_array_in_thread), ENTRY(in_port), ENTRY(interrupt),
            ENTRY(checked_alignment), ENTRY(system_call_page), ENTRY(system_call_jump),
            ENTRY(free_variable), ENTRY(realloc_middle), ENTRY(raise_here), ENTRY(free_local),
            ENTRY(interrupts_off), ENTRY(remainder_of_zero), ENTRY(raise_fault),
            ENTRY(recursion_in_thread),
            ENTRY(call_trap), ENTRY(queue_trap),
        };
        int main(int count, char **arguments) {
            if (count < 3) return 64;
            epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
            options.database_path = arguments[1]; options.bundle_id = "org.example.diagnosis";
            options.allows_debugger = 1;
            options.filters_allow_capture = 1;
            /* A handler of the program is to be first. */
            options.virtual_signal_actions = 0;
            if (epitaph_start(&options, NULL) != EPITAPH_OK) return 70;
            for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
                if (strcmp(ways[i].name, arguments[2]) == 0) ways[i].function();
            return 65;
        }

        """
}
