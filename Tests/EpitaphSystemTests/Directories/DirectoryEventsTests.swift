// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import EpitaphSystem

@Suite("What inotify says")
struct DirectoryEventsTests {
    @Test("Events cut short or with names that are no text count as a change")
    func hostileEvents() {
        func header(mask: Int32, size: UInt32) -> [UInt8] {
            var event = inotify_event()
            event.mask = UInt32(mask)
            event.len = size
            return withUnsafeBytes(of: event) { Array($0) }
        }
        func events(_ bytes: [UInt8]) -> DirectoryEvents {
            bytes.withUnsafeBytes { DirectoryEvents($0) }
        }
        let whole = events(
            header(mask: IN_CREATE, size: 4) + [0x61, 0, 0, 0]
                + header(mask: IN_CREATE, size: 4) + [0x62, 0x63, 0x64, 0x65])
        #expect(whole.names == ["a", "bcde"])
        #expect(!whole.isIncomplete)
        #expect(events(header(mask: IN_CREATE, size: 5) + [0x61, 0, 0, 0]).isIncomplete)
        #expect(events(header(mask: IN_CREATE, size: .max)).isIncomplete)
        #expect(events(header(mask: IN_CREATE, size: 2) + [0xff, 0]).isIncomplete)
        #expect(events(header(mask: IN_Q_OVERFLOW, size: 0)).isIncomplete)
        #expect(events(header(mask: IN_IGNORED, size: 0)).hasLostDirectory)
        #expect(events([1, 2, 3]).names.isEmpty)
    }
}
