// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Synchronization
import Testing

@Suite("What dump-convert list reads, and what it remembers")
struct ListIndexTests {
    private let sample: SampleDatabase
    private let ids: [String]

    /// So many that it is worthwhile to remember them.
    init() throws {
        let sample = try SampleDatabase()
        let minidump = try Sample.minidump()
        ids = try (0..<70).map { _ in
            let id = Epitaph.ID().description
            try sample.file(minidump, id: id)
            return id
        }
        self.sample = sample
    }

    private var indexPath: String { sample.path + "/signatures/index" }

    private func list(_ options: String...) throws -> String {
        let result = try dumpConvert(["list", "--database", sample.path] + options)
        #expect(result.ending == .exited(0), "\(result.standardError)")
        #expect(result.standardError == "")
        return result.standardOutput
    }

    @Test("A list is the same with what was remembered and without, as JSON too")
    func same() throws {
        let (text, json) = (try list(), try list("--json"))
        #expect(FileManager.default.fileExists(atPath: indexPath))
        #expect(try list() == text && list("--json") == json)
        try FileManager.default.removeItem(atPath: indexPath)
        #expect(try list("--json") == json)
        #expect(text.split(separator: "\n").count == 71 && !text.contains("?"))
    }

    @Test("What is remembered is really used")
    func used() throws {
        _ = try list()
        let trace = try trace(of: "openat")
        #expect(!trace.contains(".dmp\""))
        #expect(trace.contains(".meta\""))
    }

    @Test("A list asks for the status of a minidump once, and of metadata when it is open")
    func statuses() throws {
        _ = try list()
        let trace = try trace(of: "newfstatat").split(separator: "\n")
        #expect(trace.count { $0.contains(".dmp\"") } == ids.count)
        #expect(!trace.contains { $0.contains(".meta\"") })
    }

    private func trace(of call: String) throws -> String {
        let path = sample.directory.path("trace")
        try runTool([
            "bash", "-c",
            "strace -f -o '\(path)' -e trace=\(call) "
                + "\(Products.executable("dump-convert")) list --database \(sample.path)",
        ])
        return try String(contentsOfFile: path, encoding: .utf8)
    }

    @Test("A minidump that is another one now is read again")
    func stale() throws {
        _ = try list()
        let other = try Sample.minidump(program: "/usr/bin/newer")
        let path = "\(sample.path)/pending/\(ids[0]).dmp"
        // Changed in place, with the same size: only its times show it.
        try Sample.minidump(program: "/usr/bin/older").withUnsafeBytes { bytes in
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.write(contentsOf: Data(bytes))
            try file.close()
        }
        #expect(try list().split(separator: "\n").count { $0.contains("/usr/bin/older") } == 1)
        try Data(other).write(to: URL(fileURLWithPath: path), options: .atomic)
        #expect(try list().split(separator: "\n").count { $0.contains("/usr/bin/newer") } == 1)
    }

    @Test(
        "A torn, cut or forged index makes no list wrong",
        arguments: ["cut", "flipped", "zeros", "empty", "long", "directory", "fifo"])
    func damaged(kind: String) throws {
        let whole = try list()
        var bytes = try Array(Data(contentsOf: URL(fileURLWithPath: indexPath)))
        switch kind {
        case "cut": bytes.removeLast(bytes.count / 3)
        // A letter of a program's name.
        case "flipped": bytes[bytes.count - 1] ^= 1
        case "zeros": bytes = [UInt8](repeating: 0, count: bytes.count)
        case "empty": bytes = []
        default: bytes += bytes
        }
        try FileManager.default.removeItem(atPath: indexPath)
        switch kind {
        case "directory":
            try FileManager.default.createDirectory(
                atPath: indexPath, withIntermediateDirectories: false)
        case "fifo": #expect(mkfifo(indexPath, 0o600) == 0)
        default: try Data(bytes).write(to: URL(fileURLWithPath: indexPath))
        }
        #expect(try list() == whole)
        #expect(try sample.files(in: "signatures").allSatisfy { !$0.contains("partial") })
    }

    @Test("A few reports are not worth a file")
    func few() throws {
        let few = try SampleDatabase()
        try few.file(Sample.minidump(), id: ids[0])
        try dumpConvertOutput("list", "--database", few.path)
        #expect(!FileManager.default.fileExists(atPath: few.path + "/signatures"))
    }

    @Test("Reports that move while they are listed are listed whole")
    func movers() throws {
        let isOver = Atomic(false)
        let uuids = ids.compactMap { Epitaph.ID($0) }
        let database = sample.database
        let mover = Thread {
            while !isOver.load(ordering: .relaxed) {
                for uuid in uuids { try? database.skipUpload(of: uuid) }
                for uuid in uuids { try? database.requestUpload(of: uuid) }
                // Some hundred moves for each list are enough, and leave the processor to it.
                usleep(20_000)
            }
        }
        mover.start()
        defer {
            isOver.store(true, ordering: .relaxed)
            while !mover.isFinished { usleep(1_000) }
        }
        for _ in 0..<20 {
            // Read from the minidumps each time.
            try? FileManager.default.removeItem(atPath: indexPath)
            let result = try dumpConvert("list", "--database", sample.path)
            let rows = result.standardOutput.split(separator: "\n").dropFirst()
            #expect(rows.count == ids.count)
            #expect(rows.allSatisfy { $0.contains("SIGSEGV") && $0.hasSuffix("/usr/bin/served") })
            #expect(!result.standardError.contains("cannot be read"))
        }
    }
}
