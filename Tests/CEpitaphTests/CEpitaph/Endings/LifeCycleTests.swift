// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite struct LifeCycleTests {
    @Test("The directories and the dump are for their owner alone")
    func permissions() throws {
        let run = try Dummy("null-write")
        func mode(_ path: String) throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
        }
        #expect(try mode(run.directory.path("db")) == 0o700)
        #expect(try mode(run.directory.path("db/pending-dumps")) == 0o700)
        #expect(try mode(run.directory.path("db/pending-dumps/" + run.files[0])) == 0o600)
    }

    @Test("A forked child's crash is its own report and leaves the parent's file alone")
    func fork() throws {
        let run = try Dummy("forked-child")
        #expect(run.result.ending == .exited(40 + SIGSEGV))
        #expect(run.files.count == 2)
        let snapshot = try run.snapshot()
        #expect(snapshot.process.parentID == run.result.processID)
        #expect(snapshot.process.id != run.result.processID)
        let locked = try #require(run.files.first { $0.hasSuffix(".locked") })
        let data = try #require(
            FileManager.default.contents(atPath: run.directory.path("db/pending-dumps/" + locked)))
        guard case .launchRecordOnly = try IntermediateDump(.init(Array(data))).contents else {
            Issue.record("the child wrote into its parent's file")
            return
        }
    }

    @Test("A previous handler runs after the capture and decides the end")
    func earlierHandler() throws {
        let run = try Dummy("null-write", threads: 1, ["handler"])
        #expect(run.result.ending == .signalled(SIGSEGV))
        #expect(run.result.standardOutput == "previous handler\n")
        #expect(try run.snapshot().exception?.address == 16)
    }

    @Test("A handler that recovers leaves Epitaph ready for the next crash")
    func recovery() throws {
        let run = try Dummy("null-write", threads: 1, ["recover"])
        #expect(run.result.standardOutput == "recovered\n")
        #expect(run.result.ending == .signalled(SIGABRT))
        #expect(run.files.count == 1)
        #expect(try run.snapshot().exception?.signal == SIGABRT)
    }

    @Test("What keeps Epitaph from starting is said in a sentence, and the program can go on")
    func startErrors() throws {
        let directory = try TemporaryDirectory()
        try directory.write([], to: "file")
        let result = try Subprocess.run(
            [Victim.c.path, directory.path("file"), "null-write"])
        #expect(result.ending == .exited(70))
        #expect(
            result.standardError
                == "cannot open the database directory \(directory.path("file")): Not a directory\n"
        )
        let missing = try Subprocess.run(
            [Victim.c.path, directory.path("no/such"), "null-write"])
        #expect(
            missing.standardError.hasSuffix(
                "/no/such, which is only made in a directory that exists: No such file or "
                    + "directory\n"))
    }

    @Test("A symbolic link in place of the pending directory is refused")
    func symbolicLink() throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory.path("db"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("db/pending-dumps"), withDestinationPath: "/tmp")
        let result = try Subprocess.run(
            [Victim.c.path, directory.path("db"), "null-write"])
        #expect(result.ending == .exited(70))
        #expect(result.standardError.contains("db/pending-dumps"))
    }
}
