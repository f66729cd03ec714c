// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Modules whose files are deleted or replaced while the program runs: the dump says so, and has
/// what it takes to follow stacks through them.
@Suite struct ModuleFileTests {
    /// A section of an ELF file, as readelf(1) lists it.
    private struct Section {
        var address: UInt64
        var bytes: [UInt8]

        init(_ name: String, of path: String) throws {
            let listing = try Subprocess.run(["readelf", "-SW", path]).standardOutput
            let line = try #require(
                listing.split(separator: "\n").first { $0.contains(" \(name) ") })
            let fields = line.split(separator: "]")[1].split(separator: " ")
            address = try #require(UInt64(fields[2], radix: 16))
            let offset = try #require(Int(fields[3], radix: 16))
            let count = try #require(Int(fields[4], radix: 16))
            let file = try #require(FileManager.default.contents(atPath: path))
            bytes = Array(file[offset..<offset + count])
        }
    }

    private let work: TemporaryDirectory

    init() throws {
        work = try TemporaryDirectory()
    }

    /// By another process: a child that some other test makes meanwhile would hold the file open for
    /// writing, and it could not be run.
    private func copy(_ path: String, to name: String) throws -> String {
        let copied = try Subprocess.run(["cp", path, work.path(name)])
        #expect(copied.ending == .exited(0), "\(copied.standardError)")
        return work.path(name)
    }

    /// The dummy under a path of its own, and a file to be renamed over it.
    private func program(_ source: String = Victim.c.path) throws -> String {
        _ = try copy("/bin/true", to: "replacement")
        return try copy(source, to: "program")
    }

    private func library(_ name: String, body: String) throws -> String {
        let source = "int call_from_library(void (*call)(void)) { \(body) }\n"
        try source.write(toFile: work.path("\(name).c"), atomically: true, encoding: .utf8)
        let compiled = try Subprocess.run([
            "gcc", "-shared", "-fPIC", "-o", work.path(name), work.path("\(name).c"),
        ])
        #expect(compiled.ending == .exited(0), "\(compiled.standardError)")
        return work.path(name)
    }

    private func run(_ way: String, _ settings: [String] = [], program: String) throws -> Dummy {
        try Dummy(
            way, settings, command: [program],
            environment: [
                "REPLACEMENT": work.path("replacement"), "LIBRARY": work.path("library.so"),
            ])
    }

    /// Whether the dump has the headers and the unwind tables of `module`, which was made of the
    /// file at `path`.
    private func expectTables(
        of module: ModuleSnapshot, like path: String, in snapshot: ProcessSnapshot,
        location: SourceLocation = #_sourceLocation
    ) throws {
        let start = module.addressRange.lowerBound
        let headers = snapshot.memory.first { $0.address == start }
        #expect(
            headers?.bytes.array.starts(with: [0x7f, 0x45, 0x4c, 0x46]) == true,
            sourceLocation: location)
        #expect(headers?.bytes.count ?? 0 >= 64 + 56 * 4, sourceLocation: location)
        for name in [".eh_frame_hdr", ".eh_frame"] {
            let section = try Section(name, of: path)
            let address = section.address + (module.loadBias ?? 0)
            let region = snapshot.memory.first { $0.addressRange.contains(address) }
            let bytes = region.map { $0.bytes.array.dropFirst(Int(address - $0.address)) }
            #expect(
                bytes?.starts(with: section.bytes) == true, "\(name)", sourceLocation: location)
        }
    }

    @Test(
        "A program that is deleted or replaced while it runs is told apart from one that is not",
        arguments: [
            ("null-write", .same), ("other-link-deleted", .same), ("deleted", .deleted),
            ("replaced", .replaced), ("renamed", .replaced),
        ] as [(String, ModuleSnapshot.FileState)])
    func program(_ way: String, _ state: ModuleSnapshot.FileState) throws {
        let snapshot = try run(way, program: program()).snapshot()
        let executable = try #require(snapshot.modules.first)
        #expect(executable.fileState == state)
        if state == .same {
            #expect(!snapshot.memory.contains { $0.address == executable.addressRange.lowerBound })
        } else {
            try expectTables(of: executable, like: Victim.c.path, in: snapshot)
        }
        let libc = try #require(snapshot.modules.first { $0.path.contains("libc.so") })
        #expect(libc.fileState == .same)
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage.map(\.sentence))")
    }

    @Test("A library that an upgrade renames away is followed through")
    func library() throws {
        let body = "call(); return 1;"
        let original = try library("original.so", body: body)
        _ = try copy(original, to: "library.so")
        let kept = try run("kept-library", program: program()).snapshot()
        let same = try #require(kept.modules.first { $0.path == work.path("library.so") })
        #expect(same.fileState == .same)

        _ = try library("next.so", body: "for (int i = 0; i < 3; i++) call(); return 2;")
        try FileManager.default.removeItem(atPath: work.path("replacement"))
        _ = try copy(work.path("next.so"), to: "replacement")
        let snapshot = try run("replaced-library", program: work.path("program")).snapshot()
        let replaced = try #require(snapshot.modules.first { $0.path == work.path("library.so") })
        #expect(replaced.fileState == .replaced)
        #expect(snapshot.modules.first?.fileState == .same)
        try expectTables(of: replaced, like: original, in: snapshot)
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage.map(\.sentence))")
    }

    @Test("A library whose symbolic link leads elsewhere now is there by its own name")
    func symbolicLink() throws {
        let original = try library("libx.so.1", body: "call(); return 1;")
        let next = try library("libx.so.2", body: "call(); return 2;")
        let files = FileManager.default
        try files.createSymbolicLink(atPath: work.path("library.so"), withDestinationPath: original)
        let program = try program()
        try files.removeItem(atPath: work.path("replacement"))
        try files.createSymbolicLink(atPath: work.path("replacement"), withDestinationPath: next)
        let snapshot = try run("replaced-library", program: program).snapshot()
        let kept = try #require(snapshot.modules.first { $0.path == work.path("library.so") })
        #expect(kept.fileState == .same)
        let mapping = snapshot.mappings.first {
            kept.addressRange.contains($0.addressRange.lowerBound)
        }
        #expect(mapping?.path == original)
    }

    @Test(
        "Where a filter may end a process that asks, no more is said than the kernel's mark says",
        arguments: ["deleted", "replaced"])
    func filtered(_ way: String) throws {
        let snapshot = try run(way, ["early-deny-uname"], program: program()).snapshot()
        let executable = try #require(snapshot.modules.first)
        #expect(executable.fileState == .lost)
        try expectTables(of: executable, like: Victim.c.path, in: snapshot)
        let others = snapshot.modules.dropFirst().filter { $0.kind != .vdso }
        #expect(others.allSatisfy { $0.fileState == .same })
    }

    @Test("A crash of a program whose files are in place asks nothing about them")
    func noCalls() throws {
        let trace = work.path("trace")
        let calls = ["strace", "-f", "-qq", "-e", "trace=openat2,statx", "-o", trace]
        let run = try Dummy("null-write", command: [program()], prefix: calls)
        #expect(try run.snapshot().modules.first?.fileState == .same)
        let text = try String(contentsOfFile: trace, encoding: .utf8)
        #expect(text.contains("--- SIGSEGV {"))
        #expect(!text.contains("openat2(") && !text.contains("statx("), "\(text)")
    }

    @Test("Tables that do not fit into their budget are told of", arguments: [100, 2000])
    func budget(_ bytes: Int) throws {
        let snapshot = try run("deleted", ["tables=\(bytes)"], program: program()).snapshot()
        let executable = try #require(snapshot.modules.first)
        let tables = snapshot.memory.filter { executable.addressRange.contains($0.address) }
        #expect(!tables.isEmpty)
        #expect(snapshot.damage.count == 1)
        #expect(
            snapshot.damage.first?.subject
                == "unwind tables of the module at 0x"
                + String(executable.addressRange.lowerBound, radix: 16))
        #expect(snapshot.damage.first?.reason.hasPrefix("its size budget was used up") == true)
    }

    @Test("A program that is linked statically is no different", arguments: ["-static-pie"])
    func linkedStatically(_ flag: String) throws {
        let original = work.path("static")
        try Dummy.linkStatically(flag, to: original)
        let snapshot = try run("replaced", program: program(original)).snapshot()
        let executable = try #require(snapshot.modules.first)
        #expect(executable.fileState == .replaced)
        try expectTables(of: executable, like: original, in: snapshot)
    }
}
