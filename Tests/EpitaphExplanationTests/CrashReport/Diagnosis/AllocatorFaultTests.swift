// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphPages
import EpitaphTestSupport
import EpitaphValues
import Testing

/// Faults in the allocator's own code, of which the program's call or an earlier write is the cause;
/// and constants that the linker put beside the code.
@Suite struct AllocatorFaultTests {
    private static let source = """
        #include <epitaph.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #define WAY __attribute__((noinline)) static void
        void *volatile kept; volatile int one = 1; char *volatile text = "constant";
        WAY free_wild(void) { free((void *)0x4141414141414140); one++; }
        WAY realloc_wild(void) { kept = realloc((void *)0x123400000010, 100); one++; }
        WAY free_low(void) { free((void *)(0x18l * one)); one++; }
        WAY malloc_damaged(void) {
            char *first = malloc(2000); kept = malloc(2000); free(first);
            memset(first, 0x42, 32); kept = malloc(9000); kept = malloc(1500); one++;
        }
        WAY close_twice(void) { FILE *file = fopen("/dev/null", "r"); fclose(file); fclose(file);
            one++; }
        WAY line_wild(void) {
            char *line = (char *)0x123400000010; size_t room = 3;
            FILE *file = fopen("/proc/self/stat", "r"); one += getline(&line, &room, file) > 0;
        }
        WAY copied(void) { memcpy(kept, "abc", 3 * one); one++; }
        WAY constant(void) { text[0] = 'C'; one++; }
        WAY code(void) { *(volatile char *)code = 1; one++; }
        int main(int count, char **arguments) {
            (void)count;
            epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
            options.database_path = arguments[1]; options.bundle_id = "org.example.heap";
            if (epitaph_start(&options, NULL) != EPITAPH_OK) return 70;
            #define RUN(way) if (strcmp(arguments[2], #way) == 0) way();
            RUN(free_wild) RUN(realloc_wild) RUN(free_low) RUN(malloc_damaged) RUN(close_twice)
            RUN(line_wild) RUN(copied) RUN(constant) RUN(code)
            return 65;
        }

        """

    private static let program: Result<DiagnosisProgram.Compiled, any Error> = Result {
        let directory = try TemporaryDirectory()
        let path = try DiagnosisProgram.compile(
            ["-O1", "-g", "-fno-builtin", "-w", "-Wl,-z,noseparate-code"], in: directory,
            source: source, compiler: "gcc")
        return .init(path: path, directory: directory)
    }

    private func crash(_ way: String) throws -> ExplainedCrash {
        try ExplainedCrash(try Self.program.get().path, way)
    }

    @Test(
        "A fault in the allocator is told as what it was called with, and is of the group of its checks",
        arguments: [
            ("free_wild", "called free in free_wild (", "read from the non-canonical address"),
            ("realloc_wild", "called realloc in realloc_wild (", "where nothing is mapped"),
            ("free_low", "called free in free_low (", "of a null pointer"),
            ("line_wild", "called getdelim in line_wild (", "which called realloc"),
            ("malloc_damaged", "found its heap corrupted: malloc ", "0x42424242424242"),
        ])
    func fault(way: String, start: String, part: String) throws {
        let crash = try crash(way)
        let diagnosis = try #require(crash.diagnosis)
        #expect(diagnosis.kind == .heapCorruption)
        #expect(diagnosis.headline.hasPrefix(start), "\(diagnosis.headline)")
        #expect(diagnosis.headline.contains(part), "\(diagnosis.headline)")
        #expect(crash.signature?.text == "heap-corruption \(way) | main")
        #expect(diagnosis.findings.first?.evidence.contains("the allocator's own") == true)
        #expect(diagnosis.code != nil)
    }

    @Test("A block that the C library frees for the program is not said to be freed by the program")
    func byWayOfLibrary() throws {
        let headline = try #require(try crash("close_twice").diagnosis?.headline)
        #expect(headline.hasPrefix("called fclose in close_twice ("), "\(headline)")
        #expect(headline.contains("), which called free with a block that was free already: "))
    }

