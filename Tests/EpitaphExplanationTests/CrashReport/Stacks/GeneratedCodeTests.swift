// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphTestSupport
import Testing

/// Stacks through code that a program made while it ran.
struct GeneratedCodeTests {
    /// sub $24, %rsp; call at 16; and there sub $8, %rsp; movq $0, (%rsp); xor %eax, %eax;
    /// mov %eax, (%rax). The word at the stack pointer is no saved register.
    private static let source = """
        #include <epitaph.h>
        #include <string.h>
        #include <sys/mman.h>
        static volatile int zero;
        static const unsigned char code[] = {
            0x48, 0x83, 0xec, 24, 0xe8, 7, 0, 0, 0, 0x48, 0x83, 0xc4, 24, 0xc3, 0xcc, 0xcc,
            0x48, 0x83, 0xec, 8, 0x48, 0xc7, 4, 0x24, 0, 0, 0, 0,
            0x31, 0xc0, 0x89, 0, 0x48, 0x83, 0xc4, 8, 0xc3};
        __attribute__((noinline)) static void work(void (*generated)(void)) {
            generated(); zero++;
        }
        int main(int count, char **arguments) {
            epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
            options.database_path = arguments[1]; options.bundle_id = "org.example.generating";
            if (count < 3 || epitaph_start(&options, NULL) != EPITAPH_OK) return 70;
            void *page = mmap(NULL, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            memcpy(page, code, sizeof code); work((void (*)(void))page); return zero;
        }

        """

    @Test("Code made at run time, which left the frame pointer alone, does not hide its caller")
    func generatedCode() throws {
        let directory = try TemporaryDirectory()
        let program = try DiagnosisProgram.compile(
            ["-O1", "-fno-omit-frame-pointer"], in: directory, source: Self.source)
        let crash = try ExplainedCrash(program, "any")
        let frames = try #require(crash.explanation.crashingThread?.stack?.frames)
        #expect(frames.prefix(4).map(\.function) == [nil, nil, "work", "main"])
        // A search of the stack is no proof.
        #expect(frames[2].foundBy == .stackScan)
    }
}
