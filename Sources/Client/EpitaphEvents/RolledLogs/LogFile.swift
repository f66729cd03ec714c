// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// A rolled log as of the last look.
    public struct LogFile: Sendable, Hashable {
        /// Its name in the directory at that time. Loggers rename what they have rolled.
        public let name: String
        /// The path of its directory.
        public let directoryPath: String
        /// Identifies the file, whatever its name.
        package let identity: FileIdentity
        /// Its size in bytes.
        public let sizeBytes: Int
        /// When it was last written to, to the nanosecond if the file system keeps that.
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

        /// Where it was at the last look.
        public var path: String { directoryPath + "/" + name }

        /// The same each time these contents are sent, under any name and by any process, so that a
        /// server can recognise a second copy.
        ///
        /// Made from inode, size and time of the last change, as a UUID of version 8 (RFC 9562,
        /// 5.8). The device is left out: its number may differ after a restart of the machine, and
        /// all files of a directory share it.
        public var id: Epitaph.ID {
            let time = (modificationTime.secondsSince1970 - Self.referenceDate).bitPattern
            let words = [identity.inode, UInt64(truncatingIfNeeded: sizeBytes), time]
            var high = Self.mixed(words, seed: 0x6c6f_6775_706c_6f61)
            var low = Self.mixed(words, seed: 0x2d65_7069_7461_7068)
            high = high & ~0xf000 | 0x8000
            low = low & ~(0b11 << 62) | 0b10 << 62
            return Epitaph.ID(high: high, low: low)
        }

        /// 2001, from which the time in such ids was always counted.
        private static let referenceDate = 978_307_200.0

        /// Whether a file is still this one, with the same contents as far as size and time show.
        func isUnchanged(_ status: FileStatus) -> Bool {
            status.kind == .regular && status.identity == identity && status.sizeBytes == sizeBytes
                && status.modificationTime == modificationTime
        }

        /// The finalizer of Stafford's "mix 13", applied once for each word: each bit of the words
        /// changes half of the result.
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
