// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Proofs that a capture survives difficulties; docs/async-safety.md describes them. The full
/// version of the first is Scripts/interrupt-captures.
@Suite struct SurvivalTests {
    @Test(
        "A capture broken at any system call leaves a usable report and the right death",
        arguments: ["kill", "fail", "fault"])
    func brokenAtEachCall(_ kind: String) throws {
        let result = try Subprocess.run([
            Products.packageRoot + "/Scripts/interrupt-captures", "--build", Products.directory,
            "--kinds",
            kind, "--each-call-once", "--scenes", "crashing",
        ])
        #expect(result.ending == .exited(0), "\(result.standardOutput)\(result.standardError)")
    }

    /// One run of the sealed victim, as `Dummy` is one of others.
    static func sealed(_ way: String) throws -> (
        result: Subprocess, dumps: [IntermediateDump]
    ) {
        let directory = try TemporaryDirectory()
        let result = try Victim.sealed.run([directory.path("db"), way])
        let dumps = try Dummy.files(in: directory.path("db"))
            .filter { !$0.hasSuffix(".locked") }
            .map { name in
                let path = directory.path("db/pending-dumps/" + name)
                return try IntermediateDump(
                    ByteSlice(Array(Data(contentsOf: URL(fileURLWithPath: path)))))
            }
        return (result, dumps)
    }

    static func expectWhole(_ dumps: [IntermediateDump], threads: Int) throws {
        let dump = try #require(dumps.first)
        #expect(dumps.count == 1 && dump.isComplete)
        #expect(dump.snapshot.missingForUse.isEmpty)
        #expect(dump.snapshot.damage.isEmpty, "\(dump.snapshot.damage.map(\.sentence))")
        #expect(dump.snapshot.threads.count == threads)
        #expect(dump.snapshot.modules.contains { $0.name == "libc.so.6" })
    }

    @Test(
        "The kernel lets the handler make the calls of the page and no others",
        arguments: [("main", SIGSEGV, 4), ("thread", SIGSEGV, 5), ("abort", SIGABRT, 4)])
    func sealed(_ way: String, _ signal: Int32, _ threads: Int) throws {
        let (result, dumps) = try Self.sealed(way)
        #expect(result.ending == .signalled(signal))
        try Self.expectWhole(dumps, threads: threads)
        // Noted behind the seal: that needs no other call either.
        let noted = dumps.first?.snapshot.breadcrumbs.map(\.message)
        #expect(noted == (way == "abort" ? [] : ["sealed"]))
    }

    @Test("A forked child's capture makes only the calls of the page, too")
    func sealedChild() throws {
        let (result, dumps) = try Self.sealed("forked-child")
        #expect(result.ending == .exited(40 + SIGSEGV))
        try Self.expectWhole(dumps, threads: 1)
    }

    @Test("A call that is not on the page ends the sealed program at once")
    func sealWorks() throws {
        let (result, dumps) = try Self.sealed("forbidden")
        #expect(result.ending == .signalled(SIGSYS))
        #expect(dumps.isEmpty)
    }

    @Test("The filter allows exactly the calls of the page")
    func sealIsThePage() throws {
        let table = try String(
            contentsOfFile: Products.packageRoot + "/Tests/CEpitaphVictim/allowed_calls.h",
            encoding: .utf8)
        let names = table.components(separatedBy: "CALL(").dropFirst().compactMap {
            $0.split(separator: ")").first.map(String.init)
        }
        #expect(Set(names) == (try SystemCallTests.allowedCalls()))
    }

    /// The library that ends a program which allocates in a signal handler.
    static func makeTrap(in directory: TemporaryDirectory) throws -> [String: String] {
        let library = directory.path("trap.so")
        let compiler = try Subprocess.run([
            "clang", "-shared", "-fPIC", "-O1", "-D_GNU_SOURCE", "-o", library,
            Products.packageRoot + "/Tests/AllocationTrap/trap.c",
        ])
        guard compiler.ending == .exited(0) else {
            throw TrapError(description: compiler.standardError)
        }
        return ["LD_PRELOAD": library]
    }

    struct TrapError: Error {
        let description: String
    }

    @Test(
        "No handler allocates",
        arguments: [
            ("null-write", SIGSEGV), ("abort", SIGABRT), ("raise", SIGSEGV),
            ("stack-overflow", SIGSEGV), ("throw", SIGABRT),
        ])
    func noAllocation(_ way: String, _ signal: Int32) throws {
        let directory = try TemporaryDirectory()
        let trap = try Self.makeTrap(in: directory)
        let run = try Dummy(way, threads: 3, environment: trap)
        #expect(run.result.ending == .signalled(signal), "\(run.result.standardError)")
        #expect(try run.dump().isComplete)
    }

    @Test("A handler that does allocate is caught")
    func trapWorks() throws {
        let directory = try TemporaryDirectory()
        let trap = try Self.makeTrap(in: directory)
        let database = directory.path("db")
        let result = try Victim.sealed.run([database, "allocating"], environment: trap)
        #expect(result.ending == .exited(97))
        #expect(result.standardError == "allocation in a signal handler\n")
        // That handler ran after ours, which was not caught.
        #expect(try Dummy.crashes(in: database).count == 1)
        #expect(try Self.sealed("allocating").result.ending == .signalled(SIGSEGV))
    }
}
