// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphMinidump

@Suite(
    "Other readers of minidumps that others made",
    .enabled(if: ForeignMinidumps.arePresent, Comment(rawValue: ForeignMinidumps.absence)))
struct ForeignAgreementTests {
    @Test(
        "PyPI's minidump lists the same processor, threads, modules and memory",
        arguments: ForeignMinidumps.names)
    func python(name: String) throws {
        let snapshot = try MinidumpReader.read(ByteSlice(try ForeignMinidumps.bytes(name))).snapshot
        let listing = try PythonListing.of(ForeignMinidumps.path(name))

        #expect(listing.processor == (snapshot.architecture == .x86 ? "INTEL" : "AMD64"))
        #expect(listing.threads.map(\.id) == snapshot.threads.map(\.id))
        #expect(listing.threads.map(\.stack) == snapshot.threads.map { $0.stack?.address ?? 0 })
        #expect(
            listing.threads.map(\.stackSize) == snapshot.threads.map { $0.stack?.bytes.count ?? 0 })
        #expect(listing.modules.map(\.name) == snapshot.modules.map(\.path))
        #expect(listing.modules.map(\.address) == snapshot.modules.map(\.addressRange.lowerBound))
        let ends = listing.modules.map { $0.address + $0.size }
        #expect(ends == snapshot.modules.map(\.addressRange.upperBound))
        let regions = snapshot.threads.compactMap(\.stack) + snapshot.memory
        #expect(!listing.memory.isEmpty)
        for range in listing.memory {
            let bytes = hex(range.bytes)
            for (index, byte) in bytes.enumerated() {
                let address = range.address + UInt64(index)
                let region = regions.first { $0.addressRange.contains(address) }
                let ours = region?.bytes.byte(at: Int(address - (region?.address ?? 0)))
                guard ours != byte else { continue }
                Issue.record("byte at \(address) is \(byte), read as \(String(describing: ours))")
                return
            }
        }
    }

    @Test(
        "lldb shows the same signal, crashing thread and modules, with the bytes of their build ids",
        arguments: ForeignMinidumps.names.filter { $0.hasPrefix("linux") })
    func lldb(name: String) throws {
        let snapshot = try MinidumpReader.read(ByteSlice(try ForeignMinidumps.bytes(name))).snapshot
        let result = try Subprocess.run(
            [
                "/usr/bin/lldb", "--no-lldbinit", "-b", "-c", ForeignMinidumps.path(name),
                "-o", "thread list", "-o", "image list",
            ], deadlineSeconds: 120)
        try #require(result.ending == .exited(0), "\(result.standardError)")
        let exception = try #require(snapshot.exception)
        let output = result.standardOutput
        #expect(output.contains("tid = \(try #require(exception.threadID)), "))
        let signals: [Int32: String] = [6: "SIGABRT", 8: "SIGFPE", 11: "SIGSEGV"]
        #expect(output.contains("stop reason = signal \(signals[exception.signal] ?? "?")"))
        for module in snapshot.modules {
            let digits = module.buildID.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            let line = output.split(separator: "\n").first { $0.contains(" \(module.path) ") }
            let identity = try #require(line, "\(module.path)").filter { $0 != "-" }
            #expect(identity.contains(digits.joined().uppercased()), "\(module.path)")
        }
    }
}
