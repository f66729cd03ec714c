// SPDX-License-Identifier: Apache-2.0

import Glibc

struct NetworkError: Error, CustomStringConvertible {
    let call: String
    let errorNumber = errno

    var description: String {
        "\(call): \(String(cString: strerror(errorNumber)))"
    }
}

/// A listening TCP socket on the loopback address.
struct Listener: Sendable {
    let port: UInt16
    private let socket: Int32

    init(port: UInt16) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw NetworkError(call: "socket") }
        var reuse: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = socket
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, address, &size) == 0
            }
        }
        guard result else { throw NetworkError(call: "bind to port \(port)") }
        self.port = UInt16(bigEndian: address.sin_port)
    }

    /// The next connection; nil if the call was interrupted or the peer disconnected first.
    func accept() -> Connection? {
        let descriptor = Glibc.accept(socket, nil, nil)
        return descriptor < 0 ? nil : Connection(descriptor: descriptor)
    }
}

/// One client, which sends and receives lines.
struct Connection: Sendable {
    let descriptor: Int32

    /// The next line without its end; nil if the client is gone, or after 4 KiB without a line end.
    func readLine() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < 4096, read(descriptor, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    func send(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    func close() {
        _ = Glibc.close(descriptor)
    }
}
