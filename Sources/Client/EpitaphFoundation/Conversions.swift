// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import FoundationEssentials

// For programs that use Foundation. Epitaph does not, which makes static ones a third smaller.

extension UUID {
    /// The same 16 bytes.
    public init(_ id: Epitaph.ID) {
        self = id.bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}

extension Epitaph.ID {
    /// The same 16 bytes.
    public init(_ id: UUID) {
        let bytes = withUnsafeBytes(of: id.uuid) { [UInt8]($0) }
        // There are 16 of them.
        self = Epitaph.ID(bytes: bytes) ?? .none
    }
}

extension Date {
    /// The same moment.
    public init(_ time: Epitaph.Timestamp) {
        self.init(timeIntervalSince1970: time.secondsSince1970)
    }
}

extension Epitaph.Timestamp {
    /// The same moment.
    public init(_ date: Date) {
        self.init(secondsSince1970: date.timeIntervalSince1970)
    }
}
