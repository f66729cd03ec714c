// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite struct SystemCallTests {
    /// The table under "The system calls of a crash" in docs/async-safety.md.
    static func allowedCalls() throws -> Set<String> {
        let page = try String(
            contentsOfFile: Products.packageRoot + "/docs/async-safety.md", encoding: .utf8)
        let rest = page.components(separatedBy: "## The system calls of a crash").last ?? ""
        let section = rest.components(separatedBy: "\n## ").first ?? ""
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
        return Set(
            rows.flatMap { row in
                row.split(separator: "|")[0].split(separator: "`").map(String.init)
                    .filter { $0.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } }
            })
    }

    /// The names of the calls any thread made from the crash signal on.
    static func calls(in trace: String, after signal: String) -> Set<String> {
        let lines = trace.split(separator: "\n").drop { !$0.contains("--- \(signal) {") }
        var names: Set<String> = []
        for line in lines {
            // "4711  openat(AT_FDCWD, ..." ; continuations begin with "<...".
            let call = line.drop { $0 != " " }.drop { $0 == " " }
            let name = call.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            if call.dropFirst(name.count).first == "(" { names.insert(String(name)) }
        }
        return names
    }

    @Test(
        "The handler makes only allowed system calls",
        arguments: [("null-write", "SIGSEGV"), ("abort", "SIGABRT"), ("forked-child", "SIGSEGV")])
    func onlyAllowed(_ way: String, _ signal: String) throws {
        let directory = try TemporaryDirectory()
        let trace = directory.path("trace")
        _ = try Subprocess.run([
            "strace", "-f", "-qq", "-o", trace, Victim.c.path, directory.path("db"), way,
            "3",
        ])
        #expect(Dummy.files(in: directory.path("db")).contains { !$0.hasSuffix(".locked") })
        let text = try String(contentsOfFile: trace, encoding: .utf8)
        let calls = Self.calls(in: text, after: signal)
        let allowed = try Self.allowedCalls()
        #expect(allowed.count > 30)
        #expect(calls.contains("renameat"))
        // The parent of the forked child is no part of the crash, and ends.
        let others: Set<String> =
            way == "forked-child" ? ["wait4", "exit_group", "pause"] : ["pause"]
        #expect(calls.subtracting(allowed).subtracting(others).isEmpty)
    }

    /// Each thread that the kernel lists costs an inode, which its death has to take back.
    @Test(
        "The kernel lists the threads only if it has some that we do not know",
        arguments: [("null-write", false), ("raw-thread", true)])
    func listsThreads(_ way: String, _ isListed: Bool) throws {
        let directory = try TemporaryDirectory()
        let trace = directory.path("trace")
        _ = try Subprocess.run([
            "strace", "-f", "-qq", "-o", trace, Victim.c.path, directory.path("db"), way, "3",
        ])
        let text = try String(contentsOfFile: trace, encoding: .utf8)
        let calls = Self.calls(in: text, after: "SIGSEGV")
        #expect(calls.contains("rt_tgsigqueueinfo"))
        #expect(calls.contains("getdents64") == isListed)
    }
}
