// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What a batch of inotify(7) events says, taken apart without trusting its lengths.
struct DirectoryEvents {
    /// Names something happened to, in order.
    private(set) var names: [String] = []
    /// Events were dropped, or one had a name that is not UTF-8: what happened is not known.
    private(set) var isIncomplete = false
    /// The directory itself was removed, renamed or unmounted.
    private(set) var hasLostDirectory = false

    static let directoryMask = UInt32(IN_DELETE_SELF | IN_MOVE_SELF)
    private static let lostMask = directoryMask | UInt32(IN_IGNORED | IN_UNMOUNT)

    init(_ bytes: UnsafeRawBufferPointer) {
        let headerSize = MemoryLayout<inotify_event>.size
        var offset = 0
        while bytes.count - offset >= headerSize {
            let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let left = bytes.count - offset - headerSize
            guard let nameSize = Int(exactly: event.len), nameSize <= left else {
                isIncomplete = true
                return
            }
            let start = offset + headerSize
            take(event.mask, UnsafeRawBufferPointer(rebasing: bytes[start..<start + nameSize]))
            offset = start + nameSize
        }
    }

    private mutating func take(_ mask: UInt32, _ paddedName: UnsafeRawBufferPointer) {
        if mask & UInt32(IN_Q_OVERFLOW) != 0 { isIncomplete = true }
        if mask & Self.lostMask != 0 { hasLostDirectory = true }
        // The name is padded with zeros; an event of the directory itself has none.
        let name = paddedName.prefix { $0 != 0 }
        guard !name.isEmpty else { return }
        if let text = String(validating: name, as: UTF8.self) {
            names.append(text)
        } else {
            isIncomplete = true
        }
    }
}
