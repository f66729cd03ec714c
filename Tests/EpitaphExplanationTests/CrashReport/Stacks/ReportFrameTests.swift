// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphTestSupport
import EpitaphValues
import Testing

struct ReportFrameTests {
    @Test("Of modules that lie over each other, the one that begins last has the address")
    func overlappingModules() throws {
        var outer = ModuleSnapshot(
            path: "/lib/outer", addressRange: 0x1000..<0x9000, kind: .sharedObject)
        outer.loadBias = 0x1000
        var inner = ModuleSnapshot(
            path: "/lib/inner", addressRange: 0x4000..<0x5000, kind: .sharedObject)
        inner.loadBias = 0x3000
        for modules in [[outer, inner], [inner, outer]] {
            let place = try #require(ReportFrame.Place(0x4010, in: modules))
            #expect(place.moduleName == "inner")
            #expect(modules[place.moduleIndex].name == "inner")
            // Counted from the load bias, not from the first address.
            #expect(place.offset == 0x1010)
            #expect(ReportFrame.Place(0x5000, in: modules)?.moduleName == "outer")
            #expect(ReportFrame.Place(0x9000, in: modules) == nil)
        }
    }

    @Test("The innermost line of a trap has the reason that the compiler left for it")
    func runtimeFailure() throws {
        let directory = try TemporaryDirectory()
        let source = """
            __attribute__((noinline)) int divide(int a, int b) { return a / b; }
            int main(int count, char **arguments) { (void)arguments; return divide(8, count - 1); }

            """
        let program = try CrashingProgram.compile(
            ["-O1", "-g", "-fsanitize=integer-divide-by-zero", "-fsanitize-trap=all"],
            in: directory, source: source)
        let debugged = try DebuggedProgram(running: [program], in: directory)
        let explanation = CrashExplanation(installed: debugged.snapshot)
        let frames = try #require(explanation.crashingThread?.stack?.frames)
        #expect(frames[0].function == "divide")
        #expect(frames[0].runtimeFailure?.hasPrefix("Undefined Behavior Sanitizer: ") == true)
        #expect(frames.dropFirst().allSatisfy { $0.runtimeFailure == nil })
    }

    @Test("Half of a function, which the other half calls, is told by its mark")
    func halves() throws {
        let directory = try TemporaryDirectory()
        let source = """
            int *volatile nowhere; volatile int zero;
            void half(void) __asm__("work.part.0");
            __attribute__((noinline)) void half(void) { *nowhere = 1; zero++; }
            __attribute__((noinline)) void work(void) { half(); zero++; }
            void moved(void) __asm__("main.cold.1");
            __attribute__((noinline)) void moved(void) { work(); zero++; }
            int main(void) { moved(); return zero; }

            """
        let program = try CrashingProgram.compile(["-O1"], in: directory, source: source)
        let debugged = try DebuggedProgram(running: [program], in: directory)
        let explanation = CrashExplanation(installed: debugged.snapshot)
        let frames = try #require(explanation.crashingThread?.stack?.frames)
        #expect(
            frames.prefix(4).map(\.shortFunction) == [
                "work.part.0", "work", "main.cold.1", "main",
            ])
    }

    @Test("So it is beside debug information, which has the whole's name for both")
    func namedHalves() throws {
        let directory = try TemporaryDirectory()
        let source = """
            #include <stdio.h>
            volatile int sink;
            int work(int *place, int n)
            {
                if (__builtin_expect(n >= 0, 1)) return sink;
                for (int i = 0; i < n * n; i++) sink += printf("%d", i);
                puts("x"); puts("y"); puts("z"); puts("w");
                sink += *place;
                return sink * 3;
            }
            __attribute__((noinline)) int once(int *place, int n) { return work(place, n) + 1; }
            __attribute__((noinline)) int twice(int *place, int n) { return work(place, n * 2) + 4; }
            int main(int count, char **arguments) { return once(0, count) + twice(0, -count); }

            """
        try directory.write(Array(source.utf8), to: "half.c")
        let program = directory.path("half")
        let compiler = try Subprocess.run(
            ["gcc", "-O2", "-g", "-Wl,--build-id", "-o", program, directory.path("half.c")])
        #expect(compiler.ending == .exited(0))
        let debugged = try DebuggedProgram(running: [program], in: directory)
        let explanation = CrashExplanation(installed: debugged.snapshot)
        let frames = try #require(explanation.crashingThread?.stack?.frames)
        #expect(
            frames.prefix(4).map(\.shortFunction) == ["work.part.0", "work", "twice", "main"])
        #expect(explanation.signature?.text.hasSuffix(" work | twice | main") == true)
    }
}
