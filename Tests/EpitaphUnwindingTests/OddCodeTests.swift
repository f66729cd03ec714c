// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import Testing

/// Code whose table says too little, or which is not there any more.
struct OddCodeTests {
    private typealias Crash = CorroborationTests.Crash

    private func frames(_ source: String) throws -> [(function: String?, foundBy: String)] {
        let crash = try Crash(source, [])
        let backtrace = try #require(
            StackUnwinder(snapshot: crash.snapshot, images: crash.images).unwindException())
        return backtrace.frames.map { (crash.function(of: $0), "\($0.foundBy)") }
    }

    /// `push` has a table that says that it pushes nothing.
    private static let pushing = """
        volatile int zero;
        void push(void);
        __asm__(".text\\n.type push,@function\\npush: .cfi_startproc\\npushq %rbx\\npushq $0\\n"
            "movl $1, 0\\naddq $8, %rsp\\npopq %rbx\\nret\\n.cfi_endproc\\n.size push, .-push\\n");
        __attribute__((noinline)) void work(void) { push(); zero++; }
        int main(void) { work(); return zero; }

        """

    @Test("Assembly whose table does not know of its pushes is followed by code and call")
    func pushesWithoutTable() throws {
        let frames = try frames(Self.pushing)
        #expect(frames.prefix(3).map(\.function) == ["push", "work", "main"])
        #expect(
            frames.prefix(3).map(\.foundBy) == ["registers", "calledFrame", "unwindTable"])
    }

    /// `crash` begins where the last call of `end` returns to.
    private static let adjacent = """
        volatile int zero;
        void end(void);
        __asm__(".text\\n.type end,@function\\nend: .cfi_startproc\\nsubq $40, %rsp\\n"
            ".cfi_adjust_cfa_offset 40\\ncall last\\n.cfi_endproc\\n.size end, .-end\\n"
            ".type crash,@function\\ncrash: .cfi_startproc\\nmovl $1, 0\\nret\\n.cfi_endproc\\n"
            ".size crash, .-crash\\n.type last,@function\\nlast: .cfi_startproc\\nsubq $8, %rsp\\n"
            ".cfi_adjust_cfa_offset 8\\ncall crash\\nud2\\n.cfi_endproc\\n.size last, .-last\\n");
        __attribute__((noinline)) void work(void) { end(); zero++; }
        int main(void) { work(); return zero; }

        """

    @Test("An address is of two functions where one begins and another's last call returns to")
    func addressOfTwoFunctions() throws {
        let frames = try frames(Self.adjacent)
        #expect(
            frames.prefix(5).map(\.function) == ["crash", "last", "end", "work", "main"])
    }

    /// Its page has a table, but may not be executed. The word at the stack pointer is behind a call.
    private static let losing = """
        #include <stdint.h>
        #include <sys/mman.h>
        #define PAGE __attribute__((noinline, section(".text.page"), aligned(4096))) static
        volatile int zero; void *volatile stale;
        __attribute__((noinline)) void note(void) { stale = __builtin_return_address(0); }
        PAGE void lose(void);
        PAGE void lose(void) {
            void *volatile room[3] = {stale, stale, stale};
            mprotect((void *)(uintptr_t)lose, 4096, PROT_NONE); zero += room[zero] != 0;
        }
        PAGE void behind(void) { zero++; }
        __attribute__((noinline)) void work(void) { lose(); zero++; }
        int main(void) { note(); work(); behind(); return zero; }

        """

    @Test("Code that the program took from itself is followed by its table")
    func lostCode() throws {
        let frames = try frames(Self.losing)
        #expect(frames.prefix(3).map(\.function) == ["lose", "work", "main"])
        #expect(frames[1].foundBy == "unwindTable")
    }
}