    @Test("What a library without symbols did is not said of the named function that called it")
    func strippedLibrary() throws {
        let directory = try TemporaryDirectory()
        let library = """
            #include <signal.h>
            #include <stdlib.h>
            void *volatile kept; volatile int one = 1;
            __attribute__((noinline)) static void inner(int way) {
                if (way == 1) *(volatile int *)kept = 1;
                if (way == 2) { kept = malloc(24); void *same = kept; free(same); free(kept); }
                if (way == 3) raise(SIGTRAP);
                one++;
            }
            void plugin_run(int way) { inner(way); one++; }

            """
        try directory.write(Array(library.utf8), to: "plugin.c")
        let built = try Subprocess.run([
            "gcc", "-O1", "-s", "-fno-builtin", "-shared", "-fPIC", "-o",
            directory.path("libplugin.so"), directory.path("plugin.c"),
        ])
        #expect(built.ending == .exited(0))
        let host = """
            #include <epitaph.h>
            #include <stdlib.h>
            void plugin_run(int way);
            int main(int count, char **arguments) {
                (void)count;
                epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
                options.database_path = arguments[1]; options.bundle_id = "org.example.host";
                if (epitaph_start(&options, NULL) != EPITAPH_OK) return 70;
                plugin_run(atoi(arguments[2]));
                return 65;
            }

            """
        let program = try DiagnosisProgram.compile(
            [
                "-O1", "-g", directory.path("libplugin.so"),
                "-Wl,-rpath,\(directory.path("."))",
            ], in: directory, source: host, name: "host", compiler: "gcc")
        for way in ["1", "2", "3"] {
            let explanation = try ExplainedCrash(program, way).explanation
            let lines = TextReport(explanation).lines
            #expect(lines.contains { $0.hasPrefix("  In          libplugin.so+0x") }, "\(lines)")
            let said =
                [explanation.diagnosis?.headline]
                + (explanation.diagnosis?.findings ?? []).map(\.statement)
            #expect(!said.contains { $0?.contains("plugin_run") == true }, "\(said)")
        }
        let second = try ExplainedCrash(program, "2").diagnosis?.headline ?? ""
        #expect(second.hasPrefix("called free in libplugin.so+0x"), "\(second)")
    }

    @Test("A caller that was found by a scan is not said to have called the allocator")
    func scanned() {
        var sample = DiagnosisSample(signal: 6, code: -6)
        sample.snapshot.exception?.senderProcessID = 4711
        sample.snapshot.messages = [CrashMessage(source: "glibc", text: "free(): invalid pointer")]
        var frames = ["abort", "free", "left_over", "main"].enumerated().map { index, name in
            var frame = ReportFrame(index: index, address: DiagnosisSample.code)
            frame.function = name
            return frame
        }
        func headline() -> String? {
            CrashExplanation(
                sample.snapshot, stacks: [], crashStack: ReportStack(frames: frames)
            ).diagnosis?.headline
        }
        #expect(headline()?.hasPrefix("called free in left_over with") == true)
        frames[2].foundBy = .stackGuess
        #expect(headline() == "found its heap corrupted: free(): invalid pointer")
    }

    @Test("A fault in another function of the C library is no fault of the heap")
    func other() throws {
        #expect(try crash("copied").diagnosis?.kind == .nullDereference)
    }

    @Test("A constant in the mapping of the code is not called code")
    func constant() throws {
        let constant = try #require(try crash("constant").diagnosis)
        #expect(constant.kind == .writeToReadOnly)
        #expect(constant.headline.hasSuffix(" in read-only data of diagnosed"), "\(constant)")
        let code = try #require(try crash("code").diagnosis)
        #expect(code.kind == .writeToCode)
        #expect(code.headline.hasSuffix(" in code of diagnosed"), "\(code)")
    }
}
