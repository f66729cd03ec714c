// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem
import Glibc

/// A local datagram service, unix(7). For one message: the service may restart between two.
package struct UnixDatagram {
    private let socket: FileDescriptor

    /// To a path, or `@` and an abstract name. A send may wait `timeoutSeconds` for the receiver.
    /// Throws ENOENT or ECONNREFUSED if there is no such service.
    package init(to address: String, timeoutSeconds: Int32 = 1) throws(SystemError) {
        let bytes = Array(address.utf8.map { CChar(truncatingIfNeeded: $0) })
        let descriptor = epitaph_datagram_socket_open(bytes, bytes.count, timeoutSeconds)
        guard descriptor >= 0 else { throw .last("connect", address) }
        socket = FileDescriptor(owning: descriptor, path: address)
    }

    /// If too large, sends a sealed file's descriptor, as JOURNAL_NATIVE_PROTOCOL.md says.
    package func send(_ bytes: [UInt8]) throws(SystemError) {
        guard epitaph_datagram_send(socket.rawValue, bytes, bytes.count) != 0 else { return }
        let error = SystemError.last("send", socket.path)
        guard error.errorNumber == EMSGSIZE || error.errorNumber == ENOBUFS else { throw error }
        let descriptor = epitaph_sealed_file_make("message", bytes, bytes.count)
        guard descriptor >= 0 else { throw .last("memfd_create", socket.path) }
        let file = FileDescriptor(owning: descriptor, path: "message")
        guard epitaph_descriptor_send(socket.rawValue, file.rawValue) == 0 else {
            throw .last("sendmsg", socket.path)
        }
    }
}
