// SPDX-License-Identifier: Apache-2.0

import Bytes
import FoundationEssentials
import LinuxSystem
import Synchronization

/// Which process holds a report's lock, written behind the 8 bytes Crashpad's tools read: `EPLK`,
/// process id i32, start of the process in ticks u64, pid namespace u64, boot id 16 bytes.
struct LockOwner {
    static let offset = 8
    static let byteCount = 40
    private static let magic: UInt32 = 0x4B4C_5045

    let processID: Int32
    let startTicks: UInt64
    let pidNamespace: UInt64
    let bootID: UUID

    /// This process; nil where proc does not tell.
    init?(_ proc: ProcFileSystem) {
        let own = ProcFileSystem.ownProcessID
        guard case .running(let ticks) = proc.state(of: own), let boot = try? proc.bootID(),
            let namespace = try? proc.pidNamespace()
        else { return nil }
        processID = own
        startTicks = ticks
        pidNamespace = namespace
        bootID = boot
    }

    /// This process, asked of proc once: none of it changes but with fork(2).
    static var own: LockOwner? {
        known.withLock { known in
            if known?.processID != ProcFileSystem.ownProcessID {
                known = LockOwner(ProcFileSystem())
            }
            return known
        }
    }

    private static let known = Mutex<LockOwner?>(nil)

    /// Nil for a lock that does not tell, or not all.
    init?(_ bytes: [UInt8]) {
        var cursor = ByteCursor(ByteSlice(bytes))
        guard bytes.count == Self.byteCount, (try? cursor.read(UInt32.self)) == Self.magic,
            let processID = try? cursor.read(Int32.self),
            let startTicks = try? cursor.read(UInt64.self),
            let pidNamespace = try? cursor.read(UInt64.self)
        else { return nil }
        self.processID = processID
        self.startTicks = startTicks
        self.pidNamespace = pidNamespace
        bootID = cursor.readRest().withUnsafeBytes {
            UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
        }
    }

    var bytes: [UInt8] {
        var builder = ByteBuilder()
        builder.append(Self.magic)
        builder.append(processID)
        builder.append(startTicks)
        builder.append(pidNamespace)
        return withUnsafeBytes(of: bootID.uuid) { builder.bytes + Array($0) }
    }

    /// True only where there is proof: this very process runs in this pid namespace.
    func isAlive(_ proc: ProcFileSystem) -> Bool {
        guard (try? proc.bootID()) == bootID, (try? proc.pidNamespace()) == pidNamespace else {
            return false
        }
        return proc.state(of: processID) == .running(startTicks: startTicks)
    }

    /// True only where there is proof: another boot, or no such process in this pid namespace.
    func isDead(_ proc: ProcFileSystem) -> Bool {
        guard let boot = try? proc.bootID() else { return false }
        guard boot == bootID else { return true }
        guard (try? proc.pidNamespace()) == pidNamespace else { return false }
        return switch proc.state(of: processID) {
        case .ended: true
        case .running(let ticks): ticks != startTicks
        case .unknown: false
        }
    }
}
