// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphMinidump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphConversion

/// The environment stays out of dumps, wherever in the process its texts are.
@Suite struct PrivateTextTests {
    /// Letters and digits that no file of the program holds.
    static func makeToken() -> String {
        let characters = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        return String((0..<60).map { _ in characters.randomElement() ?? "x" })
    }

    /// Every eight bytes in a row of a text: none of them may be found.
    static func windows(of text: String) -> Set<UInt64> {
        let bytes = Array(text.utf8)
        return Set((0...bytes.count - 8).map { window(bytes, at: $0) })
    }

    private static func window(_ bytes: [UInt8], at offset: Int) -> UInt64 {
        bytes[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Offsets at which eight bytes in a row are in one of the windows.
    static func places(of windows: Set<UInt64>, in bytes: [UInt8]) -> [Int] {
        guard bytes.count >= 8 else { return [] }
        var window = self.window(bytes, at: 0)
        var places: [Int] = []
        for offset in 0...bytes.count - 8 {
            if windows.contains(window) { places.append(offset) }
            guard offset + 8 < bytes.count else { break }
            window = window >> 8 | UInt64(bytes[offset + 8]) << 56
        }
        return places
    }

    private static func run(
        _ token: String, _ way: String = "secrets", _ settings: [String] = [],
        command: [String]? = nil, prefix: [String] = []
    ) throws -> Dummy {
        try Dummy(
            way, threads: 0, settings, command: command, prefix: prefix,
            environment: ["SECRET_TOKEN": token, "NEIGHBOUR": String(makeToken().prefix(12))])
    }

    /// Of the token and of its reverse, which the program sets as LATE_TOKEN.
    private static func bothWindows(_ token: String) -> Set<UInt64> {
        windows(of: token).union(windows(of: String(token.reversed())))
    }

    @Test(
        "No eight bytes of what the environment says are in a dump",
        arguments: [[], ["ptrace"], ["enosys"]])
    func stayOut(_ settings: [String]) throws {
        let token = Self.makeToken()
        let dummy = try Self.run(token, "secrets", settings)
        let dump = try #require(dummy.sealed.first)
        #expect(Self.places(of: Self.bothWindows(token), in: dump.array).isEmpty)
        let snapshot = try dummy.snapshot()
        #expect(snapshot.exception?.signal == SIGSEGV)
        // On the stacks and heaps of four threads, in their registers, and what was registered.
        #expect((snapshot.capture?.blankedByteCount ?? 0) > 500)
        #expect(snapshot.threads.count == 4)
        #expect(!snapshot.damage.contains { $0.subject.contains("environment") })
    }

    @Test("Nor are they in its minidump, which says how much was blanked, and every stack is whole")
    func minidumps() throws {
        let token = Self.makeToken()
        let dummy = try Self.run(token)
        let database = try ReportDatabase(
            opening: dummy.directory.path("db"), ifMissing: .create)
        let summary = try DumpSweep(database).run()
        let id = try #require(summary.reportIDs.first)
        let bytes = try database.contents(of: database.report(id))
        #expect(Self.places(of: Self.bothWindows(token), in: bytes.array).isEmpty)
        let read = try MinidumpReader.read(bytes)
        let count = try #require(read.snapshot.capture?.blankedByteCount)
        let shown = try Subprocess.run([
            Products.executable("dump-convert"), "show", id.description.uppercased(), "--database",
            dummy.directory.path("db"),
        ]).standardOutput
        #expect(shown.contains("were in the environment or the command line are asterisks"))
        #expect(count > 500)
        for function in ["die_with", "die_with_secrets", "main"] {
            #expect(shown.contains(function))
        }
    }

    @Test("What the program allowed is in its dump, and the rest is not")
    func allowed() throws {
        let token = Self.makeToken()
        let dummy = try Self.run(token, "secrets", ["allowed"])
        let dump = try #require(dummy.sealed.first).array
        let snapshot = try dummy.snapshot()
        #expect(snapshot.environment == ["SECRET_TOKEN=\(token)"])
        #expect(snapshot.memory.contains { $0.bytes.text.contains(token) })
        let late = Self.windows(of: String(token.reversed()))
        #expect(Self.places(of: late, in: dump).isEmpty)
    }

    @Test("An address on a stack stays, though the environment says what its bytes say")
    func addresses() throws {
        var dummy: Dummy?
        // One in forty addresses has a zero where no text can have one; then it says 75.
        for _ in 0..<5 where dummy?.sealed.first == nil {
            dummy = try Self.run(Self.makeToken(), "beside-address")
        }
        let snapshot = try #require(dummy).snapshot()
        let mark: UInt64 = 0x1122_3344_5566_7788
        let words = try #require(snapshot.crashingThread?.stack).words
        let frame = try #require(
            words.indices.first {
                $0 + 3 < words.count && words[$0] == mark && words[$0 + 3] == mark
            })
        #expect(words[frame + 1] == 0x2a2a_2a2a_2e2e_2e2e)
        #expect(snapshot.modules.first?.addressRange.contains(words[frame + 2]) == true)
    }

    @Test("Nothing of it is in what is stored before the first system call, or under a filter")
    func storedAlone() throws {
        let token = Self.makeToken()
        let dummy = try Self.run(token, "secrets", ["strict", "kill"])
        for name in dummy.files {
            let path = dummy.directory.path("db/pending-dumps/\(name)")
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            #expect(bytes.count > 4096)
            #expect(Self.places(of: Self.bothWindows(token), in: bytes).isEmpty)
        }
        #expect(!dummy.files.isEmpty)
    }

    @Test("The search finds what the plain rule finds, in a million random places, and no more")
    func search() throws {
        let dummy = try Dummy("text-search", ["none"], deadlineSeconds: 300)
        #expect(dummy.result.ending == .exited(0), "\(dummy.result.standardError)")
    }

    @Test("The other architecture's search does too")
    func searchOfAArch64() throws {
        let dummy = try Dummy(
            "text-search-briefly", ["none"], command: [AArch64Tests.dummy],
            prefix: AArch64Tests.emulator)
        #expect(dummy.result.ending == .exited(0), "\(dummy.result.standardError)")
    }

    @Test("The other architecture keeps them out as well")
    func aarch64() throws {
        let token = Self.makeToken()
        let dummy = try Self.run(
            token, command: [AArch64Tests.dummy], prefix: AArch64Tests.emulator)
        let dump = try #require(dummy.sealed.first)
        #expect(Self.places(of: Self.bothWindows(token), in: dump.array).isEmpty)
        #expect((try dummy.snapshot().capture?.blankedByteCount ?? 0) > 500)
    }
}
