// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite struct ContainerTests {
    /// The kernel drops the SIGABRT it sends itself, and abort(3) then runs an instruction that
    /// faults.
    @Test("Process 1 of a pid namespace that aborts has one report and the end it has without us")
    func abortingInit() throws {
        let prefix = ["unshare", "-pf", "--mount-proc"]
        let bare = try Dummy("abort", threads: 2, ["none"], prefix: prefix)
        let run = try Dummy("abort", threads: 2, prefix: prefix)
        #expect(run.result.ending == bare.result.ending)
        #expect(run.files.count == 1)
        #expect(try run.snapshot().exception?.signal == SIGABRT)
        #expect(try run.snapshot().process.id == 1)
    }

    @Test("Process 1 of a pid namespace is killed by its own fault")
    func faultingInit() throws {
        let run = try Dummy("null-write", threads: 2, prefix: ["unshare", "-pf", "--mount-proc"])
        #expect(run.result.ending == .signalled(SIGSEGV))
        #expect(try run.expectReport(signals: [SIGSEGV]).process.id == 1)
    }

    /// A root that is read-only but for the temporary directories.
    static let readOnlyRoot = [
        "bwrap", "--ro-bind", "/", "/", "--bind", NSTemporaryDirectory(), NSTemporaryDirectory(),
        "--dev", "/dev",
    ]

    @Test("A read-only root with a writable database is enough")
    func readOnlyRoot() throws {
        let prefix = Self.readOnlyRoot + ["--proc", "/proc"]
        let run = try Dummy("null-write", threads: 2, ["settled"], prefix: prefix)
        #expect(run.sealed.count == 1)
        #expect(try run.snapshot().threads.count == 3)
    }

    @Test("Without /proc every thread that was made with pthread_create is there")
    func noProc() throws {
        let run = try Dummy(
            "null-write", threads: 3, ["patient"], prefix: Self.readOnlyRoot + ["--tmpfs", "/proc"])
        let snapshot = try run.expectReport(signals: [SIGSEGV])
        let names = snapshot.threads.dropFirst().compactMap(\.name).sorted()
        #expect(names == ["idle-0", "idle-1", "idle-2"])
        #expect(snapshot.threads.allSatisfy { $0.completeness == .complete && $0.stack != nil })
        #expect(snapshot.damage.contains { $0.errorNumber == ENOENT })
    }

    @Test("A /proc of another pid namespace is not taken for our own")
    func foreignProc() throws {
        let snapshot = try Dummy("null-write", threads: 3, ["patient"], prefix: ["unshare", "-pf"])
            .expectReport(signals: [SIGSEGV])
        let names = snapshot.threads.dropFirst().compactMap(\.name).sorted()
        #expect(names == ["idle-0", "idle-1", "idle-2"])
        #expect(snapshot.threads.allSatisfy { $0.completeness == .complete && $0.stack != nil })
    }

    @Test(
        "A seccomp filter that answers or kills for the ways to read memory changes nothing",
        arguments: ["enosys", "eperm", "kill"], ["", "early-"])
    func filter(_ answer: String, _ when: String) throws {
        let snapshot = try Dummy("null-write", threads: 2, ["settled", when + answer])
            .expectReport(signals: [SIGSEGV])
        #expect(snapshot.threads.count == 3)
        #expect(snapshot.modules.first?.buildID.isEmpty == false)
        #expect(!snapshot.memory.isEmpty)
    }

    @Test(
        "A filter that refuses ptrace or kills for it leaves a silent thread partial, with the reason",
        arguments: ["eperm", "kill"])
    func filteredPtrace(_ answer: String) throws {
        let snapshot = try Dummy("null-write", threads: 2, ["ptrace", "blocked", answer])
            .expectReport(signals: [SIGSEGV])
        let thread = try #require(snapshot.threads.first { $0.name == "idle-0" })
        #expect(thread.completeness == .partial)
        #expect(thread.whyIncomplete != nil)
    }

    @Test("A filter that kills and a full table of open files together change nothing")
    func filterWithoutFiles() throws {
        let snapshot = try Dummy("null-write", threads: 2, ["settled", "kill", "no-files"])
            .expectReport(signals: [SIGSEGV])
        #expect(snapshot.modules.first?.buildID.isEmpty == false)
    }

    @Test(
        "Resource limits that leave nothing do not keep a crash from being captured",
        arguments: ["no-files", "no-processes", "early-no-processes", "soft-file-size"])
    func limits(_ limit: String) throws {
        let snapshot = try Dummy("abort", threads: 2, ["settled", limit])
            .expectReport(signals: [SIGABRT])
        #expect(snapshot.threads.count == 3)
    }
}
