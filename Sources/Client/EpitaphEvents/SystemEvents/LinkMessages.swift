// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A network link as described by rtnetlink(7).
struct LinkMessage: Equatable {
    var index: Int32
    /// For example `eth0`; empty if the message has none.
    var name = ""
    var isRunning: Bool
    var isRemoved: Bool

    private static let headerBytes = 16
    private static let linkBytes = 16
    // linux/rtnetlink.h, linux/if_link.h, net/if.h
    private static let newLink: UInt16 = 16
    private static let deletedLink: UInt16 = 17
    private static let nameAttribute: UInt16 = 3
    private static let running: UInt32 = 0x40
    private static let attributeAlignment = 4

    static func all(in bytes: [UInt8]) -> [LinkMessage] {
        let bytes = ByteSlice(bytes)
        var messages: [LinkMessage] = []
        var offset = 0
        while let length = bytes.load(at: offset, as: UInt32.self).map(Int.init),
            length >= headerBytes,
            length <= bytes.count - offset
        {
            let end = offset + length
            if let message = LinkMessage(bytes.slice(from: offset, length: length)) {
                messages.append(message)
            }
            offset = (end + attributeAlignment - 1) / attributeAlignment * attributeAlignment
        }
        return messages
    }
}

extension LinkMessage {
    private init?(_ message: ByteSlice) {
        guard let type = message.load(at: 4, as: UInt16.self),
            [Self.newLink, Self.deletedLink].contains(type),
            message.count >= Self.headerBytes + Self.linkBytes,
            let index = message.load(at: Self.headerBytes + 4, as: Int32.self),
            let flags = message.load(at: Self.headerBytes + 8, as: UInt32.self)
        else { return nil }
        self.index = index
        isRunning = flags & Self.running != 0
        isRemoved = type == Self.deletedLink
        var offset = Self.headerBytes + Self.linkBytes
        while let length = message.load(at: offset, as: UInt16.self).map(Int.init), length >= 4,
            length <= message.count - offset,
            let attribute = message.load(at: offset + 2, as: UInt16.self)
        {
            if attribute == Self.nameAttribute {
                let text = message.slice(from: offset + 4, length: length - 4).array
                name = String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
            }
            offset += (length + 3) / Self.attributeAlignment * Self.attributeAlignment
        }
    }
}

struct LinkTable {
    private var states: [Int32: Bool] = [:]

    mutating func event(for message: LinkMessage) -> SystemEvent? {
        let name = message.name.isEmpty ? "\(message.index)" : message.name
        if message.isRemoved {
            states[message.index] = nil
            return SystemEvent(
                .networkLink, .info, "network link \(name) is gone",
                details: ["link": name, "state": "gone"])
        }
        let before = states.updateValue(message.isRunning, forKey: message.index)
        guard before != message.isRunning else { return nil }
        // A first message that says down is no change.
        guard before != nil || message.isRunning else { return nil }
        let state = message.isRunning ? "up" : "down"
        return SystemEvent(
            .networkLink, message.isRunning ? .info : .warning,
            "network link \(name) is \(state)", details: ["link": name, "state": state])
    }
}
