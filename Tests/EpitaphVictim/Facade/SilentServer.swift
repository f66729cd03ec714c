// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A server on a port of this machine that takes a request and never answers.
struct SilentServer {
    private let listener: Int32
    let port: UInt16

    init() {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        port = withUnsafeMutableBytes(of: &address) { bytes in
            let start = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            guard bind(listener, start, length) == 0, listen(listener, 8) == 0,
                getsockname(listener, start, &length) == 0
            else { fatalError("no port: \(errno)") }
            return UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self))
        }
    }

    /// Until the first byte of one.
    func waitForRequest() {
        let connection = accept(listener, nil, nil)
        var byte: UInt8 = 0
        _ = recv(connection, &byte, 1, Int32(MSG_PEEK))
    }
}
