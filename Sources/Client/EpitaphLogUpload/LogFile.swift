// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// A rolled log at the last look.
    public struct LogFile: Sendable, Hashable {
        /// Its name at that time. Loggers rename rolled files.
        public let name: String
        public let directoryPath: String
        package let identity: FileIdentity
        public let sizeBytes: Int
        /// Last write, to the nanosecond if the file system records that.
        public let modificationTime: Timestamp

        init(name: String, directoryPath: String, status: FileStatus) {
            self.init(
                name: name, directoryPath: directoryPath, identity: status.identity,
                sizeBytes: status.sizeBytes, modificationTime: status.modificationTime)
        }

        init(
            name: String, directoryPath: String, identity: FileIdentity, sizeBytes: Int,
            modificationTime: Timestamp
        ) {
            self.name = name
            self.directoryPath = directoryPath
            self.identity = identity
            self.sizeBytes = sizeBytes
            self.modificationTime = modificationTime
        }

        /// Its path at the last look.
        public var path: String { directoryPath + "/" + name }

        /// Identifies these contents, under any name and from any process, so that a server
        /// recognises a second copy.
        ///
        /// A UUID of version 8 (RFC 9562, 5.8) from inode, size and modification time. The device
        /// is left out: its number may change at boot, and all files of a directory share it.
        public var id: Epitaph.ID {
            let time = (modificationTime.secondsSince1970 - Self.referenceDate).bitPattern
            let words = [identity.inode, UInt64(truncatingIfNeeded: sizeBytes), time]
            var high = Self.mixed(words, seed: 0x6c6f_6775_706c_6f61)
            var low = Self.mixed(words, seed: 0x2d65_7069_7461_7068)
            high = high & ~0xf000 | 0x8000
            low = low & ~(0b11 << 62) | 0b10 << 62
            return Epitaph.ID(high: high, low: low)
        }

        /// 2001, the epoch of the time in these ids.
        private static let referenceDate = 978_307_200.0

        /// Whether a file still has this size and time.
        func isUnchanged(_ status: FileStatus) -> Bool {
            status.kind == .regular && status.identity == identity && status.sizeBytes == sizeBytes
                && status.modificationTime == modificationTime
        }

        /// Finalizer of Stafford's "mix 13" per word: each input bit changes half of the output.
        private static func mixed(_ words: [UInt64], seed: UInt64) -> UInt64 {
            words.reduce(seed) { state, word in
                var mixed = (state ^ word) &+ 0x9e37_79b9_7f4a_7c15
                mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
                mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
                return mixed ^ mixed >> 31
            }
        }
    }
}
