// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem

extension FileDescriptor {
    /// Changes of network links, rtnetlink(7). Containers with their own network see their own.
    package static func linkMessages() throws(SystemError) -> FileDescriptor {
        try owned(epitaph_link_socket_open(), "socket", "network links")
    }

    /// Device events (uevents), sent only to the initial network namespace.
    package static func deviceMessages() throws(SystemError) -> FileDescriptor {
        try owned(epitaph_device_socket_open(), "socket", "device messages")
    }

    package static func clockSteps() throws(SystemError) -> FileDescriptor {
        try owned(epitaph_clock_timer_open(), "timerfd_create", "clock steps")
    }

    private static func owned(
        _ descriptor: Int32, _ call: String, _ subject: String
    ) throws(SystemError) -> FileDescriptor {
        guard descriptor >= 0 else { throw .last(call, subject) }
        return FileDescriptor(owning: descriptor, path: subject)
    }

    /// Skips messages of processes; nil if there is none. Throws ENOBUFS if messages were lost.
    package func nextKernelMessage() throws(SystemError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 1 << 15)
        let count = bytes.withUnsafeMutableBytes {
            epitaph_kernel_message_read(rawValue, $0.baseAddress, $0.count)
        }
        guard count >= 0 else { throw .last("recvfrom", path) }
        return count == 0 ? nil : Array(bytes.prefix(count))
    }

    package func clockWasSet() throws(SystemError) -> Bool {
        let answer = epitaph_clock_timer_ask(rawValue)
        guard answer >= 0 else { throw .last("read", path) }
        return answer == 1
    }
}
