// SPDX-License-Identifier: Apache-2.0

/// Small programs that crash in a way of one's choice, compiled on the spot.
package enum CrashingProgram {
    /// The first argument chooses: recursion, abort, qsort, signal, call, inlining or vdso.
    package static let source = """
        #include <signal.h>
        #include <stdlib.h>
        #include <time.h>
        #define KEEP __attribute__((noinline))
        volatile int zero; int *volatile nowhere; void (*volatile nobody)(void);
        static KEEP void touch(int value) { *nowhere = value; zero++; }
        static KEEP int recursion(int depth) {
            char room[64]; room[depth] = (char)depth;
            if (depth == 0) touch(1); else zero += recursion(depth - 1);
            return room[zero];
        }
        static KEEP int compare(const void *a, const void *b) {
            touch(2); return *(const int *)a - *(const int *)b;
        }
        static KEEP void sort_them(void) {
            int values[3] = {3, 1, 2}; qsort(values, 3, sizeof values[0], compare); zero++;
        }
        static KEEP void on_signal(int number) { sort_them(); zero = number; }
        static KEEP void raise_it(void) { signal(SIGUSR1, on_signal); raise(SIGUSR1); zero++; }
        static KEEP void call_nobody(void) { nobody(); zero++; }
        static KEEP void give_up(void) { abort(); }
        static inline __attribute__((always_inline)) void inner(int value) { *nowhere = value; }
        static inline __attribute__((always_inline)) void middle(int value) { inner(value + 1); }
        KEEP void inlining(int value) { middle(value); zero++; }
        int main(int count, char **arguments) {
            char choice = count > 1 ? arguments[1][0] : 'r';
            if (choice == 'r') recursion(4);
            if (choice == 'a') give_up();
            if (choice == 'q') sort_them();
            if (choice == 's') raise_it();
            if (choice == 'c') call_nobody();
            if (choice == 'i') inlining(count);
            if (choice == 'v') clock_gettime(CLOCK_REALTIME, (struct timespec *)8);
            return zero;
        }

        """

    /// Compiles `source` with a build id; returns the program's path.
    package static func compile(
        _ options: [String], in directory: TemporaryDirectory, source: String = source,
        compiler: String = "clang"
    ) throws -> String {
        try directory.write(Array(source.utf8), to: "crash.c")
        let program = directory.path("crash")
        let compiler = try Subprocess.run(
            [compiler, "-Wl,--build-id", "-o", program, directory.path("crash.c")] + options)
        guard compiler.ending == .exited(0) else {
            throw CompilerFailed(output: compiler.standardError)
        }
        return program
    }

    package struct CompilerFailed: Error {
        package let output: String

        package init(output: String) {
            self.output = output
        }
    }
}
