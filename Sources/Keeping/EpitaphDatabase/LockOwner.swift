// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// A lock's holder, behind the 8 bytes that Crashpad's tools read: `EPLK`, process id i32, start of
/// the process in ticks u64, pid namespace u64, boot id 16 bytes.
struct LockOwner {
    static let offset = 8
    static let byteCount = 40
    private static let magic: UInt32 = 0x4B4C_5045

    let process: ProcessIdentity

    /// This process, read from proc once: only fork(2) changes it. Nil if proc lacks a part.
    static var own: LockOwner? {
        known.withLock { known in
            if known?.processID != ProcFileSystem.ownProcessID {
                known = ProcFileSystem().ownIdentity()
            }
            return known.map(LockOwner.init)
        }
    }

    private static let known = ForkSafeMutex<ProcessIdentity?>(nil)

    init(_ process: ProcessIdentity) {
        self.process = process
    }

    init?(_ bytes: [UInt8]) {
        var cursor = ByteCursor(ByteSlice(bytes))
        guard bytes.count == Self.byteCount, (try? cursor.read(UInt32.self)) == Self.magic,
            let processID = try? cursor.read(Int32.self),
            let startTicks = try? cursor.read(UInt64.self),
            let pidNamespace = try? cursor.read(UInt64.self)
        else { return nil }
        let bootID = Epitaph.ID(bytes: cursor.readRest().array)
        process = ProcessIdentity(
            processID: processID, startTicks: startTicks, pidNamespace: pidNamespace,
            bootID: bootID)
    }

    var bytes: [UInt8]? {
        guard let bootID = process.bootID else { return nil }
        var builder = ByteBuilder()
        builder.append(Self.magic)
        builder.append(process.processID)
        builder.append(process.startTicks)
        builder.append(process.pidNamespace)
        return builder.bytes + bootID.bytes
    }

    /// Nil if unknown: another pid namespace, or proc does not say.
    func isRunning(_ proc: ProcFileSystem) -> Bool? { proc.isRunning(process) }
}
