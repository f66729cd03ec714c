// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// What reports do to the processes that explain them. A library in these stands for what a hostile
/// report might find: it acts by the name of the file that is about to be read.
@Suite("dump-convert explain, workers")
struct ExplainWorkerTests {
    let directory: TemporaryDirectory
    private let library: String

    private static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <stdlib.h>
        #include <string.h>
        #include <unistd.h>
        char *realpath(const char *path, char *resolved) {
            if (strstr(path, "hang"))
                for (;;) pause();
            if (strstr(path, "crash")) abort();
            if (strstr(path, "once") && open("once.seen", O_CREAT | O_EXCL, 0600) >= 0) _exit(3);
            if (strstr(path, "eat"))
                for (;;) memset(malloc(1 << 24), 1, 1 << 24);
            char *(*next)(const char *, char *) = dlsym(RTLD_NEXT, "realpath");
            return next(path, resolved);
        }
        """

    init() throws {
        directory = try TemporaryDirectory()
        let source = try directory.write(Array(Self.source.utf8), to: "library.c")
        library = directory.path("library.so")
        try runTool(
            ["clang", "-shared", "-fPIC", "-w", "-o", library, source, "-ldl"])
    }

    private func minidump(_ name: String) throws -> String {
        try directory.write(Sample.minidump(), to: name)
    }

    private func explain(_ arguments: [String]) throws -> Subprocess {
        try dumpConvert(["explain"] + arguments, environment: ["LD_PRELOAD": library])
    }

    /// The reasons of the lines that have one, by the last part of the file's name.
    private func failures(_ text: String) throws -> [String: String] {
        var failures: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let object = try jsonObject(line)
            let name = (object["input"] as? String)?.split(separator: "/").last ?? ""
            failures[String(name)] = object["error"] as? String
        }
        return failures
    }

    @Test("A report that hangs, crashes or fills memory costs its line, and no other")
    func hostile() throws {
        let names = ["a", "hang", "b", "crash", "c", "eat", "d"]
        let paths = try names.map(minidump)
        let result = try explain(
            ["--jobs", "2", "--timeout", "2", "--memory", "200", "--rows"] + paths)
        #expect(result.exitStatus == 1)
        #expect(result.standardOutput.split(separator: "\n").count == names.count)
        let failures = try failures(result.standardOutput)
        #expect(Set(failures.keys) == ["hang", "crash", "eat"])
        #expect(failures["hang"] == "explaining it took longer than 2 s")
        #expect(
            failures["crash"]
                == "no process could explain it, 2 tried: it was ended by signal 6")
        // Where memory is slow to come, the time is over first.
        #expect(
            [
                "explaining it took more than 200 MB of memory",
                "explaining it took longer than 2 s",
            ].contains(failures["eat"]))
        #expect(result.standardError.contains("3 of 7 inputs could not be explained"))
    }

    @Test("A report whose process ends once is explained by another one")
    func secondTry() throws {
        let result = try explain(["--jobs", "1", "--rows", minidump("once"), minidump("a")])
        #expect(result.exitStatus == 0)
        #expect(result.standardOutput.split(separator: "\n").count == 2)
        #expect(try failures(result.standardOutput).isEmpty)
    }

    @Test("A process that has grown is replaced, and no report is lost by that")
    func replaced() throws {
        let paths = try (0..<6).map { try minidump("\($0)") }
        let result = try dumpConvert(
            ["explain", "--jobs", "2", "--memory", "1", "--timeout", "60", "--rows"] + paths)
        let failures = try failures(result.standardOutput)
        #expect(result.standardOutput.split(separator: "\n").count == paths.count)
        #expect(failures.values.allSatisfy { $0.hasPrefix("explaining it took more than 1 MB") })
    }

    @Test("Workers end when the run is killed")
    func orphans() throws {
        _ = mkfifo(directory.path("fifo"), 0o600)
        let script = """
            exec 3<>"$1/fifo"
            "$2" explain --jobs 2 <&3 >"$1/out" 2>/dev/null & run=$!
            printf '%s\\n%s\\n' "$3" "$3" >&3
            until [ "$(wc -l <"$1/out")" = 2 ]; do sleep 0.02; done
            pgrep -P $run >"$1/workers"
            kill -KILL $run
            wait $run
            """
        _ = try Subprocess.run([
            "bash", "-c", script, "bash", directory.path, Products.executable("dump-convert"),
            minidump("a"),
        ])
        let workers = try String(contentsOfFile: directory.path("workers"), encoding: .utf8)
            .split(separator: "\n").compactMap { Int32($0) }
        #expect(!workers.isEmpty)
        #expect(eventually { workers.allSatisfy { !isAtWork($0) } })
    }

    private func isAtWork(_ process: Int32) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return status.map { $0.contains("(dump-convert)") && !$0.contains(") Z ") } ?? false
    }
}
