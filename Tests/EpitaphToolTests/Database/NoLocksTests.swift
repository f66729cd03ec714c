// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Network and user-space file systems may have no flock(2); strace answers for one.
@Suite("dump-convert on a file system without locks")
struct NoLocksTests {
    @Test(
        "Dumps become reports, settings change and reports are pruned, whatever flock answers",
        arguments: ["ENOLCK", "EOPNOTSUPP", "ENOSYS"])
    func works(error: String) throws {
        let sample = try SampleDatabase()
        let id = Epitaph.ID().description
        try sample.leaveDump(Sample.dump(), named: "com.example.d@\(id)")
        func run(_ arguments: String...) throws -> Subprocess {
            try Subprocess.run(
                [
                    "strace", "-qq", "-f", "-o", sample.directory.path("trace"), "-e",
                    "trace=flock", "-e", "inject=flock:error=\(error)",
                    Products.executable("dump-convert"),
                ] + arguments,
                environment: ["EPITAPH_DATABASE": sample.path, "EPITAPH_UPLOAD_URL": ""])
        }
        let process = try run("process")
        #expect(process.ending == .exited(0), "\(process.standardError)")
        #expect(process.standardOutput == "\(id) com.example.d@\(id)\n")
        let trace = try String(contentsOfFile: sample.directory.path("trace"), encoding: .utf8)
        #expect(trace.contains("\(error) ") && trace.contains("(INJECTED)"))
        #expect(try run("settings", "--enable-uploads").ending == .exited(0))
        #expect(try run("settings").standardOutput.hasPrefix("uploads: on\n"))
        #expect(try run("list").standardOutput.contains(id))
        let prune = try run("prune", "--max-size", "1")
        #expect(prune.ending == .exited(0))
        #expect(try sample.files(in: "new") == [])
        #expect(try sample.files(in: "pending") == ["\(id).dmp", "\(id).meta"])
        #expect(try sample.files(in: "pending-dumps") == [])
    }
}
