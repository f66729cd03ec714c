// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation

/// A process of very many threads, modules and mappings.
package enum CrowdedSnapshot {
    package static func crash(threads: Int) -> ProcessSnapshot {
        var snapshot = ProcessSnapshot(architecture: .x86_64)
        snapshot.process.id = 4711
        snapshot.process.snapshotTime = Timestamp(secondsSince1970: 1_787_368_447)
        snapshot.modules = (0..<400).map { index in
            let start = 0x40_0000 + UInt64(index) * 0x10_0000
            var module = ModuleSnapshot(
                path: index == 0 ? "/usr/bin/crowded" : "/usr/lib/libpart\(index).so.1",
                addressRange: start..<start + 0x8_0000,
                kind: index == 0 ? .executable : .sharedObject)
            module.loadBias = start
            module.buildID = (0..<20).map { UInt8(truncatingIfNeeded: index &* 31 &+ $0) }
            return module
        }
        snapshot.threads = (0..<threads).map(thread)
        var exception = ExceptionSnapshot(signal: 11, code: 1, address: 0x10)
        exception.threadID = 4711
        exception.registers = snapshot.threads.first?.registers
        snapshot.exception = exception
        snapshot.files.maps = ByteSlice(
            Array(
                (0..<6000).map { index in
                    let start = 0x7f00_0000_0000 + index * 0x10000
                    return "\(String(start, radix: 16))-\(String(start + 0x8000, radix: 16)) "
                        + "rw-p 00000000 00:00 0\n"
                }.joined().utf8))
        return snapshot
    }

    private static func thread(_ index: Int) -> ThreadSnapshot {
        var thread = ThreadSnapshot(id: 4711 + UInt64(index), completeness: .complete)
        thread.name = "worker-\(index)"
        var registers = X86Registers()
        registers.rip = 0x40_1000 + UInt64(index)
        registers.rsp = 0x7f00_0000_0000 + UInt64(index) * 0x10000
        thread.registers = .x86_64(registers)
        thread.stack = MemoryRegion(
            address: registers.rsp, bytes: ByteSlice([UInt8](repeating: 0xa5, count: 1024)))
        return thread
    }
}
